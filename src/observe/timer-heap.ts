/** A timer that waits in a `TimerHeap`. */
interface HeapEntry {
  readonly dueMs: number;
  /** How many were added before. */
  readonly order: number;
  readonly callback: () => void;
  /** Where it lies in the heap; -1 when it does not. */
  index: number;
}

/** Timers, the one that is due first on top; of those due at one moment, the one that was added first. */
export class TimerHeap {
  readonly #entries: HeapEntry[] = [];
  #added = 0;

  get size(): number {
    return this.#entries.length;
  }

  get first(): HeapEntry | undefined {
    return this.#entries[0];
  }

  add(dueMs: number, callback: () => void): HeapEntry {
    const entry: HeapEntry = { dueMs, order: this.#added++, callback, index: this.#entries.length };
    this.#entries.push(entry);
    this.#rise(entry);
    return entry;
  }

  /** Without effect on an entry that has been removed. */
  remove(entry: HeapEntry): void {
    const { index } = entry;
    if (index < 0) return;
    entry.index = -1;
    const last = this.#entries.pop();
    if (last === undefined || last === entry) return;
    this.#put(last, index);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(entry: HeapEntry): void {
    while (entry.index > 0) {
      const above = this.#entries[(entry.index - 1) >> 1];
      if (above === undefined || !isBefore(entry, above)) return;
      this.#swap(entry, above);
    }
  }

  #sink(entry: HeapEntry): void {
    for (;;) {
      const left = this.#entries[2 * entry.index + 1];
      if (left === undefined) return;
      const right = this.#entries[2 * entry.index + 2];
      const below = right !== undefined && isBefore(right, left) ? right : left;
      if (!isBefore(below, entry)) return;
      this.#swap(entry, below);
    }
  }

  #swap(a: HeapEntry, b: HeapEntry): void {
    const { index } = a;
    this.#put(a, b.index);
    this.#put(b, index);
  }

  #put(entry: HeapEntry, index: number): void {
    this.#entries[index] = entry;
    entry.index = index;
  }
}

function isBefore(a: HeapEntry, b: HeapEntry): boolean {
  return a.dueMs === b.dueMs ? a.order < b.order : a.dueMs < b.dueMs;
}
