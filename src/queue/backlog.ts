/**
 * What waits under each key, in the order in which the keys came. Reading it is safe while it changes: what has been taken
 * is not seen any more, and what has come is seen at the end.
 */
export class Backlog<V> {
  /** The oldest, when it came while nothing else waited: where the consumer keeps up, the map is never needed. */
  #first: readonly [key: string, value: V] | undefined;
  readonly #rest = new Map<string, V>();
  /** Stands before the oldest of the rest: all that it has passed has left the map. */
  #cursor = this.#rest.entries();

  get size(): number {
    return this.#rest.size + (this.#first === undefined ? 0 : 1);
  }

  get(key: string): V | undefined {
    if (this.#first !== undefined && this.#first[0] === key) return this.#first[1];
    return this.#rest.size === 0 ? undefined : this.#rest.get(key);
  }

  has(key: string): boolean {
    return (this.#first !== undefined && this.#first[0] === key) || (this.#rest.size > 0 && this.#rest.has(key));
  }

  /** In the place of what waits under the key, or at the end. */
  set(key: string, value: V): void {
    const isFirst = this.#first === undefined ? this.#rest.size === 0 : this.#first[0] === key;
    if (isFirst) this.#first = [key, value];
    else this.#rest.set(key, value);
  }

  /** Takes the oldest. */
  shift(): readonly [key: string, value: V] | undefined {
    const first = this.#first;
    if (first !== undefined) {
      this.#first = undefined;
      return first;
    }
    if (this.#rest.size === 0) return undefined;
    let next = this.#cursor.next();
    if (next.done) {
      // A cursor that has reached the end stays there, whatever comes later.
      this.#cursor = this.#rest.entries();
      next = this.#cursor.next();
      if (next.done) return undefined;
    }
    this.#rest.delete(next.value[0]);
    return next.value;
  }

  *keys(): Generator<string, void, void> {
    if (this.#first !== undefined) yield this.#first[0];
    yield* this.#rest.keys();
  }

  *values(): Generator<V, void, void> {
    if (this.#first !== undefined) yield this.#first[1];
    yield* this.#rest.values();
  }

  clear(): void {
    this.#first = undefined;
    this.#rest.clear();
  }
}
