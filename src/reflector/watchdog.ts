import type { Clock, Timer } from '../observe/clock.ts';
import { monotonicMs, schedulerOf } from '../observe/scheduler.ts';

/** By when something must have happened, and what to say when it has not. */
export interface Deadline {
  /** In monotonic time. */
  readonly dueMs: number;
  problem(): Error;
}

/**
 * Watches a deadline that moves. A later one is noticed when the timer fires, so that progress costs nothing; for an
 * earlier one, call `check`.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #onMissed: (problem: Error) => void;
  #deadline: () => Deadline;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(clock: Clock, deadline: () => Deadline, onMissed: (problem: Error) => void) {
    this.#clock = clock;
    this.#deadline = deadline;
    this.#onMissed = onMissed;
    this.check();
  }

  follow(deadline: () => Deadline): void {
    this.#deadline = deadline;
    this.check();
  }

  check(): void {
    if (this.#isStopped) return;
    this.#timer?.clear();
    this.#timer = this.#clock.setTimeout(() => this.#fire(), this.#deadline().dueMs - monotonicMs(this.#clock));
  }

  /** Final: whatever is called afterwards, no timer is set. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.clear();
  }

  #fire(): void {
    if (monotonicMs(this.#clock) < this.#deadline().dueMs) {
      this.check();
      return;
    }
    // If the program was busy or asleep all that time, what came meanwhile is read in this turn, and only after timers.
    schedulerOf(this.#clock).nextTurn(() => {
      if (!this.#isStopped) this.#judge();
    });
  }

  #judge(): void {
    const deadline = this.#deadline();
    if (monotonicMs(this.#clock) < deadline.dueMs) this.check();
    else this.#onMissed(deadline.problem());
  }
}
