import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';

const PAGE_BITS = 12;
const PAGE_SIZE = 1 << PAGE_BITS;
const WITHIN_PAGE = PAGE_SIZE - 1;

/** A list that grows and shrinks at its end, in pages: a long one never has to be copied, nor keeps room for as much again. */
export class Column<V> {
  /** All full but the last, which may be empty. */
  readonly #pages: V[][] = [[]];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Undefined outside the list. */
  get(i: number): V | undefined {
    return this.#pages[i >> PAGE_BITS]?.[i & WITHIN_PAGE];
  }

  /** `i` must be in the list. */
  set(i: number, value: V): void {
    const page = this.#pages[i >> PAGE_BITS];
    if (page !== undefined) page[i & WITHIN_PAGE] = value;
  }

  push(value: V): void {
    const page = this.#length++ >> PAGE_BITS;
    // Not by asking for a page that is not there: for that V8 throws away what it has compiled of all callers.
    if (page === this.#pages.length) this.#pages.push([value]);
    else this.#pages[page]?.push(value);
  }

  pop(): V | undefined {
    if (this.#length === 0) return undefined;
    const i = --this.#length;
    const page = i >> PAGE_BITS;
    const value = this.#pages[page]?.pop();
    // One empty page stays, so that a list whose length swings around a multiple of the page does not make it each time.
    if (this.#pages.length > page + 2) this.#pages.pop();
    return value;
  }
}

/** The values under which an object can be found; a string stands for a list of one. */
export type IndexValues = string | readonly string[] | undefined;

/** What an index asks of each object. Throws `IndexError`. */
export type IndexReader<T extends KubernetesObject> = (cached: Cached<T>) => IndexValues;

/** The one reader that needs nothing but what is known of every object. */
export const readNamespace = (cached: Cached): string => cached.namespace;

class Bucket {
  readonly value: string;
  /** In no order. Never empty while the bucket is in its index. */
  readonly rows: number[];

  constructor(value: string, row: number) {
    this.value = value;
    this.rows = [row];
  }
}

/** Where a row stands: in no bucket, in one, or in several, in the order of the values, with the position in each. */
type Membership = Bucket | Map<Bucket, number> | undefined;

/**
 * From values to the rows of a table. It has as many rows as the table, under the same numbers, and remembers where each
 * stands rather than read it again from the old object, because that would mean decoding it, and because a reader may
 * have changed it. Only `read` can fail.
 */
export class ValueIndex<T extends KubernetesObject> {
  readonly read: IndexReader<T>;
  readonly #buckets = new Map<string, Bucket>();
  /** By row. */
  readonly #memberships = new Column<Membership>();
  /** By row: where in its bucket it is, if it is in one; no meaning otherwise. */
  readonly #positions = new Column<number>();

  constructor(read: IndexReader<T>) {
    this.read = read;
  }

  /** Without the empty ones. */
  values(): string[] {
    return [...this.#buckets.keys()];
  }

  /** Live: to be used up before the next write. */
  rows(value: string): readonly number[] | undefined {
    return this.#buckets.get(value)?.rows;
  }

  /** For each value. Live: to be used up before the next write. */
  allRows(): (readonly number[])[] {
    return Array.from(this.#buckets.values(), ({ rows }) => rows);
  }

  /** Adds the next row. */
  append(values: IndexValues): void {
    const row = this.#memberships.length;
    this.#memberships.push(undefined);
    this.#positions.push(0);
    this.#enter(row, values);
  }

  /** Moves a row from where it stands to where `values` say. */
  move(row: number, values: IndexValues): void {
    const from = this.#memberships.get(row);
    if (isAt(from, values)) return;
    this.#leave(row, from);
    this.#enter(row, values);
  }

  /** Takes a row out; the last one gets its number. */
  remove(row: number): void {
    this.#leave(row, this.#memberships.get(row));
    const last = this.#memberships.length - 1;
    const membership = this.#memberships.pop();
    const position = this.#positions.pop() ?? 0;
    if (row === last) return;
    this.#memberships.set(row, membership);
    this.#positions.set(row, position);
    if (membership instanceof Bucket) membership.rows[position] = row;
    else if (membership !== undefined) for (const [bucket, at] of membership) bucket.rows[at] = row;
  }

  /** The row stands nowhere. */
  #enter(row: number, values: IndexValues): void {
    const single = singleOf(values);
    if (single !== undefined) {
      const bucket = this.#join(row, single);
      this.#memberships.set(row, bucket);
      this.#positions.set(row, bucket.rows.length - 1);
      return;
    }
    if (values === undefined || typeof values === 'string' || values.length === 0) return;
    const several = new Map<Bucket, number>();
    for (const value of new Set(values)) {
      const bucket = this.#join(row, value);
      several.set(bucket, bucket.rows.length - 1);
    }
    this.#memberships.set(row, several);
  }

  #leave(row: number, from: Membership): void {
    if (from === undefined) return;
    if (from instanceof Bucket) this.#leaveBucket(from, this.#positions.get(row) ?? 0);
    else for (const [bucket, position] of from) this.#leaveBucket(bucket, position);
    this.#memberships.set(row, undefined);
  }

  #join(row: number, value: string): Bucket {
    const known = this.#buckets.get(value);
    if (known !== undefined) {
      known.rows.push(row);
      return known;
    }
    const bucket = new Bucket(value, row);
    this.#buckets.set(value, bucket);
    return bucket;
  }

  /** The last row of the bucket gets the position. */
  #leaveBucket(bucket: Bucket, position: number): void {
    const { rows } = bucket;
    const moved = rows.pop();
    // Values come and go with short-lived objects; an empty bucket for each of them would be a leak.
    if (rows.length === 0) this.#buckets.delete(bucket.value);
    if (moved === undefined || position === rows.length) return;
    rows[position] = moved;
    const membership = this.#memberships.get(moved);
    if (membership instanceof Bucket) this.#positions.set(moved, position);
    else membership?.set(bucket, position);
  }
}

function singleOf(values: IndexValues): string | undefined {
  if (typeof values === 'string') return values;
  return values !== undefined && values.length === 1 ? values[0] : undefined;
}

function isAt(membership: Membership, values: IndexValues): boolean {
  if (membership === undefined) return values === undefined || (typeof values !== 'string' && values.length === 0);
  if (membership instanceof Bucket) return membership.value === singleOf(values);
  if (values === undefined || typeof values === 'string' || values.length !== membership.size) return false;
  let i = 0;
  for (const { value } of membership.keys()) if (value !== values[i++]) return false;
  return true;
}
