import { ByteWindow } from '../byte-window.ts';
import { DecodeError } from '../decode-error.ts';
import { type EnvelopeType, FIRST, hasMagic, MAGIC, readType, SECOND } from './envelope.ts';
import { FIXED32, FIXED64, LENGTH_DELIMITED, VARINT, type WireReader } from './wire-reader.ts';

export interface ListCutterOptions {
  /** Whether a body with this type is the list that was asked for; if not, its content is kept whole. May throw instead. */
  isList(type: EnvelopeType): boolean;
  /** An item, or another part that has to be held in one piece, must not be larger. */
  maxItemBytes: number;
  reader: WireReader;
}

/**
 * Where in `magic, envelope { 1: type, 2: list { 1: metadata, 2: item, 2: item, … } }` the cutter stands. Within `list` the
 * fields are those of the list, within `envelope` those around it.
 */
type Place = 'magic' | 'envelope' | 'list';

const MAX_VARINT_BYTES = 10;
/** A tag, and a length in three bytes. */
const LOOK_BYTES = 4;
const MAX_LOOKED_AT = 1 << 21;

/** Cuts the body of a LIST into items while it arrives. */
export class ListCutter {
  /** The item found by `nextItem` lies at [`itemStart`, `itemEnd`) of `bytes`, until the next call of the cutter. */
  itemStart = 0;
  itemEnd = 0;
  /** How many items have been cut. */
  itemCount = 0;
  /** The message of the list's own metadata; undefined until it has arrived. */
  metadata: Buffer | undefined;
  /** The message in the body when that is not the list that was asked for; undefined until it has arrived. */
  other: Buffer | undefined;
  readonly #options: ListCutterOptions;
  readonly #window = new ByteWindow();
  #place: Place = 'magic';
  #type: EnvelopeType | undefined;
  /** Of the list, when its place is `list` or behind it: where it ends in the stream. */
  #listEnd = -1;
  /** What goes with the next call: the field at hand, or what has not arrived of one that nobody wants. */
  #skipping = 0;

  /* The field at the position, once `#readHeader` has succeeded: its tag, the size of tag and length, and the length. */
  #tag = 0;
  #headerBytes = 0;
  #length = 0;
  /** How long the number was that `#varintAt` read last. */
  #varintBytes = 0;

  constructor(options: ListCutterOptions) {
    this.#options = options;
  }

  get bytes(): Buffer {
    return this.#window.bytes;
  }

  /** To be called when `nextItem` has found no more. */
  append(chunk: Uint8Array): void {
    this.#window.append(chunk, 0);
  }

  /** Whether there is another item in what has arrived. Throws `DecodeError` when the body is not a list. */
  nextItem(): boolean {
    return this.#nextInHand() || this.#next();
  }

  /** The same for an item that lies whole behind the one before, as most do: little code, which V8 has soon compiled. */
  #nextInHand(): boolean {
    const window = this.#window;
    if (this.#place !== 'list' || this.#skipping > window.end - window.start) return false;
    window.consumeTo(window.start + this.#skipping);
    this.#skipping = 0;
    const { bytes, start, end } = window;
    if (end - start < LOOK_BYTES || bytes[start] !== SECOND) return false;
    let at = start + 2;
    let length = bytes[start + 1] as number;
    if (length >= 0x80) length += ((bytes[at++] as number) - 1) << 7;
    if (length >= 0x4000) length += ((bytes[at++] as number) - 1) << 14;
    if (length >= MAX_LOOKED_AT || length > end - at || length > this.#options.maxItemBytes) return false;
    if (window.offset + at - start + length > this.#listEnd) return false;
    this.#skipping = at - start + length;
    this.itemStart = at;
    this.itemEnd = at + length;
    this.itemCount++;
    return true;
  }

  #next(): boolean {
    for (;;) {
      if (this.#skipping > 0) {
        this.#skipping -= this.#window.skip(this.#skipping);
        if (this.#skipping > 0) return false;
      }
      if (this.#place === 'magic') {
        if (!this.#readMagic()) return false;
        continue;
      }
      if (this.#place === 'list' && this.#window.offset === this.#listEnd) this.#place = 'envelope';
      if (!this.#readHeader()) return false;
      if (this.#place === 'envelope') {
        if (!this.#takeEnvelopeField()) return false;
      } else {
        this.#checkFits();
        if (this.#tag === SECOND) return this.#takeItem();
        if (!this.#takeListField()) return false;
      }
    }
  }

  /** To be called when the body has ended. */
  finish(): void {
    const { start, end, offset } = this.#window;
    const whole = this.#place === 'envelope' && start === end && this.#skipping === 0;
    if (whole && (this.#listEnd >= 0 || this.other)) return;
    if (whole) throw this.#malformed('the body is empty except for its envelope');
    throw new DecodeError('truncated', `the list broke off at byte ${offset}, after ${this.itemCount} whole items`);
  }

  #readMagic(): boolean {
    const window = this.#window;
    if (!window.need(MAGIC.length)) return false;
    if (!hasMagic(window.bytes, window.start, window.end)) {
      throw this.#malformed('the body does not begin as Kubernetes protobuf does');
    }
    window.consumeTo(window.start + MAGIC.length);
    this.#place = 'envelope';
    return true;
  }

  #takeEnvelopeField(): boolean {
    if (this.#tag === FIRST) {
      const range = this.#takeWhole('the type of the body');
      if (!range) return false;
      this.#options.reader.open(this.bytes, range.start, range.end);
      this.#type = readType(this.#options.reader, range.end);
      return true;
    }
    if (this.#tag !== SECOND) {
      this.#skipField();
      return true;
    }
    // Servers write the type first, and without it there is no telling items from anything else.
    if (this.#type === undefined) throw this.#malformed('the body does not say what it is before its content');
    if (this.#listEnd >= 0 || this.other) throw this.#malformed('the body has a second content');
    if (this.#options.isList(this.#type)) {
      this.#window.consumeTo(this.#window.start + this.#headerBytes);
      this.#listEnd = this.#window.offset + this.#length;
      this.#place = 'list';
      return true;
    }
    const range = this.#takeWhole(`the ${this.#type.kind} in the body`);
    if (range) this.other = Buffer.from(this.bytes.subarray(range.start, range.end));
    return range !== undefined;
  }

  #takeListField(): boolean {
    if (this.#tag !== FIRST) {
      this.#skipField();
      return true;
    }
    const range = this.#takeWhole('the metadata of the list');
    if (range) this.metadata = Buffer.from(this.bytes.subarray(range.start, range.end));
    return range !== undefined;
  }

  #takeItem(): boolean {
    const range = this.#takeWhole(`item ${this.itemCount + 1} of the list`);
    if (!range) return false;
    this.itemStart = range.start;
    this.itemEnd = range.end;
    this.itemCount++;
    return true;
  }

  /** The value of the field at the position, in one piece; the next call goes on behind it. */
  #takeWhole(what: string): { start: number; end: number } | undefined {
    const window = this.#window;
    const { maxItemBytes } = this.#options;
    if (this.#length > maxItemBytes) {
      throw new DecodeError('tooLarge', `${what} has ${this.#length} bytes, more than ${maxItemBytes}`);
    }
    if (!window.need(this.#headerBytes + this.#length)) return undefined;
    this.#skipField();
    const start = window.start + this.#headerBytes;
    return { start, end: start + this.#length };
  }

  #skipField(): void {
    this.#skipping = this.#headerBytes + this.#length;
  }

  #checkFits(): void {
    if (this.#window.offset + this.#headerBytes + this.#length > this.#listEnd) {
      throw this.#malformed('a field of the list runs over its end');
    }
  }

  #readHeader(): boolean {
    const tag = this.#varintAt(0);
    if (tag === undefined) return false;
    const tagBytes = this.#varintBytes;
    this.#tag = tag;
    this.#length = 0;
    this.#headerBytes = tagBytes;
    switch (tag % 8) {
      case FIXED32:
        this.#length = 4;
        return true;
      case FIXED64:
        this.#length = 8;
        return true;
      case VARINT:
      case LENGTH_DELIMITED: {
        const value = this.#varintAt(tagBytes);
        if (value === undefined) return false;
        this.#headerBytes += this.#varintBytes;
        if (tag % 8 === LENGTH_DELIMITED) this.#length = value;
        return true;
      }
      default:
        throw this.#malformed(`a field of the list has the unexpected wire type ${tag % 8}`);
    }
  }

  /** The number `distance` bytes behind the position; undefined while it has not arrived as a whole. */
  #varintAt(distance: number): number | undefined {
    const window = this.#window;
    let value = 0;
    let scale = 1;
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      if (!window.need(distance + i + 1)) return undefined;
      const byte = window.bytes[window.start + distance + i] as number;
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
      if (byte < 0x80) {
        this.#varintBytes = i + 1;
        return value;
      }
    }
    throw this.#malformed('a number has no end');
  }

  #malformed(what: string): DecodeError {
    return new DecodeError('malformed', `${what} (at byte ${this.#window.offset})`);
  }
}
