import type { Entry } from './entry.ts';

const ARITY = 4;
const FIRST_CAPACITY = 64;

/**
 * Delayed entries, the one that is due first on top; of those due at one moment, the one that was delayed first. The times lie in
 * an array of their own, because a million delays are compared far more often than they are looked at.
 */
export class DelayHeap<T> {
  readonly #entries: Entry<T>[] = [];
  #times = new Float64Array(FIRST_CAPACITY);
  #delayed = 0;

  get size(): number {
    return this.#entries.length;
  }

  /** When the first one is due; undefined when there is none. */
  get nextMs(): number | undefined {
    return this.#entries.length > 0 ? this.#times[0] : undefined;
  }

  /** The earlier of two times holds. Returns whether the entry is due earlier than before. */
  add(entry: Entry<T>, atMs: number): boolean {
    const known = entry.delayIndex;
    if (known >= 0) {
      if (this.#time(known) <= atMs) return false;
      entry.delayOrder = this.#delayed++;
      this.#rise(known, entry, atMs);
      return true;
    }
    const index = this.#entries.length;
    if (index === this.#times.length) {
      const grown = new Float64Array(index * 2);
      grown.set(this.#times);
      this.#times = grown;
    }
    entry.delayOrder = this.#delayed++;
    this.#entries.push(entry);
    this.#rise(index, entry, atMs);
    return true;
  }

  /** The first one, if it is due. */
  takeDue(nowMs: number): Entry<T> | undefined {
    const [first] = this.#entries;
    if (!first || this.#time(0) > nowMs) return undefined;
    this.remove(first);
    return first;
  }

  remove(entry: Entry<T>): void {
    const index = entry.delayIndex;
    if (index < 0) return;
    entry.delayIndex = -1;
    const lastIndex = this.#entries.length - 1;
    const last = this.#entries.pop();
    if (!last || index === lastIndex) return;
    const atMs = this.#time(lastIndex);
    this.#sink(index, last, atMs);
    if (last.delayIndex === index) this.#rise(index, last, atMs);
  }

  clear(): Entry<T>[] {
    const entries = this.#entries.splice(0);
    for (const entry of entries) entry.delayIndex = -1;
    return entries;
  }

  #time(index: number): number {
    return this.#times[index] ?? Number.POSITIVE_INFINITY;
  }

  #place(index: number, entry: Entry<T>, atMs: number): void {
    this.#entries[index] = entry;
    this.#times[index] = atMs;
    entry.delayIndex = index;
  }

  #isBefore(atMs: number, entry: Entry<T>, index: number): boolean {
    const otherMs = this.#time(index);
    return atMs < otherMs || (atMs === otherMs && entry.delayOrder < (this.#entries[index]?.delayOrder ?? 0));
  }

  #rise(from: number, entry: Entry<T>, atMs: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 2;
      const above = this.#entries[parent];
      if (!above || !this.#isBefore(atMs, entry, parent)) break;
      this.#place(index, above, this.#time(parent));
      index = parent;
    }
    this.#place(index, entry, atMs);
  }

  #sink(from: number, entry: Entry<T>, atMs: number): void {
    const size = this.#entries.length;
    let index = from;
    for (;;) {
      const firstChild = index * ARITY + 1;
      if (firstChild >= size) break;
      let least = firstChild;
      const end = Math.min(firstChild + ARITY, size);
      for (let child = firstChild + 1; child < end; child++) {
        const candidate = this.#entries[child];
        if (candidate && this.#isBefore(this.#time(child), candidate, least)) least = child;
      }
      const below = this.#entries[least];
      if (!below || this.#isBefore(atMs, entry, least)) break;
      this.#place(index, below, this.#time(least));
      index = least;
    }
    this.#place(index, entry, atMs);
  }
}
