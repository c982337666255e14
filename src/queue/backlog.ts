import { runThrough, STEP, type Steps } from './steps.ts';

/**
 * What waits under each key, in the order in which the keys came. Reading it is safe while it changes: what has been taken
 * is not seen any more, and what has come is seen at the end.
 */
export class Backlog<V> {
  /** The oldest of all, taken from its beginning. What it still holds is not in the map. */
  #list: List<V> | undefined;
  /** The oldest, when it came while nothing else waited: where the consumer keeps up, the map is never needed. */
  #first: readonly [key: string, value: V] | undefined;
  #rest = new Map<string, V>();
  /** Stands before the oldest of the rest: all that it has passed has left the map. */
  #cursor = this.#rest.entries();

  /**
   * Of a whole list, as it is: it costs nothing to take it from its beginning to its end. The first other call, but for
   * `size`, costs as much as what is left of it, unless `enterList` has been gone through before. No two keys may be the same.
   */
  static of<V>(keys: readonly string[], values: readonly V[]): Backlog<V> {
    const backlog = new Backlog<V>();
    if (keys.length > 0) backlog.#list = { keys, values, next: 0 };
    return backlog;
  }

  get size(): number {
    const listed = this.#list === undefined ? 0 : this.#list.keys.length - this.#list.next;
    return listed + this.#rest.size + (this.#first === undefined ? 0 : 1);
  }

  get(key: string): V | undefined {
    this.#enterAtOnce();
    if (this.#first !== undefined && this.#first[0] === key) return this.#first[1];
    return this.#rest.size === 0 ? undefined : this.#rest.get(key);
  }

  has(key: string): boolean {
    this.#enterAtOnce();
    return (this.#first !== undefined && this.#first[0] === key) || (this.#rest.size > 0 && this.#rest.has(key));
  }

  /** In the place of what waits under the key, or at the end. */
  set(key: string, value: V): void {
    this.#enterAtOnce();
    const isFirst = this.#first === undefined ? this.#rest.size === 0 : this.#first[0] === key;
    if (isFirst) this.#first = [key, value];
    else this.#rest.set(key, value);
  }

  /** Takes the oldest. */
  shift(): readonly [key: string, value: V] | undefined {
    const list = this.#list;
    if (list !== undefined) {
      const i = list.next++;
      if (list.next === list.keys.length) this.#list = undefined;
      return [list.keys[i] as string, list.values[i] as V];
    }
    const first = this.#first;
    if (first !== undefined) {
      this.#first = undefined;
      return first;
    }
    // Asked only while something is there: a cursor that has reached the end would stay there, whatever comes later.
    const next = this.#rest.size === 0 ? undefined : this.#cursor.next().value;
    if (next !== undefined) this.#rest.delete(next[0]);
    return next;
  }

  *keys(): Generator<string, void, void> {
    this.#enterAtOnce();
    if (this.#first !== undefined) yield this.#first[0];
    yield* this.#rest.keys();
  }

  *values(): Generator<V, void, void> {
    this.#enterAtOnce();
    if (this.#first !== undefined) yield this.#first[1];
    yield* this.#rest.values();
  }

  clear(): void {
    this.#list = undefined;
    this.#first = undefined;
    this.#rest.clear();
  }

  /** Makes the keys of a list ready to be looked up. Others may take from it at each pause. */
  *enterList(): Steps {
    const list = this.#list;
    if (list === undefined) return;
    const entered = new Map<string, V>();
    let taken = list.next;
    for (let i = list.next; i < list.keys.length; i++) {
      entered.set(list.keys[i] as string, list.values[i] as V);
      if (i % STEP !== 0) continue;
      yield;
      if (this.#list !== list) return;
      for (; taken < list.next; taken++) entered.delete(list.keys[taken] as string);
      i = Math.max(i, list.next - 1);
    }
    // Nothing else is there yet: whatever comes later enters the list before.
    this.#list = undefined;
    this.#rest = entered;
    this.#cursor = entered.entries();
  }

  #enterAtOnce(): void {
    if (this.#list !== undefined) runThrough(this.enterList());
  }
}

interface List<V> {
  readonly keys: readonly string[];
  readonly values: readonly V[];
  /** Less than there are keys. */
  next: number;
}
