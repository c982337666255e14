/** An item that waits. */
interface Waiting {
  readonly item: number;
  priority: number;
  /** Within its level the smaller one is first. */
  place: number;
}

interface Delay {
  atMs: number;
  priority: number;
  /** Of two that are due at one moment the smaller one is first. */
  place: number;
}

/** What a `get` was given. */
export type Served = readonly [get: number, item: number | undefined | 'aborted'];

/** The contract of the work queues in the plainest code: lists that are searched. */
export class QueueModel {
  /** Oldest first. */
  readonly waiting: Waiting[] = [];
  /** With the priorities with which they were handed out. */
  readonly running = new Map<number, number>();
  /** Added while they run. */
  readonly again = new Map<number, number>();
  readonly delays = new Map<number, Delay>();
  readonly served: Served[] = [];
  isShutDown = false;
  /** How many were taken from among those that wait. */
  taken = 0;
  readonly #hasPriorities: boolean;
  readonly #failures = new Map<number, number>();
  #gets: number[] = [];
  #nowMs = 0;
  #places = 0;

  constructor(hasPriorities: boolean) {
    this.#hasPriorities = hasPriorities;
  }

  add(item: number, priority = 0): void {
    if (!this.isShutDown) this.#ask(item, priority, 0);
  }

  addAfter(item: number, delayMs: number, priority = this.running.get(item) ?? 0): void {
    if (!this.isShutDown) this.#ask(item, priority, delayMs);
  }

  /** As with a base of 1 ms and a longest wait of 64 ms. */
  addRateLimited(item: number): void {
    const failures = this.#failures.get(item) ?? 0;
    this.#failures.set(item, failures + 1);
    this.addAfter(item, Math.min(2 ** failures, 64));
  }

  forget(item: number): void {
    this.#failures.delete(item);
  }

  tryGet(): number | undefined {
    if (this.waiting.length === 0) return undefined;
    this.taken++;
    const isFair = !this.#hasPriorities || this.taken % 10 === 0;
    const next = isFair ? this.waiting[0] : this.waiting.toSorted(byLevel)[0];
    if (next === undefined) return undefined;
    this.waiting.splice(this.waiting.indexOf(next), 1);
    this.running.set(next.item, next.priority);
    return next.item;
  }

  get(get: number): void {
    const item = this.tryGet();
    if (item !== undefined || this.isShutDown) this.served.push([get, item]);
    else this.#gets.push(get);
  }

  abort(get: number): void {
    if (this.#gets.includes(get)) this.served.push([get, 'aborted']);
    this.#gets = this.#gets.filter((other) => other !== get);
  }

  done(item: number): void {
    this.running.delete(item);
    const priority = this.again.get(item);
    this.again.delete(item);
    if (priority !== undefined) this.#offer(item, priority);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    const due = [...this.delays].filter(([, { atMs }]) => atMs <= this.#nowMs);
    for (const [item, { priority }] of due.sort(([, a], [, b]) => a.atMs - b.atMs || a.place - b.place)) {
      this.delays.delete(item);
      this.#makeDirty(item, priority);
    }
  }

  shutDown(): void {
    this.isShutDown = true;
    this.delays.clear();
    for (const get of this.#gets.splice(0)) this.served.push([get, undefined]);
  }

  #ask(item: number, priority: number, delayMs: number): void {
    const delay = this.delays.get(item);
    if (this.#hasPriorities) {
      if (this.#isDirty(item)) {
        this.#raise(item, priority);
        return;
      }
      if (delay) delay.priority = Math.max(delay.priority, priority);
    }
    const highest = delay?.priority ?? priority;
    if (delayMs > 0) {
      const atMs = this.#nowMs + delayMs;
      if (!delay || atMs < delay.atMs) this.delays.set(item, { atMs, priority: highest, place: ++this.#places });
      return;
    }
    if (this.#hasPriorities) this.delays.delete(item);
    this.#makeDirty(item, highest);
  }

  #raise(item: number, priority: number): void {
    const known = this.waiting.find((one) => one.item === item);
    if (known && priority > known.priority) Object.assign(known, { priority, place: ++this.#places });
    const again = this.again.get(item);
    if (again !== undefined && priority > again) this.again.set(item, priority);
  }

  #isDirty(item: number): boolean {
    return this.again.has(item) || this.waiting.some((one) => one.item === item);
  }

  #makeDirty(item: number, priority: number): void {
    if (this.#isDirty(item)) return;
    if (this.running.has(item)) this.again.set(item, priority);
    else this.#offer(item, priority);
  }

  #offer(item: number, priority: number): void {
    const get = this.#gets.shift();
    if (get === undefined) this.waiting.push({ item, priority, place: ++this.#places });
    else {
      this.running.set(item, priority);
      this.served.push([get, item]);
    }
  }
}

function byLevel(a: Waiting, b: Waiting): number {
  return b.priority - a.priority || a.place - b.place;
}
