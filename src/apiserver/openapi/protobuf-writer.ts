const FIRST_CAPACITY = 1 << 16;

/** Writes one protobuf message into one growing buffer. Zero values are left out, as proto3 does. */
export class ProtobufWriter {
  #buffer = Buffer.allocUnsafe(FIRST_CAPACITY);
  #length = 0;

  text(field: number, value: string | undefined): this {
    return value === undefined || value === '' ? this : this.#element(field, value);
  }

  /** An empty text in a list is an element, not an absence. */
  texts(field: number, values: readonly string[]): this {
    for (const value of values) this.#element(field, value);
    return this;
  }

  flag(field: number, value: boolean | undefined): this {
    if (!value) return this;
    this.#tag(field, 0);
    this.#varint(1);
    return this;
  }

  /** An int64 that JavaScript can hold. */
  integer(field: number, value: number | undefined): this {
    if (value === undefined || value === 0) return this;
    this.#tag(field, 0);
    if (value > 0) this.#varint(Math.trunc(value));
    else this.#bigVarint(BigInt.asUintN(64, BigInt(Math.trunc(value))));
    return this;
  }

  double(field: number, value: number | undefined): this {
    if (value === undefined || value === 0) return this;
    this.#tag(field, 1);
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
    return this;
  }

  /** A message that is present, even when it is empty. */
  message(field: number, write: (writer: ProtobufWriter) => void): this {
    this.#tag(field, 2);
    const start = this.#length;
    write(this);
    const size = this.#length - start;
    // The length stands before the message, and how long it is shows afterwards: make room for it.
    const room = varintSize(size);
    this.#reserve(room);
    this.#buffer.copyWithin(start + room, start, this.#length);
    this.#length = start;
    this.#varint(size);
    this.#length += size;
    return this;
  }

  finish(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  #element(field: number, value: string): this {
    this.#tag(field, 2);
    const size = Buffer.byteLength(value);
    this.#varint(size);
    this.#reserve(size);
    this.#length += this.#buffer.write(value, this.#length);
    return this;
  }

  #tag(field: number, wireType: number): void {
    this.#varint((field << 3) | wireType);
  }

  #varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    while (rest > 0x7f) {
      this.#buffer[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#length++] = rest;
  }

  #bigVarint(value: bigint): void {
    this.#reserve(10);
    let rest = value;
    while (rest > 0x7fn) {
      this.#buffer[this.#length++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#buffer[this.#length++] = Number(rest);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
}
