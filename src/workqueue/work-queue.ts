import { checkedOptions } from '../api/option-check.ts';
import { type Deferred, deferred } from '../api/promise-like.ts';
import { ambient, channels, nextId, type QueueValue } from '../observe/channels.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { safeMetrics } from '../observe/metrics.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { SlotColumn } from './column.ts';
import { QueueIterator } from './queue-iterator.ts';
import { QueueMetrics } from './queue-metrics.ts';
import type { QueueStatus } from './queue-status.ts';
import { DIRTY, NONE, RUNNING, Slots } from './slots.ts';
import { Stays } from './stays.ts';
import { Waiters } from './waiters.ts';
import { type GetOptions, type Queue, WORK_QUEUE_CHECKS, type WorkQueueOptions } from './workqueue.ts';

const NO_OPTIONS: GetOptions = {};

/** First in, first out. See `Queue` for what it promises. client-go's `workqueue.Type`. */
export class WorkQueue<T = string> implements Queue<T> {
  /** Unique in the process; `queue` in the values of the channel `tidewatch:queue`. */
  readonly id = nextId();
  readonly name: string;
  /** @internal */
  protected readonly clock: Clock;
  /** @internal */
  protected readonly logger: Logger;
  /** @internal */
  protected readonly metrics: QueueMetrics | undefined;
  /** Of all items that wait, are delayed, or are being worked on. @internal */
  protected readonly slots: Slots<T>;
  readonly #keyOf: ((item: T) => string) | undefined;
  readonly #waiters = new Waiters<T>();
  /** The next in the order of handing out. */
  readonly #next: SlotColumn;
  #first = NONE;
  #last = NONE;
  /** The slot that was handed out last, until it is released. */
  #handedOut = NONE;
  /** Undefined until somebody looks inside. */
  #stays: Stays | undefined;
  #waiting = 0;
  #running = 0;
  #shuttingDown = false;
  #drained: Deferred<void> | undefined;

  constructor(options: WorkQueueOptions<T> = {}) {
    checkedOptions(new.target.name, options, WORK_QUEUE_CHECKS);
    this.name = options.name ?? 'queue';
    this.clock = options.clock ?? systemClock;
    this.logger = safeLogger(options.logger);
    this.#keyOf = options.keyOf;
    this.slots = new Slots(options.keyOf === undefined);
    this.#next = this.slots.slotColumn();
    this.metrics =
      options.metrics && options.name !== undefined
        ? new QueueMetrics(safeMetrics(options.metrics), options.name, this.clock, this.slots)
        : undefined;
  }

  get length(): number {
    return this.#waiting;
  }

  /** How full it is, for those who look inside. */
  get status(): QueueStatus {
    return { id: this.id, name: this.name, waiting: this.#waiting, delayed: this.delayed, running: this.#running };
  }

  /** How many items are delayed. @internal */
  protected get delayed(): number {
    return 0;
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown;
  }

  add(item: T): void {
    if (this.#shuttingDown) return;
    this.makeDirty(this.slotOf(item));
  }

  get(options: GetOptions = NO_OPTIONS): Promise<T | undefined> {
    if (options.signal?.aborted) return Promise.reject(options.signal.reason);
    const item = this.tryGet();
    if (item !== undefined || this.#shuttingDown) return Promise.resolve(item);
    return this.#waiters.wait(options);
  }

  tryGet(): T | undefined {
    if (this.#waiting === 0) return undefined;
    this.#waiting--;
    return this.handOut(this.dequeue());
  }

  done(item: T): void {
    const key = this.#keyFor(item);
    // Mostly it is the one that was handed out last.
    const isLast = this.#handedOut !== NONE && this.slots.keyAt(this.#handedOut) === key;
    const slot = isLast ? this.#handedOut : this.slots.find(key);
    if (slot === NONE || !this.slots.has(slot, RUNNING)) {
      this.logger.warn(`${this.name}: done was called for ${String(key)}, which was not handed out.`);
      return;
    }
    this.slots.clear(slot, RUNNING);
    this.#running--;
    this.metrics?.done(slot);
    if (channels.queue.hasSubscribers) this.tell('done', slot);
    if (this.slots.has(slot, DIRTY)) this.#offer(slot);
    else this.release(slot);
    this.#checkDrained();
  }

  shutDown(): void {
    this.#shuttingDown = true;
    this.metrics?.shutDown();
    this.#waiters.dismiss();
    this.#drained?.resolve();
  }

  /** Nobody takes what waits any more: no series of it is left. @internal */
  end(): void {
    this.metrics?.end();
  }

  shutDownWithDrain(): Promise<void> {
    if (!this.#drained) {
      this.shutDown();
      this.#drained = deferred();
      this.#checkDrained();
    }
    return this.#drained.promise;
  }

  /** Each item is done when the loop goes on, or is left. Ends when the queue has shut down and nothing waits. */
  [Symbol.asyncIterator](): AsyncIterableIterator<T> {
    return new QueueIterator(this);
  }

  /** @internal */
  protected slotOf(item: T): number {
    return this.slots.take(this.#keyFor(item), item);
  }

  /** The slot of an item that is being worked on, or NONE. @internal */
  protected runningSlot(item: T): number {
    const slot = this.slots.find(this.#keyFor(item));
    return slot !== NONE && this.slots.has(slot, RUNNING) ? slot : NONE;
  }

  /** Undefined in a queue that has no priorities. @internal */
  protected priorityAt(_slot: number): number | undefined {
    return undefined;
  }

  /** Tells the channel what becomes of an item; only while somebody listens. @internal */
  protected tell(step: QueueValue['step'], slot: number, delayMs?: number): void {
    this.#stays ??= new Stays();
    const isIn = step === 'add' || step === 'delay';
    const id = isIn ? this.#stays.waiting(slot) : this.#stays.running(slot) || nextId();
    const priority = this.priorityAt(slot);
    channels.queue.publish({
      id,
      queue: this.id,
      name: this.name,
      step,
      key: String(this.slots.keyAt(slot)),
      ...(isIn && ambient.cause > 0 && { cause: ambient.cause }),
      ...(priority !== undefined && { priority }),
      ...(delayMs !== undefined && { delayMs }),
      atMs: monotonicMs(this.clock),
    });
  }

  /** The id of the stay of an item that is being worked on; 0: nobody looks. @internal */
  stayOf(item: T): number {
    const slot = this.runningSlot(item);
    return slot === NONE ? 0 : (this.#stays?.running(slot) ?? 0);
  }

  /** The item wants to be handed out: now, or when it has been given back. @internal */
  protected makeDirty(slot: number): void {
    if (this.slots.has(slot, DIRTY)) return;
    this.slots.set(slot, DIRTY);
    this.metrics?.added(slot, this.priorityAt(slot));
    if (channels.queue.hasSubscribers) this.tell('add', slot);
    if (!this.slots.has(slot, RUNNING)) this.#offer(slot);
  }

  /** Puts a slot into the order of handing out. @internal */
  protected enqueue(slot: number): void {
    this.#next.set(slot, NONE);
    if (this.#last === NONE) this.#first = slot;
    else this.#next.set(this.#last, slot);
    this.#last = slot;
  }

  /** Takes the next slot out of that order; there is one. @internal */
  protected dequeue(): number {
    const slot = this.#first;
    this.#first = this.#next.get(slot);
    if (this.#first === NONE) this.#last = NONE;
    return slot;
  }

  /** An item that has no more to do gives up its slot. @internal */
  protected release(slot: number): void {
    if (!this.slots.release(slot)) return;
    if (this.#handedOut === slot) this.#handedOut = NONE;
    this.#stays?.released(slot);
  }

  /** The work on an item begins. @internal */
  protected handOut(slot: number): T {
    this.slots.clear(slot, DIRTY);
    this.slots.set(slot, RUNNING);
    this.#running++;
    this.#handedOut = slot;
    this.metrics?.handedOut(slot, this.priorityAt(slot));
    this.#stays?.handedOut(slot);
    if (channels.queue.hasSubscribers) this.tell('get', slot);
    return this.slots.itemAt(slot);
  }

  #offer(slot: number): void {
    if (!this.#waiters.isEmpty) {
      this.#waiters.serve(this.handOut(slot));
      return;
    }
    this.#waiting++;
    this.enqueue(slot);
  }

  #checkDrained(): void {
    if (this.#drained && this.#waiting === 0 && this.#running === 0) this.#drained.resolve();
  }

  #keyFor(item: T): unknown {
    if (this.#keyOf) return this.#keyOf(item);
    const type = typeof item;
    if (type === 'string' || type === 'number' || type === 'bigint') return item;
    throw new TypeError(
      `${this.name}: an item of type ${item === null ? 'null' : type} has no key; give the queue keyOf, ` +
        `which tells which items are the same.`,
    );
  }
}
