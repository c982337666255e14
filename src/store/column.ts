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
    const i = this.#length++;
    const page = this.#pages[i >> PAGE_BITS];
    if (page === undefined) this.#pages.push([value]);
    else page.push(value);
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
