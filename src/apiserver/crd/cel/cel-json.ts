import type { JsonObject, JsonValue } from '../../values/json.ts';
import { CelError } from './cel-error.ts';
import { StructValue } from './struct-value.ts';
import { type CelValue, ListValue, MapValue, ObjectValue, Optional, Uint } from './values.ts';

/** A value of an expression as JSON. Throws `CelError` for what JSON has no form for. */
export function celToJson(value: CelValue): JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string') {
    return value;
  }
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof ListValue) return value.items.map(celToJson);
  if (value instanceof MapValue) return mapToJson(value);
  if (value instanceof StructValue) return mapToJson(value.fields);
  if (value instanceof Optional && value.value !== undefined) return celToJson(value.value);
  if (value instanceof ObjectValue) {
    return Object.fromEntries([...value.fields].map(([name, read]) => [name, celToJson(read())]));
  }
  throw new CelError('the value has no form in JSON');
}

function mapToJson({ entries }: MapValue): JsonObject {
  return Object.fromEntries([...entries.values()].map(([key, value]) => [String(key), celToJson(value)]));
}
