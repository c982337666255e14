/** Sets an entry of a map that is plain data. `__proto__` is a legal key, and an assignment to it would set the prototype. */
export function setEntry(map: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
  } else map[key] = value;
}
