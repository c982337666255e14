import { Entry } from './entry.ts';

/** An entry that knows its neighbours: in its level, and among all that wait. */
export class PriorityEntry<T> extends Entry<T> {
  /** While it waits or is delayed: the highest that was asked for. */
  priority = 0;
  /** The priority with which it was handed out. */
  runningPriority = 0;
  previous: PriorityEntry<T> | undefined;
  declare next: PriorityEntry<T> | undefined;
  older: PriorityEntry<T> | undefined;
  newer: PriorityEntry<T> | undefined;
  /** Undefined when it does not wait. */
  level: Level<T> | undefined;
}

/** All that waits with one priority, first in, first out. */
class Level<T> {
  readonly priority: number;
  first: PriorityEntry<T> | undefined;
  last: PriorityEntry<T> | undefined;

  constructor(priority: number) {
    this.priority = priority;
  }
}

/** Empty levels beyond this many are cleared away when they outnumber the others. */
const SPARE_LEVELS = 64;

/** What waits, by priority and by age. Every operation takes constant time, and the logarithm of the number of priorities. */
export class PriorityLevels<T> {
  readonly #levels = new Map<number, Level<T>>();
  /** A binary heap, the highest priority on top. Empty levels stay until they are on top. */
  #heap: Level<T>[] = [];
  #filled = 0;
  #oldest: PriorityEntry<T> | undefined;
  #newest: PriorityEntry<T> | undefined;

  /** At the end of its level, and as the newest of all. */
  add(entry: PriorityEntry<T>): void {
    entry.older = this.#newest;
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
    this.#append(entry);
  }

  /** To the end of its new level. It is as old as before. */
  raise(entry: PriorityEntry<T>, priority: number): void {
    this.#unlink(entry);
    entry.priority = priority;
    this.#append(entry);
  }

  takeHighest(): PriorityEntry<T> | undefined {
    for (let top = this.#heap[0]; top; top = this.#heap[0]) {
      if (top.first) return this.#take(top.first);
      this.#removeTop(top);
    }
    return undefined;
  }

  takeOldest(): PriorityEntry<T> | undefined {
    return this.#oldest && this.#take(this.#oldest);
  }

  #take(entry: PriorityEntry<T>): PriorityEntry<T> {
    this.#unlink(entry);
    const { older, newer } = entry;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    entry.older = entry.newer = undefined;
    return entry;
  }

  #append(entry: PriorityEntry<T>): void {
    const level = this.#levelOf(entry.priority);
    if (!level.first) this.#filled++;
    entry.level = level;
    entry.previous = level.last;
    entry.next = undefined;
    if (level.last) level.last.next = entry;
    else level.first = entry;
    level.last = entry;
  }

  #unlink(entry: PriorityEntry<T>): void {
    const { level, previous, next } = entry;
    if (!level) return;
    if (previous) previous.next = next;
    else level.first = next;
    if (next) next.previous = previous;
    else level.last = previous;
    entry.level = entry.previous = entry.next = undefined;
    if (!level.first) this.#filled--;
    if (this.#heap.length > SPARE_LEVELS + 2 * this.#filled) this.#clearAway();
  }

  #levelOf(priority: number): Level<T> {
    const known = this.#levels.get(priority);
    if (known) return known;
    const level = new Level<T>(priority);
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

  #removeTop(top: Level<T>): void {
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
    for (const { priority, first } of this.#heap) if (!first) this.#levels.delete(priority);
    // In falling order, an array is a heap.
    this.#heap = [...this.#levels.values()].sort((a, b) => b.priority - a.priority);
  }
}
