import { DecodeError } from '../decode-error.ts';

const NOTHING = Buffer.alloc(0);
/** A buffer that had to grow beyond this for one large value is given up after it. */
const KEPT_BYTES = 256 * 1024;

/**
 * Hands out the bytes of a stream in contiguous pieces of the sizes that are asked for, however they were cut into chunks.
 * A piece that lies within one chunk is not copied. A chunk is not looked at any more once a request has failed for want
 * of bytes, so its owner may use its memory again.
 */
export class ChunkReader {
  /** The readable bytes are those from `position` on; see `need`. */
  bytes: Buffer = NOTHING;
  position = 0;
  #end = 0;
  /** What is left of the chunk behind the bytes that have been gathered. */
  #chunk: Buffer = NOTHING;
  #gathered: Buffer = NOTHING;
  #consumed = 0;

  /** How many bytes of the stream lie before the position. */
  get offset(): number {
    return this.#consumed + this.position;
  }

  /** To be called only after `need` has failed, or at the beginning. */
  append(chunk: Uint8Array): void {
    this.#chunk = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    if (this.#end === this.position) this.#nextChunk();
  }

  /** Whether `bytes` holds `length` bytes from `position` on; valid until the next call of any method. */
  need(length: number): boolean {
    if (this.#end - this.position >= length) return true;
    if (this.#end === this.position && this.#chunk.length > 0) this.#nextChunk();
    if (this.#end - this.position >= length) return true;
    return this.#gather(length);
  }

  /** Skips up to `length` bytes, without gathering them; returns how many there were. */
  skip(length: number): number {
    const here = Math.min(length, this.#end - this.position);
    this.position += here;
    if (here === length || this.#chunk.length === 0) return here;
    this.#nextChunk();
    return here + this.skip(length - here);
  }

  /** Whether all bytes have been used. */
  get isEmpty(): boolean {
    return this.#end === this.position && this.#chunk.length === 0;
  }

  #nextChunk(): void {
    this.#consumed += this.position;
    this.bytes = this.#chunk;
    this.position = 0;
    this.#end = this.#chunk.length;
    this.#chunk = NOTHING;
    if (this.#gathered.length > KEPT_BYTES) this.#gathered = NOTHING;
  }

  /** Joins what is left to as much of the next chunk as is needed, in memory of our own. */
  #gather(length: number): boolean {
    const left = this.#end - this.position;
    const more = Math.min(length - left, this.#chunk.length);
    const target = this.#gathered.length >= length ? this.#gathered : Buffer.allocUnsafeSlow(roomFor(length));
    if (this.bytes !== target || this.position > 0) {
      this.bytes.copy(target, 0, this.position, this.#end);
      this.#consumed += this.position;
    }
    this.#chunk.copy(target, left, 0, more);
    this.#chunk = more === this.#chunk.length ? NOTHING : this.#chunk.subarray(more);
    this.#gathered = target;
    this.bytes = target;
    this.position = 0;
    this.#end = left + more;
    return this.#end >= length;
  }
}

/** Rounded up, so that values of about the same size find room without a new buffer each time. */
function roomFor(length: number): number {
  return length <= KEPT_BYTES ? 2 ** Math.ceil(Math.log2(Math.max(length, 256))) : length;
}

const PREFIX_BYTES = 4;

/** Cuts a watch into frames: each comes behind its length, four bytes with the highest first. */
export class FrameCutter {
  readonly #chunks = new ChunkReader();
  readonly #maxFrameBytes: number;
  #frameStart = 0;
  #frameEnd = 0;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** The frame found by `nextFrame` lies at [`frameStart`, `frameEnd`) of these, until the next call of the cutter. */
  get bytes(): Buffer {
    return this.#chunks.bytes;
  }

  get frameStart(): number {
    return this.#frameStart;
  }

  get frameEnd(): number {
    return this.#frameEnd;
  }

  /** To be called when `nextFrame` has found no more. */
  append(chunk: Uint8Array): void {
    this.#chunks.append(chunk);
  }

  /** Whether there is another frame in what has arrived. Throws `DecodeError` when it is too large. */
  nextFrame(): boolean {
    const chunks = this.#chunks;
    if (!chunks.need(PREFIX_BYTES)) return false;
    const length = chunks.bytes.readUInt32BE(chunks.position);
    if (length > this.#maxFrameBytes) {
      throw new DecodeError(
        'tooLarge',
        `the watch announces a frame of ${length} bytes, larger than ${this.#maxFrameBytes}, at byte ${chunks.offset}`,
      );
    }
    if (!chunks.need(PREFIX_BYTES + length)) return false;
    this.#frameStart = chunks.position + PREFIX_BYTES;
    this.#frameEnd = this.#frameStart + length;
    // The bytes stay where they are until the next call.
    chunks.position = this.#frameEnd;
    return true;
  }

  /** To be called when the body has ended. */
  finish(): void {
    if (this.#chunks.isEmpty) return;
    throw new DecodeError('truncated', `the watch broke off in the middle of the frame at byte ${this.#chunks.offset}`);
  }
}
