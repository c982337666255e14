import type { FieldSchema, ScalarType, TypeSchema } from '../../api/type-schema.ts';
import { schemaOfKind, typeSchema } from '../../generated/type-schemas.ts';
import { asArray, getKey, type JsonObject, type JsonValue, setKey } from '../values/json.ts';
import { isScalar } from '../values/scalar-values.ts';
import { wireBytes, wireFields, wireInteger, wireMap, wireText } from './protobuf-reader.ts';

/** What every Kubernetes protobuf body begins with. */
const MAGIC = Buffer.from('k8s\0');

type WireValue = bigint | Uint8Array;

/** How deeply messages may nest; see `typed-object.ts`. */
const MAX_MESSAGES = 500;

export function isKubernetesProtobuf(bytes: Uint8Array): boolean {
  return MAGIC.equals(bytes.subarray(0, MAGIC.length));
}

/**
 * The JSON of a body in Kubernetes' protobuf, which client-go sends for built-in kinds; zero values that Go writes out
 * are still in it. Undefined when the kind is unknown. Throws when the bytes are broken.
 */
export function parseProtobufBody(bytes: Uint8Array): JsonObject | undefined {
  const envelope = wireMap(bytes.subarray(MAGIC.length));
  const type = wireMap(envelope.get(1) ?? 0n);
  const apiVersion = wireText(type.get(1) ?? 0n);
  const kind = wireText(type.get(2) ?? 0n);
  const slash = apiVersion.indexOf('/');
  const name = schemaOfKind(apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1), kind);
  const schema = name === undefined ? undefined : typeSchema(name);
  if (!schema) return undefined;
  return { ...(message(schema, wireBytes(envelope.get(2) ?? 0n), 0) as JsonObject), kind, apiVersion };
}

function message(schema: TypeSchema, bytes: Uint8Array, depth: number): JsonValue {
  if (depth > MAX_MESSAGES) throw new RangeError(`proto: exceeded max depth of ${MAX_MESSAGES}`);
  const fields = new Map(schema.fields.filter((field) => field.wire > 0).map((field) => [field.wire, field]));
  const object: JsonObject = {};
  const inlined: JsonValue[] = [];
  for (const { number, value } of wireFields(bytes)) {
    const field = fields.get(number);
    if (!field) continue;
    if (field.inline) inlined.push(element(field, value, depth) ?? null);
    else if (field.shape === 'list') {
      const items = asArray(getKey(object, field.json));
      items.push(element(field, value, depth) ?? null);
      setKey(object, field.json, items);
    } else if (field.shape === 'map') setKey(object, field.json, withEntry(object[field.json], field, value, depth));
    else {
      const read = element(field, value, depth);
      if (read !== undefined) setKey(object, field.json, read);
    }
  }
  for (const part of inlined) Object.assign(object, part);
  return schema.form ? formed(schema, object) : object;
}

function withEntry(present: JsonValue | undefined, field: FieldSchema, value: WireValue, depth: number): JsonObject {
  const entry = wireMap(value);
  const map = (present ?? {}) as JsonObject;
  setKey(map, wireText(entry.get(1) ?? 0n), element(field, entry.get(2) ?? new Uint8Array(), depth) ?? null);
  return map;
}

function formed(schema: TypeSchema, object: JsonObject): JsonValue {
  const [first, second] = schema.fields.map((field) => object[field.json]);
  if (schema.form === 'value') return first ?? null;
  const present = Array.isArray(first) ? first.length > 0 : first !== undefined && first !== false;
  return (present ? first : second) ?? null;
}

function element(field: FieldSchema, value: WireValue, depth: number): JsonValue | undefined {
  if (isScalar(field.type)) return scalar(field.type, value);
  const schema = typeSchema(field.type);
  return schema ? message(schema, wireBytes(value), depth + 1) : null;
}

function scalar(type: ScalarType, value: WireValue): JsonValue | undefined {
  switch (type) {
    case 'string':
      return wireText(value);
    case 'bool':
      return value !== 0n;
    case 'int32':
    case 'int64':
      return Number(wireInteger(value));
    case 'float':
    case 'double':
      return floating(type, value);
    case 'bytes':
      return Buffer.from(wireBytes(value)).toString('base64');
    case 'Time':
    case 'MicroTime':
      return time(type, value);
    case 'Duration':
      return `${Number(wireInteger(wireMap(value).get(1))) / 1e9}s`;
    case 'Quantity':
      return wireText(wireMap(value).get(1) ?? 0n) || '0';
    case 'IntOrString': {
      const parts = wireMap(value);
      return parts.get(1) === 1n ? wireText(parts.get(3) ?? 0n) : Number(wireInteger(parts.get(2)));
    }
    default:
      return embedded(wireMap(value).get(1));
  }
}

function floating(type: 'float' | 'double', value: WireValue): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, typeof value === 'bigint' ? value : 0n, true);
  return type === 'float' ? view.getFloat32(0, true) : view.getFloat64(0, true);
}

/** The zero time is an empty message, and null in JSON. */
function time(type: 'Time' | 'MicroTime', value: WireValue): JsonValue {
  const parts = wireMap(value);
  if (parts.size === 0) return null;
  const seconds = Number(wireInteger(parts.get(1)));
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (type === 'Time') return `${text}Z`;
  const micros = Math.floor(Number(wireInteger(parts.get(2))) / 1000);
  return `${text}.${String(micros).padStart(6, '0')}Z`;
}

/** JSON inside a message. */
function embedded(value: WireValue | undefined): JsonValue {
  const text = wireText(value ?? 0n);
  return text === '' ? null : (JSON.parse(text) as JsonValue);
}
