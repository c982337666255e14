import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { Difference } from './difference.ts';
import { Notification } from './notification.ts';

const INITIAL_CAPACITY = 1024;

/** A queue in a ring: it doubles when full, and halves when a quarter is used, down to where it began. client-go's `RingGrowing`. */
export class RingBuffer<T> {
  /** A power of two long. The `#length` items from `#head` on, modulo its length, are in use; all others are undefined. */
  #slots: (T | undefined)[];
  #head = 0;
  #length = 0;
  readonly #initialCapacity: number;

  constructor(initialCapacity = INITIAL_CAPACITY) {
    this.#initialCapacity = 2 ** Math.ceil(Math.log2(Math.max(initialCapacity, 2)));
    this.#slots = new Array(this.#initialCapacity);
  }

  get length(): number {
    return this.#length;
  }

  /** How many slots it holds. @testonly */
  get capacity(): number {
    return this.#slots.length;
  }

  push(item: T): void {
    if (this.#length === this.#slots.length) this.#resize(this.#slots.length * 2);
    this.#slots[(this.#head + this.#length++) & (this.#slots.length - 1)] = item;
  }

  peek(): T | undefined {
    return this.#slots[this.#head];
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#length--;
    if (this.#slots.length > this.#initialCapacity && this.#length <= this.#slots.length / 4) {
      this.#resize(this.#slots.length / 2);
    }
    return item;
  }

  clear(): void {
    this.#slots = new Array(this.#initialCapacity);
    this.#head = 0;
    this.#length = 0;
  }

  #resize(capacity: number): void {
    const slots = new Array<T | undefined>(capacity);
    for (let index = 0; index < this.#length; index++) {
      slots[index] = this.#slots[(this.#head + index) & (this.#slots.length - 1)];
    }
    this.#slots = slots;
    this.#head = 0;
  }
}

/** The changes that wait for one listener, oldest first. */
export interface Pending<T extends KubernetesObject> {
  readonly length: number;
  readonly oldestAtMs: number | undefined;
  /**
   * `isShared`: it waits for other listeners too. Returns how many notifications of the initial list will never be
   * delivered because of it: an object that goes before the listener was notified of it leaves nothing behind.
   */
  push(notification: Notification<T>, isShared: boolean): number;
  /** What is to be delivered next. */
  shift(): Notification<T> | Difference<T> | undefined;
  /** What is to be delivered for an object that was there before the listener came, and has its turn now. */
  replayed(addition: Notification<T>): Notification<T> | Difference<T>;
  clear(): void;
}

/** `delivery: 'all'`. */
export class EveryChange<T extends KubernetesObject> implements Pending<T> {
  /** An object stands for its addition as a part of the initial list: of those there may be a million. */
  readonly #ring = new RingBuffer<Notification<T> | Cached<T>>();
  /** When the oldest of those objects came, or one before it. */
  #listedAtMs: number | undefined;

  get length(): number {
    return this.#ring.length;
  }

  get oldestAtMs(): number | undefined {
    const oldest = this.#ring.peek();
    return oldest instanceof Notification ? oldest.atMs : oldest && this.#listedAtMs;
  }

  push(notification: Notification<T>, isShared: boolean): number {
    const isObjectEnough = notification.isInitial && !isShared && !notification.hasView && notification.change === 0;
    if (isObjectEnough) this.#listedAtMs ??= notification.atMs;
    this.#ring.push(isObjectEnough ? notification.object : notification);
    return 0;
  }

  shift(): Notification<T> | undefined {
    const next = this.#ring.shift();
    if (next === undefined || next instanceof Notification) return next;
    const notification = Notification.add(next, true, this.#listedAtMs ?? 0);
    if (this.#ring.length === 0) this.#listedAtMs = undefined;
    return notification;
  }

  replayed(addition: Notification<T>): Notification<T> {
    return addition;
  }

  clear(): void {
    this.#ring.clear();
  }
}

/** `delivery: 'latest'`. What waits for one object is one entry, and none when it came and went. */
export class LatestChange<T extends KubernetesObject> implements Pending<T> {
  /** In the order of the first waiting change of each object. */
  readonly #byKey = new Map<string, Notification<T> | Difference<T>>();
  /** Stands before the oldest: a new one would have to pass all that was taken since the map last grew. */
  #cursor = this.#byKey.entries();

  get length(): number {
    return this.#byKey.size;
  }

  get oldestAtMs(): number | undefined {
    for (const waiting of this.#byKey.values()) return waiting.atMs;
    return undefined;
  }

  push(notification: Notification<T>): number {
    const { key } = notification.object;
    const waiting = this.#byKey.get(key);
    if (waiting === undefined) {
      this.#byKey.set(key, notification);
      return 0;
    }
    const difference = differenceOf(waiting);
    difference.merge(notification);
    notification.delivered();
    if (!difference.isNothing) {
      if (difference !== waiting) this.#byKey.set(key, difference);
      return 0;
    }
    this.#byKey.delete(key);
    return difference.initial;
  }

  shift(): Notification<T> | Difference<T> | undefined {
    // Asked only while something is there: a cursor that has reached the end would stay there, whatever comes later.
    const next = this.#byKey.size === 0 ? undefined : this.#cursor.next().value;
    if (next === undefined) return undefined;
    this.#byKey.delete(next[0]);
    return next[1];
  }

  replayed(addition: Notification<T>): Notification<T> | Difference<T> {
    const { key } = addition.object;
    const waiting = this.#byKey.get(key);
    if (waiting === undefined) return addition;
    this.#byKey.delete(key);
    const difference = new Difference(addition);
    difference.merge(waiting);
    if (waiting instanceof Notification) waiting.delivered();
    return difference;
  }

  clear(): void {
    this.#byKey.clear();
  }
}

function differenceOf<T extends KubernetesObject>(waiting: Notification<T> | Difference<T>): Difference<T> {
  if (!(waiting instanceof Notification)) return waiting;
  waiting.delivered();
  return new Difference(waiting);
}
