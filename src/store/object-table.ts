import type { Cached } from '../api/cached.ts';
import type { LabelSelector } from '../api/label-selector.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { type IndexDefinition, type Indexers, indexReader, metaNamespaceIndex } from './index-definition.ts';
import { IndexError } from './index-error.ts';
import { LabelIndexes } from './label-indexes.ts';
import { type Entry, type IndexReader, type IndexValues, ValueIndex } from './value-index.ts';

interface NamedIndex<T extends KubernetesObject> {
  readonly definition: IndexDefinition<T>;
  readonly index: ValueIndex<T>;
}

/**
 * The last known state of every object, by key, by index and by label. Every write happens whole, indices included, or
 * throws and has changed nothing. Lists are fresh arrays, in no promised order. client-go's `cache.ThreadSafeStore`.
 */
export class ObjectTable<T extends KubernetesObject = KubernetesObject> {
  #entries = new Map<string, Entry<T>>();
  /** By slot: those with a name and those of labels. */
  #indexes: ValueIndex<T>[] = [];
  #named = new Map<string, NamedIndex<T>>();
  readonly #labels = new LabelIndexes<T>((read, slot) => this.#build(read, slot));
  #resourceVersion = '';

  constructor(indexers: Indexers<T> = {}) {
    this.addIndexers(indexers);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Of the last object written or deleted, the last `replaceAll` or `bookmark`; "" before. client-go's `LastStoreSyncResourceVersion`. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get(key: string): Cached<T> | undefined {
    return this.#entries.get(key)?.cached;
  }

  /** Live: to be used up before the next write. */
  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  values(): Cached<T>[] {
    return cachedOf(this.#entries.values());
  }

  /** Throws the `IndexError` that `put` would throw. Changes nothing, and costs nothing without index functions. */
  check(cached: Cached<T>): void {
    for (const { definition, index } of this.#named.values()) {
      if (typeof definition === 'function' && definition !== metaNamespaceIndex) index.read(cached);
    }
  }

  /** Returns what was there before. Throws `IndexError` when an index function fails on the object. */
  put(cached: Cached<T>): Cached<T> | undefined {
    const values = this.#read(cached);
    let entry = this.#entries.get(cached.key);
    const old = entry?.cached;
    if (entry === undefined) {
      entry = { cached, memberships: new Array(this.#indexes.length) };
      this.#entries.set(cached.key, entry);
    } else {
      entry.cached = cached;
    }
    const { memberships } = entry;
    for (const index of this.#indexes) {
      memberships[index.slot] = index.move(entry, memberships[index.slot], values[index.slot]);
    }
    if (cached.resourceVersion !== '') this.#resourceVersion = cached.resourceVersion;
    if (old !== cached) {
      cached.stored?.();
      old?.dropped?.();
    }
    return old;
  }

  /** Returns what was there. `resourceVersion` is that of the deletion, where it is known. */
  remove(key: string, resourceVersion = ''): Cached<T> | undefined {
    if (resourceVersion !== '') this.#resourceVersion = resourceVersion;
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    for (const index of this.#indexes) index.leave(entry, entry.memberships[index.slot]);
    entry.cached.dropped?.();
    return entry.cached;
  }

  /** Of two objects with one key the later one counts. Throws `IndexError`. */
  replaceAll(objects: Iterable<Cached<T>>, resourceVersion: string): void {
    const named = new Map<string, NamedIndex<T>>();
    const indexes: ValueIndex<T>[] = [];
    for (const [name, { definition, index }] of this.#named) {
      const fresh = new ValueIndex<T>(indexes.length, index.read);
      indexes.push(fresh);
      named.set(name, { definition, index: fresh });
    }
    const entries = new Map<string, Entry<T>>();
    for (const cached of objects) entries.set(cached.key, { cached, memberships: new Array(indexes.length) });
    for (const entry of entries.values()) {
      for (const index of indexes) {
        entry.memberships[index.slot] = index.move(entry, undefined, index.read(entry.cached));
      }
    }
    const before = this.#entries;
    this.#entries = entries;
    this.#indexes = indexes;
    this.#named = named;
    this.#labels.clear();
    this.#resourceVersion = resourceVersion;
    for (const [key, { cached }] of entries) if (before.get(key)?.cached !== cached) cached.stored?.();
    for (const [key, { cached }] of before) if (entries.get(key)?.cached !== cached) cached.dropped?.();
  }

  /** Everything up to this version has been seen. */
  bookmark(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  byIndex(indexName: string, value: string): Cached<T>[] {
    return cachedOf(this.#index(indexName).members(value));
  }

  /** Sorted. */
  indexKeys(indexName: string, value: string): string[] {
    return cachedOf(this.#index(indexName).members(value))
      .map(({ key }) => key)
      .sort();
  }

  indexValues(indexName: string): string[] {
    return this.#index(indexName).values();
  }

  /** All that share at least one value of the index with `probe`, which need not be in the table. */
  sharing(indexName: string, probe: Cached<T>): Cached<T>[] {
    const index = this.#index(indexName);
    const values = index.read(probe);
    if (typeof values === 'string') return cachedOf(index.members(values));
    const entries = new Set<Entry<T>>();
    for (const value of values ?? []) for (const entry of index.members(value) ?? []) entries.add(entry);
    return cachedOf(entries);
  }

  /** Without a namespace, or with "", from all of them. An index of each label key that is asked for makes this cheap. */
  select(selector: LabelSelector, namespace = ''): Cached<T>[] {
    if (selector.matchesNothing) return [];
    if (selector.matchesEverything && namespace === '') return this.values();
    let candidates: readonly ReadonlySet<Entry<T>>[] | undefined;
    let count = this.#entries.size;
    const namespaces = namespace === '' ? undefined : this.#namespaceIndex();
    if (namespaces !== undefined) {
      const members = namespaces.members(namespace);
      candidates = members === undefined ? [] : [members];
      count = members?.size ?? 0;
    }
    const byLabel = this.#labels.narrow(selector.requirements, count);
    const found: Cached<T>[] = [];
    for (const entries of byLabel ?? candidates ?? [this.#entries.values()]) {
      for (const { cached } of entries) {
        if ((namespace === '' || cached.namespace === namespace) && selector.matches(cached.labels)) found.push(cached);
      }
    }
    return found;
  }

  /** Also when there are objects. Throws `IndexError`, having added none, when one of the names is taken or one of the functions fails. */
  addIndexers(indexers: Indexers<T>): void {
    const added: (NamedIndex<T> & { name: string })[] = [];
    for (const [name, definition] of Object.entries(indexers)) {
      if (this.#named.has(name)) throw new IndexError('conflict', name, 'exists already: an index cannot be redefined');
      const slot = this.#indexes.length + added.length;
      added.push({ name, definition, index: new ValueIndex(slot, indexReader(name, definition)) });
    }
    const values = added.map(({ index }) => Array.from(this.#entries.values(), ({ cached }) => index.read(cached)));
    added.forEach(({ name, definition, index }, nth) => {
      this.#named.set(name, { definition, index });
      this.#indexes.push(index);
      let i = 0;
      for (const entry of this.#entries.values()) {
        entry.memberships[index.slot] = index.move(entry, undefined, values[nth]?.[i++]);
      }
    });
  }

  /** A copy, without a prototype. */
  getIndexers(): Record<string, IndexDefinition<T>> {
    const indexers: Record<string, IndexDefinition<T>> = Object.create(null);
    for (const [name, { definition }] of this.#named) indexers[name] = definition;
    return indexers;
  }

  /** By slot. */
  #read(cached: Cached<T>): IndexValues[] {
    // Of the right length from the start: growing would take three times the memory.
    const values: IndexValues[] = new Array(this.#indexes.length);
    for (const index of this.#indexes) values[index.slot] = index.read(cached);
    return values;
  }

  #index(name: string): ValueIndex<T> {
    const named = this.#named.get(name);
    if (named !== undefined) return named.index;
    const names = [...this.#named.keys()].map((known) => `"${known}"`).join(', ');
    throw new IndexError('unknown', name, `does not exist: ${names === '' ? 'there is none' : `there are ${names}`}`);
  }

  /** Whatever its name, as long as it is known to hold the namespace of every object. */
  #namespaceIndex(): ValueIndex<T> | undefined {
    for (const { definition, index } of this.#named.values()) if (definition === metaNamespaceIndex) return index;
    return undefined;
  }

  /** In the given slot, forgetting the index that had it, or in a new one. */
  #build(read: IndexReader<T>, slot = this.#indexes.length): ValueIndex<T> {
    const index = new ValueIndex<T>(slot, read);
    for (const entry of this.#entries.values()) {
      entry.memberships[slot] = index.move(entry, undefined, read(entry.cached));
    }
    this.#indexes[slot] = index;
    return index;
  }
}

function cachedOf<T extends KubernetesObject>(entries: Iterable<Entry<T>> | undefined): Cached<T>[] {
  const found: Cached<T>[] = [];
  if (entries !== undefined) for (const { cached } of entries) found.push(cached);
  return found;
}
