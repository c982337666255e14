import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';

/** The values under which an object can be found; a string stands for a list of one. */
export type IndexValues = string | readonly string[] | undefined;

/** What an index asks of each object. Throws `IndexError`. */
export type IndexReader<T extends KubernetesObject> = (cached: Cached<T>) => IndexValues;

/** The place of one key in the table; it stays when the object changes, so that indices need not follow each change. */
export interface Entry<T extends KubernetesObject> {
  cached: Cached<T>;
  /**
   * By the slot of the index: where the entry stands now. Remembered rather than read again from the old object, because
   * that would mean decoding it, and because a reader may have changed it.
   */
  readonly memberships: Membership<T>[];
}

class Bucket<T extends KubernetesObject> {
  readonly value: string;
  /** Never empty while the bucket is in its index. */
  readonly members = new Set<Entry<T>>();

  constructor(value: string) {
    this.value = value;
  }
}

/** No bucket, one, or several different ones, in the order of the values. */
type Membership<T extends KubernetesObject> = Bucket<T> | readonly Bucket<T>[] | undefined;

/** From values to entries. */
export class ValueIndex<T extends KubernetesObject> {
  /** Where entries keep their membership of this index. */
  readonly slot: number;
  readonly read: IndexReader<T>;
  readonly #buckets = new Map<string, Bucket<T>>();

  constructor(slot: number, read: IndexReader<T>) {
    this.slot = slot;
    this.read = read;
  }

  /** Without the empty ones. */
  values(): string[] {
    return [...this.#buckets.keys()];
  }

  members(value: string): ReadonlySet<Entry<T>> | undefined {
    return this.#buckets.get(value)?.members;
  }

  allMembers(): ReadonlySet<Entry<T>>[] {
    return Array.from(this.#buckets.values(), ({ members }) => members);
  }

  /** Moves an entry from where it stands to where `values` say, and returns its new membership. Cannot fail. */
  move(entry: Entry<T>, from: Membership<T>, values: IndexValues): Membership<T> {
    const single = typeof values === 'string' ? values : values?.length === 1 ? values[0] : undefined;
    if (single !== undefined) {
      if (from instanceof Bucket && from.value === single) return from;
      this.leave(entry, from);
      return this.#join(entry, single);
    }
    if (values === undefined || typeof values === 'string' || values.length === 0) {
      this.leave(entry, from);
      return undefined;
    }
    if (isIn(from, values)) return from;
    this.leave(entry, from);
    return Array.from(new Set(values), (value) => this.#join(entry, value));
  }

  leave(entry: Entry<T>, from: Membership<T>): void {
    if (from === undefined) return;
    if (from instanceof Bucket) this.#leaveBucket(entry, from);
    else for (const bucket of from) this.#leaveBucket(entry, bucket);
  }

  #join(entry: Entry<T>, value: string): Bucket<T> {
    let bucket = this.#buckets.get(value);
    if (bucket === undefined) {
      bucket = new Bucket(value);
      this.#buckets.set(value, bucket);
    }
    bucket.members.add(entry);
    return bucket;
  }

  #leaveBucket(entry: Entry<T>, bucket: Bucket<T>): void {
    bucket.members.delete(entry);
    // Values come and go with short-lived objects; an empty bucket for each of them would be a leak.
    if (bucket.members.size === 0) this.#buckets.delete(bucket.value);
  }
}

function isIn<T extends KubernetesObject>(from: Membership<T>, values: readonly string[]): boolean {
  if (from === undefined || from instanceof Bucket || from.length !== values.length) return false;
  return from.every((bucket, i) => bucket.value === values[i]);
}
