import { CLOSE, type Frame, FrameError, OPCODE } from './websocket.ts';

const FIN = 0x80;
const RESERVED = 0x70;
const MASKED = 0x80;
const MAX_CONTROL_BYTES = 125;
const KNOWN = new Set<number>(Object.values(OPCODE));

/**
 * Cuts a stream of bytes, in chunks of any size, into the frames of a server. Throws a `FrameError` for what RFC 6455 forbids, before
 * anything of a frame that is too long has been stored; after that it must not be used again.
 */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #length = 0;

  /** @param maxBytes of one frame. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    this.#length += chunk.byteLength;
  }

  /** The next frame, or undefined while it is not there as a whole. */
  next(): Frame | undefined {
    if (this.#length < 2) return undefined;
    const head = this.#peek(Math.min(10, this.#length));
    const [first = 0, second = 0] = head;
    const opcode = first & 0x0f;
    const fin = (first & FIN) !== 0;
    if ((first & RESERVED) !== 0) throw new FrameError(CLOSE.protocolError, 'a frame has reserved bits set');
    if (!KNOWN.has(opcode)) throw new FrameError(CLOSE.protocolError, `a frame has the unknown opcode ${opcode}`);
    if ((second & MASKED) !== 0) throw new FrameError(CLOSE.protocolError, 'a frame of the server is masked');
    const short = second & 0x7f;
    if (opcode >= OPCODE.close && (!fin || short > MAX_CONTROL_BYTES)) {
      throw new FrameError(CLOSE.protocolError, 'a control frame is in pieces or too long');
    }
    const headLength = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (this.#length < headLength) return undefined;
    const length = short < 126 ? short : short === 126 ? head.readUInt16BE(2) : longLength(head);
    if (length > this.#maxBytes) {
      throw new FrameError(CLOSE.tooBig, `a frame has ${length} bytes; at most ${this.#maxBytes} are accepted`);
    }
    if (this.#length < headLength + length) return undefined;
    return { opcode, fin, payload: this.#take(headLength + length).subarray(headLength) };
  }

  #peek(count: number): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= count) return first.subarray(0, count);
    return this.#joined().subarray(0, count);
  }

  #take(count: number): Buffer {
    const joined = this.#joined();
    const rest = joined.subarray(count);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#length -= count;
    return joined.subarray(0, count);
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first !== undefined) return first;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }
}

function longLength(head: Buffer): number {
  const high = head.readUInt32BE(2);
  if ((high & 0x80000000) !== 0) throw new FrameError(CLOSE.protocolError, 'a frame has a length beyond 63 bits');
  return high * 2 ** 32 + head.readUInt32BE(6);
}
