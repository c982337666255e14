import { PriorityEntry, PriorityLevels } from './priority-levels.ts';
import { ExponentialLimiter } from './rate-limiters.ts';
import { RateLimitingQueue, type RateLimitingQueueOptions } from './rate-limiting-queue.ts';

/** How an item is added to a `PriorityQueue`. */
export interface PriorityOptions {
  /**
   * Higher ones come first. Default 0; for `addAfter` and `addRateLimited` of an item that is being worked on, the priority with
   * which it was handed out.
   */
  priority?: number | undefined;
}

/** Every tenth item is the one that has waited longest. */
const FAIR_SHARE = 10;

/**
 * A rate limiting queue that hands out the highest priority first, and first in, first out within one. Besides the promises of
 * `Queue`:
 * - While an item waits, the highest priority and the earliest time that were asked for hold. An item that waits already is not
 *   delayed any more.
 * - An item whose priority is raised goes to the end of its new level.
 * - A retry keeps the priority.
 * - Every tenth item that is handed out is the one that has waited longest of all, so that none waits forever.
 *
 * Its rate limiter is by default the exponential backoff alone, as in controller-runtime's `priorityqueue`.
 */
export class PriorityQueue<T = string> extends RateLimitingQueue<T> {
  readonly #levels = new PriorityLevels<T>();
  #handedOut = 0;

  constructor(options: RateLimitingQueueOptions<T> = {}) {
    super({
      ...options,
      rateLimiter: options.rateLimiter ?? new ExponentialLimiter<T>(options.keyOf ? { keyOf: options.keyOf } : {}),
    });
  }

  override add(item: T, { priority = 0 }: PriorityOptions = {}): void {
    this.#mustBeFinite(priority);
    if (!this.isShuttingDown) this.#ask(this.entryOf(item), priority, 0);
  }

  override addAfter(item: T, delayMs: number, { priority }: PriorityOptions = {}): void {
    this.mustBeDelay(delayMs);
    if (priority !== undefined) this.#mustBeFinite(priority);
    if (this.isShuttingDown) return;
    this.metrics?.retried();
    const entry = this.entryOf(item);
    this.#ask(entry, priority ?? (entry.isRunning ? entry.runningPriority : 0), delayMs);
  }

  override addRateLimited(item: T, options: PriorityOptions = {}): void {
    this.addAfter(item, this.rateLimiter.when(item), options);
  }

  /** @internal The priority with which an item that is being worked on was handed out; 0 for any other. */
  priorityOf(item: T): number {
    const entry = this.known(item) as PriorityEntry<T> | undefined;
    return entry?.isRunning ? entry.runningPriority : 0;
  }

  /** @internal */
  protected override entryOf(item: T): PriorityEntry<T> {
    return super.entryOf(item) as PriorityEntry<T>;
  }

  /** @internal */
  protected override makeEntry(key: unknown, item: T): PriorityEntry<T> {
    return new PriorityEntry(key, item);
  }

  /** @internal */
  protected override enqueue(entry: PriorityEntry<T>): void {
    this.#levels.add(entry);
  }

  /** @internal */
  protected override dequeue(): PriorityEntry<T> | undefined {
    this.#handedOut++;
    return this.#handedOut % FAIR_SHARE === 0 ? this.#levels.takeOldest() : this.#levels.takeHighest();
  }

  /** @internal */
  protected override handOut(entry: PriorityEntry<T>): T {
    entry.runningPriority = entry.priority;
    return super.handOut(entry);
  }

  #ask(entry: PriorityEntry<T>, priority: number, delayMs: number): void {
    if (entry.isDirty) {
      if (priority > entry.priority) this.#raise(entry, priority);
      return;
    }
    entry.priority = entry.delayIndex >= 0 ? Math.max(entry.priority, priority) : priority;
    if (delayMs > 0) {
      this.delay(entry, delayMs);
      return;
    }
    this.delays.remove(entry);
    this.makeDirty(entry);
  }

  #raise(entry: PriorityEntry<T>, priority: number): void {
    this.metrics?.moved(entry.priority, priority);
    if (entry.level) this.#levels.raise(entry, priority);
    else entry.priority = priority;
  }

  #mustBeFinite(priority: number): void {
    if (!Number.isFinite(priority)) {
      throw new TypeError(`${this.name}: a priority must be a finite number, not ${priority}.`);
    }
  }
}
