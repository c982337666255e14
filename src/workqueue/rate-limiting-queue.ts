import { anObject, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import { DelayingQueue } from './delaying-queue.ts';
import { defaultRateLimiter } from './rate-limiters.ts';
import { type RateLimiter, WORK_QUEUE_CHECKS, type WorkQueueOptions } from './workqueue.ts';

/** Options of `RateLimitingQueue`. */
export interface RateLimitingQueueOptions<T> extends WorkQueueOptions<T> {
  /** Default: `defaultRateLimiter`, the larger of an exponential backoff of each item and a bucket for all. */
  rateLimiter?: RateLimiter<T> | undefined;
}

const CHECKS: OptionChecks<RateLimitingQueueOptions<unknown>> = { ...WORK_QUEUE_CHECKS, rateLimiter: anObject };

/** A queue whose items are tried again after a wait that its rate limiter decides. client-go's `TypedRateLimitingInterface`. */
export class RateLimitingQueue<T = string> extends DelayingQueue<T> {
  /** @internal */
  protected readonly rateLimiter: RateLimiter<T>;

  constructor(options: RateLimitingQueueOptions<T> = {}) {
    const { rateLimiter, ...rest } = checkedOptions(new.target.name, options, CHECKS);
    super(rest);
    this.rateLimiter = rateLimiter ?? defaultRateLimiter({ clock: this.clock, keyOf: options.keyOf });
  }

  /** Adds the item when the rate limiter allows it. */
  addRateLimited(item: T): void {
    this.addAfter(item, this.rateLimiter.when(item));
  }

  /** The work on the item has succeeded, or is given up: its next failure counts as the first. */
  forget(item: T): void {
    this.rateLimiter.forget(item);
  }

  /** How often the item has been added with `addRateLimited` since it was forgotten. */
  numRequeues(item: T): number {
    return this.rateLimiter.numRequeues(item);
  }
}
