/**
 * JSON as the server handles it. Objects come from `JSON.parse`, so `__proto__` may be an own key: copy them by spread,
 * `cloneJson` or `setKey`, never by plain assignment of a key that came from a client. A client may nest values 10,000
 * levels deep: what walks them keeps a stack of its own, because the machine's ends long before.
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

/**
 * An own data property whatever the key is; `object[key] = value` would set the prototype for `__proto__`, and throw for `constructor` where
 * `Object.prototype` is frozen.
 */
export function setKey(object: JsonObject, key: string, value: JsonValue): void {
  if (key in Object.prototype) {
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

/** A copy that shares nothing with the value, however deeply it nests. */
export function cloneJson<T extends JsonValue>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const root = emptyLike(value);
  const open: [from: Container, to: Container][] = [[value as Container, root]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [from, to] = next;
    for (const key of Object.keys(from)) {
      const item = from[key as never] as JsonValue | undefined;
      if (typeof item !== 'object' || item === null) {
        setKey(to as JsonObject, key, item as JsonValue);
        continue;
      }
      const copy = emptyLike(item);
      setKey(to as JsonObject, key, copy);
      open.push([item, copy]);
    }
  }
  return root as T;
}

type Container = JsonObject | JsonValue[];

function emptyLike(value: Container): Container {
  return Array.isArray(value) ? [] : {};
}

/**
 * Equality of JSON values, however deeply they nest; the order of keys does not count, and a key set to undefined is an
 * absent one. With a limit, at most that number of maps and lists is compared, and anything larger counts as different.
 */
export function jsonEqual(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
  limit = Number.POSITIVE_INFINITY,
): boolean {
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b)) return false;
  const open: Container[] = [];
  if (!equalButForInner(a, b, open)) return false;
  for (let left = limit; open.length > 0; left--) {
    if (left <= 0) return false;
    const theirs = open.pop() as Container;
    const ours = open.pop() as Container;
    if (!equalButForInner(ours, theirs, open)) return false;
  }
  return true;
}

/** Compares one level; pairs that are to be compared in turn go onto the stack. */
function equalButForInner(a: Container, b: Container, open: Container[]): boolean {
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index++) if (!equalOrOpen(a[index], b[index], open)) return false;
    return true;
  }
  let surplus = 0;
  for (const key in a) {
    const value = a[key];
    if (value === undefined) continue;
    if (!Object.hasOwn(b, key) || !equalOrOpen(value, b[key], open)) return false;
    surplus--;
  }
  for (const key in b) if (b[key] !== undefined) surplus++;
  return surplus === 0;
}

function equalOrOpen(a: JsonValue | undefined, b: JsonValue | undefined, open: Container[]): boolean {
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b)) return false;
  open.push(a, b);
  return true;
}

function isContainer(value: JsonValue | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

/** With its keys in the order in which Go prints maps. */
export function sortedKeys(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
