import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';

/** The values under which an object can be found; a string stands for a list of one. */
export type IndexValues = string | readonly string[] | undefined;

/** What an index asks of each object. Throws `IndexError`. */
export type IndexReader<T extends KubernetesObject> = (cached: Cached<T>) => IndexValues;

/** The one reader that needs nothing but what is known of every object. */
export const readNamespace = (cached: Cached): string => cached.namespace;

class Bucket {
  readonly value: string;
  /** Its index among all buckets. */
  readonly id: number;
  /** In no order. Never empty while the bucket is in its index. */
  readonly rows: number[] = [];

  constructor(value: string, id: number) {
    this.value = value;
    this.id = id;
  }
}

/** In place of the id of a bucket: the row is in none, or in several. */
const NOWHERE = -1;
const SEVERAL = -2;

const NO_PLACES = new Int32Array(0);

/**
 * Where each row stands: in which bucket, and at which position in it. Two whole numbers a row, which V8 keeps outside its heap; they grow
 * by a quarter at a time.
 */
class Places {
  #numbers = NO_PLACES;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  bucketOf(row: number): number {
    return this.#numbers[2 * row] as number;
  }

  /** Has no meaning unless the row is in one bucket. */
  positionOf(row: number): number {
    return this.#numbers[2 * row + 1] as number;
  }

  set(row: number, bucket: number, position = 0): void {
    this.#numbers[2 * row] = bucket;
    this.#numbers[2 * row + 1] = position;
  }

  /** Adds a row that stands nowhere, and returns its number. */
  append(): number {
    const row = this.#length;
    if (2 * row === this.#numbers.length) this.#resize(row + (row >> 2) + 8);
    this.#length++;
    this.set(row, NOWHERE);
    return row;
  }

  /** Takes the last row away. */
  drop(): void {
    this.#length--;
    // What most rows have left is given back.
    if (this.#numbers.length > 8 * this.#length + 16) this.#resize(2 * this.#length);
  }

  #resize(rows: number): void {
    const numbers = rows === 0 ? NO_PLACES : new Int32Array(2 * rows);
    numbers.set(this.#numbers.subarray(0, 2 * this.#length));
    this.#numbers = numbers;
  }
}

/**
 * From values to the rows of a table. It has as many rows as the table, under the same numbers, and remembers where each
 * stands rather than read it again from the old object, because that would mean decoding it, and because a reader may
 * have changed it. Only `read` can fail.
 */
export class ValueIndex<T extends KubernetesObject> {
  readonly read: IndexReader<T>;
  readonly #buckets = new Map<string, Bucket>();
  /** By id, and the ids that no bucket has. */
  readonly #byId: (Bucket | undefined)[] = [];
  readonly #vacant: number[] = [];
  readonly #places = new Places();
  /** By row, of those in several buckets: these, in the order of the values, with the position in each. Unset until there is one. */
  #several: Map<number, Map<Bucket, number>> | undefined;

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
    this.#enter(this.#places.append(), values);
  }

  /** Moves a row from where it stands to where `values` say. */
  move(row: number, values: IndexValues): void {
    if (this.#isAt(row, values)) return;
    this.#leave(row);
    this.#enter(row, values);
  }

  /** Takes a row out; the last one gets its number. */
  remove(row: number): void {
    this.#leave(row);
    const last = this.#places.length - 1;
    if (row !== last) this.#renumber(last, row);
    this.#places.drop();
  }

  /** The row stands nowhere. */
  #enter(row: number, values: IndexValues): void {
    const single = singleOf(values);
    if (single !== undefined) {
      const bucket = this.#join(row, single);
      this.#places.set(row, bucket.id, bucket.rows.length - 1);
      return;
    }
    if (values === undefined || typeof values === 'string' || values.length === 0) return;
    const places = new Map<Bucket, number>();
    for (const value of new Set(values)) {
      const bucket = this.#join(row, value);
      places.set(bucket, bucket.rows.length - 1);
    }
    this.#several ??= new Map();
    this.#several.set(row, places);
    this.#places.set(row, SEVERAL);
  }

  #leave(row: number): void {
    const bucket = this.#bucketOf(row);
    if (bucket !== undefined) this.#leaveBucket(bucket, this.#places.positionOf(row));
    for (const [each, position] of this.#placesOf(row) ?? []) this.#leaveBucket(each, position);
    this.#several?.delete(row);
    this.#places.set(row, NOWHERE);
  }

  #renumber(from: number, to: number): void {
    const bucket = this.#bucketOf(from);
    const position = this.#places.positionOf(from);
    if (bucket !== undefined) bucket.rows[position] = to;
    const places = this.#placesOf(from);
    if (places !== undefined) {
      for (const [each, at] of places) each.rows[at] = to;
      this.#several?.delete(from);
      this.#several?.set(to, places);
    }
    this.#places.set(to, this.#places.bucketOf(from), position);
  }

  #join(row: number, value: string): Bucket {
    let bucket = this.#buckets.get(value);
    if (bucket === undefined) {
      bucket = new Bucket(value, this.#vacant.pop() ?? this.#byId.length);
      this.#byId[bucket.id] = bucket;
      this.#buckets.set(value, bucket);
    }
    bucket.rows.push(row);
    return bucket;
  }

  /** The last row of the bucket gets the position. */
  #leaveBucket(bucket: Bucket, position: number): void {
    const { rows, id } = bucket;
    const moved = rows.pop();
    // Values come and go with short-lived objects; an empty bucket for each of them would be a leak.
    if (rows.length === 0) {
      this.#buckets.delete(bucket.value);
      this.#byId[id] = undefined;
      this.#vacant.push(id);
    }
    if (moved === undefined || position === rows.length) return;
    rows[position] = moved;
    const places = this.#placesOf(moved);
    if (places === undefined) this.#places.set(moved, id, position);
    else places.set(bucket, position);
  }

  #isAt(row: number, values: IndexValues): boolean {
    const places = this.#placesOf(row);
    if (places === undefined) {
      const bucket = this.#bucketOf(row);
      if (bucket !== undefined) return bucket.value === singleOf(values);
      return values === undefined || (typeof values !== 'string' && values.length === 0);
    }
    if (values === undefined || typeof values === 'string' || values.length !== places.size) return false;
    let i = 0;
    for (const { value } of places.keys()) if (value !== values[i++]) return false;
    return true;
  }

  /** The one that the row is in, if it is in one. */
  #bucketOf(row: number): Bucket | undefined {
    const id = this.#places.bucketOf(row);
    return id < 0 ? undefined : this.#byId[id];
  }

  /** Those that the row is in, if they are several. */
  #placesOf(row: number): Map<Bucket, number> | undefined {
    return this.#places.bucketOf(row) === SEVERAL ? this.#several?.get(row) : undefined;
  }
}

function singleOf(values: IndexValues): string | undefined {
  if (typeof values === 'string') return values;
  return values !== undefined && values.length === 1 ? values[0] : undefined;
}
