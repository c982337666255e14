import { type CelValue, ListValue, MapValue } from '../../crd/cel/values.ts';
import { isObject, type JsonValue } from '../../values/json.ts';

/** JSON as policies see it: without a schema, so that every object is a map. */
export function dynamicValue(value: JsonValue | undefined): CelValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return new ListValue(value.map(dynamicValue));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return new MapValue(entries.map(([key, item]): [CelValue, CelValue] => [key, dynamicValue(item)]));
}
