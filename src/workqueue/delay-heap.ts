import type { NumberColumn, SlotColumn } from './column.ts';
import { DELAYED, NONE, type Slots } from './slots.ts';

const ARITY = 4;
const FIRST_CAPACITY = 64;

/**
 * The slots of delayed items, the one that is due first on top; of those due at one moment, the one that was delayed first. The times lie in
 * an array of their own, because a million delays are compared far more often than they are looked at.
 */
export class DelayHeap {
  readonly #all: Slots<unknown>;
  /** Where in the heap a slot is. */
  readonly #places: SlotColumn;
  /** Of two that are due at one moment, the one with the smaller number was delayed first. */
  readonly #orders: NumberColumn;
  #slots = new Int32Array(FIRST_CAPACITY);
  #times = new Float64Array(FIRST_CAPACITY);
  #size = 0;
  #delayed = 0;

  constructor(slots: Slots<unknown>) {
    this.#all = slots;
    this.#places = slots.slotColumn();
    this.#orders = slots.numberColumn();
  }

  get size(): number {
    return this.#size;
  }

  /** When the first one is due; undefined when there is none. */
  get nextMs(): number | undefined {
    return this.#size > 0 ? this.#time(0) : undefined;
  }

  /** The earlier of two times holds. */
  add(slot: number, atMs: number): void {
    let place = this.#size;
    if (this.#all.has(slot, DELAYED)) {
      place = this.#places.get(slot);
      if (this.#time(place) <= atMs) return;
    } else {
      if (place === this.#times.length) this.#resize(2 * place);
      this.#all.set(slot, DELAYED);
      this.#size++;
    }
    this.#orders.set(slot, this.#delayed++);
    this.#rise(place, slot, atMs);
  }

  /** The first one, if it is due; else NONE. */
  takeDue(nowMs: number): number {
    if (this.#size === 0 || this.#time(0) > nowMs) return NONE;
    const first = this.#slot(0);
    this.remove(first);
    return first;
  }

  remove(slot: number): void {
    if (!this.#all.has(slot, DELAYED)) return;
    this.#all.clear(slot, DELAYED);
    const place = this.#places.get(slot);
    const end = --this.#size;
    if (place < end) {
      const last = this.#slot(end);
      const atMs = this.#time(end);
      this.#sink(place, last, atMs);
      if (this.#places.get(last) === place) this.#rise(place, last, atMs);
    } else if (end === 0 && this.#times.length > FIRST_CAPACITY) {
      this.#resize(FIRST_CAPACITY);
    }
  }

  /** In no order. */
  clear(): readonly number[] {
    const slots = [...this.#slots.subarray(0, this.#size)];
    for (const slot of slots) this.#all.clear(slot, DELAYED);
    this.#size = 0;
    return slots;
  }

  #slot(place: number): number {
    return this.#slots[place] as number;
  }

  #time(place: number): number {
    return this.#times[place] as number;
  }

  #put(place: number, slot: number, atMs: number): void {
    this.#slots[place] = slot;
    this.#times[place] = atMs;
    this.#places.set(slot, place);
  }

  #isBefore(atMs: number, slot: number, place: number): boolean {
    const otherMs = this.#time(place);
    return atMs < otherMs || (atMs === otherMs && this.#orders.get(slot) < this.#orders.get(this.#slot(place)));
  }

  #rise(from: number, slot: number, atMs: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 2;
      if (!this.#isBefore(atMs, slot, above)) break;
      this.#put(place, this.#slot(above), this.#time(above));
      place = above;
    }
    this.#put(place, slot, atMs);
  }

  #sink(from: number, slot: number, atMs: number): void {
    let place = from;
    for (;;) {
      const firstChild = place * ARITY + 1;
      if (firstChild >= this.#size) break;
      let least = firstChild;
      const end = Math.min(firstChild + ARITY, this.#size);
      for (let child = firstChild + 1; child < end; child++) {
        if (this.#isBefore(this.#time(child), this.#slot(child), least)) least = child;
      }
      if (this.#isBefore(atMs, slot, least)) break;
      this.#put(place, this.#slot(least), this.#time(least));
      place = least;
    }
    this.#put(place, slot, atMs);
  }

  #resize(capacity: number): void {
    const [slots, times] = [this.#slots, this.#times];
    this.#slots = new Int32Array(capacity);
    this.#times = new Float64Array(capacity);
    if (capacity < times.length) return;
    this.#slots.set(slots);
    this.#times.set(times);
  }
}
