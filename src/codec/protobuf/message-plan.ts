import type { FieldSchema, ScalarType, TypeSchema } from '../../api/type-schema.ts';
import { typeSchema } from '../../generated/type-schemas.ts';
import { FIXED32, FIXED64, LENGTH_DELIMITED, VARINT } from './wire-reader.ts';

/* What one element of a field is. Numbers, because the decoder branches on them for every value. */
export const MESSAGE = 0;
export const STRING = 1;
export const BOOL = 2;
export const INT32 = 3;
export const INT64 = 4;
export const FLOAT = 5;
export const DOUBLE = 6;
export const BYTES = 7;
export const TIME = 8;
export const MICRO_TIME = 9;
export const DURATION = 10;
export const QUANTITY = 11;
export const INT_OR_STRING = 12;
/** `RawExtension`, `FieldsV1` and `JSON`: a message around the text of a JSON value. */
export const RAW_JSON = 13;
/** An embedded struct, whose fields are among those of the message around it. */
export const EMBEDDED = 14;

export const ONE = 0;
export const LIST = 1;
export const MAP = 2;

/** Stands for a message without any field, which JSON shows with the zero values that it does not omit. */
export const EMPTY_MESSAGE = Symbol('empty message');

type Zero = string | number | boolean | null | typeof EMPTY_MESSAGE;

/** A `TypeSchema` made ready for decoding. */
export interface MessagePlan {
  readonly schema: TypeSchema;
  /** In the order of JSON, those of embedded structs among them; the index of a field is its `slot`. */
  readonly fields: readonly FieldPlan[];
  readonly table: FieldTable;
  /** The slot of the last field that JSON shows in any case; -1 when there is none. */
  readonly lastShown: number;
}

/** Indexed by field number. */
export type FieldTable = readonly (FieldPlan | undefined)[];

export interface FieldPlan {
  /** The name in JSON. */
  readonly name: string;
  /** 0 for `kind` and `apiVersion`, which the envelope carries. */
  readonly number: number;
  readonly slot: number;
  /** The slot of the last field before this one that JSON shows in any case; -1 when there is none. */
  readonly shownBefore: number;
  /** `STRING`, … */
  readonly code: number;
  readonly wireType: number;
  /** `ONE`, `LIST` or `MAP`. */
  readonly shape: number;
  /** Whether JSON leaves the zero value out. */
  readonly omitsZero: boolean;
  /** What JSON shows when the message lacks the field; undefined is nothing. */
  readonly absent: Zero | undefined;
  /** What JSON shows for an element that is zero: the value of an entry of a map that has none. */
  readonly zero: Zero;
  /** The plan of the elements, when they are messages. */
  readonly message: MessagePlan | undefined;
  /** Of an embedded struct, its own fields. */
  readonly table: FieldTable;
}

interface Element {
  readonly code: number;
  readonly wireType: number;
  readonly zero: Zero;
  /** Whether `omitempty` leaves out the zero value: never that of a struct. */
  readonly omittable: boolean;
}

const scalar = (code: number, wireType: number, zero: Zero): Element => ({ code, wireType, zero, omittable: true });
const struct = (code: number, zero: Zero): Element => ({ code, wireType: LENGTH_DELIMITED, zero, omittable: false });

const SCALARS: Readonly<Record<ScalarType, Element>> = {
  string: scalar(STRING, LENGTH_DELIMITED, ''),
  bool: scalar(BOOL, VARINT, false),
  int32: scalar(INT32, VARINT, 0),
  int64: scalar(INT64, VARINT, 0),
  float: scalar(FLOAT, FIXED32, 0),
  double: scalar(DOUBLE, FIXED64, 0),
  bytes: scalar(BYTES, LENGTH_DELIMITED, ''),
  Time: struct(TIME, null),
  MicroTime: struct(MICRO_TIME, null),
  Duration: struct(DURATION, '0s'),
  Quantity: struct(QUANTITY, '0'),
  IntOrString: struct(INT_OR_STRING, 0),
  RawExtension: struct(RAW_JSON, null),
  FieldsV1: struct(RAW_JSON, null),
  JSON: struct(RAW_JSON, null),
};

const ELEMENT_OF_MESSAGE = struct(MESSAGE, EMPTY_MESSAGE);
/** A named list is a message in protobuf and a list to JSON. */
const ELEMENT_OF_NAMED_LIST = { ...ELEMENT_OF_MESSAGE, omittable: true };
const ELEMENT_OF_EMBEDDED = struct(EMBEDDED, EMPTY_MESSAGE);

const plans = new WeakMap<TypeSchema, MessagePlan>();

/** The plan of a schema; calls for the same schema give the same one. */
export function messagePlan(schema: TypeSchema): MessagePlan {
  const known = plans.get(schema);
  if (known) return known;
  const plan = new LazyPlan(schema);
  plans.set(schema, plan);
  return plan;
}

/** The plan of the same message with nothing but one of its fields; undefined when it has no such field. */
export function planOfField(plan: MessagePlan, name: string): MessagePlan | undefined {
  const field = plan.fields.find((candidate) => candidate.name === name);
  if (!field) return undefined;
  const only: FieldPlan = { ...field, slot: 0, shownBefore: -1 };
  const restrict = (table: FieldTable): FieldTable =>
    table.map((each) => {
      if (each === field) return only;
      return each?.code === EMBEDDED ? { ...each, table: restrict(each.table) } : undefined;
    });
  const lastShown = only.absent === undefined ? -1 : 0;
  return { schema: plan.schema, fields: [only], table: restrict(plan.table), lastShown };
}

/** Drawn when somebody looks: a pod has some two hundred kinds of messages, few of them in any pod, and all at once take milliseconds. */
class LazyPlan implements MessagePlan {
  readonly schema: TypeSchema;

  constructor(schema: TypeSchema) {
    this.schema = schema;
  }

  get fields(): readonly FieldPlan[] {
    return this.#draw().fields;
  }

  get table(): FieldTable {
    return this.#draw().table;
  }

  get lastShown(): number {
    return this.#draw().lastShown;
  }

  /** From then on they are data: decoders ask for them all the time. */
  #draw(): MessagePlan {
    const draft = new PlanDraft(this.schema);
    draft.addFields(this.schema, draft.table);
    const { fields, table, lastShown } = draft;
    return Object.defineProperties(this, {
      fields: { value: fields },
      table: { value: table },
      lastShown: { value: lastShown },
    });
  }
}

class PlanDraft implements MessagePlan {
  readonly schema: TypeSchema;
  readonly fields: FieldPlan[] = [];
  readonly table: (FieldPlan | undefined)[] = [];
  lastShown = -1;

  constructor(schema: TypeSchema) {
    this.schema = schema;
  }

  addFields(schema: TypeSchema, table: (FieldPlan | undefined)[]): void {
    for (const field of schema.fields) {
      const plan = field.inline ? this.#addEmbedded(field) : this.#addField(field);
      // Number 0 marks what is not on the wire.
      if (field.wire > 0) table[field.wire] = plan;
    }
    // Without holes, so that it is as fast to look up a number that no field has.
    for (let i = 0; i < table.length; i++) table[i] ??= undefined;
  }

  #addEmbedded(field: FieldSchema): FieldPlan {
    const table: (FieldPlan | undefined)[] = [];
    const plan = this.#plan(field, ELEMENT_OF_EMBEDDED, undefined, table);
    this.addFields(schemaNamed(field.type), table);
    return plan;
  }

  #addField(field: FieldSchema): FieldPlan {
    const known = Object.hasOwn(SCALARS, field.type) ? SCALARS[field.type as ScalarType] : undefined;
    const message = known ? undefined : messagePlan(schemaNamed(field.type));
    const element = known ?? (message?.schema.form === 'value' ? ELEMENT_OF_NAMED_LIST : ELEMENT_OF_MESSAGE);
    const plan = this.#plan(field, element, message, []);
    this.fields.push(plan);
    // Messages with a form of their own are not shown field by field.
    if (plan.absent !== undefined && this.schema.form === undefined) this.lastShown = plan.slot;
    return plan;
  }

  #plan(field: FieldSchema, element: Element, message: MessagePlan | undefined, table: FieldTable): FieldPlan {
    if (field.omit === 'zero' && element.code !== TIME && element.code !== MICRO_TIME) {
      throw new TypeError(
        `${this.schema.name}.${field.json}: whether a ${field.type} is zero is not known to the decoder`,
      );
    }
    const isValue = field.shape === 'one' && !field.pointer;
    const omitsZero = isValue && (field.omit === 'zero' || (field.omit === 'empty' && element.omittable));
    return {
      name: field.json,
      number: field.wire,
      slot: this.fields.length,
      shownBefore: this.lastShown,
      code: element.code,
      wireType: element.wireType,
      shape: field.shape === 'one' ? ONE : field.shape === 'list' ? LIST : MAP,
      omitsZero,
      absent: absentValue(field, element, isValue, omitsZero),
      zero: element.zero,
      message,
      table,
    };
  }
}

function absentValue(field: FieldSchema, element: Element, isValue: boolean, omitsZero: boolean): Zero | undefined {
  // An object gets its kind from the envelope; messages inside it have none.
  if (field.wire === 0 || field.inline) return undefined;
  if (!isValue) return field.omit === 'never' ? null : undefined;
  if (omitsZero) return undefined;
  // What is a slice in Go is null when nobody set it.
  return element.code === BYTES || element === ELEMENT_OF_NAMED_LIST ? null : element.zero;
}

export function schemaNamed(name: string): TypeSchema {
  const schema = typeSchema(name);
  if (!schema) throw new TypeError(`there is no schema for ${name}`);
  return schema;
}
