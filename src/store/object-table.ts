import type { Cached } from '../api/cached.ts';
import type { LabelSelector } from '../api/label-selector.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { type IndexDefinition, type Indexers, indexReader, metaNamespaceIndex } from './index-definition.ts';
import { IndexError } from './index-error.ts';
import { LabelIndexes } from './label-indexes.ts';
import { type IndexReader, type IndexValues, readNamespace, ValueIndex } from './value-index.ts';

interface NamedIndex<T extends KubernetesObject> {
  readonly definition: IndexDefinition<T>;
  readonly index: ValueIndex<T>;
}

/**
 * The last known state of every object, by key, by index and by label. Every write happens whole, indices included, or
 * throws and has changed nothing. Lists are fresh arrays, in no promised order. client-go's `cache.ThreadSafeStore`.
 */
export class ObjectTable<T extends KubernetesObject = KubernetesObject> {
  /** By key: the row of the object. An object keeps its row while it changes; the last object gets the row of one that goes. */
  #rows = new Map<string, number>();
  /** By row. */
  #objects: Cached<T>[] = [];
  /** Those with a name and those of labels. Each has the same rows. */
  #indexes: ValueIndex<T>[] = [];
  #named = new Map<string, NamedIndex<T>>();
  readonly #labels = new LabelIndexes<T>((read, replaced) => this.#build(read, replaced));
  #resourceVersion = '';

  constructor(indexers: Indexers<T> = {}) {
    this.addIndexers(indexers);
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Of the last object written or deleted, the last `replaceAll` or `bookmark`; "" before. client-go's `LastStoreSyncResourceVersion`. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get(key: string): Cached<T> | undefined {
    const row = this.#rows.get(key);
    return row === undefined ? undefined : this.#objects[row];
  }

  /** Live: to be used up before the next write. */
  keys(): IterableIterator<string> {
    return this.#rows.keys();
  }

  values(): Cached<T>[] {
    return this.#objects.slice();
  }

  /** Returns what was there before. Throws when an index cannot be read from the object: an `IndexError`, or what its bytes throw. */
  put(cached: Cached<T>): Cached<T> | undefined {
    const values = this.#read(cached);
    const row = this.#rows.get(cached.key);
    if (row !== undefined) return this.#overwrite(row, cached, values);
    this.#rows.set(cached.key, this.#objects.length);
    this.#objects.push(cached);
    for (let i = 0; i < this.#indexes.length; i++) this.#indexes[i]?.append(values[i]);
    this.#advance(cached);
    cached.stored?.();
    return undefined;
  }

  /**
   * Puts the objects from `from` to `to`, as `put` would, up to the first whose key is there already, and returns where that is. Puts none when
   * an index could fail on one.
   */
  putNew(objects: readonly Cached<T>[], from: number, to: number): number {
    const [index] = this.#indexes;
    if (this.#indexes.length !== 1 || index?.read !== readNamespace) return from;
    const [all, rows] = [this.#objects, this.#rows];
    let at = from;
    for (; at < to; at++) {
      const cached = objects[at] as Cached<T>;
      if (rows.has(cached.key)) break;
      rows.set(cached.key, all.length);
      all.push(cached);
      index.append(cached.namespace);
      cached.stored?.();
    }
    for (let last = at - 1; last >= from && !this.#advance(objects[last] as Cached<T>); last--);
    return at;
  }

  /**
   * Puts what `wrap` makes of an object, and returns it. `wrap` gets the text of the key that the table has already, if it
   * has one, so that a new one does not outlive the call with each update.
   */
  putWrapped<O>(key: string, object: O, wrap: (key: string, object: O) => Cached<T>): Cached<T> {
    const row = this.#rows.get(key);
    const old = row === undefined ? undefined : this.#objects[row];
    const cached = wrap(old?.key ?? key, object);
    if (row === undefined) {
      this.put(cached);
      return cached;
    }
    const values = this.#read(cached);
    // An index function is the user's: it may have written to this table, and then the row is another's.
    if (this.#objects[row] === old) this.#overwrite(row, cached, values);
    else this.put(cached);
    return cached;
  }

  /** Returns what was there. `resourceVersion` is that of the deletion, where it is known. */
  remove(key: string, resourceVersion = ''): Cached<T> | undefined {
    if (resourceVersion !== '') this.#resourceVersion = resourceVersion;
    const row = this.#rows.get(key);
    if (row === undefined) return undefined;
    const removed = this.#objects[row];
    this.#rows.delete(key);
    const last = this.#objects.pop();
    if (last !== undefined && last !== removed) {
      this.#objects[row] = last;
      this.#rows.set(last.key, row);
    }
    for (const index of this.#indexes) index.remove(row);
    removed?.dropped?.();
    return removed;
  }

  /** Of two objects with one key the later one counts. Throws `IndexError`. */
  replaceAll(objects: Iterable<Cached<T>>, resourceVersion: string): void {
    const named = new Map<string, NamedIndex<T>>();
    const indexes: ValueIndex<T>[] = [];
    for (const [name, { definition, index }] of this.#named) {
      const fresh = new ValueIndex<T>(index.read);
      indexes.push(fresh);
      named.set(name, { definition, index: fresh });
    }
    const rows = new Map<string, number>();
    const after: Cached<T>[] = [];
    for (const cached of objects) {
      const row = rows.get(cached.key) ?? after.length;
      if (row === after.length) rows.set(cached.key, row);
      after[row] = cached;
    }
    for (const index of indexes) for (const cached of after) index.append(index.read(cached));
    const [before, rowsBefore] = [this.#objects, this.#rows];
    this.#rows = rows;
    this.#objects = after;
    this.#indexes = indexes;
    this.#named = named;
    this.#labels.clear();
    this.#resourceVersion = resourceVersion;
    for (const cached of after) if (before[rowsBefore.get(cached.key) ?? -1] !== cached) cached.stored?.();
    for (const cached of before) if (this.get(cached.key) !== cached) cached.dropped?.();
  }

  /** Everything up to this version has been seen. */
  bookmark(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  byIndex(indexName: string, value: string): Cached<T>[] {
    return this.#objectsAt(this.#index(indexName).rows(value));
  }

  /** Sorted. */
  indexKeys(indexName: string, value: string): string[] {
    return this.byIndex(indexName, value)
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
    if (typeof values === 'string') return this.#objectsAt(index.rows(values));
    const rows = new Set<number>();
    for (const value of values ?? []) for (const row of index.rows(value) ?? []) rows.add(row);
    return this.#objectsAt([...rows]);
  }

  /** Without a namespace, or with "", from all of them. An index of each label key that is asked for makes this cheap. */
  select(selector: LabelSelector, namespace = ''): Cached<T>[] {
    if (selector.matchesNothing) return [];
    if (selector.matchesEverything && namespace === '') return this.values();
    const namespaces = namespace === '' ? undefined : this.#namespaceIndex();
    const inNamespace = namespaces === undefined ? undefined : (namespaces.rows(namespace) ?? []);
    const byLabel = this.#labels.narrow(selector.requirements, inNamespace?.length ?? this.size);
    const lists = byLabel ?? (inNamespace === undefined ? undefined : [inNamespace]);
    if (lists === undefined) return this.#objects.filter((cached) => matches(cached, selector, namespace));
    const found: Cached<T>[] = [];
    for (const rows of lists) {
      for (const row of rows) {
        const cached = this.#objects[row];
        if (cached !== undefined && matches(cached, selector, namespace)) found.push(cached);
      }
    }
    return found;
  }

  /** Also when there are objects. Throws `IndexError`, having added none, when one of the names is taken or one of the functions fails. */
  addIndexers(indexers: Indexers<T>): void {
    const added: (NamedIndex<T> & { name: string })[] = [];
    for (const [name, definition] of Object.entries(indexers)) {
      if (this.#named.has(name))
        throw new IndexError('index-conflict', name, 'exists already: an index cannot be redefined');
      added.push({ name, definition, index: this.#indexed(indexReader(name, definition)) });
    }
    for (const { name, definition, index } of added) {
      this.#named.set(name, { definition, index });
      this.#indexes.push(index);
    }
  }

  /** A copy, without a prototype. */
  getIndexers(): Record<string, IndexDefinition<T>> {
    const indexers: Record<string, IndexDefinition<T>> = Object.create(null);
    for (const [name, { definition }] of this.#named) indexers[name] = definition;
    return indexers;
  }

  /** False when the object has no version. Asks once: a packed object makes a text of its version each time. */
  #advance({ resourceVersion }: Cached<T>): boolean {
    if (resourceVersion === '') return false;
    this.#resourceVersion = resourceVersion;
    return true;
  }

  /** What each index says of the object. */
  #read(cached: Cached<T>): IndexValues[] {
    const indexes = this.#indexes;
    // Of the right length from the start: growing would take three times the memory.
    const values: IndexValues[] = new Array(indexes.length);
    for (let i = 0; i < indexes.length; i++) values[i] = indexes[i]?.read(cached);
    return values;
  }

  /** Returns what was there before. */
  #overwrite(row: number, cached: Cached<T>, values: readonly IndexValues[]): Cached<T> | undefined {
    const old = this.#objects[row];
    this.#objects[row] = cached;
    for (let i = 0; i < this.#indexes.length; i++) this.#indexes[i]?.move(row, values[i]);
    this.#advance(cached);
    if (old !== cached) {
      cached.stored?.(old);
      old?.dropped?.();
    }
    return old;
  }

  #objectsAt(rows: readonly number[] | undefined): Cached<T>[] {
    const found: Cached<T>[] = [];
    if (rows === undefined) return found;
    for (const row of rows) {
      const cached = this.#objects[row];
      if (cached !== undefined) found.push(cached);
    }
    return found;
  }

  #index(name: string): ValueIndex<T> {
    const named = this.#named.get(name);
    if (named !== undefined) return named.index;
    const names = [...this.#named.keys()].map((known) => `"${known}"`).join(', ');
    throw new IndexError(
      'unknown-index',
      name,
      `does not exist: ${names === '' ? 'there is none' : `there are ${names}`}`,
    );
  }

  /** Whatever its name, as long as it is known to hold the namespace of every object. */
  #namespaceIndex(): ValueIndex<T> | undefined {
    for (const { definition, index } of this.#named.values()) if (definition === metaNamespaceIndex) return index;
    return undefined;
  }

  /** Of every object there is. */
  #indexed(read: IndexReader<T>): ValueIndex<T> {
    const index = new ValueIndex<T>(read);
    for (const cached of this.#objects) index.append(read(cached));
    return index;
  }

  /** Keeps the index up to date from now on, in the place of `replaced`. */
  #build(read: IndexReader<T>, replaced: ValueIndex<T> | undefined): ValueIndex<T> {
    const index = this.#indexed(read);
    if (replaced === undefined) this.#indexes.push(index);
    else this.#indexes[this.#indexes.indexOf(replaced)] = index;
    return index;
  }
}

function matches(cached: Cached, selector: LabelSelector, namespace: string): boolean {
  return (namespace === '' || cached.namespace === namespace) && selector.matches(cached.labels);
}
