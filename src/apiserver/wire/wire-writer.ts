const FIRST_CAPACITY = 2048;
/** A writer that is used again does not keep more memory than this. */
const LARGEST_KEPT = 64 * 1024;
/** Texts up to this length are copied here; asking Node to do it costs more. */
const SHORT_TEXT = 40;
const DELIMITED = 2;

/**
 * Writes protobuf from its end to its beginning, as Go does: when the head of a part is written, its length is known.
 * So whatever comes last in a message is written first.
 */
export class WireWriter {
  #bytes: Buffer;
  /** Everything from here to the end is written. */
  #start: number;

  constructor(capacity = FIRST_CAPACITY) {
    this.#bytes = Buffer.allocUnsafe(capacity);
    this.#start = capacity;
  }

  /** How many bytes are written; `delimit` takes it back as the end of a part. */
  get size(): number {
    return this.#bytes.length - this.#start;
  }

  /**
   * What is written, in bytes of its own: frames that lie side by side are copied to many watchers faster than frames with gaps
   * between them. The writer begins again.
   */
  finish(): Buffer {
    const written = Buffer.from(this.#bytes.subarray(this.#start));
    this.clear();
    return written;
  }

  /** Forgets what is written. */
  clear(): void {
    if (this.#bytes.length > LARGEST_KEPT) this.#bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
    this.#start = this.#bytes.length;
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#start -= bytes.length;
    this.#bytes.set(bytes, this.#start);
  }

  tag(field: number, wireType: number): void {
    this.varint(field * 8 + wireType);
  }

  /** Makes a field of everything that was written since `size` was `end`. */
  delimit(field: number, end: number): void {
    this.varint(this.size - end);
    this.tag(field, DELIMITED);
  }

  textField(field: number, value: string): void {
    const end = this.size;
    this.text(value);
    this.delimit(field, end);
  }

  text(value: string): void {
    const { length } = value;
    if (length > SHORT_TEXT) {
      this.#longText(value);
      return;
    }
    this.#reserve(length);
    const at = this.#start - length;
    for (let index = 0; index < length; index++) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) {
        this.#longText(value);
        return;
      }
      this.#bytes[at + index] = code;
    }
    this.#start = at;
  }

  #longText(value: string): void {
    const size = Buffer.byteLength(value);
    this.#reserve(size);
    this.#start -= size;
    this.#bytes.write(value, this.#start, size);
  }

  /** An integer, negative ones in ten bytes. */
  varint(value: number): void {
    if (value < 0 || value > Number.MAX_SAFE_INTEGER) {
      this.bigVarint(BigInt(value));
      return;
    }
    this.#reserve(8);
    let size = 1;
    for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) size += 1;
    this.#start -= size;
    let at = this.#start;
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) this.#bytes[at++] = (rest % 0x80) | 0x80;
    this.#bytes[at] = rest;
  }

  bigVarint(value: bigint): void {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, value);
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    this.raw(Uint8Array.from(bytes));
  }

  float(value: number): void {
    this.#reserve(4);
    this.#start -= 4;
    this.#bytes.writeFloatLE(value, this.#start);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    this.#bytes.writeDoubleLE(value, this.#start);
  }

  /** The length of a frame in a stream. */
  uint32BE(value: number): void {
    this.#reserve(4);
    this.#start -= 4;
    this.#bytes.writeUInt32BE(value, this.#start);
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#start) return;
    const capacity = Math.max(this.#bytes.length * 2, this.size + bytes);
    const larger = Buffer.allocUnsafe(capacity);
    const start = capacity - this.size;
    this.#bytes.copy(larger, start, this.#start);
    this.#bytes = larger;
    this.#start = start;
  }
}
