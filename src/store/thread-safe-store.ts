import type { KubernetesObject, Stored } from '../api/metadata.ts';
import type { IndexDefinition, Indexers } from './index-definition.ts';
import { ObjectTable } from './object-table.ts';
import { KeptObject, viewsOf } from './store.ts';

/**
 * An `Indexer` whose keys come from the caller. JavaScript runs one turn at a time, so every store is as safe as client-go's
 * `cache.ThreadSafeStore`, after which this one is named: a call that throws has changed nothing, and no call sees half of another.
 */
export class ThreadSafeStore<T extends KubernetesObject = KubernetesObject> {
  readonly #table: ObjectTable<T>;

  constructor(indexers: Indexers<T> = {}) {
    this.#table = new ObjectTable<T>(indexers);
  }

  /** As `update`: there is one object of a key. */
  add(key: string, obj: T): void {
    this.update(key, obj);
  }

  /** Throws `IndexError` when an index function fails on the object. */
  update(key: string, obj: T): void {
    this.#table.put(new KeptObject(key, obj));
  }

  /** Whether it was there. */
  delete(key: string): boolean {
    return this.#table.remove(key) !== undefined;
  }

  /** The object of that key, if there is one. */
  get(key: string): Stored<T> | undefined {
    return this.#table.get(key)?.view();
  }

  /** In no promised order. */
  list(): Stored<T>[] {
    return viewsOf(this.#table.values());
  }

  /** The keys of all objects. */
  listKeys(): string[] {
    return [...this.#table.keys()];
  }

  /** Everything else goes; `resourceVersion` is that of the list. */
  replace(items: Readonly<Record<string, T>> | ReadonlyMap<string, T>, resourceVersion: string): void {
    const entries = items instanceof Map ? [...items] : Object.entries(items);
    const kept = entries.map(([key, obj]: [string, T]) => new KeptObject(key, obj));
    this.#table.replaceAll(kept, resourceVersion);
  }

  /** All that share at least one value of the index with `obj`, which need not be stored. Throws `IndexError`. */
  index(indexName: string, obj: T): Stored<T>[] {
    return viewsOf(this.#table.sharing(indexName, new KeptObject('the object that was asked about', obj)));
  }

  /** The keys of those under that value, sorted. Throws `IndexError`. */
  indexKeys(indexName: string, indexedValue: string): string[] {
    return this.#table.indexKeys(indexName, indexedValue);
  }

  /** Every value that an object has now. Throws `IndexError`. */
  listIndexFuncValues(indexName: string): string[] {
    return this.#table.indexValues(indexName);
  }

  /** Throws `IndexError`. */
  byIndex(indexName: string, indexedValue: string): Stored<T>[] {
    return viewsOf(this.#table.byIndex(indexName, indexedValue));
  }

  /** Also when there are objects. All or none: a name that is taken, or a function that fails, is an `IndexError`. */
  addIndexers(indexers: Indexers<T>): void {
    this.#table.addIndexers(indexers);
  }

  /** The indexes by name, as they were defined. */
  getIndexers(): Record<string, IndexDefinition<T>> {
    return this.#table.getIndexers();
  }

  /** Does nothing: a store has nobody to tell. */
  resync(): void {}
}
