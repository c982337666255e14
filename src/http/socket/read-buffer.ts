const SMALLEST_BYTES = 16 * 1024;
const LARGEST_BYTES = 256 * 1024;
/** After this many reads in a row that would have fitted into the smallest buffer, a larger buffer is given up. */
const SMALL_READS = 64;

/**
 * The memory that a socket reads into, again and again, instead of new memory with each read: of a list of 200 MB nothing is
 * left for the garbage collector. It grows while reads fill it, and shrinks when they have become small.
 *
 * The bytes of a read are valid until the socket reads again: whoever is not done with them pauses the socket.
 */
export class ReadBuffer {
  #bytes: Buffer = Buffer.alloc(0);
  #size = SMALLEST_BYTES;
  #smallReads = 0;
  #receive: ((bytes: Buffer) => void) | undefined;
  #isUsed = false;
  #wasEarly = false;

  /** Whether a socket reads into it. One that does has no 'data' events. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** For the socket that is to read into it. */
  get onread(): { buffer: () => Uint8Array; callback: (length: number) => boolean } {
    return { buffer: () => this.#next(), callback: (length) => this.#received(length) };
  }

  /** Where the bytes go from now on. False when some came before, which went nowhere. */
  receive(receive: (bytes: Buffer) => void): boolean {
    this.#receive = receive;
    return !this.#wasEarly;
  }

  /** What has been read stays as it is, whoever holds it: the next read goes elsewhere. */
  giveUp(): void {
    this.#bytes = Buffer.alloc(0);
    this.#size = SMALLEST_BYTES;
  }

  #received(length: number): boolean {
    const read = this.#bytes.subarray(0, length);
    if (length === this.#bytes.length) this.#size = Math.min(4 * this.#size, LARGEST_BYTES);
    this.#smallReads = length < SMALLEST_BYTES ? this.#smallReads + 1 : 0;
    if (this.#smallReads >= SMALL_READS) this.#size = SMALLEST_BYTES;
    if (this.#receive === undefined) this.#wasEarly = true;
    else this.#receive(read);
    return true;
  }

  /** Called by the socket before its first read and after each. */
  #next(): Buffer {
    this.#isUsed = true;
    if (this.#bytes.length !== this.#size) this.#bytes = Buffer.allocUnsafeSlow(this.#size);
    return this.#bytes;
  }
}
