import { type Column, NumberColumn, SlotColumn } from './column.ts';

/** At first, and of a queue that is empty again. */
const LEAST_CAPACITY = 64;
/** As many keys as are compared one by one sooner than a Map is asked. */
const FEW = 8;

/** The link of a list to its end, and the slot of a key that has none. */
export const NONE = -1;

/** Handed out, and not given back. */
export const RUNNING = 1;
/** Wants to be handed out: now, or after `done`. */
export const DIRTY = 2;
/** Is in the heap of delays. */
export const DELAYED = 4;
/** Of an item that has no more to do: whoever comes next may have the slot. */
const FREE = 8;
/** Among those that are free, or were when it was put there. */
const LISTED = 16;
const BUSY = RUNNING | DIRTY | DELAYED;

/**
 * What a queue knows of its items. Each has a slot, a small number, for as long as it waits, is delayed or is being worked on. After that the slot
 * is free, and only its key is kept until another takes it, because most items come again; a queue that is empty forgets all but a few keys.
 * What is known by slot lies in columns: an object for each item would live just too long for the garbage collector, and cost more than all
 * else that a queue does.
 */
export class Slots<T> {
  /** Of those that are free, too. Empty while there are few keys. */
  readonly #byKey = new Map<unknown, number>();
  readonly #columns: Column[] = [];
  #size = 0;
  #capacity = LEAST_CAPACITY;
  #flags = new Uint8Array(LEAST_CAPACITY);
  #keys: unknown[] = [];
  /** As they were added last; the same array where items are their own keys. */
  #items: unknown[];
  #free: number[] = [];

  /** @param itemsAreKeys whether each item is its own key */
  constructor(itemsAreKeys: boolean) {
    this.#items = itemsAreKeys ? this.#keys : [];
  }

  /** How many items have a slot. @testonly */
  get size(): number {
    return this.#size;
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
    const slot = this.#lookUp(key);
    return slot === undefined || this.has(slot, FREE) ? NONE : slot;
  }

  /** The slot of the key, with the item as it is now. A new one has no flags. */
  take(key: unknown, item: T): number {
    let slot = this.#lookUp(key);
    if (slot === undefined) {
      slot = this.#nextFree() ?? this.#append();
      if (this.#isIndexed) this.#byKey.set(key, slot);
      this.#keys[slot] = key;
      this.#size++;
    } else if (this.has(slot, FREE)) this.#size++;
    this.clear(slot, FREE);
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

  /** Frees the slot, unless the item has more to do. Returns whether it did. */
  release(slot: number): boolean {
    if (this.has(slot, BUSY)) return false;
    if (this.#items !== this.#keys) this.#items[slot] = undefined;
    if (!this.has(slot, LISTED)) this.#free.push(slot);
    this.set(slot, FREE | LISTED);
    this.#size--;
    if (this.#size === 0 && this.#isIndexed) this.#shrink();
    return true;
  }

  get #isIndexed(): boolean {
    return this.#byKey.size > 0;
  }

  #lookUp(key: unknown): number | undefined {
    if (this.#isIndexed) return this.#byKey.get(key);
    for (let slot = 0; slot < this.#keys.length; slot++) if (isSame(this.#keys[slot], key)) return slot;
    return undefined;
  }

  /** One that is free, and no longer has its key. */
  #nextFree(): number | undefined {
    for (let slot = this.#free.pop(); slot !== undefined; slot = this.#free.pop()) {
      this.clear(slot, LISTED);
      if (!this.has(slot, FREE)) continue;
      if (this.#isIndexed) this.#byKey.delete(this.#keys[slot]);
      return slot;
    }
    return undefined;
  }

  #added<C extends Column>(column: C): C {
    this.#columns.push(column);
    return column;
  }

  #append(): number {
    const slot = this.#keys.length;
    if (slot === this.#capacity) this.#resize(2 * slot);
    if (slot === FEW) for (const [known, key] of this.#keys.entries()) this.#byKey.set(key, known);
    return slot;
  }

  #shrink(): void {
    this.#byKey.clear();
    this.#keys.length = this.#items.length = 0;
    this.#free = [];
    this.#flags = new Uint8Array(0);
    this.#resize(LEAST_CAPACITY);
  }

  #resize(capacity: number): void {
    this.#capacity = capacity;
    const flags = new Uint8Array(capacity);
    flags.set(this.#flags.subarray(0, capacity));
    this.#flags = flags;
    for (const column of this.#columns) column.resize(capacity);
  }
}

/** As a Map compares keys. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}
