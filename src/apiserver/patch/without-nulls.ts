import { isObject, type JsonValue } from '../values/json.ts';

/** Takes out, in place, every key that is null, however deep; the items of lists stay. */
export function withoutNulls(value: JsonValue): JsonValue {
  const open: (JsonValue | undefined)[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) {
      for (const item of next) if (typeof item === 'object' && item !== null) open.push(item);
    } else if (isObject(next)) {
      for (const [key, item] of Object.entries(next)) {
        if (item === null || item === undefined) delete next[key];
        else if (typeof item === 'object') open.push(item);
      }
    }
  }
  return value;
}
