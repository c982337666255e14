import {
  EMBEDDED,
  type FieldPlan,
  type FieldTable,
  LIST,
  MESSAGE,
  type MessagePlan,
  ONE,
} from '../protobuf/message-plan.ts';
import { FIXED32, FIXED64, LENGTH_DELIMITED, VARINT } from '../protobuf/wire-reader.ts';

/** The tag of a field with a number that no kind of Kubernetes has: 2047. */
const FIRST_TAG_BYTE = 0xfa;
const SECOND_TAG_BYTE = 0x7f;
/** The tag, and how many bytes of entries follow, always as a number of two bytes. */
const HEADER_BYTES = 4;
const ENTRY_BYTES = 4;
const MAX_ENTRIES = 1023;
const MAX_NUMBER = 0xff;
const MAX_TOP = 0xf;
const MAX_OFFSET = 0xf_ffff;
/** Longer messages have no directory. */
const MAX_LENGTH_BITS = 28;
/** The entry of a whole message has this in place of the number of a field. */
const MESSAGE_ITSELF = 0;

/** The message has been looked through, and lacks the field. */
export const ABSENT = -1;
/** The directory says nothing of the message. */
export const UNLISTED = -2;

/**
 * Whether directories list the fields of this field's message, at the top of an object. Those of the metadata are few, and who the object
 * is is known without them.
 */
export function isListable({ name, number, code, shape, message }: FieldPlan): boolean {
  return (
    code === MESSAGE &&
    shape === ONE &&
    number > 0 &&
    number <= MAX_TOP &&
    name !== 'metadata' &&
    !isWhole(message as MessagePlan)
  );
}

/** Some of its fields lie in messages of their own, or it is not shown as an object: it has to be decoded as a whole. */
export function isWhole({ schema, table }: MessagePlan): boolean {
  return schema.form !== undefined || table.some((field) => field?.code === EMBEDDED);
}

/** How many bytes the directory takes that the object begins with; 0 when there is none. */
export function directorySize(bytes: Buffer, start: number, end: number): number {
  if (end - start < HEADER_BYTES || !hasDirectory(bytes, start)) return 0;
  const size = HEADER_BYTES + entriesLength(bytes, start);
  return size > end - start ? 0 : size;
}

/**
 * Where the tag of a field lies, in the message under the number `top` of an object that begins at `start`; for the number 0, where the tag
 * of that message lies.
 */
export function findListed(bytes: Buffer, start: number, top: number, number: number): number {
  if (!hasDirectory(bytes, start)) return UNLISTED;
  const end = start + HEADER_BYTES + entriesLength(bytes, start);
  let found = UNLISTED;
  for (let at = start + HEADER_BYTES; at < end; at += ENTRY_BYTES) {
    const inTop = (bytes[at + 1] as number) >> 4;
    if (inTop > top) break;
    if (inTop !== top) continue;
    if (bytes[at] === number) return end + offsetAt(bytes, at);
    found = ABSENT;
  }
  return found;
}

/** Where the values of the fields of one message lie, by their slots. An end of 0 is a field that it lacks. */
export interface FieldRuns {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/**
 * Tells where the fields lie of the message under the number `top`, which has this `table` and ends at `messageEnd`. False when the directory
 * says nothing of it.
 */
export function listedRuns(
  bytes: Buffer,
  start: number,
  top: number,
  table: FieldTable,
  messageEnd: number,
  { starts, ends }: FieldRuns,
): boolean {
  if (!hasDirectory(bytes, start)) return false;
  const end = start + HEADER_BYTES + entriesLength(bytes, start);
  let isListed = false;
  let field: FieldPlan | undefined;
  ends.fill(0);
  for (let at = start + HEADER_BYTES; at < end; at += ENTRY_BYTES) {
    const inTop = (bytes[at + 1] as number) >> 4;
    if (inTop > top) break;
    if (inTop !== top) continue;
    isListed = true;
    const tagStart = end + offsetAt(bytes, at);
    if (field !== undefined) ends[field.slot] = tagStart;
    field = table[bytes[at] as number];
    if (field !== undefined) starts[field.slot] = tagStart;
  }
  if (field !== undefined) ends[field.slot] = messageEnd;
  return isListed;
}

/** What begins otherwise is not of our making. */
function hasDirectory(bytes: Buffer, start: number): boolean {
  return (
    bytes[start] === FIRST_TAG_BYTE &&
    bytes[start + 1] === SECOND_TAG_BYTE &&
    (bytes[start + 2] as number) >= 0x80 &&
    (bytes[start + 3] as number) < 0x80
  );
}

function entriesLength(bytes: Buffer, start: number): number {
  return ((bytes[start + 2] as number) & 0x7f) | ((bytes[start + 3] as number) << 7);
}

/** Counted from behind the directory. */
function offsetAt(bytes: Buffer, at: number): number {
  return (((bytes[at + 1] as number) & 0xf) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
}

/**
 * Makes the directory of an object: where the fields of the messages right below its top lie, `spec` and `status` most often. It is made
 * when the object arrives and is in the caches of the processor, so that a reader of one field later does not have to go from
 * field to field through memory that is in none. It stands in front of the object as a field of its own, which all who do not
 * know it skip. An object whose messages do not have their fields in the order of their numbers, each in one place, has none, nor has one that
 * is damaged: its readers find out.
 *
 * It reads the wire format itself, without the checks of `WireReader`, because every object that arrives passes here.
 */
export class DirectoryWriter {
  readonly #table: FieldTable;
  readonly #listable: readonly boolean[];
  /** As they are to be written, but for the order of their bytes. */
  readonly #entries = new Uint32Array(MAX_ENTRIES);
  #count = 0;
  /** What lies here is at the offset 0 when it is stored. */
  #origin = 0;
  /** Where the value begins of the field whose tag was read last. */
  #valueStart = 0;

  constructor({ table }: MessagePlan) {
    this.#table = table;
    this.#listable = table.map((field) => field !== undefined && isListable(field));
  }

  /**
   * Looks through the object from `start` to `end`, of which `length` bytes will be stored: what is missing then is missing from its first
   * field, the metadata. Returns how many bytes the directory takes.
   */
  read(bytes: Buffer, start: number, end: number, length: number): number {
    this.#count = 0;
    this.#origin = end - length;
    if (!this.#readObject(bytes, start, end)) this.#count = 0;
    return this.#count === 0 ? 0 : HEADER_BYTES + this.#count * ENTRY_BYTES;
  }

  /** Writes the directory of the object that was read last. */
  write(out: Buffer, at: number): void {
    if (this.#count === 0) return;
    const length = this.#count * ENTRY_BYTES;
    out[at] = FIRST_TAG_BYTE;
    out[at + 1] = SECOND_TAG_BYTE;
    out[at + 2] = (length & 0x7f) | 0x80;
    out[at + 3] = length >> 7;
    let position = at + HEADER_BYTES;
    for (let i = 0; i < this.#count; i++) {
      const entry = this.#entries[i] as number;
      out[position] = entry >>> 24;
      out[position + 1] = entry >>> 16;
      out[position + 2] = entry >>> 8;
      out[position + 3] = entry;
      position += ENTRY_BYTES;
    }
  }

  /** False when it cannot be listed. */
  #readObject(bytes: Buffer, start: number, end: number): boolean {
    let last = 0;
    for (let at = start; at < end; ) {
      const tag = tagAt(bytes, at);
      const number = tag >>> 3;
      // What has the lowest number comes first, the metadata, and nothing comes twice.
      if (number <= last) return false;
      const valueEnd = this.#endOf(bytes, at, tag);
      if (valueEnd > end) return false;
      if (this.#listable[number] && (tag & 7) === LENGTH_DELIMITED) {
        const { table } = (this.#table[number] as FieldPlan).message as MessagePlan;
        if (!this.#add(number, MESSAGE_ITSELF, at)) return false;
        if (!this.#readMessage(bytes, this.#valueStart, valueEnd, number, table)) return false;
      }
      last = number;
      at = valueEnd;
    }
    return true;
  }

  #readMessage(bytes: Buffer, start: number, end: number, top: number, table: FieldTable): boolean {
    let last = 0;
    for (let at = start; at < end; ) {
      const tag = tagAt(bytes, at);
      const number = tag >>> 3;
      const wireType = tag & 7;
      const field = number < table.length ? table[number] : undefined;
      const isMore = number === last && number > 0 && field?.shape !== ONE;
      if (!isMore && (number <= last || !this.#add(top, number, at))) return false;
      if (field !== undefined && wireType !== field.wireType && (field.shape !== LIST || wireType !== LENGTH_DELIMITED))
        return false;
      last = number;
      at = this.#endOf(bytes, at, tag);
      if (at > end) return false;
    }
    return true;
  }

  /** Where the value ends of the field whose tag lies at `at`; beyond everything when it cannot be told. */
  #endOf(bytes: Buffer, at: number, tag: number): number {
    let position = at + (tag < 0x80 ? 1 : 2);
    this.#valueStart = position;
    switch (tag & 7) {
      case LENGTH_DELIMITED: {
        let length = 0;
        for (let shift = 0; shift < MAX_LENGTH_BITS; shift += 7) {
          const byte = bytes[position++] as number;
          length |= (byte & 0x7f) << shift;
          if (byte < 0x80) {
            this.#valueStart = position;
            return position + length;
          }
        }
        return Number.POSITIVE_INFINITY;
      }
      case VARINT:
        while ((bytes[position++] as number) >= 0x80);
        return position;
      case FIXED64:
        return position + 8;
      case FIXED32:
        return position + 4;
      default:
        return Number.POSITIVE_INFINITY;
    }
  }

  #add(top: number, number: number, tagStart: number): boolean {
    const offset = tagStart - this.#origin;
    if (this.#count === MAX_ENTRIES || number > MAX_NUMBER || offset > MAX_OFFSET) return false;
    this.#entries[this.#count++] = (number << 24) | (top << 20) | offset;
    return true;
  }
}

/** 0, which is none, for numbers that no directory has room for, and for those that are written in more bytes than they take. */
function tagAt(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return first;
  const second = bytes[at + 1] as number;
  return second < 0x80 && second > 0 ? (first & 0x7f) | (second << 7) : 0;
}
