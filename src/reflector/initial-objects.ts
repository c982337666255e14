import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';

/**
 * The newest state of each object of a stream that begins with all that exist. API servers send those in the order of their
 * keys: as long as they do, they are told apart by that, and nothing is kept beside them.
 */
export class InitialObjects<T extends KubernetesObject> {
  /** In the order of their keys; each came when its key was beyond all others. */
  readonly #ascending: Cached<T>[] = [];
  /** Keys of those that have been deleted. */
  readonly #gone = new Set<string>();
  /** All that came out of order, by key. */
  readonly #others = new Map<string, Cached<T>>();

  get size(): number {
    return this.#ascending.length - this.#gone.size + this.#others.size;
  }

  /** Whether there was none with this key. */
  set(object: Cached<T>): boolean {
    const { key } = object;
    const last = this.#ascending.at(-1);
    if (last === undefined || key > last.key) {
      this.#ascending.push(object);
      return true;
    }
    const row = this.#rowOf(key);
    if (row !== undefined) {
      this.#ascending[row] = object;
      return this.#gone.delete(key);
    }
    const before = this.#others.size;
    this.#others.set(key, object);
    return this.#others.size > before;
  }

  delete(key: string): void {
    if (!this.#others.delete(key) && this.#rowOf(key) !== undefined) this.#gone.add(key);
  }

  /** No two have the same key. Nothing may be set or deleted afterwards. */
  all(): readonly Cached<T>[] {
    if (this.#gone.size === 0 && this.#others.size === 0) return this.#ascending;
    return [...this.#ascending.filter(({ key }) => !this.#gone.has(key)), ...this.#others.values()];
  }

  #rowOf(key: string): number | undefined {
    let low = 0;
    let high = this.#ascending.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = (this.#ascending[middle] as Cached<T>).key;
      if (found === key) return middle;
      if (found < key) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }
}
