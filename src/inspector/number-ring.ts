/** Numbers in a row. */
const WIDTH = 5;

/** The last rows of a few numbers each. Adding one makes nothing that would have to be collected. */
export class NumberRing {
  readonly #room: number;
  readonly #numbers: Float64Array;
  #count = 0;

  constructor(room: number) {
    this.#room = room;
    this.#numbers = new Float64Array(room * WIDTH);
  }

  /** How many rows have ever come. Rows are counted from 0. */
  get count(): number {
    return this.#count;
  }

  /** The oldest row that is still there. */
  get first(): number {
    return Math.max(0, this.#count - this.#room);
  }

  push(first: number, second: number, third = 0, fourth = 0, fifth = 0): void {
    const at = (this.#count++ % this.#room) * WIDTH;
    const numbers = this.#numbers;
    numbers[at] = first;
    numbers[at + 1] = second;
    numbers[at + 2] = third;
    numbers[at + 3] = fourth;
    numbers[at + 4] = fifth;
  }

  /** A number of a row that is still there. */
  get(row: number, column: 0 | 1 | 2 | 3 | 4): number {
    return this.#numbers[(row % this.#room) * WIDTH + column] as number;
  }
}
