import type { NumberColumn, SlotColumn } from './column.ts';
import { NONE, type Slots } from './slots.ts';

/** All that waits with one priority, first in, first out. */
class Level {
  readonly priority: number;
  first = NONE;
  last = NONE;

  constructor(priority: number) {
    this.priority = priority;
  }
}

/** Empty levels beyond this many are cleared away when they outnumber the others. */
const SPARE_LEVELS = 64;

/** What waits, by priority and by age. Every operation takes constant time, and the logarithm of the number of priorities. */
export class PriorityLevels {
  /** While an item waits or is delayed: the highest that was asked for. */
  readonly #priorities: NumberColumn;
  /** The neighbours in a level. */
  readonly #previous: SlotColumn;
  readonly #next: SlotColumn;
  /** The neighbours among all that wait. */
  readonly #older: SlotColumn;
  readonly #newer: SlotColumn;
  readonly #levels = new Map<number, Level>();
  /** A binary heap, the highest priority on top. Empty levels stay until they are on top. */
  #heap: Level[] = [];
  #filled = 0;
  #oldest = NONE;
  #newest = NONE;

  constructor(slots: Slots<unknown>) {
    this.#priorities = slots.numberColumn();
    this.#previous = slots.slotColumn();
    this.#next = slots.slotColumn();
    this.#older = slots.slotColumn();
    this.#newer = slots.slotColumn();
  }

  priorityOf(slot: number): number {
    return this.#priorities.get(slot);
  }

  /** Of an item that does not wait. */
  setPriority(slot: number, priority: number): void {
    this.#priorities.set(slot, priority);
  }

  /** At the end of its level, and as the newest of all. */
  add(slot: number): void {
    this.#older.set(slot, this.#newest);
    this.#newer.set(slot, NONE);
    if (this.#newest === NONE) this.#oldest = slot;
    else this.#newer.set(this.#newest, slot);
    this.#newest = slot;
    this.#append(slot);
  }

  /** To the end of its new level. It is as old as before. */
  raise(slot: number, priority: number): void {
    this.#unlink(slot);
    this.#priorities.set(slot, priority);
    this.#append(slot);
  }

  /** NONE when nothing waits. */
  takeHighest(): number {
    for (let top = this.#heap[0]; top; top = this.#heap[0]) {
      if (top.first !== NONE) return this.#take(top.first);
      this.#removeTop(top);
    }
    return NONE;
  }

  /** NONE when nothing waits. */
  takeOldest(): number {
    return this.#oldest === NONE ? NONE : this.#take(this.#oldest);
  }

  #take(slot: number): number {
    this.#unlink(slot);
    const older = this.#older.get(slot);
    const newer = this.#newer.get(slot);
    if (older === NONE) this.#oldest = newer;
    else this.#newer.set(older, newer);
    if (newer === NONE) this.#newest = older;
    else this.#older.set(newer, older);
    return slot;
  }

  #append(slot: number): void {
    const level = this.#levelOf(this.#priorities.get(slot));
    if (level.first === NONE) this.#filled++;
    this.#previous.set(slot, level.last);
    this.#next.set(slot, NONE);
    if (level.last === NONE) level.first = slot;
    else this.#next.set(level.last, slot);
    level.last = slot;
  }

  #unlink(slot: number): void {
    const level = this.#levelOf(this.#priorities.get(slot));
    const previous = this.#previous.get(slot);
    const next = this.#next.get(slot);
    if (previous === NONE) level.first = next;
    else this.#next.set(previous, next);
    if (next === NONE) level.last = previous;
    else this.#previous.set(next, previous);
    if (level.first === NONE) this.#filled--;
    if (this.#heap.length > SPARE_LEVELS + 2 * this.#filled) this.#clearAway();
  }

  #levelOf(priority: number): Level {
    const top = this.#heap[0];
    const known = top?.priority === priority ? top : this.#levels.get(priority);
    if (known) return known;
    const level = new Level(priority);
    this.#levels.set(priority, level);
    this.#heap.push(level);
    let index = this.#heap.length - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = this.#heap[parent];
      if (!above || above.priority >= priority) break;
      this.#heap[index] = above;
      index = parent;
    }
    this.#heap[index] = level;
    return level;
  }

  #removeTop(top: Level): void {
    this.#levels.delete(top.priority);
    const last = this.#heap.pop();
    if (!last || last === top) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const left = this.#heap[child];
      if (!left) break;
      const right = this.#heap[child + 1];
      const higher = right && right.priority > left.priority ? right : left;
      if (higher === right) child++;
      if (higher.priority <= last.priority) break;
      this.#heap[index] = higher;
      index = child;
    }
    this.#heap[index] = last;
  }

  #clearAway(): void {
    for (const { priority, first } of this.#heap) if (first === NONE) this.#levels.delete(priority);
    // In falling order, an array is a heap.
    this.#heap = [...this.#levels.values()].sort((a, b) => b.priority - a.priority);
  }
}
