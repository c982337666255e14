import { isGenerated } from '../protobuf/identity-scanner.ts';
import {
  EMPTY_MESSAGE,
  type FieldPlan,
  LIST,
  MAP,
  MESSAGE,
  type MessagePlan,
  ONE,
  STRING,
  TIME,
} from '../protobuf/message-plan.ts';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import { WireError } from '../protobuf/wire-error.ts';
import { LENGTH_DELIMITED, type WireReader } from '../protobuf/wire-reader.ts';
import { type FieldRuns, findListed, isWhole, listedRuns, UNLISTED } from './directory.ts';
import {
  Accessors,
  bindFields,
  constant,
  type Fields,
  fieldsOf,
  type Identity,
  type PartReader,
  plainObjects,
  type ViewSource,
} from './lazy-view.ts';
import { MetadataOutline, OF_IDENTITY, Outline, OutlineField } from './outline.ts';

type Data = Record<string, unknown>;

/** A message, list, map or time of fewer bytes is decoded sooner than it is put off (docs/decisions/013-lazy-below-the-top.md). */
const PART_BYTES = 4;
/** The same for a single value. */
const SCALAR_BYTES = 128;
/** A message of fewer bytes is decoded sooner than it is looked through. */
const SMALL_BYTES = 64;

/** The slots of more fields are not kept as bits of a number. */
const MAX_OUTLINED = 31;
/** Objects of a kind look in few ways: views of one that looks in yet another way are made from its bytes. */
const MAX_OUTLINES = 1024;
/** Which fields a message shows cannot be told without decoding it. */
const UNKNOWN = -1;
/** Go writes times that are not zero in no more. */
const TIME_BYTES = 8;

/** What the views of a message share that lies right below the top of its object. They read by the fields of the view of the object. */
interface BelowTop {
  /** Under which it lies there. */
  readonly number: number;
  /** By slot. */
  readonly accessors: readonly PropertyDescriptor[];
  readonly isMetadata: boolean;
}

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
  /** By slot, as what follows. */
  readonly #accessors: readonly PropertyDescriptor[];
  /** What the identity of an object tells of its metadata, when these are the metadata. */
  readonly #identityKeys: readonly (keyof Identity | undefined)[];
  /** Those of the messages in a field, when they have been needed. */
  readonly #inner: (MessageViews | undefined)[];
  /** The same, when this is the top. */
  readonly #below: (BelowTop | undefined)[];
  readonly #isWhole: boolean;
  /** By the fields that the metadata of the objects show, and those of them that are implied, and by those that the objects do, all as bits by slot. */
  readonly #outlines = new Map<number, Map<number, Outline>>();
  #outlineCount = 0;
  /** Of the message in hand. */
  readonly #runs: FieldRuns;

  /** `isTop`: they are whole objects, whose metadata say who they are. */
  constructor(plan: MessagePlan, parts: ViewParts, isTop = false) {
    this.#isTop = isTop;
    this.#plan = plan;
    this.#parts = parts;
    this.#decoder = new ObjectDecoder(plan.schema, { plan, reader: parts.reader });
    this.#byName = new Map(plan.fields.map((field) => [field.name, field]));
    this.#accessors = plan.fields.map(({ name }) => parts.accessors.of(name) as PropertyDescriptor);
    this.#identityKeys = plan.fields.map(({ name }) => identityKey(name));
    this.#inner = plan.fields.map(() => undefined);
    this.#below = plan.fields.map(() => undefined);
    this.#isWhole = isWhole(plan);
    this.#runs = { starts: new Int32Array(plan.fields.length), ends: new Int32Array(plan.fields.length) };
  }

  /** Of the message from `start` to `end`, in an object that begins at `objectStart`. */
  view(
    bytes: Buffer,
    start: number,
    end: number,
    objectStart: number,
    source: ViewSource,
    below?: BelowTop,
    fields?: Fields,
  ): unknown {
    // Who the object is can be read although other metadata are damaged.
    if (!this.#isWhole && (end - start >= SMALL_BYTES || below?.isMetadata))
      return this.extend(new this.#Plain(), bytes, start, end, objectStart, source, below, fields);
    this.#parts.reader.open(bytes, start, end);
    return this.#decoder.readMessage(this.#plan, end);
  }

  /** Of the object from `start` to `end`, when all its fields are put off. `known` comes first in its views. */
  outline(bytes: Buffer, start: number, end: number, known: readonly OutlineField[]): Outline | undefined {
    const { fields } = this.#plan;
    const slots = this.#shown(bytes, start, end);
    if (slots === UNKNOWN) return undefined;
    for (let slot = 0; slot < fields.length; slot++) {
      const field = fields[slot] as FieldPlan;
      const isShown = (slots & (1 << slot)) !== 0;
      const length = (this.#runs.ends[slot] as number) - (this.#runs.starts[slot] as number);
      if (isShown ? !isLarge(field, length) : field.absent !== undefined) return undefined;
    }
    const metadata = this.#byName.get('metadata');
    const inMetadata = metadata === undefined ? UNKNOWN : this.#shownIn(metadata, bytes, start, end);
    const implied = metadata === undefined || inMetadata === UNKNOWN ? 0 : this.#viewsIn(metadata).#implied(bytes);
    const look = inMetadata + implied * 2 ** MAX_OUTLINED;
    const outlines = this.#outlines.get(look) ?? new Map<number, Outline>();
    const outline = outlines.get(slots);
    if (outline !== undefined || this.#outlineCount >= MAX_OUTLINES) return outline;
    const ofMetadata =
      metadata === undefined || inMetadata === UNKNOWN
        ? undefined
        : new MetadataOutline(
            this.#viewsIn(metadata).#outlineFields(inMetadata, this.#belowTop(metadata).accessors, implied),
          );
    const added = new Outline([...known, ...this.#outlineFields(slots, this.#accessors)], this, ofMetadata);
    this.#outlineCount++;
    this.#outlines.set(look, outlines.set(slots, added));
    return added;
  }

  /** Adds the fields of the message to `view`, which reads by `inherited` what it puts off, if it is given, or else by fields of its own. */
  extend(
    view: Data,
    bytes: Buffer,
    start: number,
    end: number,
    objectStart: number,
    source: ViewSource,
    below?: BelowTop,
    inherited?: Fields,
  ): Data {
    const { reader } = this.#parts;
    reader.open(bytes, start, end);
    const isListed =
      below !== undefined && listedRuns(bytes, objectStart, below.number, this.#plan.table, end, this.#runs);
    if (this.#isWhole || (!isListed && !this.#findRuns(end))) {
      reader.position = start;
      return Object.assign(view, this.#decoder.readMessage(this.#plan, end));
    }
    const accessors = below?.accessors ?? this.#accessors;
    const identity = below?.isMetadata ? source : undefined;
    const { fields } = this.#plan;
    const { starts, ends } = this.#runs;
    let isLazy = false;
    for (let slot = 0; slot < fields.length; slot++) {
      const field = fields[slot] as FieldPlan;
      const runEnd = ends[slot] as number;
      if (runEnd === 0) {
        if (field.absent !== undefined) view[field.name] = this.#decoder.absentValue(field);
        continue;
      }
      const runStart = starts[slot] as number;
      const value = isLarge(field, runEnd - runStart) ? PUT_OFF : this.#valueOf(field, runStart, runEnd, identity);
      if (value === PUT_OFF) {
        Object.defineProperty(view, field.name, accessors[slot] as PropertyDescriptor);
        isLazy = true;
      } else if (value !== undefined) view[field.name] = value;
    }
    // A whole object can always be told from one that is not of a cache.
    if (isLazy || this.#isTop)
      bindFields(view, inherited ?? fieldsOf(source, this, start - objectStart, end - objectStart));
    return view;
  }

  readField(
    bytes: Buffer,
    start: number,
    end: number,
    name: string,
    objectStart: number,
    source: ViewSource,
    fields: Fields,
    below?: BelowTop,
  ): unknown {
    const field = this.#byName.get(name);
    if (field === undefined) return undefined;
    const { reader } = this.#parts;
    const runEnd = this.#openRun(field, bytes, start, end, objectStart, below);
    const runStart = reader.position;
    if (field.code !== MESSAGE || field.shape === MAP) return this.#decoder.readRun(field, runEnd);
    const views = this.#viewsIn(field);
    if (field.shape === LIST) return views.#list(bytes, runStart, runEnd, objectStart, source);
    const valueEnd = this.#elementEnd(runEnd);
    if (!this.#isTop) return views.view(bytes, reader.position, valueEnd, objectStart, source);
    return views.view(bytes, reader.position, valueEnd, objectStart, source, this.#belowTop(field), fields);
  }

  /** `field` holds messages. */
  #viewsIn({ slot, message }: FieldPlan): MessageViews {
    let found = this.#inner[slot];
    if (found !== undefined) return found;
    const { byPlan } = this.#parts;
    const plan = message as MessagePlan;
    found = byPlan.get(plan) ?? new MessageViews(plan, this.#parts);
    byPlan.set(plan, found);
    this.#inner[slot] = found;
    return found;
  }

  /** `field` holds a message, and this is the top. */
  #belowTop(field: FieldPlan): BelowTop {
    const known = this.#below[field.slot];
    if (known !== undefined) return known;
    const { name, number } = field;
    const views = this.#viewsIn(field);
    const accessors = new Accessors({
      path: name,
      readField: (bytes, start, end, inner, objectStart, source, fields) => {
        const valueEnd = this.#elementEnd(this.#openRun(field, bytes, start, end, objectStart));
        const valueStart = this.#parts.reader.position;
        return views.readField(bytes, valueStart, valueEnd, inner, objectStart, source, fields, below);
      },
    });
    const below: BelowTop = {
      number,
      accessors: views.#plan.fields.map((inner) => accessors.of(inner.name) as PropertyDescriptor),
      isMetadata: name === 'metadata',
    };
    this.#below[field.slot] = below;
    return below;
  }

  /** Moves the reader to where the values of a field begin, in the message from `start` to `end`, and returns where they end. */
  #openRun(field: FieldPlan, bytes: Buffer, start: number, end: number, objectStart: number, below?: BelowTop): number {
    const { reader } = this.#parts;
    reader.open(bytes, start, end);
    let listedAt = UNLISTED;
    if (this.#isTop) listedAt = findListed(bytes, objectStart, field.number, 0);
    else if (below !== undefined) listedAt = findListed(bytes, objectStart, below.number, field.number);
    if (listedAt >= 0) reader.position = listedAt;
    const runEnd = this.#findRun(field, end);
    reader.position = this.#runs.starts[field.slot] as number;
    return runEnd;
  }

  /** Which fields the message in `field` shows, of the message whose fields were found last. */
  #shownIn(field: FieldPlan, bytes: Buffer, start: number, end: number): number {
    if (this.#runs.ends[field.slot] === 0) return UNKNOWN;
    const valueEnd = this.#elementEnd(this.#openRun(field, bytes, start, end, start));
    return this.#viewsIn(field).#shown(bytes, this.#parts.reader.position, valueEnd);
  }

  /** Which fields JSON shows of the message from `start` to `end`, as bits by slot, or `UNKNOWN`. */
  #shown(bytes: Buffer, start: number, end: number): number {
    const { fields } = this.#plan;
    const { reader } = this.#parts;
    reader.open(bytes, start, end);
    if (this.#isWhole || fields.length > MAX_OUTLINED || !this.#findRuns(end)) return UNKNOWN;
    let slots = 0;
    for (let slot = 0; slot < fields.length; slot++) {
      const runEnd = this.#runs.ends[slot] as number;
      const field = fields[slot] as FieldPlan;
      if (runEnd === 0) {
        // Views do not share what is in it.
        if (field.absent === EMPTY_MESSAGE) return UNKNOWN;
        continue;
      }
      if (field.omitsZero) {
        reader.position = this.#runs.starts[slot] as number;
        reader.tag();
        // What is written in one byte is 0, or the length of nothing.
        if (bytes[reader.position] === 0) continue;
        const length = runEnd - reader.position - 1;
        if (field.code === TIME ? length > TIME_BYTES : field.code !== STRING && reader.int64() === 0) return UNKNOWN;
      }
      slots |= 1 << slot;
    }
    return slots;
  }

  /** Which fields of the metadata need not be read that were looked through last, as bits by slot: see `MessageLook`. */
  #implied(bytes: Buffer): number {
    let implied = 0;
    const generation = this.#rangeOf('generation');
    if (generation !== undefined && bytes[generation.start] === 1) implied |= 1 << generation.slot;
    const name = this.#rangeOf('name');
    const generateName = this.#rangeOf('generateName');
    if (
      name !== undefined &&
      generateName !== undefined &&
      isGenerated(bytes, name.start, name.end, generateName.start, generateName.end)
    )
      implied |= 1 << generateName.slot;
    return implied;
  }

  /** Where the value of a single field lies in the message whose fields were found last; undefined when it has none. */
  #rangeOf(name: string): { slot: number; start: number; end: number } | undefined {
    const field = this.#byName.get(name);
    const end = field && this.#runs.ends[field.slot];
    if (!end) return undefined;
    const { reader } = this.#parts;
    reader.position = this.#runs.starts[field.slot] as number;
    const isText = (reader.tag() & 7) === LENGTH_DELIMITED;
    if (isText) reader.lengthDelimited(end);
    return { slot: field.slot, start: reader.position, end };
  }

  #outlineFields(slots: number, accessors: readonly PropertyDescriptor[], implied = 0): OutlineField[] {
    return this.#plan.fields.flatMap((field): OutlineField[] => {
      const { name, slot, absent } = field;
      if ((slots & (1 << slot)) === 0) {
        return absent === undefined ? [] : [new OutlineField(name, constant(this.#decoder.absentValue(field)))];
      }
      const key = this.#isTop ? undefined : this.#identityKeys[slot];
      if (key !== undefined) return [new OutlineField(key, OF_IDENTITY)];
      if ((implied & (1 << slot)) !== 0) {
        return [name === 'generateName' ? new OutlineField(name, OF_IDENTITY) : new OutlineField(name, 1)];
      }
      return [new OutlineField(name, accessors[slot] as PropertyDescriptor)];
    });
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
      const key = this.#identityKeys[field.slot];
      if (key !== undefined) return identity[key] === '' ? undefined : identity[key];
    }
    this.#parts.reader.position = start;
    try {
      return this.#decoder.readRun(field, end);
    } catch (error) {
      if (error instanceof WireError) return PUT_OFF;
      throw error;
    }
  }

  /**
   * Finds where each field lies. False when the values of one do not lie together, or are not what they should be, or when there are
   * two where one should be: that is left to the decoder.
   */
  #findRuns(end: number): boolean {
    const { reader } = this.#parts;
    const { table } = this.#plan;
    const { starts, ends } = this.#runs;
    ends.fill(0);
    let current: FieldPlan | undefined;
    while (reader.position < end) {
      const tagStart = reader.position;
      const tag = reader.tag();
      const number = tag >>> 3;
      const field = number < table.length ? table[number] : undefined;
      reader.skip(tag, end);
      if (field !== undefined) {
        if (field !== current || field.shape === ONE) {
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

  /** Finds where a field lies that `#findRuns` has found before, and returns where its values end. */
  #findRun({ number, slot, shape }: FieldPlan, end: number): number {
    const { reader } = this.#parts;
    let runEnd = 0;
    while (reader.position < end) {
      const tagStart = reader.position;
      const tag = reader.tag();
      const isField = tag >>> 3 === number;
      if (runEnd !== 0 && !isField) break;
      reader.skip(tag, end);
      if (!isField) continue;
      if (runEnd === 0) this.#runs.starts[slot] = tagStart;
      runEnd = reader.position;
      // What lies behind a large value is in no cache of the processor.
      if (shape === ONE) break;
    }
    return runEnd;
  }
}

const PUT_OFF = Symbol('put off');

function isLarge({ code, shape, omitsZero }: FieldPlan, length: number): boolean {
  if (code === MESSAGE || shape !== ONE) return length > PART_BYTES;
  if (code !== TIME) return length > SCALAR_BYTES;
  // A time that is zero may have to be left out, and only the longest are.
  return length > PART_BYTES && (!omitsZero || length <= TIME_BYTES + 2);
}

function identityKey(name: string): keyof Identity | undefined {
  return name === 'name' || name === 'namespace' || name === 'uid' || name === 'resourceVersion' ? name : undefined;
}
