import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';

/**
 * The newest state of each object of a stream that begins with all that exist, in the order in which the objects first came.
 * API servers send them in the order of their keys: as long as they do, a key beyond the last is known to be new, and nothing
 * is kept beside the objects.
 */
export class InitialObjects<T extends KubernetesObject> {
  readonly #objects: Cached<T>[] = [];
  /** The number at the beginning that are in the order of their keys. */
  #sorted = 0;
  /** Where all the others are, by key. */
  readonly #rows = new Map<string, number>();
  /** Where those are that have been deleted. */
  readonly #gone = new Set<number>();

  get size(): number {
    return this.#objects.length - this.#gone.size;
  }

  /** Whether there was none with this key. */
  set(object: Cached<T>): boolean {
    const { key } = object;
    const end = this.#objects.length;
    if (this.#sorted === end && (end === 0 || key > this.#keyAt(end - 1))) {
      this.#sorted = this.#objects.push(object);
      return true;
    }
    const row = this.#rowOf(key);
    if (row !== undefined) {
      this.#objects[row] = object;
      return this.#gone.delete(row);
    }
    this.#rows.set(key, end);
    this.#objects.push(object);
    return true;
  }

  delete(key: string): void {
    const row = this.#rowOf(key);
    if (row !== undefined) this.#gone.add(row);
  }

  /** No two have the same key. Nothing may be set or deleted afterwards. */
  all(): readonly Cached<T>[] {
    return this.#gone.size === 0 ? this.#objects : this.#objects.filter((_, row) => !this.#gone.has(row));
  }

  #rowOf(key: string): number | undefined {
    let low = 0;
    let high = this.#sorted;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = this.#keyAt(middle);
      if (found === key) return middle;
      if (found < key) low = middle + 1;
      else high = middle;
    }
    return this.#rows.get(key);
  }

  #keyAt(row: number): string {
    return (this.#objects[row] as Cached<T>).key;
  }
}
