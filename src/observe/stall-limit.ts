import type { Clock, Timer } from './clock.ts';
import { monotonicMs, schedulerOf } from './scheduler.ts';

/**
 * Notices that something which is waited for does not come. Time counts only between `wait` and `rest`. One timer serves many waits:
 * it looks at a time stamp when it fires, so that a wait costs one reading of the clock.
 */
export class StallLimit {
  readonly #clock: Pick<Clock, 'now' | 'setTimeout' | 'scheduler'>;
  readonly #onStalled: () => void;
  #limitMs = 0;
  /** Undefined while nothing is waited for. */
  #sinceMs: number | undefined;
  #timer: Timer | undefined;
  #timerDueMs = 0;

  /** @param onStalled called at most once for each wait, never from within one of the methods. */
  constructor(clock: Pick<Clock, 'now' | 'setTimeout' | 'scheduler'>, onStalled: () => void) {
    this.#clock = clock;
    this.#onStalled = onStalled;
  }

  /** Something is waited for from now on, and has to come within the limit. Zero and infinity mean that there is no limit. */
  wait(limitMs: number): void {
    if (!(limitMs > 0) || limitMs === Number.POSITIVE_INFINITY) {
      this.#sinceMs = undefined;
      return;
    }
    this.#limitMs = limitMs;
    this.#sinceMs = monotonicMs(this.#clock);
    if (this.#timer === undefined || this.#timerDueMs > this.#sinceMs + limitMs) this.#arm(limitMs);
  }

  /** It has come. */
  rest(): void {
    this.#sinceMs = undefined;
  }

  /** Leaves no timer behind. */
  stop(): void {
    this.#sinceMs = undefined;
    this.#timer?.clear();
    this.#timer = undefined;
  }

  #arm(delayMs: number): void {
    this.#timer?.clear();
    this.#timerDueMs = monotonicMs(this.#clock) + delayMs;
    // What is waited for holds the process itself.
    this.#timer = this.#clock.setTimeout(() => this.#fire(), delayMs, { keepAlive: false });
  }

  #fire(): void {
    this.#timer = undefined;
    // If the program was busy or asleep all that time, what came meanwhile is read in this turn, and only after timers.
    if (this.#missingMs() <= 0) schedulerOf(this.#clock).nextTurn(() => this.#judge());
    else this.#judge();
  }

  #judge(): void {
    if (this.#sinceMs === undefined || this.#timer !== undefined) return;
    const missingMs = this.#missingMs();
    if (missingMs > 0) {
      this.#arm(missingMs);
      return;
    }
    this.#sinceMs = undefined;
    this.#onStalled();
  }

  #missingMs(): number {
    return this.#sinceMs === undefined
      ? Number.POSITIVE_INFINITY
      : this.#sinceMs + this.#limitMs - monotonicMs(this.#clock);
  }
}
