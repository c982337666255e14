import type { FieldSchema, ScalarType, TypeSchema } from '../../api/type-schema.ts';
import { typeSchema } from '../../generated/type-schemas.ts';
import { FIXED32, FIXED64, LENGTH_DELIMITED, VARINT } from './wire-reader.ts';

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
/** An embedded struct, whose fields go into slots of the message around it. */
export const EMBEDDED = 14;

/** Stands for a message without any field, which JSON shows with the zero values that it does not omit. */
export const EMPTY_MESSAGE = Symbol('empty message');

/** A `TypeSchema` made ready for decoding. The fields of embedded structs are among those of the message around them. */
export interface MessagePlan {
  readonly schema: TypeSchema;
  readonly form: 'object' | 'value' | 'choice';
  /** In the order of JSON; the index is the field's `slot`. */
  readonly fields: readonly FieldPlan[];
  readonly table: FieldTable;
  lastShown: number;
}

/** Indexed by field number. */
export type FieldTable = readonly (FieldPlan | undefined)[];

export interface FieldPlan {
  /** The name in JSON. */
  readonly name: string;
  readonly slot: number;
  readonly shownBefore: number;
  /** What one element is: `STRING`, … */
  readonly code: number;
  readonly wireType: number;
  readonly shape: number;
  /** Whether JSON leaves the zero value out. */
  readonly omitsZero: boolean;
  /** What JSON shows when the message lacks the field; undefined is nothing. */
  readonly absent: Zero | undefined;
  /** What JSON shows for an element that is zero: for the values of maps that lack it. */
  readonly zero: Zero;
  /** The plan of the elements, when they are messages. */
  readonly message: MessagePlan | undefined;
  /** Of an embedded struct, its fields. */
  readonly table: FieldTable;
}

type Zero = string | number | boolean | null | typeof EMPTY_MESSAGE;

interface Element {
  readonly code: number;
  readonly wireType: number;
  readonly zero: Zero;
  /** Whether `omitempty` leaves out the zero value: never that of a struct. */
  readonly omittable: boolean;
}

const struct = (code: number, zero: Zero): Element => ({ code, wireType: LENGTH_DELIMITED, zero, omittable: false });

const SCALARS: Readonly<Record<ScalarType, Element>> = {
  string: { code: STRING, wireType: LENGTH_DELIMITED, zero: '', omittable: true },
  bool: { code: BOOL, wireType: VARINT, zero: false, omittable: true },
  int32: { code: INT32, wireType: VARINT, zero: 0, omittable: true },
  int64: { code: INT64, wireType: VARINT, zero: 0, omittable: true },
  float: { code: FLOAT, wireType: FIXED32, zero: 0, omittable: true },
  double: { code: DOUBLE, wireType: FIXED64, zero: 0, omittable: true },
  bytes: { code: BYTES, wireType: LENGTH_DELIMITED, zero: '', omittable: true },
  Time: struct(TIME, null),
  MicroTime: struct(MICRO_TIME, null),
  Duration: struct(DURATION, '0s'),
  Quantity: struct(QUANTITY, '0'),
  IntOrString: struct(INT_OR_STRING, 0),
  RawExtension: struct(RAW_JSON, null),
  FieldsV1: struct(RAW_JSON, null),
  JSON: struct(RAW_JSON, null),
};

const MESSAGE_ELEMENT = struct(MESSAGE, EMPTY_MESSAGE);

export const END = 1000;
const plans = new WeakMap<TypeSchema, MessagePlan>();

/** The plan of a schema; calls for the same schema give the same one. */
export function messagePlan(schema: TypeSchema): MessagePlan {
  const known = plans.get(schema);
  if (known) return known;
  const fields: FieldPlan[] = [];
  const table: (FieldPlan | undefined)[] = [];
  const plan: MessagePlan = { schema, form: schema.form ?? 'object', fields, table, lastShown: -1 };
  // Before its fields, among which may be messages of the same type.
  plans.set(schema, plan);
  addFields(schema, fields, table);
  for (const f of fields) { (f as any).shownBefore = plan.lastShown; if (f.absent !== undefined && !schema.form) plan.lastShown = f.slot; }
  return plan;
}

function addFields(schema: TypeSchema, fields: FieldPlan[], table: (FieldPlan | undefined)[]): void {
  for (const field of schema.fields) {
    const embedded: (FieldPlan | undefined)[] = [];
    const plan = fieldPlan(field, fields.length, embedded);
    if (field.inline) addFields(schemaNamed(field.type), fields, embedded);
    else fields.push(plan);
    // Number 0 marks what is not on the wire.
    if (field.wire > 0) table[field.wire] = plan;
  }
  // Without holes, so that looking up a number that no field has is as fast as one that a field has.
  for (let i = 0; i < table.length; i++) table[i] ??= undefined;
}

function fieldPlan(field: FieldSchema, slot: number, table: FieldTable): FieldPlan {
  const scalar = Object.hasOwn(SCALARS, field.type) ? SCALARS[field.type as ScalarType] : undefined;
  const message = scalar || field.inline ? undefined : messagePlan(schemaNamed(field.type));
  const element = scalar ?? MESSAGE_ELEMENT;
  const isValue = field.shape === 'one' && !field.pointer;
  if (field.omit === 'zero' && element.code !== TIME && element.code !== MICRO_TIME) {
    throw new TypeError(`${field.json} omits the zero value of a ${field.type}, which the decoder cannot tell`);
  }
  const omitsZero = isValue && (field.omit === 'zero' || (field.omit === 'empty' && isOmittable(element, message)));
  return {
    name: field.json,
    slot,
    shownBefore: -1,
    code: field.inline ? EMBEDDED : element.code,
    wireType: element.wireType,
    shape: field.shape==='one'?0:field.shape==='list'?1:2,
    omitsZero,
    absent: absentValue(field, element, isValue, omitsZero, message?.schema.form === 'value'),
    zero: element.zero,
    message,
    table,
  };
}

/** A named list has a message of its own in protobuf, and is a list to JSON. */
function isOmittable(element: Element, message: MessagePlan | undefined): boolean {
  return message === undefined ? element.omittable : message.schema.form === 'value';
}

function absentValue(field: FieldSchema, element: Element, isValue: boolean, omitsZero: boolean, isNamedList: boolean): Zero | undefined {
  // Every object gets its kind from the envelope, and messages inside an object have none.
  if (field.wire === 0) return undefined;
  if (!isValue) return field.omit === 'never' ? null : undefined;
  if (omitsZero) return undefined;
  return element.code === BYTES || isNamedList ? null : element.zero;
}

function schemaNamed(name: string): TypeSchema {
  const schema = typeSchema(name);
  if (!schema) throw new TypeError(`there is no schema of ${name}`);
  return schema;
}
