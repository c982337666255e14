import { ConnectionClosedError, MalformedResponseError } from './http1-error.ts';
import { HEADER_LINE, type Http1Head, Http1HeadBuilder, STATUS_LINE_START } from './http1-head.ts';

const LF = 0x0a;

/** Cuts lines out of bytes that come in pieces of any size. Holds no more than `limitBytes`, which is for all its lines together. */
export class Http1LineReader {
  readonly #limitBytes: number;
  #bytes = 0;
  #partial = '';
  #position = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Where the last call stopped reading. */
  get position(): number {
    return this.#position;
  }

  /** What there is of a line whose end has not come. */
  get partial(): string {
    return this.#partial;
  }

  /**
   * The next line as Latin-1, without its CRLF, or undefined when its end is not among the bytes from `from` on. A line that ends in
   * LF alone is refused: whoever else is on the way may see another message in it.
   */
  next(bytes: Buffer, from: number): string | undefined {
    const lineFeed = bytes.indexOf(LF, from);
    const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
    this.#bytes += end - from;
    if (this.#bytes > this.#limitBytes) {
      throw new MalformedResponseError(`the headers are larger than ${this.#limitBytes} bytes`);
    }
    this.#partial += bytes.toString('latin1', from, end);
    this.#position = end;
    if (lineFeed < 0) return undefined;
    const line = this.#partial;
    this.#partial = '';
    if (!line.endsWith('\r\n')) throw new MalformedResponseError('a line of the head does not end in CRLF');
    return line.slice(0, -2);
  }
}

const CR = 0x0d;
const SEMICOLON = 0x3b;

/** For a size and its extensions, which nobody sends. */
const MAX_SIZE_LINE_BYTES = 1024;
const MAX_TRAILER_BYTES = 16_384;

/** What says where a body ends cannot come after it. */
const FRAMING_FIELD = /^(?:content-length|transfer-encoding):/i;

/** What comes next on the wire. */
type ChunkState =
  | 'first-digit'
  | 'digit'
  | 'extension'
  | 'size-lf'
  | 'data'
  | 'data-cr'
  | 'data-lf'
  | 'trailers'
  | 'ended';

/**
 * A body in chunks, from pieces cut anywhere. The data of one piece are handed on together: those of its first chunk stay where they
 * are, and the others are moved up to them. A busy watch has a chunk for each event. Extensions and trailers are checked and dropped; whatever else is not exactly as RFC 9112 has it is refused.
 */
export class Http1ChunkedBody {
  readonly #sink: Pick<ResponseSink, 'onData'>;
  #state: ChunkState = 'first-digit';
  /** The size as far as it was read, then what is missing of the data. */
  #size = 0;
  #lineBytes = 0;
  /** Where the data of the piece at hand lie. */
  #dataStart = -1;
  #dataEnd = -1;
  #trailers: Http1LineReader | undefined;

  constructor(sink: Pick<ResponseSink, 'onData'>) {
    this.#sink = sink;
  }

  get ended(): boolean {
    return this.#state === 'ended';
  }

  /** Reads from `from` on, to the end of the bytes or of the body, and says where it stopped. */
  read(bytes: Buffer, from: number): number {
    this.#dataStart = this.#dataEnd = -1;
    try {
      return this.#read(bytes, from);
    } finally {
      // Also before an error: what came whole before the damage is not lost.
      if (this.#dataEnd > this.#dataStart) this.#sink.onData(bytes.subarray(this.#dataStart, this.#dataEnd));
    }
  }

  #read(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length && this.#state !== 'ended') {
      if (this.#state === 'data') {
        const end = Math.min(at + this.#size, bytes.length);
        this.#size -= end - at;
        if (this.#size === 0) this.#state = 'data-cr';
        this.#gather(bytes, at, end);
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

  #gather(bytes: Buffer, start: number, end: number): void {
    if (this.#dataStart < 0) this.#dataStart = this.#dataEnd = start;
    if (this.#dataEnd !== start) bytes.copyWithin(this.#dataEnd, start, end);
    this.#dataEnd += end - start;
  }

  #step(state: Exclude<ChunkState, 'data' | 'trailers' | 'ended'>, byte: number): ChunkState {
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

  #addDigit(byte: number): ChunkState {
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

/** With the interim responses before it. */
const MAX_HEAD_BYTES = 65_536;

export interface ResponseSink {
  /** Once, before any data. */
  onHead(head: Http1Head): void;
  /** A part of the body, never empty: in the memory of the bytes that were written to the parser, which may be used again. */
  onData(bytes: Buffer): void;
}

type State = 'head' | 'length' | 'chunked' | 'close' | 'ended';

/**
 * Reads one response of HTTP/1.1 from bytes that come in pieces of any size. Does no I/O, and hands on the body in the memory of those
 * bytes, in which it may move it. Interim
 * responses (1xx) are skipped. Throws `MalformedResponseError` for whatever is not exactly as RFC 9112 has it; it is of no use after
 * that.
 */
export class Http1ResponseParser {
  readonly #method: string;
  readonly #sink: ResponseSink;
  readonly #mayUpgrade: boolean;
  readonly #lines = new Http1LineReader(MAX_HEAD_BYTES);
  readonly #chunks: Http1ChunkedBody;
  #head: Http1HeadBuilder;
  #state: State = 'head';
  /** Of a body whose length was announced. */
  #missing = 0;

  /**
   * @param method of the request.
   * @param mayUpgrade whether the request asked for another protocol: then a 101 ends the response, and is refused otherwise.
   */
  constructor(method: string, sink: ResponseSink, mayUpgrade = false) {
    this.#method = method;
    this.#sink = sink;
    this.#mayUpgrade = mayUpgrade;
    this.#head = new Http1HeadBuilder(method);
    this.#chunks = new Http1ChunkedBody(sink);
  }

  /** Whether the response is whole. */
  get ended(): boolean {
    return this.#state === 'ended';
  }

  /** Takes the next bytes, and says how many of them belong to the response: all of them, unless it ended among them. */
  write(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#state !== 'ended') at = this.#read(bytes, at);
    return at;
  }

  /** The connection has been closed. Throws `ConnectionClosedError` unless that was how the response had to end. */
  close(): void {
    if (this.#state !== 'close' && this.#state !== 'ended') throw new ConnectionClosedError();
    this.#state = 'ended';
  }

  #read(bytes: Buffer, from: number): number {
    switch (this.#state) {
      case 'length': {
        const end = Math.min(from + this.#missing, bytes.length);
        this.#missing -= end - from;
        if (this.#missing === 0) this.#state = 'ended';
        this.#sink.onData(bytes.subarray(from, end));
        return end;
      }
      case 'chunked': {
        const end = this.#chunks.read(bytes, from);
        if (this.#chunks.ended) this.#state = 'ended';
        return end;
      }
      case 'close':
        this.#sink.onData(bytes.subarray(from));
        return bytes.length;
      default:
        return this.#readHeadLine(bytes, from);
    }
  }

  #readHeadLine(bytes: Buffer, from: number): number {
    const line = this.#lines.next(bytes, from);
    if (line !== undefined) {
      const head = this.#head.add(line);
      if (head) this.#onHead(head);
    } else if (
      !this.#head.begun &&
      !STATUS_LINE_START.startsWith(this.#lines.partial.slice(0, STATUS_LINE_START.length))
    ) {
      // Another protocol may never send the end of a line.
      throw new MalformedResponseError('it does not begin with a status line');
    }
    return this.#lines.position;
  }

  #onHead(head: Http1Head): void {
    const isSwitch = head.status === 101;
    if (isSwitch && !this.#mayUpgrade) throw new MalformedResponseError('it switches to another protocol');
    if (head.status < 200 && !isSwitch) {
      this.#head = new Http1HeadBuilder(this.#method);
      return;
    }
    if (head.framing.kind === 'length') this.#missing = head.framing.bytes;
    this.#state = head.framing.kind === 'none' ? 'ended' : head.framing.kind;
    this.#sink.onHead(head);
  }
}
