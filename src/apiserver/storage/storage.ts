import type { Clock } from '../../observe/clock.ts';
import { monotonicMs } from '../../observe/scheduler.ts';
import { expired, MAX_STORED_BYTES, StorageLimit } from '../request/status-error.ts';
import type { JsonObject } from '../values/json.ts';
import { SortedMap } from './sorted-map.ts';
import { StoredObject } from './stored-object.ts';

/** A value that `fieldSelector` may name; `read` gives its text, "" when it is absent. */
export interface SelectableField {
  readonly name: string;
  read(object: JsonObject): string;
}

/** One change. `previous` is unset for a creation, `current` for a deletion. */
export interface Change {
  readonly revision: number;
  /** In monotonic time. */
  readonly atMs: number;
  readonly table: Table;
  readonly previous: StoredObject | undefined;
  readonly current: StoredObject | undefined;
  /** Of a deletion: the last state under the revision of the deletion, as DELETED events carry it. */
  readonly last?: StoredObject;
}

/** All objects of one resource, whatever the version they are served in. */
export class Table {
  /** `pods`, `deployments.apps` */
  readonly name: string;
  readonly objects = new SortedMap<StoredObject>();
  /** Oldest first, of this table alone; the part before `#from` has been compacted. */
  #changes: Change[] = [];
  #from = 0;
  /** What selectors may name, of all versions together; objects keep the values in this order. */
  readonly #selectable: SelectableField[] = [];
  readonly listeners = new Set<(change: Change) => void>();
  /** What clients' writes are stored as from now on, `example.com/v1`; empty for built-in kinds. */
  storageVersion = '';

  constructor(name: string) {
    this.name = name;
  }

  /** From now on, selectors may name these fields too. Objects that are there are read again. */
  addSelectable(fields: readonly SelectableField[]): void {
    const known = new Set(this.#selectable.map((field) => field.name));
    const added = fields.filter((field) => !known.has(field.name));
    if (added.length === 0) return;
    this.#selectable.push(...added);
    for (const stored of this.objects.values()) {
      const object = stored.decode();
      this.objects.set(stored.key, new StoredObject(object, stored.revision, this.fieldsOf(object), stored.apiVersion));
    }
  }

  /** These objects take the place of all others, and the history is forgotten. Returns what was there and what is, by key. */
  reset(objects: ReadonlyMap<string, StoredObject>): Difference[] {
    const differences: Difference[] = [];
    for (const before of this.objects.values()) {
      if (!objects.has(before.key)) differences.push({ key: before.key, before });
    }
    for (const [key, after] of objects) {
      const before = this.objects.get(key);
      if (!before?.body.equals(after.body)) differences.push({ key, before, after });
    }
    for (const { key, after } of differences) {
      if (after === undefined) this.objects.delete(key);
      // Selectors may name more fields by now than when it was saved.
      else {
        const fields = this.fieldsOf(after.decode());
        this.objects.set(key, new StoredObject(after.decode(), after.revision, fields, after.apiVersion));
      }
    }
    this.#changes = [];
    this.#from = 0;
    return differences;
  }

  fieldsOf(object: JsonObject): readonly string[] {
    return this.#selectable.map((field) => field.read(object));
  }

  /** Where a field's value stands in `StoredObject.fields`; below zero when selectors may not name it. */
  fieldIndex(name: string): number {
    return this.#selectable.findIndex((field) => field.name === name);
  }

  record(change: Change): void {
    this.#changes.push(change);
  }

  forget(compactedTo: number): void {
    while (this.#from < this.#changes.length && (this.#changes[this.#from]?.revision ?? 0) <= compactedTo) this.#from++;
    if (this.#from > 1024 && this.#from * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#from);
      this.#from = 0;
    }
  }

  /** The retained changes newer than the revision, oldest first. */
  changesSince(revision: number): Change[] {
    let low = this.#from;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#changes.slice(low);
  }
}

/** What was stored under a key, and what is. */
interface Difference {
  readonly key: string;
  readonly before?: StoredObject | undefined;
  readonly after?: StoredObject;
}

/** All objects of a store, and how far it was. */
export interface StoreSnapshot {
  readonly revision: number;
  /** By the name of the table, then by key. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, StoredObject>>;
}

export interface StoreOptions {
  clock: Clock;
  /** How many changes, of all kinds together, a watch can go back. */
  historyLimit: number;
  /** How far back in time a watch can go. */
  historyMaxAgeMs: number;
}

/**
 * The state of the cluster: one revision counter for all kinds, and the history that watches and consistent pages need.
 * All methods are synchronous, so that a handler that reads, decides and writes without awaiting is atomic.
 */
export class Store {
  readonly #options: StoreOptions;
  readonly #tables = new Map<string, Table>();
  /** The changes of all tables in order; kept from `#historyFrom` on. */
  #history: Change[] = [];
  #historyFrom = 0;
  #revision = 1;
  /** Changes up to and including this revision are forgotten. */
  #compacted = 0;
  readonly #waiters = new Set<() => void>();
  /** When the last change was made, and when a list of pages last began. */
  #changedMs = Number.NEGATIVE_INFINITY;
  #pagedMs = Number.NEGATIVE_INFINITY;
  /** Hears of every change after the table's own listeners. */
  readonly listeners = new Set<(change: Change) => void>();

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  get revision(): number {
    return this.#revision;
  }

  get compactedRevision(): number {
    return this.#compacted;
  }

  tables(): Iterable<Table> {
    return this.#tables.values();
  }

  table(name: string): Table {
    let table = this.#tables.get(name);
    if (!table) {
      table = new Table(name);
      this.#tables.set(name, table);
    }
    return table;
  }

  /**
   * Writes a state; `object` must carry its final metadata except resourceVersion. `apiVersion` is set by who changes a state
   * without a look at its version. Throws `StorageLimit`.
   */
  put(table: Table, object: JsonObject, apiVersion = table.storageVersion): StoredObject {
    const revision = this.#revision + 1;
    const current = new StoredObject(object, revision, table.fieldsOf(object), apiVersion);
    if (current.body.length > MAX_STORED_BYTES) throw new StorageLimit(current.body.length);
    const previous = table.objects.get(current.key);
    this.#revision = revision;
    table.objects.set(current.key, current);
    this.#commit({ revision, atMs: monotonicMs(this.#options.clock), table, previous, current });
    return current;
  }

  /** Removes an object; the answer is its last state under the revision of the deletion. */
  remove(table: Table, key: string): StoredObject | undefined {
    const previous = table.objects.get(key);
    if (!previous) return undefined;
    const revision = ++this.#revision;
    table.objects.delete(key);
    const last = previous.at(revision);
    this.#commit({ revision, atMs: monotonicMs(this.#options.clock), table, previous, current: undefined, last });
    return last;
  }

  /**
   * The objects as they were at a revision, in the order of their keys. Throws 410 when the history does not reach back
   * that far. The answer is a snapshot: later writes do not change it.
   */
  snapshot(table: Table, revision: number, from = '', prefix = ''): StoredObject[] {
    if (revision >= this.#revision) return table.objects.values(from, prefix);
    if (revision < this.#compacted) throw expired('The resourceVersion for the provided list is too old.');
    const undone = new Map<string, StoredObject | undefined>();
    for (const change of table.changesSince(revision)) {
      const key = (change.previous ?? change.current)?.key ?? '';
      if (key >= from && key.startsWith(prefix) && !undone.has(key)) undone.set(key, change.previous);
    }
    if (undone.size === 0) return table.objects.values(from, prefix);
    const kept = table.objects.values(from, prefix).filter((object) => !undone.has(object.key));
    const restored = [...undone.values()].filter((object) => object !== undefined);
    return mergeByKey(kept, restored.sort(byKey));
  }

  /** Forgets the history up to and including a revision; watches from before it get 410. */
  compact(revision = this.#revision): void {
    const target = Math.min(revision, this.#revision);
    if (target <= this.#compacted) return;
    this.#compacted = target;
    while (this.#historyFrom < this.#history.length) {
      const change = this.#history[this.#historyFrom];
      if (!change || change.revision > target) break;
      this.#historyFrom++;
    }
    for (const table of this.#tables.values()) table.forget(target);
    if (this.#historyFrom > 1024 && this.#historyFrom * 2 > this.#history.length) {
      this.#history = this.#history.slice(this.#historyFrom);
      this.#historyFrom = 0;
    }
  }

  /** A list of several pages begins at the present revision. */
  beginPages(): void {
    this.#pagedMs = monotonicMs(this.#options.clock);
  }

  /**
   * Forgets what is too old, also while nobody writes: asked before a page that continues a list. When the present revision
   * itself is forgotten, the next one takes its place, as the mark that the real server writes into etcd at each compaction.
   */
  expire(): void {
    const nowMs = monotonicMs(this.#options.clock);
    this.#compactByLimits(nowMs);
    if (nowMs - Math.max(this.#changedMs, this.#pagedMs) <= this.#options.historyMaxAgeMs) return;
    this.#revision++;
    this.compact();
    this.beginPages();
    for (const waiter of this.#waiters) waiter();
  }

  save(): StoreSnapshot {
    const tables = new Map<string, ReadonlyMap<string, StoredObject>>();
    for (const table of this.#tables.values()) tables.set(table.name, new Map(table.objects.entries()));
    return { revision: this.#revision, tables };
  }

  /**
   * Goes back to that state and that revision; the history is forgotten. The store's listeners, and those of tables, hear of
   * each object that is another one now: of its deletion, and then of its creation.
   */
  restore({ revision, tables }: StoreSnapshot): readonly Change[] {
    const deleted: Change[] = [];
    const created: Change[] = [];
    const atMs = monotonicMs(this.#options.clock);
    for (const name of new Set([...this.#tables.keys(), ...tables.keys()])) {
      const table = this.table(name);
      for (const { before, after } of table.reset(tables.get(name) ?? new Map())) {
        if (before) deleted.push({ revision, atMs, table, previous: before, current: undefined });
        if (after) created.push({ revision, atMs, table, previous: undefined, current: after });
      }
    }
    this.#revision = revision;
    this.#compacted = revision;
    this.#history = [];
    this.#historyFrom = 0;
    const changes = [...deleted, ...created];
    for (const change of changes) this.#tell(change);
    return changes;
  }

  /** Resolves true as soon as the revision is reached, false after the time. */
  async waitForRevision(revision: bigint, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (BigInt(this.#revision) >= revision) return true;
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        timer.clear();
        this.#waiters.delete(check);
        signal?.removeEventListener('abort', abort);
        settle();
      };
      const check = () => {
        if (BigInt(this.#revision) >= revision) finish(() => resolve(true));
      };
      const abort = () => finish(() => reject(signal?.reason));
      const timer = this.#options.clock.setTimeout(() => finish(() => resolve(false)), timeoutMs);
      this.#waiters.add(check);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #commit(change: Change): void {
    this.#changedMs = change.atMs;
    change.table.record(change);
    this.#history.push(change);
    this.#compactByLimits(change.atMs);
    this.#tell(change);
    for (const waiter of this.#waiters) waiter();
  }

  #tell(change: Change): void {
    for (const listener of change.table.listeners) listener(change);
    for (const listener of this.listeners) listener(change);
  }

  #compactByLimits(nowMs: number): void {
    const { historyLimit, historyMaxAgeMs } = this.#options;
    let target = 0;
    const excess = this.#history.length - this.#historyFrom - historyLimit;
    if (excess > 0) target = this.#history[this.#historyFrom + excess - 1]?.revision ?? 0;
    for (let at = this.#historyFrom + Math.max(excess, 0); at < this.#history.length; at++) {
      const change = this.#history[at];
      if (!change || nowMs - change.atMs <= historyMaxAgeMs) break;
      target = change.revision;
    }
    if (target > 0) this.compact(target);
  }
}

function byKey(a: StoredObject, b: StoredObject): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function mergeByKey(left: StoredObject[], right: StoredObject[]): StoredObject[] {
  const merged: StoredObject[] = [];
  let at = 0;
  for (const object of left) {
    for (let next = right[at]; next && next.key < object.key; next = right[++at]) merged.push(next);
    merged.push(object);
  }
  return merged.concat(right.slice(at));
}
