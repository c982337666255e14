const NOTHING = Buffer.alloc(0);
const INITIAL_BYTES = 16 * 1024;
/** What is kept for the next large value; more is given back when it is not needed any more. */
const KEPT_BYTES = 1024 * 1024;
/** A transport in process may hand over a whole body as one chunk; it is read in pieces of this size. */
const PIECE_BYTES = 256 * 1024;
/** How much of a chunk is first joined to what was left of those before it. */
const JOINED_BYTES = 16 * 1024;

/**
 * The bytes that have arrived and are not yet used, in one piece, so that a value split over chunks can be read as if it had come
 * at once. What lies within one chunk is read where it is. Of a value that goes on in the next chunk, the beginning of that chunk
 * is copied behind it, as much as turns out to be needed.
 */
export class ByteWindow {
  /** How many bytes of the stream lie before `start`. */
  offset = 0;
  #bytes: Buffer = NOTHING;
  #start = 0;
  #end = 0;
  /** The piece of the last chunk that is read, and what comes behind it. */
  #chunk: Buffer = NOTHING;
  #rest: Buffer = NOTHING;
  /** Memory of our own, for what is left of chunks. */
  #own: Buffer = NOTHING;
  /** Where in `#own` the chunk begins, or would begin, while that is what is read. */
  #joint = 0;

  /** Valid in [`start`, `end`), and only until the next call of any method. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  /**
   * To be called only after `more`, `need` or `skip` has found the end of the chunk before, or at the beginning. The chunk must stay as it
   * is until then. `joined` is how much of it can be read at once behind what was left.
   */
  append(chunk: Uint8Array, joined = JOINED_BYTES): void {
    this.#rest = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    this.#nextPiece(joined);
  }

  /** Gives up everything before `position`. */
  consumeTo(position: number): void {
    this.offset += position - this.#start;
    this.#start = position;
    if (this.#bytes !== this.#chunk && position >= this.#joint) this.#readFromChunk(position - this.#joint);
  }

  /** Gives up the next `length` bytes, as far as they have arrived, without copying them; returns how many those were. */
  skip(length: number): number {
    let left = length;
    for (;;) {
      const end = this.#bytes === this.#chunk ? this.#end : this.#joint + this.#chunk.length;
      const skipped = Math.min(left, end - this.#start);
      this.consumeTo(this.#start + skipped);
      left -= skipped;
      if (left === 0 || this.#rest.length === 0) return length - left;
      this.#nextPiece(0);
    }
  }

  /** Makes more bytes readable behind the others. False when there are no more in the chunk, which is then not looked at any more. */
  more(): boolean {
    return this.#extend(this.#end - this.#joint);
  }

  /** The same until there are `length` bytes. */
  need(length: number): boolean {
    while (this.#end - this.#start < length) {
      if (!this.#extend(length - this.#end + this.#start)) return false;
    }
    return true;
  }

  #extend(length: number): boolean {
    if (this.#bytes !== this.#chunk && this.#end - this.#joint < this.#chunk.length) {
      this.#join(length);
      return true;
    }
    if (this.#bytes === this.#chunk) this.#keepRest();
    this.#chunk = NOTHING;
    this.#joint = this.#end;
    if (this.#rest.length === 0) return false;
    this.#nextPiece(JOINED_BYTES);
    return true;
  }

  #nextPiece(joined: number): void {
    const isLast = this.#rest.length <= PIECE_BYTES;
    this.#chunk = isLast ? this.#rest : this.#rest.subarray(0, PIECE_BYTES);
    this.#rest = isLast ? NOTHING : this.#rest.subarray(PIECE_BYTES);
    if (this.#start === this.#end) this.#readFromChunk(0);
    else this.#join(joined);
  }

  #readFromChunk(position: number): void {
    this.#bytes = this.#chunk;
    this.#start = position;
    this.#end = this.#chunk.length;
    if (this.#own.length > KEPT_BYTES) this.#own = NOTHING;
  }

  /** Copies up to `length` more bytes of the chunk behind those that have been joined. */
  #join(length: number): void {
    const joined = this.#end - this.#joint;
    const more = Math.min(length, this.#chunk.length - joined);
    if (this.#own.length - this.#end < more) this.#makeRoom(more);
    this.#chunk.copy(this.#own, this.#end, joined, joined + more);
    this.#end += more;
  }

  #keepRest(): void {
    const length = this.#end - this.#start;
    // A stream that is quiet keeps no memory.
    if (length === 0) this.#own = NOTHING;
    else if (this.#own.length < length) this.#own = Buffer.allocUnsafeSlow(Math.max(INITIAL_BYTES, 2 * length));
    this.#bytes.copy(this.#own, 0, this.#start, this.#end);
    this.#movedToOwn();
  }

  #makeRoom(more: number): void {
    const used = this.#end - this.#start;
    const needed = used + more;
    if (needed <= this.#own.length / 2) {
      this.#own.copyWithin(0, this.#start, this.#end);
    } else {
      const grown = Buffer.allocUnsafeSlow(Math.max(this.#own.length, 2 * needed));
      this.#own.copy(grown, 0, this.#start, this.#end);
      this.#own = grown;
    }
    this.#movedToOwn();
  }

  /** The bytes have been copied to its beginning. */
  #movedToOwn(): void {
    this.#bytes = this.#own;
    this.#joint -= this.#start;
    this.#end -= this.#start;
    this.#start = 0;
  }
}
