import {
  EMBEDDED,
  type FieldPlan,
  type FieldTable,
  LIST,
  MESSAGE,
  type MessagePlan,
  ONE,
} from '../protobuf/message-plan.ts';
import { WireError } from '../protobuf/wire-error.ts';
import { LENGTH_DELIMITED, type WireReader } from '../protobuf/wire-reader.ts';

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
 * know it skip. An object whose messages do not have their fields in the order of their numbers, each in one place, has none.
 */
export class DirectoryWriter {
  readonly #table: FieldTable;
  readonly #listable: readonly boolean[];
  readonly #reader: WireReader;
  /** As they are to be written, but for the order of their bytes. */
  readonly #entries = new Uint32Array(MAX_ENTRIES);
  #count = 0;
  /** What lies here is at the offset 0 when it is stored. */
  #origin = 0;

  constructor({ table }: MessagePlan, reader: WireReader) {
    this.#table = table;
    this.#listable = table.map((field) => field !== undefined && isListable(field));
    this.#reader = reader;
  }

  /**
   * Looks through the object from `start` to `end`, of which `length` bytes will be stored: what is missing then is missing from its first
   * field, the metadata. Returns how many bytes the directory takes.
   */
  read(bytes: Buffer, start: number, end: number, length: number): number {
    this.#count = 0;
    this.#origin = end - length;
    this.#reader.open(bytes, start, end);
    try {
      if (!this.#readObject(end)) this.#count = 0;
    } catch (error) {
      // Its reader will hear of the damage.
      if (!(error instanceof WireError)) throw error;
      this.#count = 0;
    }
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
  #readObject(end: number): boolean {
    const reader = this.#reader;
    let last = 0;
    while (reader.position < end) {
      const tagStart = reader.position;
      const tag = reader.tag();
      const number = tag >>> 3;
      // The metadata come first, and nothing comes twice.
      if (last === 0 ? number !== 1 : number <= last) return false;
      last = number;
      if (!this.#listable[number] || (tag & 7) !== LENGTH_DELIMITED) {
        reader.skip(tag, end);
        continue;
      }
      const messageEnd = reader.lengthDelimited(end);
      if (!this.#add(number, MESSAGE_ITSELF, tagStart)) return false;
      const { table } = (this.#table[number] as FieldPlan).message as MessagePlan;
      if (!this.#readMessage(number, table, messageEnd)) return false;
    }
    return true;
  }

  #readMessage(top: number, table: FieldTable, end: number): boolean {
    const reader = this.#reader;
    let last = 0;
    while (reader.position < end) {
      const tagStart = reader.position;
      const tag = reader.tag();
      const number = tag >>> 3;
      const field = number < table.length ? table[number] : undefined;
      const isMore = number === last && field?.shape !== ONE;
      if (!isMore && (number <= last || !this.#add(top, number, tagStart))) return false;
      if (
        field !== undefined &&
        (tag & 7) !== field.wireType &&
        (field.shape !== LIST || (tag & 7) !== LENGTH_DELIMITED)
      )
        return false;
      reader.skip(tag, end);
      last = number;
    }
    reader.finish(end);
    return true;
  }

  #add(top: number, number: number, tagStart: number): boolean {
    const offset = tagStart - this.#origin;
    if (this.#count === MAX_ENTRIES || number > MAX_NUMBER || offset > MAX_OFFSET) return false;
    this.#entries[this.#count++] = (number << 24) | (top << 20) | offset;
    return true;
  }
}
