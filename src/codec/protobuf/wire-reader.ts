import { WireError } from './wire-error.ts';

/** How many bytes `writeVarint` writes. */
export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/** Returns where it ends. */
export function writeVarint(out: Uint8Array, at: number, value: number): number {
  let position = at;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out[position++] = (rest % 0x80) | 0x80;
  out[position++] = rest;
  return position;
}

/**
 * Copies the bytes from `start` to `end` of `from` to `at` in `to`, where they have room. As `Buffer.copy`, without its checks: they take as
 * long as the copy where every object that arrives is copied.
 */
export function copyBytes(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  to.set(new Uint8Array(from.buffer, from.byteOffset + start, end - start), at);
}

/**
 * Sets an entry of a map that is plain data. `__proto__` is a legal key, and an assignment to it would set the prototype; one to `constructor`
 * throws in programs that have frozen `Object.prototype`.
 */
export function setEntry(map: Record<string, unknown>, key: string, value: unknown): void {
  if (key in Object.prototype) {
    Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
  } else map[key] = value;
}

const SLOT_BITS = 11;
const SLOTS = 1 << SLOT_BITS;
/** Longer strings are seldom the same in two objects, and Node decodes them about as fast as they could be compared. */
const MAX_BYTES = 64;
const SHORT_SLOTS = 256;

/**
 * Remembers the strings it has decoded, so that the same bytes give the same string without decoding it again: names,
 * images, node names, types of conditions repeat from object to object. A fixed number of strings is remembered; a newer
 * one takes the place of an older one. For strings under 40 bytes a hit costs a third of what Node's decoder costs.
 */
export class StringTable {
  readonly #bytes = Buffer.alloc(SLOTS * MAX_BYTES);
  readonly #view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length);
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #strings: string[] = new Array<string>(SLOTS).fill('');
  /** Strings of one to three bytes, with those bytes and their number as the key. */
  readonly #shortKeys = new Int32Array(SHORT_SLOTS);
  readonly #shortStrings: string[] = new Array<string>(SHORT_SLOTS).fill('');

  /** Decodes UTF-8; `view` must show the same memory as `bytes`. */
  read(bytes: Buffer, view: DataView, start: number, end: number): string {
    const length = end - start;
    if (length < 4) return length === 0 ? '' : this.#readShort(bytes, start, end);
    if (length > MAX_BYTES) return bytes.toString('utf8', start, end);
    const lastWord = end - 4;
    let hash = length;
    for (let i = start; i < lastWord; i += 4) hash = Math.imul(hash ^ view.getInt32(i, true), 0x9e37_79b1);
    hash = Math.imul(hash ^ view.getInt32(lastWord, true), 0x9e37_79b1);
    const slot = hash >>> (32 - SLOT_BITS);
    if (this.#lengths[slot] === length && this.#holds(slot * MAX_BYTES, view, start, lastWord)) {
      return this.#strings[slot] as string;
    }
    const text = bytes.toString('utf8', start, end);
    this.#lengths[slot] = length;
    this.#strings[slot] = text;
    const shift = slot * MAX_BYTES - start;
    for (let i = start; i < lastWord; i += 4) this.#view.setInt32(i + shift, view.getInt32(i, true), true);
    this.#view.setInt32(lastWord + shift, view.getInt32(lastWord, true), true);
    return text;
  }

  /** The last word overlaps the one before it when the length is not a multiple of four. */
  #holds(slotStart: number, view: DataView, start: number, lastWord: number): boolean {
    const known = this.#view;
    const shift = slotStart - start;
    for (let i = start; i < lastWord; i += 4) {
      if (known.getInt32(i + shift, true) !== view.getInt32(i, true)) return false;
    }
    return known.getInt32(lastWord + shift, true) === view.getInt32(lastWord, true);
  }

  #readShort(bytes: Buffer, start: number, end: number): string {
    let key = end - start;
    for (let i = start; i < end; i++) key = (key << 8) | (bytes[i] as number);
    const slot = Math.imul(key, 0x9e37_79b1) >>> 24;
    if (this.#shortKeys[slot] === key) return this.#shortStrings[slot] as string;
    const text = bytes.toString('utf8', start, end);
    this.#shortKeys[slot] = key;
    this.#shortStrings[slot] = text;
    return text;
  }
}

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

/** Fewer bytes are seldom read again. */
const MIN_REMEMBERED_BYTES = 4096;
/** Of large buffers that were read before: many readers go back and forth between a few of them. */
const dataViews = new WeakMap<Uint8Array, DataView>();

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
  #start = 0;
  #strings: StringTable | undefined;
  /** The two halves of the number that `#words` read last, both unsigned. */
  #low = 0;
  #high = 0;

  /** Strings that repeat from object to object come out of `strings`. Default: a table of its own, made when needed. */
  constructor(strings?: StringTable) {
    this.#strings = strings;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Where the bytes begin that may be read: errors count from there. */
  get start(): number {
    return this.#start;
  }

  /** From here on reads `bytes` from `start` to `end`. */
  open(bytes: Uint8Array, start = 0, end = bytes.length): void {
    if (bytes !== this.#bytes) {
      this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      this.#view = dataViewOf(bytes);
    }
    this.#start = start;
    this.position = start;
    this.limit = end;
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
    const bytes = this.#bytes;
    const at = this.position;
    const byte = bytes[at] as number;
    if (byte < 0x80 && at < this.limit) {
      this.position = at + 1;
      return byte;
    }
    // Most messages and many texts have lengths of two bytes.
    const second = bytes[at + 1] as number;
    if (second < 0x80 && at + 1 < this.limit) {
      this.position = at + 2;
      return (byte & 0x7f) | (second << 7);
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

  /** Skips a length prefix and the value after it, both of which must lie before `end`; returns where the value ends. */
  lengthDelimited(end: number): number {
    const start = this.position;
    const length = this.unsigned();
    if (length > end - this.position) {
      throw this.malformed(`${length} bytes were announced, ${end - this.position} are left`, start);
    }
    return this.position + length;
  }

  /** The text from here to `end`. */
  string(end: number): string {
    const start = this.position;
    this.position = end;
    this.#strings ??= new StringTable();
    return this.#strings.read(this.#bytes, this.#view, start, end);
  }

  /** The same for a text that no other object has: it is not looked for among those that repeat. */
  uniqueString(end: number): string {
    const start = this.position;
    this.position = end;
    return this.#bytes.toString('utf8', start, end);
  }

  /** The bytes from here to `end`. */
  base64(end: number): string {
    const start = this.position;
    this.position = end;
    return this.#bytes.toString('base64', start, end);
  }

  /** Skips `length` bytes and returns where they began. */
  take(length: number): number {
    const start = this.position;
    if (length > this.limit - start) {
      throw this.malformed(`${length} bytes are needed, ${this.limit - start} are left`, start);
    }
    this.position += length;
    return start;
  }

  /** Skips the value of a field whose tag has just been read, before `end`. */
  skip(tag: number, end: number, depth = 0): void {
    switch (tag & 7) {
      case VARINT:
        this.unsigned();
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
    if (this.position !== end) throw this.malformed('a value runs over the end of its message', end - 1);
  }

  malformed(what: string, offset = this.position): WireError {
    return new WireError(what, offset - this.#start);
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

  /** Reads a number into `#low` and `#high`. */
  #words(): void {
    const bytes = this.#bytes;
    const start = this.position;
    let low = 0;
    let high = 0;
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      if (start + i >= this.limit) throw this.malformed('the bytes end inside a number', start);
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

function dataViewOf(bytes: Uint8Array): DataView {
  if (bytes.length < MIN_REMEMBERED_BYTES) return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let view = dataViews.get(bytes);
  if (view === undefined) {
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    dataViews.set(bytes, view);
  }
  return view;
}
