import { ambient, channels, nextId, type QueueValue } from '../observe/channels.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { safeMetrics } from '../observe/metrics.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import { Entry } from './entry.ts';
import { QueueIterator } from './queue-iterator.ts';
import { QueueMetrics } from './queue-metrics.ts';
import type { QueueStatus } from './queue-status.ts';
import { SpareEntries } from './spare-entries.ts';
import { Waiters } from './waiters.ts';
import type { GetOptions, Queue, WorkQueueOptions } from './workqueue.ts';

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
  /** Of all items that wait, are delayed, or are being worked on, and of some that were. @internal */
  protected readonly entries = new Map<unknown, Entry<T>>();
  readonly #keyOf: ((item: T) => string) | undefined;
  readonly #waiters = new Waiters<T>();
  readonly #spare = new SpareEntries<T>();
  #first: Entry<T> | undefined;
  #last: Entry<T> | undefined;
  /** The one that was handed out last. It may have been given back. */
  #handedOut: Entry<T> | undefined;
  #waiting = 0;
  #running = 0;
  #shuttingDown = false;
  #drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(options: WorkQueueOptions<T> = {}) {
    this.name = options.name ?? 'queue';
    this.clock = options.clock ?? systemClock;
    this.logger = safeLogger(options.logger);
    this.#keyOf = options.keyOf;
    this.metrics =
      options.metrics && options.name !== undefined
        ? new QueueMetrics(safeMetrics(options.metrics), options.name, this.clock)
        : undefined;
  }

  get length(): number {
    return this.#waiting;
  }

  /** How full it is, for those who look inside. */
  get status(): QueueStatus {
    return { id: this.id, name: this.name, waiting: this.#waiting, delayed: this.delayed, running: this.#running };
  }

  /** How many entries are delayed. @internal */
  protected get delayed(): number {
    return 0;
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown;
  }

  add(item: T): void {
    if (this.#shuttingDown) return;
    this.makeDirty(this.entryOf(item));
  }

  get(options: GetOptions = NO_OPTIONS): Promise<T | undefined> {
    if (options.signal?.aborted) return Promise.reject(options.signal.reason);
    const item = this.tryGet();
    if (item !== undefined || this.#shuttingDown) return Promise.resolve(item);
    return this.#waiters.wait(options);
  }

  tryGet(): T | undefined {
    const entry = this.#waiting > 0 ? this.dequeue() : undefined;
    if (!entry) return undefined;
    this.#waiting--;
    return this.handOut(entry);
  }

  done(item: T): void {
    const key = this.#keyFor(item);
    // Mostly it is the one that was handed out last.
    const entry = this.#handedOut?.key === key ? this.#handedOut : this.entries.get(key);
    if (!entry?.isRunning) {
      this.logger.warn(`${this.name}: done was called for ${String(key)}, which was not handed out.`);
      return;
    }
    entry.isRunning = false;
    this.#running--;
    this.metrics?.done(entry);
    if (channels.queue.hasSubscribers) this.tell('done', entry);
    if (entry.isDirty) this.#offer(entry);
    else this.forgetIdle(entry);
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
      let resolve = () => {};
      const promise = new Promise<void>((settle) => {
        resolve = settle;
      });
      this.shutDown();
      this.#drained = { promise, resolve };
      this.#checkDrained();
    }
    return this.#drained.promise;
  }

  /** Each item is done when the loop goes on, or is left. Ends when the queue has shut down and nothing waits. */
  [Symbol.asyncIterator](): AsyncIterableIterator<T> {
    return new QueueIterator(this);
  }

  /** @internal */
  protected entryOf(item: T): Entry<T> {
    const key = this.#keyFor(item);
    const known = this.entries.get(key);
    if (known) {
      known.item = item;
      return known;
    }
    const entry = this.makeEntry(key, item);
    this.entries.set(key, entry);
    return entry;
  }

  /** @internal */
  protected known(item: T): Entry<T> | undefined {
    return this.entries.get(this.#keyFor(item));
  }

  /** @internal */
  protected makeEntry(key: unknown, item: T): Entry<T> {
    return new Entry(key, item);
  }

  /** Tells the channel what becomes of an entry; only while somebody listens. @internal */
  protected tell(step: QueueValue['step'], entry: Entry<T>, delayMs?: number): void {
    const isIn = step === 'add' || step === 'delay';
    if (isIn) entry.stay ||= nextId();
    const id = isIn ? entry.stay : entry.runningStay || nextId();
    const { priority } = entry as { priority?: number };
    channels.queue.publish({
      id,
      queue: this.id,
      name: this.name,
      step,
      key: String(entry.key),
      ...(isIn && ambient.cause > 0 && { cause: ambient.cause }),
      ...(priority !== undefined && { priority }),
      ...(delayMs !== undefined && { delayMs }),
      atMs: monotonicMs(this.clock),
    });
  }

  /** The id of the stay of an item that is being worked on; 0: nobody looks. @internal */
  stayOf(item: T): number {
    return this.known(item)?.runningStay ?? 0;
  }

  /** The item wants to be handed out: now, or when it has been given back. @internal */
  protected makeDirty(entry: Entry<T>): void {
    if (entry.isDirty) return;
    entry.isDirty = true;
    this.metrics?.added(entry);
    if (channels.queue.hasSubscribers) this.tell('add', entry);
    if (!entry.isRunning) this.#offer(entry);
  }

  /** Puts an entry into the order of handing out. @internal */
  protected enqueue(entry: Entry<T>): void {
    if (this.#last) this.#last.next = entry;
    else this.#first = entry;
    this.#last = entry;
  }

  /** Takes the next entry out of that order. @internal */
  protected dequeue(): Entry<T> | undefined {
    const entry = this.#first;
    if (!entry) return undefined;
    this.#first = entry.next;
    if (!this.#first) this.#last = undefined;
    entry.next = undefined;
    return entry;
  }

  /** @internal */
  protected forgetIdle(entry: Entry<T>): void {
    if (!entry.isIdle) return;
    const forgotten = this.#spare.keep(entry);
    if (!forgotten) return;
    this.entries.delete(forgotten.key);
    if (this.#handedOut === forgotten) this.#handedOut = undefined;
  }

  /** The work on an entry begins. @internal */
  protected handOut(entry: Entry<T>): T {
    entry.isDirty = false;
    entry.isRunning = true;
    this.#running++;
    this.#handedOut = entry;
    this.metrics?.handedOut(entry);
    entry.runningStay = entry.stay;
    entry.stay = 0;
    if (channels.queue.hasSubscribers) this.tell('get', entry);
    return entry.item as T;
  }

  #offer(entry: Entry<T>): void {
    if (!this.#waiters.isEmpty) {
      this.#waiters.serve(this.handOut(entry));
      return;
    }
    this.#waiting++;
    this.enqueue(entry);
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
