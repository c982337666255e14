import type { ScalarType } from '../../api/type-schema.ts';
import { canonicalQuantity } from '../table/quantity.ts';
import { readMicroTime, readTime } from './go-time.ts';
import type { JsonValue } from './json.ts';

const GO_TYPES: Readonly<Record<ScalarType, string>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  float: 'float32',
  double: 'float64',
  bytes: '[]uint8',
  // These read a string of their own first.
  Time: 'string',
  MicroTime: 'string',
  Duration: 'v1.Duration',
  Quantity: 'resource.Quantity',
  // This reads a number unless it is a string.
  IntOrString: 'int32',
  RawExtension: 'runtime.RawExtension',
  FieldsV1: 'v1.FieldsV1',
  JSON: 'v1.JSON',
};

const DURATION = /^[+-]?(?:0|(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;

export function isScalar(type: string): type is ScalarType {
  return Object.hasOwn(GO_TYPES, type);
}

export function goTypeName(type: ScalarType): string {
  return GO_TYPES[type];
}

/** What the value is called in messages of Go's JSON decoder. */
export function jsonTypeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

export type ScalarReading =
  | { readonly value: JsonValue }
  /** JSON of the wrong type; the caller knows the field. */
  | { readonly mismatch: string }
  /** The right type with a text that means nothing. */
  | { readonly problem: string };

/** A value (not null) as Go would hold and write it again. */
export function readScalar(type: ScalarType, value: JsonValue): ScalarReading {
  const mismatch = { mismatch: jsonTypeName(value) };
  switch (type) {
    case 'string':
      return typeof value === 'string' ? { value } : mismatch;
    case 'bool':
      return typeof value === 'boolean' ? { value } : mismatch;
    case 'int32':
    case 'int64':
      return readInteger(type, value);
    case 'float':
    case 'double':
      return typeof value === 'number' ? { value } : mismatch;
    case 'bytes':
      if (typeof value !== 'string') return mismatch;
      return isBase64(value) ? { value } : { problem: 'illegal base64 data at input byte 0' };
    case 'Time':
      return typeof value === 'string' ? readTime(value) : mismatch;
    case 'MicroTime':
      return typeof value === 'string' ? readMicroTime(value) : mismatch;
    case 'Duration':
      if (typeof value !== 'string') return mismatch;
      return DURATION.test(value) ? { value } : { problem: `time: invalid duration ${JSON.stringify(value)}` };
    case 'Quantity':
      return readQuantity(value);
    case 'IntOrString':
      return typeof value === 'string' ? { value } : readInteger('int32', value);
    default:
      return { value };
  }
}

function readInteger(type: 'int32' | 'int64', value: JsonValue): ScalarReading {
  if (typeof value !== 'number') return { mismatch: jsonTypeName(value) };
  const limit = type === 'int32' ? 2 ** 31 : 2 ** 63;
  if (!Number.isInteger(value) || value < -limit || value >= limit) return { mismatch: `number ${value}` };
  return { value };
}

function readQuantity(value: JsonValue): ScalarReading {
  if (typeof value !== 'string' && typeof value !== 'number') return { mismatch: jsonTypeName(value) };
  const canonical = canonicalQuantity(String(value));
  if (canonical !== undefined) return { value: canonical };
  return {
    problem: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  };
}

function isBase64(text: string): boolean {
  return text.replace(/[\r\n]/g, '').length % 4 === 0 && /^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/.test(text);
}
