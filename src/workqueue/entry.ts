/** What a queue knows of one item. There is one entry for each key that waits, is delayed, or is being worked on, and for some that were. */
export class Entry<T> {
  readonly key: unknown;
  /** The item as it was added last; undefined when it is idle. */
  item: T | undefined;
  /** Handed out, and not given back. */
  isRunning = false;
  /** Kept for the next time. See `SpareEntries`. */
  isSpare = false;
  /** Wants to be handed out: now, or after `done`. */
  isDirty = false;
  /** The place in the heap of delays; -1 when it is not delayed. */
  delayIndex = -1;
  /** Of two that are due at one moment, the one with the smaller number was delayed first. */
  delayOrder = 0;
  /** When it became dirty, and when it was handed out; kept for metrics alone. */
  dirtySinceMs = 0;
  runningSinceMs = 0;
  /** The ids of the stay that waits or is delayed, and of the one that runs, where somebody looks inside; 0: nobody does. */
  stay = 0;
  runningStay = 0;
  /** The next in the order of handing out. */
  next: Entry<T> | undefined;

  constructor(key: unknown, item: T) {
    this.key = key;
    this.item = item;
  }

  get isIdle(): boolean {
    return !this.isRunning && !this.isDirty && this.delayIndex < 0;
  }
}
