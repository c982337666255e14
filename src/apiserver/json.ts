/**
 * JSON as the server handles it. Objects come from `JSON.parse`, so `__proto__` may be an own key: copy them by spread,
 * `structuredClone` or `setKey`, never by plain assignment of a key that came from a client.
 */
export type JsonValue = string | number | boolean | null | JsonObject | JsonValue[];

export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value when it is an object, else an empty one that belongs to nobody. */
export function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function asArray(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function asString(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Only an own key: a lookup of `constructor` on a plain object must find nothing. */
export function getKey(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** An own data property whatever the key is; `object[key] = value` would set the prototype for `__proto__`. */
export function setKey(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** `getPath(pod, 'spec', 'nodeName')`; undefined as soon as a step is missing. */
export function getPath(value: JsonValue | undefined, ...path: string[]): JsonValue | undefined {
  let current = value;
  for (const key of path) {
    if (!isObject(current)) return undefined;
    current = getKey(current, key);
  }
  return current;
}

/** The object under `key`, made when absent (or when something else stands there). */
export function ensureObject(parent: JsonObject, key: string): JsonObject {
  const present = getKey(parent, key);
  if (isObject(present)) return present;
  const made: JsonObject = {};
  setKey(parent, key, made);
  return made;
}

export function cloneJson<T extends JsonValue>(value: T): T {
  return structuredClone(value);
}

/** Equality of JSON values; the order of keys does not count, and a key set to undefined is an absent one. */
export function jsonEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => jsonEqual(item, b[index]));
  }
  const keysOfA = Object.keys(a).filter((key) => a[key] !== undefined);
  const keysOfB = Object.keys(b).filter((key) => b[key] !== undefined);
  if (keysOfA.length !== keysOfB.length) return false;
  return keysOfA.every((key) => Object.hasOwn(b, key) && jsonEqual(getKey(a, key), getKey(b, key)));
}
