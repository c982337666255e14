/** The last values, the oldest first. */
export class Ring<T> implements Iterable<T> {
  readonly #room: number;
  readonly #values: T[] = [];
  #count = 0;

  constructor(room: number) {
    this.#room = room;
  }

  /** How many have ever come. */
  get count(): number {
    return this.#count;
  }

  /** Returns what had to make room. */
  push(value: T): T | undefined {
    const at = this.#count++ % this.#room;
    const evicted = this.#values[at];
    this.#values[at] = value;
    return evicted;
  }

  /** Those that are there and not among the first `seen` that came. */
  since(seen: number): T[] {
    const values: T[] = [];
    for (let at = Math.max(seen, this.#count - this.#values.length); at < this.#count; at++) {
      values.push(this.#values[at % this.#room] as T);
    }
    return values;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.since(0).values();
  }
}
