import { StringTable } from './string-table.ts';
import { WireError } from './wire-error.ts';

export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
const GROUP_START = 3;
const GROUP_END = 4;
export const FIXED32 = 5;

/** No message of Kubernetes comes near; it keeps hostile bytes from exhausting the stack. */
export const MAX_DEPTH = 400;

const MAX_VARINT_BYTES = 10;
const TWO_TO_THE_32 = 2 ** 32;

/**
 * The primitives of the protobuf wire format, read from a position that moves forward. Never reads outside the bytes it
 * was given; whether a value has run over the end of the message around it is for the reader of that message to check,
 * once, when it gets there (`finish`).
 */
export class WireReader {
  position = 0;
  /** Where the bytes end that may be read. */
  limit = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #view = new DataView(this.#bytes.buffer);
  readonly #strings: StringTable;

  /** Strings that repeat from object to object come out of `strings`. */
  constructor(strings = new StringTable()) {
    this.#strings = strings;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** From here on reads `bytes` from `start` to `end`. */
  open(bytes: Uint8Array, start = 0, end = bytes.length): void {
    if (bytes !== this.#bytes) {
      const { buffer, byteOffset, length } = bytes;
      this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(buffer, byteOffset, length);
      this.#view = new DataView(buffer, byteOffset, length);
    }
    this.position = start;
    this.limit = end;
  }

  /** Lets go of the bytes. */
  close(): void {
    this.open(NOTHING);
  }

  /** A tag: the number of a field and, in its lowest three bits, the wire type. */
  tag(): number {
    const byte = this.#bytes[this.position] as number;
    if (byte < 0x80 && byte > 7 && this.position < this.limit) {
      this.position++;
      return byte;
    }
    const start = this.position;
    const tag = this.unsigned();
    if (tag > 0xffff_ffff || tag >>> 3 === 0) throw this.malformed('a field has an impossible number', start);
    return tag;
  }

  /** An unsigned integer; above 2^53 the nearest number. */
  unsigned(): number {
    const byte = this.#bytes[this.position] as number;
    if (byte < 0x80 && this.position < this.limit) {
      this.position++;
      return byte;
    }
    this.#words();
    return this.#high * TWO_TO_THE_32 + this.#low;
  }

  int32(): number {
    const byte = this.#bytes[this.position] as number;
    if (byte < 0x80 && this.position < this.limit) {
      this.position++;
      return byte;
    }
    this.#words();
    return this.#low | 0;
  }

  /** Above 2^53 the nearest number, as JSON.parse gives for its decimal form. */
  int64(): number {
    const byte = this.#bytes[this.position] as number;
    if (byte < 0x80 && this.position < this.limit) {
      this.position++;
      return byte;
    }
    this.#words();
    return (this.#high | 0) * TWO_TO_THE_32 + this.#low;
  }

  /** Exactly. */
  bigInt64(): bigint {
    this.#words();
    return (BigInt(this.#high | 0) << 32n) | BigInt(this.#low);
  }

  bool(): boolean {
    return this.unsigned() !== 0;
  }

  float(): number {
    const start = this.take(4);
    return this.#view.getFloat32(start, true);
  }

  double(): number {
    const start = this.take(8);
    return this.#view.getFloat64(start, true);
  }

  /** Passes over a length prefix and what it measures, all of which must lie before `end`; returns where the latter ends. */
  lengthDelimited(end: number): number {
    const start = this.position;
    const length = this.unsigned();
    if (length > end - this.position) {
      throw new WireError('truncated', `${length} bytes were announced, ${end - this.position} are left`, start);
    }
    return this.position + length;
  }

  /** The text from here to `end`. */
  string(end: number): string {
    const start = this.position;
    this.position = end;
    return this.#strings.read(this.#bytes, this.#view, start, end);
  }

  /** Passes over so many bytes and returns where they began. */
  take(length: number): number {
    const start = this.position;
    if (length > this.limit - start) {
      throw new WireError('truncated', `${length} bytes are needed, ${this.limit - start} are left`, start);
    }
    this.position += length;
    return start;
  }

  /** Passes over the value of a field whose tag has just been read, before `end`. */
  skip(tag: number, end: number, depth = 0): void {
    switch (tag & 7) {
      case VARINT:
        this.#words();
        return;
      case FIXED64:
        this.take(8);
        return;
      case LENGTH_DELIMITED:
        this.position = this.lengthDelimited(end);
        return;
      case GROUP_START:
        this.#skipGroup(tag, end, depth + 1);
        return;
      case FIXED32:
        this.take(4);
        return;
      default:
        throw this.malformed(`a field has the unexpected wire type ${tag & 7}`);
    }
  }

  /** To be called by the reader of a message when it has reached its `end`: nothing must have been read beyond it. */
  finish(end: number): void {
    if (this.position !== end) throw new WireError('truncated', 'a value runs over the end of its message', end);
  }

  malformed(what: string, offset = this.position): WireError {
    return new WireError('malformed', what, offset);
  }

  #skipGroup(start: number, end: number, depth: number): void {
    if (depth > MAX_DEPTH) throw this.malformed(`groups are nested more than ${MAX_DEPTH} deep`);
    for (;;) {
      const tag = this.tag();
      if ((tag & 7) === GROUP_END) {
        if (tag >>> 3 !== start >>> 3) throw this.malformed('a group ends that never began');
        return;
      }
      this.skip(tag, end, depth);
    }
  }

  /** The two halves of the varint that was read last, both unsigned. */
  #low = 0;
  #high = 0;

  #words(): void {
    const bytes = this.#bytes;
    const start = this.position;
    let low = 0;
    let high = 0;
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      if (start + i >= this.limit) throw new WireError('truncated', 'the bytes end inside a number', start);
      const byte = bytes[start + i] as number;
      const bits = byte & 0x7f;
      if (i < 4) low |= bits << (7 * i);
      else if (i === 4) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (7 * i - 32);
      if (byte < 0x80) {
        this.position = start + i + 1;
        this.#low = low >>> 0;
        this.#high = high >>> 0;
        return;
      }
    }
    throw this.malformed(`a number is longer than ${MAX_VARINT_BYTES} bytes`);
  }
}

const NOTHING = Buffer.alloc(0);
