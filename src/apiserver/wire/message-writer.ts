import type { FieldSchema, TypeSchema } from '../../api/type-schema.ts';
import { typeSchema } from '../../generated/type-schemas.ts';
import { asObject, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { isScalar } from '../values/scalar-values.ts';
import { scalarWriter } from './scalar-writers.ts';
import { WireWriter } from './wire-writer.ts';

/** Writes the fields of a message, without a length before them. */
export type MessageWriter = (writer: WireWriter, value: JsonValue) => void;

type ElementWriter = (writer: WireWriter, field: number, value: JsonValue) => void;
type FieldWriter = (writer: WireWriter, object: JsonObject) => void;

const writers = new WeakMap<TypeSchema, MessageWriter>();

/**
 * Writes the JSON of a Go struct as Go writes the struct in protobuf, to the byte: fields by their numbers, maps by their keys,
 * and what is not a pointer is written although it is zero. Made once for each type, when it is first needed.
 */
export function messageWriter(schema: TypeSchema): MessageWriter {
  const known = writers.get(schema);
  if (known) return known;
  // A type may contain itself: its fields are looked at when the first message is written.
  let fields: readonly FieldWriter[] | undefined;
  const write = (writer: WireWriter, object: JsonObject) => {
    fields ??= fieldWriters(schema);
    for (const field of fields) field(writer, object);
  };
  const made: MessageWriter = schema.form
    ? (writer, value) => write(writer, formed(schema, value))
    : (writer, value) => write(writer, asObject(value));
  writers.set(schema, made);
  return made;
}

/** The last one first; see `WireWriter`. */
function fieldWriters(schema: TypeSchema): FieldWriter[] {
  const onWire = schema.fields.filter(({ wire }) => wire > 0);
  return onWire.toSorted((a, b) => b.wire - a.wire).map(fieldWriter);
}

function fieldWriter(field: FieldSchema): FieldWriter {
  const { json, wire } = field;
  const element = elementWriter(field);
  if (field.inline) return (writer, object) => element(writer, wire, object);
  if (field.shape === 'list') {
    return (writer, object) => {
      const items = object[json];
      if (!Array.isArray(items)) return;
      for (let index = items.length - 1; index >= 0; index--) element(writer, wire, items[index] ?? null);
    };
  }
  if (field.shape === 'map') {
    return (writer, object) => {
      const map = object[json];
      if (!isObject(map)) return;
      for (const key of Object.keys(map).sort().reverse()) {
        const end = writer.size;
        element(writer, 2, map[key] ?? null);
        writer.textField(1, key);
        writer.delimit(wire, end);
      }
    };
  }
  const absent = isNilable(field) ? new Uint8Array() : zeroField(element, wire);
  return (writer, object) => {
    const value = object[json];
    if (value === undefined || value === null) writer.raw(absent);
    else element(writer, wire, value);
  };
}

/** Pointers, and what is a slice in Go. */
function isNilable({ pointer, type }: FieldSchema): boolean {
  return pointer || type === 'bytes' || (!isScalar(type) && typeSchema(type)?.form === 'value');
}

/** What stands for a field that is not set, and cannot be nil. */
function zeroField(element: ElementWriter, wire: number): Uint8Array {
  const writer = new WireWriter();
  element(writer, wire, null);
  return writer.finish();
}

function elementWriter({ type }: FieldSchema): ElementWriter {
  if (isScalar(type)) return scalarWriter(type);
  const schema = typeSchema(type);
  if (!schema) throw new Error(`there is no schema of ${type}`);
  const message = messageWriter(schema);
  return (writer, field, value) => {
    const end = writer.size;
    message(writer, value);
    writer.delimit(field, end);
  };
}

/** The fields of a message whose JSON is not an object of them; see `TypeSchema.form`. */
function formed({ form, fields }: TypeSchema, value: JsonValue): JsonObject {
  if (value === null) return {};
  if (form === 'value') return { [fields[0]?.json ?? '']: value };
  const isList = Array.isArray(value);
  const object: JsonObject = {};
  for (const { json, shape, type } of fields) {
    if (type === 'bool') object[json] = value !== false;
    else if ((shape === 'list') === isList && typeof value !== 'boolean') object[json] = value;
  }
  return object;
}
