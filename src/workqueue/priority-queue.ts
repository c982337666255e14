import { PriorityLevels } from './priority-levels.ts';
import { ExponentialLimiter } from './rate-limiters.ts';
import { RateLimitingQueue, type RateLimitingQueueOptions } from './rate-limiting-queue.ts';
import { DELAYED, DIRTY, NONE, RUNNING } from './slots.ts';

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
  readonly #levels = new PriorityLevels(this.slots);
  /** The priorities with which items were handed out. */
  readonly #runningPriorities = this.slots.numberColumn();
  #handedOut = 0;

  constructor(options: RateLimitingQueueOptions<T> = {}) {
    super({
      ...options,
      rateLimiter: options.rateLimiter ?? new ExponentialLimiter<T>(options.keyOf ? { keyOf: options.keyOf } : {}),
    });
  }

  override add(item: T, { priority = 0 }: PriorityOptions = {}): void {
    this.#mustBeFinite(priority);
    if (!this.isShuttingDown) this.#ask(this.slotOf(item), priority, 0);
  }

  override addAfter(item: T, delayMs: number, { priority }: PriorityOptions = {}): void {
    this.mustBeDelay(delayMs);
    if (priority !== undefined) this.#mustBeFinite(priority);
    if (this.isShuttingDown) return;
    this.metrics?.retried();
    const slot = this.slotOf(item);
    this.#ask(slot, priority ?? this.#runningPriority(slot), delayMs);
  }

  override addRateLimited(item: T, options: PriorityOptions = {}): void {
    this.addAfter(item, this.rateLimiter.when(item), options);
  }

  /** @internal The priority with which an item that is being worked on was handed out; 0 for any other. */
  priorityOf(item: T): number {
    const slot = this.runningSlot(item);
    return slot === NONE ? 0 : this.#runningPriority(slot);
  }

  /** @internal */
  protected override priorityAt(slot: number): number {
    return this.#levels.priorityOf(slot);
  }

  /** @internal */
  protected override enqueue(slot: number): void {
    this.#levels.add(slot);
  }

  /** @internal */
  protected override dequeue(): number {
    this.#handedOut++;
    return this.#handedOut % FAIR_SHARE === 0 ? this.#levels.takeOldest() : this.#levels.takeHighest();
  }

  /** @internal */
  protected override handOut(slot: number): T {
    this.#runningPriorities.set(slot, this.#levels.priorityOf(slot));
    return super.handOut(slot);
  }

  #runningPriority(slot: number): number {
    return this.slots.has(slot, RUNNING) ? this.#runningPriorities.get(slot) : 0;
  }

  #ask(slot: number, priority: number, delayMs: number): void {
    const asked = this.#levels.priorityOf(slot);
    if (this.slots.has(slot, DIRTY)) {
      if (priority > asked) this.#raise(slot, priority);
      return;
    }
    this.#levels.setPriority(slot, this.slots.has(slot, DELAYED) ? Math.max(asked, priority) : priority);
    if (delayMs > 0) {
      this.delay(slot, delayMs);
      return;
    }
    this.delays.remove(slot);
    this.makeDirty(slot);
  }

  #raise(slot: number, priority: number): void {
    this.metrics?.moved(this.#levels.priorityOf(slot), priority);
    // While it runs, it is in no level.
    if (this.slots.has(slot, RUNNING)) this.#levels.setPriority(slot, priority);
    else this.#levels.raise(slot, priority);
  }

  #mustBeFinite(priority: number): void {
    if (!Number.isFinite(priority)) {
      throw new TypeError(`${this.name}: a priority must be a finite number, not ${priority}.`);
    }
  }
}
