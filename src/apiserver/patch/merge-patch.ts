import { cloneJson, getKey, isObject, type JsonObject, type JsonValue, setKey } from '../json.ts';

/**
 * JSON merge patch (RFC 7386): objects merge, null removes, anything else replaces. Nulls inside a value that is new to
 * the object disappear, but those among the items of a list stay, as the real server has it. Changes nothing that it is
 * given, and the result shares nothing with it.
 */
export function mergePatch(original: JsonObject, patch: JsonObject): JsonObject {
  return mergeObjects(cloneJson(original), cloneJson(patch));
}

function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject {
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) {
      delete target[key];
      continue;
    }
    const current = getKey(target, key);
    if (isObject(current) && isObject(value)) mergeObjects(current, value);
    else setKey(target, key, current === undefined || !isObject(current) ? withoutNulls(value) : value);
  }
  return target;
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== null && item !== undefined) setKey(out, key, withoutNulls(item));
  }
  return out;
}
