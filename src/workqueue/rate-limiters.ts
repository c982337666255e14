import { aFunction, aNumber, anObject, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { RateLimiter } from './workqueue.ts';

/** Options of limiters that count the failures of each item. */
export interface ItemLimiterOptions<T> {
  /** As for the queue: which items are the same. Strings and numbers need none. */
  keyOf?: ((item: T) => string) | undefined;
}

/** Options of the limiter whose wait grows with each failure of an item. */
export interface ExponentialLimiterOptions<T> extends ItemLimiterOptions<T> {
  /** The first wait. Default 5. */
  baseMs?: number | undefined;
  /** The longest wait. Default 1,000,000: a thousand seconds. */
  maxMs?: number | undefined;
}

/** Options of `BucketRateLimiter`. */
export interface BucketLimiterOptions {
  /** How many tries a second, in the long run. Default 10. */
  perSecond?: number | undefined;
  /** How many tries at once, after a time of quiet. Default 100. */
  burst?: number | undefined;
  /** Default: the system clock. */
  clock?: Pick<Clock, 'now' | 'scheduler'> | undefined;
}

/** Options of the limiter with a short wait first, and a long one after some failures. */
export interface FastSlowLimiterOptions<T> extends ItemLimiterOptions<T> {
  /** The wait after the first failures. */
  fastMs: number;
  /** The wait after those. */
  slowMs: number;
  /** How many tries are fast. */
  fastTries: number;
}

/** Options of the default rate limiter of controllers. */
export interface DefaultLimiterOptions<T> extends ExponentialLimiterOptions<T>, BucketLimiterOptions {}

const EXPONENTIAL_CHECKS: OptionChecks<ExponentialLimiterOptions<unknown>> = {
  keyOf: aFunction,
  baseMs: aNumber,
  maxMs: aNumber,
};
const BUCKET_CHECKS: OptionChecks<BucketLimiterOptions> = { perSecond: aNumber, burst: aNumber, clock: anObject };
const FAST_SLOW_CHECKS: OptionChecks<FastSlowLimiterOptions<unknown>> = {
  keyOf: aFunction,
  fastMs: aNumber,
  slowMs: aNumber,
  fastTries: aNumber,
};

/** A limiter that counts how often each item has failed. */
abstract class ItemLimiter<T> implements RateLimiter<T> {
  readonly #counts = new Map<unknown, number>();
  readonly #keyOf: (item: T) => unknown;

  constructor(keyOf: ((item: T) => string) | undefined) {
    this.#keyOf = keyOf ?? ((item) => item);
  }

  abstract when(item: T): number;

  /** Counts a failure. How many there were before it. @internal */
  protected next(item: T): number {
    const key = this.#keyOf(item);
    const before = this.#counts.get(key) ?? 0;
    this.#counts.set(key, before + 1);
    return before;
  }

  forget(item: T): void {
    this.#counts.delete(this.#keyOf(item));
  }

  numRequeues(item: T): number {
    return this.#counts.get(this.#keyOf(item)) ?? 0;
  }
}

/** Twice the wait for each failure of an item in a row. client-go's `ItemExponentialFailureRateLimiter`. */
export class ExponentialLimiter<T = string> extends ItemLimiter<T> {
  readonly #baseMs: number;
  readonly #maxMs: number;

  constructor(options: ExponentialLimiterOptions<T> = {}) {
    const { baseMs = 5, maxMs = 1_000_000, keyOf } = checkedOptions('ExponentialLimiter', options, EXPONENTIAL_CHECKS);
    super(keyOf);
    this.#baseMs = positive('baseMs', baseMs);
    this.#maxMs = positive('maxMs', maxMs);
  }

  when(item: T): number {
    return Math.min(this.#baseMs * 2 ** this.next(item), this.#maxMs);
  }
}

/**
 * A bucket of tokens for all items together: each try takes one, and waits for the one that it takes when none is there.
 * client-go's `BucketRateLimiter`.
 */
export class BucketLimiter<T = string> implements RateLimiter<T> {
  readonly #msPerToken: number;
  readonly #burst: number;
  readonly #clock: Pick<Clock, 'now' | 'scheduler'>;
  /** Below zero when tokens have been promised that are not there yet. */
  #tokens: number;
  #countedAtMs: number;

  constructor(options: BucketLimiterOptions = {}) {
    checkedOptions('BucketLimiter', options, BUCKET_CHECKS);
    const { perSecond = 10, burst = 100, clock = systemClock } = options;
    if (perSecond === Number.POSITIVE_INFINITY)
      throw new TypeError('perSecond must be finite: without a limit, use none.');
    this.#msPerToken = 1_000 / positive('perSecond', perSecond);
    this.#burst = positive('burst', burst);
    this.#clock = clock;
    this.#tokens = burst;
    this.#countedAtMs = monotonicMs(clock);
  }

  when(_item: T): number {
    const nowMs = monotonicMs(this.#clock);
    // A time that goes back, as a bare wall clock may, must not take tokens away.
    const passedMs = Math.max(nowMs - this.#countedAtMs, 0);
    this.#countedAtMs = nowMs;
    this.#tokens = Math.min(this.#tokens + passedMs / this.#msPerToken, this.#burst) - 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens * this.#msPerToken;
  }

  forget(_item: T): void {}

  numRequeues(_item: T): number {
    return 0;
  }
}

/** A few fast tries, then slow ones. client-go's `ItemFastSlowRateLimiter`. */
export class FastSlowLimiter<T = string> extends ItemLimiter<T> {
  readonly #options: FastSlowLimiterOptions<T>;

  constructor(options: FastSlowLimiterOptions<T>) {
    checkedOptions('FastSlowLimiter', options, FAST_SLOW_CHECKS, ['fastMs', 'slowMs', 'fastTries']);
    for (const name of ['fastMs', 'slowMs', 'fastTries'] as const) {
      if (!(options[name] >= 0)) throw new TypeError(`${name} must be a number from 0 on, not ${options[name]}.`);
    }
    super(options.keyOf);
    this.#options = options;
  }

  when(item: T): number {
    const { fastMs, slowMs, fastTries } = this.#options;
    return this.next(item) < fastTries ? fastMs : slowMs;
  }
}

/** The longest wait and the largest count of several limiters, all of which count each try. client-go's `MaxOfRateLimiter`. */
export class MaxOfLimiter<T = string> implements RateLimiter<T> {
  readonly #limiters: readonly RateLimiter<T>[];

  constructor(...limiters: readonly RateLimiter<T>[]) {
    this.#limiters = limiters;
  }

  when(item: T): number {
    return this.#limiters.reduce((longest, limiter) => Math.max(longest, limiter.when(item)), 0);
  }

  forget(item: T): void {
    for (const limiter of this.#limiters) limiter.forget(item);
  }

  numRequeues(item: T): number {
    return this.#limiters.reduce((most, limiter) => Math.max(most, limiter.numRequeues(item)), 0);
  }
}

/** Never waits longer than `maxMs`. client-go's `WithMaxWaitRateLimiter`. */
export class MaxWaitLimiter<T = string> implements RateLimiter<T> {
  readonly #limiter: RateLimiter<T>;
  readonly #maxMs: number;

  constructor(limiter: RateLimiter<T>, maxMs: number) {
    this.#limiter = limiter;
    this.#maxMs = positive('maxMs', maxMs);
  }

  when(item: T): number {
    return Math.min(this.#limiter.when(item), this.#maxMs);
  }

  forget(item: T): void {
    this.#limiter.forget(item);
  }

  numRequeues(item: T): number {
    return this.#limiter.numRequeues(item);
  }
}

/**
 * The larger of an exponential backoff of each item (5 ms to 1,000 s) and a bucket for all (10 a second, 100 at once).
 * client-go's `DefaultTypedControllerRateLimiter`.
 */
export function defaultRateLimiter<T = string>(options: DefaultLimiterOptions<T> = {}): RateLimiter<T> {
  checkedOptions('defaultRateLimiter', options, { ...EXPONENTIAL_CHECKS, ...BUCKET_CHECKS });
  const { baseMs, maxMs, keyOf, perSecond, burst, clock } = options;
  return new MaxOfLimiter(
    new ExponentialLimiter({ baseMs, maxMs, keyOf }),
    new BucketLimiter<T>({ perSecond, burst, clock }),
  );
}

function positive(name: string, value: number): number {
  if (!(value > 0)) throw new TypeError(`${name} must be a number above 0, not ${value}.`);
  return value;
}
