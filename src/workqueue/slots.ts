import { type Column, NumberColumn, SlotColumn } from './column.ts';

const FIRST_CAPACITY = 64;
/** A queue that is empty again keeps room for this many items. */
const KEPT_CAPACITY = 1_024;

/** Keys that are always there: V8 makes a new table whenever a Map that is nearly empty loses a key. */
const PADDING: readonly unknown[] = Array.from({ length: 64 }, () => Symbol('padding'));

/** The link of a list to its end, and the slot of a key that has none. */
export const NONE = -1;

/** Handed out, and not given back. */
export const RUNNING = 1;
/** Wants to be handed out: now, or after `done`. */
export const DIRTY = 2;
/** Is in the heap of delays. */
export const DELAYED = 4;

/**
 * What a queue knows of its items. Each has a slot, a small number, for as long as it waits, is delayed or is being worked on; nothing is kept of
 * any other. What is known by slot lies in columns: an object for each item would live just too long for the garbage collector, and cost more
 * than all else that a queue does.
 */
export class Slots<T> {
  readonly #byKey = new Map<unknown, number>(PADDING.map((key) => [key, NONE]));
  readonly #columns: Column[] = [];
  #capacity = FIRST_CAPACITY;
  #flags = new Uint8Array(FIRST_CAPACITY);
  #keys: unknown[] = [];
  /** As they were added last; the same array where items are their own keys. */
  #items: unknown[];
  #free: number[] = [];

  /** @param itemsAreKeys whether each item is its own key */
  constructor(itemsAreKeys: boolean) {
    this.#items = itemsAreKeys ? this.#keys : [];
  }

  /** How many items have a slot. */
  get size(): number {
    return this.#byKey.size - PADDING.length;
  }

  /** How many items there is room for. @testonly */
  get capacity(): number {
    return this.#capacity;
  }

  slotColumn(): SlotColumn {
    return this.#added(new SlotColumn(this.#capacity));
  }

  numberColumn(): NumberColumn {
    return this.#added(new NumberColumn(this.#capacity));
  }

  find(key: unknown): number {
    return this.#byKey.get(key) ?? NONE;
  }

  /** The slot of the key, with the item as it is now. A new one has no flags. */
  take(key: unknown, item: T): number {
    const known = this.#byKey.get(key);
    const slot = known ?? this.#free.pop() ?? this.#append();
    if (known === undefined) {
      this.#byKey.set(key, slot);
      this.#keys[slot] = key;
    }
    this.#items[slot] = item;
    return slot;
  }

  keyAt(slot: number): unknown {
    return this.#keys[slot];
  }

  itemAt(slot: number): T {
    return this.#items[slot] as T;
  }

  has(slot: number, flag: number): boolean {
    return ((this.#flags[slot] as number) & flag) !== 0;
  }

  set(slot: number, flag: number): void {
    this.#flags[slot] = (this.#flags[slot] as number) | flag;
  }

  clear(slot: number, flag: number): void {
    this.#flags[slot] = (this.#flags[slot] as number) & ~flag;
  }

  /** Frees the slot, unless a flag is set. Returns whether it did. */
  release(slot: number): boolean {
    if (this.#flags[slot] !== 0) return false;
    this.#byKey.delete(this.#keys[slot]);
    this.#keys[slot] = undefined;
    this.#items[slot] = undefined;
    this.#free.push(slot);
    if (this.size === 0 && this.#capacity > KEPT_CAPACITY) this.#shrink();
    return true;
  }

  #added<C extends Column>(column: C): C {
    this.#columns.push(column);
    return column;
  }

  #append(): number {
    const slot = this.#keys.length;
    if (slot === this.#capacity) this.#resize(2 * slot);
    return slot;
  }

  #shrink(): void {
    this.#keys.length = this.#items.length = 0;
    this.#free = [];
    this.#resize(KEPT_CAPACITY);
  }

  #resize(capacity: number): void {
    this.#capacity = capacity;
    const flags = new Uint8Array(capacity);
    flags.set(this.#flags.subarray(0, capacity));
    this.#flags = flags;
    for (const column of this.#columns) column.resize(capacity);
  }
}
