/** The last values, the oldest first. */
export class Ring<T> {
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

  push(value: T): void {
    this.#values[this.#count++ % this.#room] = value;
  }

  /** Those that are there and not among the first `seen` that came. */
  since(seen: number): T[] {
    const values: T[] = [];
    for (let at = Math.max(seen, this.#count - this.#values.length); at < this.#count; at++) {
      values.push(this.#values[at % this.#room] as T);
    }
    return values;
  }
}
