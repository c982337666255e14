import { cloneJson, getKey, isObject, type JsonObject, setKey } from '../values/json.ts';
import { withoutNulls } from './without-nulls.ts';

/**
 * JSON merge patch (RFC 7386): objects merge, null removes, anything else replaces. Nulls inside a value that is new to
 * the object disappear, but those among the items of a list stay, as the real server has it. Changes nothing that it is
 * given, and the result shares nothing with it.
 */
export function mergePatch(original: JsonObject, patch: JsonObject): JsonObject {
  return mergeObjects(cloneJson(original), cloneJson(patch));
}

/** In place, and without recursion: both may nest more deeply than the stack reaches. */
function mergeObjects(root: JsonObject, rootPatch: JsonObject): JsonObject {
  const open: [target: JsonObject, patch: JsonObject][] = [[root, rootPatch]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [target, patch] = next;
    for (const [key, value] of Object.entries(patch)) {
      if (value === undefined) continue;
      const current = getKey(target, key);
      if (value === null) delete target[key];
      else if (!isObject(current)) setKey(target, key, withoutNulls(value));
      else if (isObject(value)) open.push([current, value]);
      else setKey(target, key, value);
    }
  }
  return root;
}
