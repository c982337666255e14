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
