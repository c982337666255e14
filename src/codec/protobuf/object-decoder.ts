import type { TypeSchema } from '../../api/type-schema.ts';
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
  INT32,
  INT64,
  INT_OR_STRING,
  MESSAGE,
  type MessagePlan,
  MICRO_TIME,
  messagePlan,
  QUANTITY,
  STRING,
  TIME,
} from './message-plan.ts';
import { readDuration, readIntOrString, readMicroTime, readQuantity, readRawJson, readTime } from './special-types.ts';
import { LENGTH_DELIMITED, MAX_DEPTH, WireReader } from './wire-reader.ts';

export class ObjectDecoder {
  readonly #plan: MessagePlan;
  readonly #reader: WireReader;
  #depth = 0;

  constructor(schema: TypeSchema, reader = new WireReader()) {
    this.#plan = messagePlan(schema);
    this.#reader = reader;
  }

  decode(bytes: Uint8Array, start: number, end: number): unknown {
    this.#reader.open(bytes, start, end);
    this.#depth = 0;
    return this.#message(this.#plan, end);
  }

  #disordered = false;

  #message(plan: MessagePlan, end: number): unknown {
    if (++this.#depth > MAX_DEPTH) throw this.#reader.malformed(`messages are nested more than ${MAX_DEPTH} deep`);
    const outer = this.#disordered;
    this.#disordered = false;
    let object: Record<string, unknown> = {};
    const last = this.#fields(plan, plan.table, object, end, -1);
    if (last < plan.lastShown) this.#fill(plan, object, last, plan.lastShown);
    if (this.#disordered) object = reordered(plan, object);
    this.#depth--;
    this.#disordered = outer;
    if (plan.form !== 'object') return plan.form === 'value' ? (object['items'] ?? []) : chosen(plan, object);
    return object;
  }

  #fill(plan: MessagePlan, object: Record<string, unknown>, last: number, to: number): void {
    for (let i = last + 1; i <= to; i++) {
      const field = plan.fields[i] as FieldPlan;
      if (field.absent === undefined || (this.#disordered && Object.hasOwn(object, field.name))) continue;
      object[field.name] = this.#zero(field.absent, field);
    }
  }

  #zero(zero: FieldPlan['absent'], field: FieldPlan): unknown {
    return zero === EMPTY_MESSAGE && field.message ? this.#message(field.message, this.#reader.position) : zero;
  }

  #fields(plan: MessagePlan, table: FieldTable, object: Record<string, unknown>, end: number, from: number): number {
    const reader = this.#reader;
    let last = from;
    while (reader.position < end) {
      const tag = reader.tag();
      const number = tag >>> 3;
      const field = number < table.length ? table[number] : undefined;
      if (field === undefined) {
        reader.skip(tag, end);
        continue;
      }
      if ((tag & 7) !== field.wireType) {
        this.#otherWireType(field, tag, object, end);
        continue;
      }
      if (field.code === EMBEDDED) {
        last = this.#fields(plan, field.table, object, reader.lengthDelimited(end), last);
        continue;
      }
      if (field.shape === 0) {
        const value = this.#element(field, end);
        if (field.omitsZero && (value === '' || value === 0 || value === false || value === null)) continue;
        if (field.slot > last) {
          if (last < field.shownBefore) this.#fill(plan, object, last, field.shownBefore);
          last = field.slot;
        } else this.#disordered = true;
        object[field.name] = value;
      } else {
        if (field.slot > last) {
          if (last < field.shownBefore) this.#fill(plan, object, last, field.shownBefore);
          last = field.slot;
        } else if (field.slot < last) this.#disordered = true;
        if (field.shape === 1) {
          const list = object[field.name] as unknown[] | undefined;
          const value = this.#element(field, end);
          if (list) list.push(value);
          else object[field.name] = [value];
        } else this.#entry(field, (object[field.name] ??= {}) as Record<string, unknown>, end);
      }
    }
    reader.finish(end);
    return last;
  }

  #element(field: FieldPlan, end: number): unknown {
    const reader = this.#reader;
    switch (field.code) {
      case STRING:
        return reader.string(reader.lengthDelimited(end));
      case MESSAGE:
        return this.#message(field.message as MessagePlan, reader.lengthDelimited(end));
      case BOOL:
        return reader.bool();
      case INT32:
        return reader.int32();
      case INT64:
        return reader.int64();
      case TIME:
        return readTime(reader, reader.lengthDelimited(end));
      default:
        return this.#rare(field, end);
    }
  }

  #rare(field: FieldPlan, end: number): unknown {
    const reader = this.#reader;
    switch (field.code) {
      case FLOAT:
        return reader.float();
      case DOUBLE:
        return reader.double();
      case BYTES: {
        const valueEnd = reader.lengthDelimited(end);
        const start = reader.position;
        reader.position = valueEnd;
        return reader.bytes.toString('base64', start, valueEnd);
      }
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

  #entry(field: FieldPlan, map: Record<string, unknown>, end: number): void {
    const reader = this.#reader;
    const entryEnd = reader.lengthDelimited(end);
    let key = '';
    let value: unknown;
    while (reader.position < entryEnd) {
      const tag = reader.tag();
      if (tag === 10) key = reader.string(reader.lengthDelimited(entryEnd));
      else if (tag >>> 3 === 2 && (tag & 7) === field.wireType) value = this.#element(field, entryEnd);
      else reader.skip(tag, entryEnd);
    }
    reader.finish(entryEnd);
    if (value === undefined) value = this.#zero(field.zero, field);
    if (key === '__proto__') Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
    else map[key] = value;
  }

  #otherWireType(field: FieldPlan, tag: number, slots: Record<string,unknown>, end: number): void {
    const reader = this.#reader;
    if (field.shape === 1 && (tag & 7) === LENGTH_DELIMITED) {
      const listEnd = reader.lengthDelimited(end);
      const list = (slots[field.name] ??= []) as unknown[];
      while (reader.position < listEnd) list.push(this.#element(field, listEnd));
      reader.finish(listEnd);
      return;
    }
    throw reader.malformed(`field ${tag >>> 3} has the wire type ${tag & 7}, expected ${field.wireType}`);
  }
}

function reordered(plan: MessagePlan, from: Record<string, unknown>): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const { name } of plan.fields) {
    const value = from[name];
    if (value !== undefined) object[name] = value;
  }
  return object;
}

function chosen(plan: MessagePlan, object: Record<string, unknown>): unknown {
  const [a,b]=plan.fields as [FieldPlan,FieldPlan];
  return object[a.name] ?? object[b.name] ?? (b.code===BOOL?false:null);
}
