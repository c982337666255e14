import type { TypeSchema } from '../../api/type-schema.ts';
import { fieldPath } from './field-path.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  EMBEDDED,
  EMPTY_MESSAGE,
  type FieldPlan,
  type FieldTable,
  FLOAT,
  INT_OR_STRING,
  INT32,
  INT64,
  LIST,
  MESSAGE,
  type MessagePlan,
  MICRO_TIME,
  messagePlan,
  ONE,
  planOfField,
  QUANTITY,
  STRING,
  TIME,
} from './message-plan.ts';
import { readDuration, readIntOrString, readMicroTime, readQuantity, readRawJson, readTime } from './special-types.ts';
import { WireError } from './wire-error.ts';
import { LENGTH_DELIMITED, MAX_DEPTH, setEntry, WireReader } from './wire-reader.ts';

export interface ObjectDecoderOptions {
  /** Put first into the object, as the envelope and not the message carries them. Unset: the object has none. */
  type?: { readonly kind: string; readonly apiVersion: string };
  /** Instead of the plan of the schema: one with fewer fields; the others are skipped. */
  plan?: MessagePlan;
  /** May be shared with others that do not read at the same time. */
  reader?: WireReader;
}

type Data = Record<string, unknown>;

const KEY = (1 << 3) | LENGTH_DELIMITED;

/**
 * Decodes messages of one type to the plain data that Go's JSON encoder shows for the same object, its fields in the same
 * order: what `omitempty` and `omitzero` leave out is left out, and what neither does is there although the message lacks
 * it (a list as null). Fields that the schema does not know are skipped. Throws `WireError`.
 */
export class ObjectDecoder {
  readonly #plan: MessagePlan;
  readonly #reader: WireReader;
  readonly #type: ObjectDecoderOptions['type'];
  readonly #fieldPlans = new Map<string, MessagePlan | undefined>();
  #depth = 0;
  /** Whether a field of the message in hand came after one that JSON shows behind it. */
  #disordered = false;

  constructor(schema: TypeSchema, options: ObjectDecoderOptions = {}) {
    this.#plan = options.plan ?? messagePlan(schema);
    this.#reader = options.reader ?? new WireReader();
    this.#type = options.type;
  }

  decode(bytes: Uint8Array, start = 0, end = bytes.length): Data {
    const object: Data = this.#type ? { kind: this.#type.kind, apiVersion: this.#type.apiVersion } : {};
    return this.#decode(this.#plan, bytes, start, end, object) as Data;
  }

  /**
   * One field of the message alone: the same value as in what `decode` returns, at the cost of that field. Undefined when
   * JSON does not show it.
   */
  decodeField(bytes: Uint8Array, start: number, end: number, name: string): unknown {
    if (this.#type && (name === 'kind' || name === 'apiVersion')) return this.#type[name];
    let plan = this.#fieldPlans.get(name);
    if (plan === undefined) {
      plan = planOfField(this.#plan, name);
      if (plan === undefined) return undefined;
      this.#fieldPlans.set(name, plan);
    }
    return (this.#decode(plan, bytes, start, end, {}) as Data)[name];
  }

  /**
   * The value of a field from bytes that hold nothing but it: from where the reader is to `end`. Undefined when JSON does not show
   * it. The reader has been opened by the caller, who also says where in the object an error is.
   */
  readRun(field: FieldPlan, end: number): unknown {
    const reader = this.#reader;
    this.#depth = 0;
    let value: unknown;
    while (reader.position < end) {
      const tag = reader.tag();
      if ((tag & 7) !== field.wireType && !isPacked(field, tag)) throw wrongWireType(reader, field, tag);
      if (field.shape === ONE) value = this.#element(field, end);
      else if (field.shape === LIST) value = this.#listed(field, tag, value, end);
      else value = this.#mapped(field, value, end);
    }
    reader.finish(end);
    return field.omitsZero && isOmitted(value) ? undefined : value;
  }

  /** The same for a message alone, without its tag and length. */
  readMessage(plan: MessagePlan, end: number): unknown {
    this.#depth = 0;
    this.#disordered = false;
    return this.#message(plan, end, {});
  }

  /** What JSON shows of a field that the message lacks; undefined is nothing. */
  absentValue(field: FieldPlan): unknown {
    return field.absent === undefined ? undefined : this.#zero(field.absent, field);
  }

  #decode(plan: MessagePlan, bytes: Uint8Array, start: number, end: number, object: Data): unknown {
    this.#reader.open(bytes, start, end);
    this.#depth = 0;
    try {
      return this.#message(plan, end, object);
    } catch (error) {
      if (error instanceof WireError) throw error.at(fieldPath(plan, bytes, start, end, start + error.offset));
      throw error;
    }
  }

  #message(plan: MessagePlan, end: number, object: Data): unknown {
    if (++this.#depth > MAX_DEPTH) throw this.#reader.malformed(`messages are nested more than ${MAX_DEPTH} deep`);
    const outer = this.#disordered;
    this.#disordered = false;
    const last = this.#fields(plan, plan.table, object, end, -1);
    if (last < plan.lastShown) this.#showAbsent(plan, object, last, plan.lastShown);
    const result = this.#disordered ? inOrder(plan, object) : object;
    this.#disordered = outer;
    this.#depth--;
    return plan.schema.form === undefined ? result : inItsForm(plan, result);
  }

  /**
   * Reads fields into `object`, and before each the absent ones that JSON shows in front of it. `last` is the slot of the
   * last field that has been put there; returns the new one.
   */
  #fields(plan: MessagePlan, table: FieldTable, object: Data, end: number, last: number): number {
    const reader = this.#reader;
    let lastSlot = last;
    /** The list or map that came last and its field, so that it is not looked up for every element. */
    let current: unknown;
    let currentField: FieldPlan | undefined;
    while (reader.position < end) {
      const tag = reader.tag();
      const number = tag >>> 3;
      const field = number < table.length ? table[number] : undefined;
      if (field === undefined) {
        reader.skip(tag, end);
        continue;
      }
      if ((tag & 7) !== field.wireType && !isPacked(field, tag)) throw wrongWireType(reader, field, tag);
      if (field.code === EMBEDDED) {
        lastSlot = this.#fields(plan, field.table, object, reader.lengthDelimited(end), lastSlot);
        currentField = undefined;
        continue;
      }
      let value: unknown;
      if (field.shape === ONE) {
        value = this.#element(field, end);
        if (field.omitsZero && isOmitted(value)) continue;
      } else {
        const known = field === currentField ? current : object[field.name];
        value = field.shape === LIST ? this.#listed(field, tag, known, end) : this.#mapped(field, known, end);
        current = value;
        currentField = field;
        if (value === known) continue;
      }
      if (field.slot > lastSlot) {
        if (lastSlot < field.shownBefore) this.#showAbsent(plan, object, lastSlot, field.shownBefore);
        lastSlot = field.slot;
      } else if (field.slot < lastSlot) this.#disordered = true;
      object[field.name] = value;
    }
    reader.finish(end);
    return lastSlot;
  }

  /** Puts the zero values of absent fields into `object`, from behind slot `after` up to slot `to`. */
  #showAbsent(plan: MessagePlan, object: Data, after: number, to: number): void {
    for (let slot = after + 1; slot <= to; slot++) {
      const field = plan.fields[slot] as FieldPlan;
      if (field.absent === undefined || (this.#disordered && Object.hasOwn(object, field.name))) continue;
      object[field.name] = this.#zero(field.absent, field);
    }
  }

  #zero(zero: FieldPlan['absent'], field: FieldPlan): unknown {
    return zero === EMPTY_MESSAGE && field.message ? this.#message(field.message, this.#reader.position, {}) : zero;
  }

  /** Adds to the list `known`, if there is one. */
  #listed(field: FieldPlan, tag: number, known: unknown, end: number): unknown[] {
    // Null when it has been shown as absent already, because a field came first that JSON shows behind it.
    const list = (known ?? undefined) as unknown[] | undefined;
    if ((tag & 7) !== field.wireType) return this.#unpacked(field, list ?? [], end);
    const value = this.#element(field, end);
    if (list === undefined) return [value];
    list.push(value);
    return list;
  }

  #unpacked(field: FieldPlan, list: unknown[], end: number): unknown[] {
    const listEnd = this.#reader.lengthDelimited(end);
    while (this.#reader.position < listEnd) list.push(this.#element(field, listEnd));
    this.#reader.finish(listEnd);
    return list;
  }

  /** Adds to the map `known`, if there is one. */
  #mapped(field: FieldPlan, known: unknown, end: number): Data {
    const map = (known ?? {}) as Data;
    const reader = this.#reader;
    const entryEnd = reader.lengthDelimited(end);
    let key = '';
    let value: unknown;
    while (reader.position < entryEnd) {
      const tag = reader.tag();
      if (tag === KEY) key = reader.string(reader.lengthDelimited(entryEnd));
      else if (tag === ((2 << 3) | field.wireType)) value = this.#element(field, entryEnd);
      else reader.skip(tag, entryEnd);
    }
    reader.finish(entryEnd);
    setEntry(map, key, value === undefined ? this.#zero(field.zero, field) : value);
    return map;
  }

  #element(field: FieldPlan, end: number): unknown {
    const reader = this.#reader;
    switch (field.code) {
      case STRING:
        return reader.string(reader.lengthDelimited(end));
      case MESSAGE:
        return this.#message(field.message as MessagePlan, reader.lengthDelimited(end), {});
      case BOOL:
        return reader.bool();
      case INT32:
        return reader.int32();
      case INT64:
        return reader.int64();
      case TIME:
        return readTime(reader, reader.lengthDelimited(end));
      default:
        return this.#rareElement(field, end);
    }
  }

  /** Apart, so that what is left is small enough for the engine to put it where it is called. */
  #rareElement(field: FieldPlan, end: number): unknown {
    const reader = this.#reader;
    switch (field.code) {
      case FLOAT:
        return reader.float();
      case DOUBLE:
        return reader.double();
      case BYTES:
        return reader.base64(reader.lengthDelimited(end));
      case MICRO_TIME:
        return readMicroTime(reader, reader.lengthDelimited(end));
      case DURATION:
        return readDuration(reader, reader.lengthDelimited(end));
      case QUANTITY:
        return readQuantity(reader, reader.lengthDelimited(end));
      case INT_OR_STRING:
        return readIntOrString(reader, reader.lengthDelimited(end));
      default:
        return readRawJson(reader, reader.lengthDelimited(end));
    }
  }
}

/** Lists of numbers may come as one value that holds them all. */
function isPacked(field: FieldPlan, tag: number): boolean {
  return field.shape === LIST && (tag & 7) === LENGTH_DELIMITED;
}

function isOmitted(value: unknown): boolean {
  return value === '' || value === 0 || value === false || value === null;
}

function wrongWireType(reader: WireReader, field: FieldPlan, tag: number): WireError {
  return reader.malformed(`a value has the wire type ${tag & 7} instead of ${field.wireType}`);
}

function inOrder(plan: MessagePlan, object: Data): Data {
  const ordered: Data = {};
  for (const { name } of plan.fields) {
    const value = object[name];
    if (value !== undefined) ordered[name] = value;
  }
  return ordered;
}

/** What JSON shows of a message that it does not show as an object. */
function inItsForm(plan: MessagePlan, object: Data): unknown {
  const [first, second] = plan.fields as [FieldPlan, FieldPlan];
  if (plan.schema.form === 'value') return object[first.name] ?? [];
  return object[first.name] ?? object[second.name] ?? (second.code === BOOL ? false : null);
}
