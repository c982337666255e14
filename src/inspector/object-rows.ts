import type { Cached } from '../api/cached.ts';
import type { FieldSelector } from '../api/field-selector.ts';
import type { LabelSelector } from '../api/label-selector.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { monotonicMs, TimeSlice } from '../observe/scheduler.ts';
import { type IndexPath, pathReader } from '../store/index-path.ts';
import type { ObjectTable } from '../store/object-table.ts';
import { slicedSort } from './sliced-sort.ts';

/** How often an order that may be out of date is made again at most. */
const MIN_AGE_MS = 500;
/** Making it takes at most this part of the time, so that a large table, sorted by something that changes, costs little. */
const DUTY_PART = 100;

/** Which objects, in which order. */
export interface RowsQuery {
  /** Undefined: by key. */
  readonly sort: IndexPath | undefined;
  readonly descending: boolean;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** Where a field of `fields` is. */
  readonly paths: ReadonlyMap<string, IndexPath>;
  /** A part of the key. */
  readonly text: string;
}

export interface ObjectRowsOptions {
  table: ObjectTable<KubernetesObject>;
  query: RowsQuery;
  /** Counts all changes, and adds and deletes. */
  counts: { readonly changes: number; readonly membership: number };
  clock?: Clock;
}

interface Sortable {
  readonly key: string;
  readonly by: string | number | undefined;
}

/**
 * The keys of a cache, filtered and sorted, for a table of which few rows are seen. Making it gives way to the event loop; until a new
 * order is ready the old one holds, while rows themselves are always read from the cache.
 */
export class ObjectRows {
  readonly #options: ObjectRowsOptions;
  readonly #clock: Clock;
  readonly #slice: TimeSlice;
  #keys: readonly string[] = [];
  #making: Promise<void> | undefined;
  #madeMs = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  #stamp = Number.NaN;
  orderedAtMs = 0;

  constructor(options: ObjectRowsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#slice = new TimeSlice(this.#clock);
  }

  /** In order. The first call waits until there is one. */
  async keys(): Promise<readonly string[]> {
    if (this.#isStale()) this.#making ??= this.#make();
    if (this.orderedAtMs === 0) await this.#making;
    return this.#keys;
  }

  #isStale(): boolean {
    const ageMs = monotonicMs(this.#clock) - this.#madeMs;
    return this.#stamp !== this.#currentStamp() && ageMs >= Math.max(MIN_AGE_MS, this.#tookMs * DUTY_PART);
  }

  /** Updates change neither keys nor, as long as nobody asks for fields or labels, which of them pass. */
  #currentStamp(): number {
    const { counts, query } = this.#options;
    const isByKey = query.sort === undefined && query.fields.matchesEverything && query.labels.matchesEverything;
    return isByKey ? counts.membership : counts.changes;
  }

  async #make(): Promise<void> {
    const startedMs = monotonicMs(this.#clock);
    this.#stamp = this.#currentStamp();
    try {
      const sorted = await this.#sorted();
      this.#keys = this.#options.query.descending ? sorted.reverse() : sorted;
    } finally {
      this.#madeMs = monotonicMs(this.#clock);
      this.#tookMs = this.#madeMs - startedMs;
      this.orderedAtMs = this.#clock.now();
      this.#making = undefined;
    }
  }

  async #sorted(): Promise<string[]> {
    const { table, query } = this.#options;
    const passes = filterOf(query);
    const read = query.sort && pathReader(query.sort);
    const keys: string[] = [];
    const sortable: Sortable[] = [];
    const objects = table.values();
    for (let at = 0; at < objects.length; at++) {
      if (at % 64 === 0 && this.#slice.isDue()) await this.#slice.pause();
      const object = objects[at] as Cached;
      if (!readable(() => passes(object), false)) continue;
      if (read === undefined) keys.push(object.key);
      else sortable.push({ key: object.key, by: comparable(readable(() => read(object), undefined)) });
    }
    if (read === undefined) return slicedSort(keys, compareText, this.#slice);
    const inOrder = await slicedSort(sortable, compareSortable, this.#slice);
    return inOrder.map(({ key }) => key);
  }
}

function filterOf({ labels, fields, paths, text }: RowsQuery): (object: Cached) => boolean {
  const wanted = text.toLowerCase();
  const readers = new Map([...paths].map(([field, path]) => [field, pathReader(path)]));
  return (object) => {
    if (wanted !== '' && !object.key.toLowerCase().includes(wanted)) return false;
    if (!labels.matchesEverything && !labels.matches(object.labels)) return false;
    return fields.matches((field) => textOf(readers.get(field)?.(object)));
  };
}

/** What an object with damaged bytes throws is reported by the informer. */
function readable<R>(read: () => R, otherwise: R): R {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** What a path leads to, as one text. */
export function textOf(values: string | readonly string[] | undefined): string {
  if (values === undefined) return '';
  return typeof values === 'string' ? values : values.join(', ');
}

/** Numbers sort as numbers; what is not there comes last. */
function comparable(values: string | readonly string[] | undefined): string | number | undefined {
  const text = textOf(values);
  if (text === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) && text.trim() !== '' ? number : text;
}

function compareSortable(a: Sortable, b: Sortable): number {
  return compareValues(a.by, b.by) || compareText(a.key, b.key);
}

function compareValues(a: string | number | undefined, b: string | number | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return compareText(String(a), String(b));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
