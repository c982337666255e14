import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';

/** Where the time of something long went. */
export class Trace {
  readonly #clock: Pick<Clock, 'now' | 'scheduler'>;
  readonly #startMs: number;
  readonly #steps: string[] = [];
  #lastMs: number;

  constructor(clock: Pick<Clock, 'now' | 'scheduler'>) {
    this.#clock = clock;
    this.#startMs = this.#lastMs = monotonicMs(clock);
  }

  get elapsedMs(): number {
    return monotonicMs(this.#clock) - this.#startMs;
  }

  /** What was done since the last step is over. */
  step(what: string): void {
    const nowMs = monotonicMs(this.#clock);
    this.#steps.push(`${what} in ${seconds(nowMs - this.#lastMs)}`);
    this.#lastMs = nowMs;
  }

  /** `12.3 s: 1,000 objects listed in 12.0 s, stored in 0.3 s` */
  toString(): string {
    return `${seconds(this.elapsedMs)}: ${this.#steps.join(', ')}`;
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
