const INITIAL_BYTES = 64 * 1024;
/** What is kept for the next large value; more is given back when the window is empty. */
const KEPT_BYTES = 1024 * 1024;

/**
 * The bytes that have arrived and are not yet used, in one piece, so that a value split over many chunks can be read as
 * if it had come at once. Each byte is copied once on arrival, however small the chunks are.
 */
export class ByteWindow {
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  #start = 0;
  #end = 0;

  /** Valid in [`start`, `end`), and only until the next `append`. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  append(chunk: Uint8Array): void {
    if (this.#end === 0 && this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(INITIAL_BYTES);
    if (this.#bytes.length - this.#end < chunk.length) this.#makeRoom(chunk.length);
    this.#bytes.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /** Gives up everything before `position`. */
  consumeTo(position: number): void {
    this.#start = position;
    if (this.#start === this.#end) this.#start = this.#end = 0;
  }

  #makeRoom(more: number): void {
    const used = this.#end - this.#start;
    const needed = used + more;
    if (needed <= this.#bytes.length / 2) {
      this.#bytes.copyWithin(0, this.#start, this.#end);
    } else {
      const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length, 2 * needed));
      this.#bytes.copy(grown, 0, this.#start, this.#end);
      this.#bytes = grown;
    }
    this.#start = 0;
    this.#end = used;
  }
}
