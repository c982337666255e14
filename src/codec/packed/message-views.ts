import { EMBEDDED, type FieldPlan, LIST, MAP, MESSAGE, type MessagePlan, ONE } from '../protobuf/message-plan.ts';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import { WireError } from '../protobuf/wire-error.ts';
import { LENGTH_DELIMITED, type WireReader } from '../protobuf/wire-reader.ts';
import { type Accessors, bindFields, type Identity, type PartReader, type ViewSource } from './lazy-view.ts';

type Data = Record<string, unknown>;

/** A message, list or map of fewer bytes is decoded sooner than it is put off (docs/decisions/013-lazy-below-the-top.md). */
const PART_BYTES = 48;
/** The same for a single value. */
const SCALAR_BYTES = 128;
/** A message of fewer bytes is decoded sooner than it is looked through. */
const SMALL_BYTES = 64;

/** What the views of one kind of object share. */
export interface ViewParts {
  readonly reader: WireReader;
  readonly accessors: Accessors;
  readonly byPlan: Map<MessagePlan, MessageViews>;
}

/**
 * Makes views of the messages of one type. What costs less to decode than to put off is decoded with the view: numbers, short
 * texts, small messages. The rest are accessors, which find their field in the bytes when somebody looks.
 */
export class MessageViews implements PartReader {
  readonly #plan: MessagePlan;
  readonly #parts: ViewParts;
  readonly #decoder: ObjectDecoder;
  readonly #isTop: boolean;
  readonly #Plain = plainObjects();
  readonly #byName: ReadonlyMap<string, FieldPlan>;
  /** Some of its fields lie in messages of their own, or it is not shown as an object: it has to be decoded as a whole. */
  readonly #isWhole: boolean;
  /** By slot: where the values of each field lie in the message in hand. An end of 0 is a field that it lacks. */
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;

  /** `isTop`: they are whole objects, whose metadata say who they are. */
  constructor(plan: MessagePlan, parts: ViewParts, isTop = false) {
    this.#isTop = isTop;
    this.#plan = plan;
    this.#parts = parts;
    this.#decoder = new ObjectDecoder(plan.schema, { plan, reader: parts.reader });
    this.#byName = new Map(plan.fields.map((field) => [field.name, field]));
    this.#isWhole = plan.schema.form !== undefined || plan.table.some((each) => each?.code === EMBEDDED);
    this.#starts = new Int32Array(plan.fields.length);
    this.#ends = new Int32Array(plan.fields.length);
  }

  static of(plan: MessagePlan, parts: ViewParts): MessageViews {
    let found = parts.byPlan.get(plan);
    if (found === undefined) {
      found = new MessageViews(plan, parts);
      parts.byPlan.set(plan, found);
    }
    return found;
  }

  /** Of the message from `start` to `end`, in an object that begins at `objectStart`. */
  view(bytes: Buffer, start: number, end: number, objectStart: number, source: ViewSource): unknown {
    if (!this.#isWhole && end - start >= SMALL_BYTES)
      return this.extend(new this.#Plain(), bytes, start, end, objectStart, source);
    this.#parts.reader.open(bytes, start, end);
    return this.#decoder.readMessage(this.#plan, end);
  }

  /** Adds the fields of the message to `view`. `identity` is for the metadata of an object, which take from it what it has. */
  extend(
    view: Data,
    bytes: Buffer,
    start: number,
    end: number,
    objectStart: number,
    source: ViewSource,
    identity?: Identity,
  ): Data {
    const { reader, accessors } = this.#parts;
    reader.open(bytes, start, end);
    if (this.#isWhole || !this.#findRuns(end)) {
      reader.position = start;
      return Object.assign(view, this.#decoder.readMessage(this.#plan, end));
    }
    const { fields } = this.#plan;
    let isLazy = false;
    for (let slot = 0; slot < fields.length; slot++) {
      const field = fields[slot] as FieldPlan;
      const runEnd = this.#ends[slot] as number;
      if (runEnd === 0) {
        if (field.absent !== undefined) view[field.name] = this.#decoder.absentValue(field);
        continue;
      }
      const runStart = this.#starts[slot] as number;
      const value = isLarge(field, runEnd - runStart) ? PUT_OFF : this.#valueOf(field, runStart, runEnd, identity);
      if (value === PUT_OFF) {
        Object.defineProperty(view, field.name, accessors.of(field.name) as PropertyDescriptor);
        isLazy = true;
      } else if (value !== undefined) view[field.name] = value;
    }
    // A whole object can always be told from one that is not of a cache.
    if (isLazy || this.#isTop) bindFields(view, source, this, start - objectStart, end - objectStart);
    return view;
  }

  readField(bytes: Buffer, start: number, end: number, name: string, objectStart: number, source: ViewSource): unknown {
    const field = this.#byName.get(name);
    if (field === undefined) return undefined;
    const { reader } = this.#parts;
    reader.open(bytes, start, end);
    this.#findRun(field, end);
    const runStart = this.#starts[field.slot] as number;
    const runEnd = this.#ends[field.slot] as number;
    reader.position = runStart;
    const { message } = field;
    if (field.code !== MESSAGE || message === undefined || field.shape === MAP)
      return this.#decoder.readRun(field, runEnd);
    const views = MessageViews.of(message, this.#parts);
    if (field.shape === LIST) return views.#list(bytes, runStart, runEnd, objectStart, source);
    const valueEnd = this.#elementEnd(runEnd);
    // Who wrote it twice is understood by the decoder alone.
    if (valueEnd !== runEnd) {
      reader.position = runStart;
      return this.#decoder.readRun(field, runEnd);
    }
    const valueStart = reader.position;
    if (!this.#isTop || name !== 'metadata') return views.view(bytes, valueStart, valueEnd, objectStart, source);
    return views.extend(new views.#Plain(), bytes, valueStart, valueEnd, objectStart, source, source);
  }

  #list(bytes: Buffer, start: number, end: number, objectStart: number, source: ViewSource): unknown[] {
    const { reader } = this.#parts;
    const list: unknown[] = [];
    let next = start;
    while (next < end) {
      reader.position = next;
      next = this.#elementEnd(end);
      list.push(this.view(bytes, reader.position, next, objectStart, source));
      // The reader has been opened for the element; what follows may be read again.
      reader.open(bytes, next, end);
    }
    return list;
  }

  /** Moves the reader behind the tag and the length of a value, and returns where it ends. */
  #elementEnd(end: number): number {
    const { reader } = this.#parts;
    reader.tag();
    return reader.lengthDelimited(end);
  }

  /** A damaged value is put off: it is for its reader to hear of it, and for nobody else. */
  #valueOf(field: FieldPlan, start: number, end: number, identity: Identity | undefined): unknown {
    if (identity !== undefined) {
      const known = identityField(field.name, identity);
      if (known !== undefined) return known === '' ? undefined : known;
    }
    this.#parts.reader.position = start;
    try {
      return this.#decoder.readRun(field, end);
    } catch (error) {
      if (error instanceof WireError) return PUT_OFF;
      throw error;
    }
  }

  /** Finds where each field lies. False when the values of one do not lie together, or are not what they should be. */
  #findRuns(end: number): boolean {
    const { reader } = this.#parts;
    const { table } = this.#plan;
    const starts = this.#starts;
    const ends = this.#ends;
    ends.fill(0);
    let current: FieldPlan | undefined;
    while (reader.position < end) {
      const tagStart = reader.position;
      const tag = reader.tag();
      const number = tag >>> 3;
      const field = number < table.length ? table[number] : undefined;
      reader.skip(tag, end);
      if (field !== undefined) {
        if (field !== current) {
          if (ends[field.slot] !== 0) return false;
          starts[field.slot] = tagStart;
        }
        if ((tag & 7) !== field.wireType && (field.shape !== LIST || (tag & 7) !== LENGTH_DELIMITED)) return false;
        ends[field.slot] = reader.position;
      }
      current = field;
    }
    reader.finish(end);
    return true;
  }

  /** Finds where a field lies whose values are known to lie together. */
  #findRun({ number, slot }: FieldPlan, end: number): void {
    const { reader } = this.#parts;
    let runEnd = 0;
    while (reader.position < end) {
      const tagStart = reader.position;
      const tag = reader.tag();
      const isField = tag >>> 3 === number;
      if (runEnd !== 0 && !isField) break;
      reader.skip(tag, end);
      if (!isField) continue;
      if (runEnd === 0) this.#starts[slot] = tagStart;
      runEnd = reader.position;
    }
    this.#ends[slot] = runEnd;
  }
}

/** Makes plain objects, like a literal, but with room for what V8 has seen added to the first of them. */
function plainObjects(): new () => Data {
  function Plain(): void {}
  Plain.prototype = Object.prototype;
  return Plain as unknown as new () => Data;
}

const PUT_OFF = Symbol('put off');

function isLarge({ code, shape }: FieldPlan, length: number): boolean {
  return length > (code === MESSAGE || shape !== ONE ? PART_BYTES : SCALAR_BYTES);
}

function identityField(name: string, identity: Identity): string | undefined {
  switch (name) {
    case 'name':
      return identity.name;
    case 'namespace':
      return identity.namespace;
    case 'uid':
      return identity.uid;
    case 'resourceVersion':
      return identity.resourceVersion;
    default:
      return undefined;
  }
}
