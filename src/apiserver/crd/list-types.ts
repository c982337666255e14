import { duplicate, type FieldError, invalid } from '../request/field-error.ts';
import { goJson } from '../table/go-number.ts';
import { getKey, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { childPath, indexPath, keyPath } from './child-path.ts';
import { additionalSchema, type Schema } from './structural-schema.ts';

/** Lists declared as sets hold no value twice, those declared as maps no key. */
export function validateListTypes(value: JsonValue | undefined, schema: Schema | undefined, path = ''): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    return [
      ...uniqueness(value, schema, path),
      ...value.flatMap((item, index) => validateListTypes(item, schema.items, indexPath(path, index))),
    ];
  }
  if (!isObject(value)) return [];
  const additional = additionalSchema(schema);
  return Object.entries(value).flatMap(([key, item]) => {
    const property = schema.properties.get(key);
    if (property !== undefined) return validateListTypes(item, property, childPath(path, key));
    return validateListTypes(item, additional, keyPath(path, key));
  });
}

function uniqueness(list: JsonValue[], schema: Schema, path: string): FieldError[] {
  if (schema.listType === 'set') {
    return repeated(list).map((index) => duplicate(indexPath(path, index), list[index]));
  }
  if (schema.listType !== 'map') return [];
  const odd = list.findIndex((item) => item !== null && !isObject(item));
  if (odd >= 0) {
    return [invalid(indexPath(path, odd), list[odd], 'must be an object for an array of list-type map')];
  }
  const keys = list.map((item) => keyOf(isObject(item) ? item : {}, schema.listMapKeys));
  return repeated(keys).map((index) => duplicate(indexPath(path, index), keys[index]));
}

function keyOf(item: JsonObject, names: readonly string[]): JsonObject {
  const present = names.filter((name) => Object.hasOwn(item, name));
  return Object.fromEntries(present.map((name) => [name, getKey(item, name)]));
}

/** Where a value stands for the second time; further repetitions are not counted again. */
function repeated(values: readonly JsonValue[]): number[] {
  const seen = new Map<string, number>();
  return [...values.keys()].filter((index) => {
    const text = goJson(values[index]);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    return times === 2;
  });
}
