import { MalformedResponseError } from './http1-error.ts';
import { HEADER_LINE } from './http1-head.ts';
import { Http1LineReader } from './http1-line-reader.ts';

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;

/** For a size and its extensions, which nobody sends. */
const MAX_SIZE_LINE_BYTES = 1024;
const MAX_TRAILER_BYTES = 16_384;

/** What says where a body ends cannot come after it. */
const FRAMING_FIELD = /^(?:content-length|transfer-encoding):/i;

/** What comes next on the wire. */
type State = 'first-digit' | 'digit' | 'extension' | 'size-lf' | 'data' | 'data-cr' | 'data-lf' | 'trailers' | 'ended';

/**
 * A body in chunks, from pieces cut anywhere. The data are handed on as they are, without a copy. Extensions and trailers are checked
 * and dropped; whatever else is not exactly as RFC 9112 has it is refused.
 */
export class Http1ChunkedBody {
  readonly #onData: (bytes: Buffer) => void;
  #state: State = 'first-digit';
  /** The size as far as it was read, then what is missing of the data. */
  #size = 0;
  #lineBytes = 0;
  #trailers: Http1LineReader | undefined;

  constructor(onData: (bytes: Buffer) => void) {
    this.#onData = onData;
  }

  get ended(): boolean {
    return this.#state === 'ended';
  }

  /** Reads from `from` on, to the end of the bytes or of the body, and says where it stopped. */
  read(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length && this.#state !== 'ended') {
      if (this.#state === 'data') {
        const end = Math.min(at + this.#size, bytes.length);
        this.#size -= end - at;
        if (this.#size === 0) this.#state = 'data-cr';
        this.#onData(bytes.subarray(at, end));
        at = end;
      } else if (this.#state === 'trailers') {
        at = this.#readTrailer(bytes, at);
      } else {
        this.#state = this.#step(this.#state, bytes[at] as number);
        at += 1;
      }
    }
    return at;
  }

  #step(state: Exclude<State, 'data' | 'trailers' | 'ended'>, byte: number): State {
    switch (state) {
      case 'first-digit':
        this.#lineBytes = 0;
        this.#size = 0;
        return this.#addDigit(byte);
      case 'digit':
        if (byte === CR) return 'size-lf';
        return byte === SEMICOLON ? 'extension' : this.#addDigit(byte);
      case 'extension':
        this.#countLine();
        if (byte === CR) return 'size-lf';
        if ((byte < 0x20 && byte !== 0x09) || byte === 0x7f) throw malformed();
        return 'extension';
      case 'size-lf':
        if (byte !== LF) throw malformed();
        return this.#size === 0 ? 'trailers' : 'data';
      case 'data-cr':
        if (byte !== CR) throw malformed();
        return 'data-lf';
      case 'data-lf':
        if (byte !== LF) throw malformed();
        return 'first-digit';
    }
  }

  #addDigit(byte: number): State {
    const digit = hexDigit(byte);
    if (digit < 0) throw malformed();
    this.#countLine();
    this.#size = this.#size * 16 + digit;
    if (!Number.isSafeInteger(this.#size)) throw new MalformedResponseError('a chunk is too large');
    return 'digit';
  }

  #countLine(): void {
    this.#lineBytes += 1;
    if (this.#lineBytes > MAX_SIZE_LINE_BYTES) {
      throw new MalformedResponseError(`the size of a chunk takes more than ${MAX_SIZE_LINE_BYTES} bytes`);
    }
  }

  #readTrailer(bytes: Buffer, from: number): number {
    this.#trailers ??= new Http1LineReader(MAX_TRAILER_BYTES);
    const line = this.#trailers.next(bytes, from);
    if (line === '') this.#state = 'ended';
    else if (line !== undefined && (!HEADER_LINE.test(line) || FRAMING_FIELD.test(line))) {
      throw new MalformedResponseError('a trailer is malformed');
    }
    return this.#trailers.position;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function malformed(): MalformedResponseError {
  return new MalformedResponseError('a chunk of the body is malformed');
}
