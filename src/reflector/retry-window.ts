import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';

/** After this time without an error, the next one opens a new window. */
const RESET_MS = 60_000;

/** Allows retries of one kind of error for a limited time after the first. client-go's `RetryWithDeadline`. */
export class RetryWindow {
  readonly #clock: Pick<Clock, 'now' | 'scheduler'>;
  readonly #lengthMs: number;
  #firstMs: number | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'now' | 'scheduler'>, lengthMs: number) {
    this.#clock = clock;
    this.#lengthMs = lengthMs;
  }

  /** To be called on each such error. Whether it may be retried. */
  allows(): boolean {
    const nowMs = monotonicMs(this.#clock);
    if (nowMs - this.#lastMs >= RESET_MS) this.#firstMs = undefined;
    this.#firstMs ??= nowMs;
    this.#lastMs = nowMs;
    if (this.#lengthMs > 0 && nowMs - this.#firstMs <= this.#lengthMs) return true;
    this.#firstMs = undefined;
    return false;
  }
}
