/** A number for each slot. It says nothing of a slot that is free, and may hold anything when the slot is taken again. */
export interface Column {
  get(slot: number): number;
  set(slot: number, value: number): void;
  /** What no longer has room is lost. */
  resize(capacity: number): void;
}

/** Other slots and places: whole numbers, which V8 does not have to make objects of. */
export class SlotColumn implements Column {
  #values: Int32Array;

  constructor(capacity: number) {
    this.#values = new Int32Array(capacity);
  }

  get(slot: number): number {
    return this.#values[slot] as number;
  }

  set(slot: number, value: number): void {
    this.#values[slot] = value;
  }

  resize(capacity: number): void {
    const values = new Int32Array(capacity);
    values.set(this.#values.subarray(0, capacity));
    this.#values = values;
  }
}

/** Times and priorities. Its code is that of `SlotColumn` for another array, because V8 is fast where code sees one kind of array alone. */
export class NumberColumn implements Column {
  #values: Float64Array;

  constructor(capacity: number) {
    this.#values = new Float64Array(capacity);
  }

  get(slot: number): number {
    return this.#values[slot] as number;
  }

  set(slot: number, value: number): void {
    this.#values[slot] = value;
  }

  resize(capacity: number): void {
    const values = new Float64Array(capacity);
    values.set(this.#values.subarray(0, capacity));
    this.#values = values;
  }
}
