import type { Clock } from '../observe/clock.ts';
import { messageOf } from '../observe/guarded.ts';
import type { Logger } from '../observe/logger.ts';
import { monotonicMs } from '../observe/scheduler.ts';

/** A handler that fails on every object of a large cluster must not bury the rest of the log: at most this many lines… */
const MAX_LINES = 10;
/** …in this time. */
const WINDOW_MS = 60_000;

/** Reports the failed calls of one handler: the first of each minute one by one, and how many there were besides. */
export class FailureReports {
  readonly #clock: Pick<Clock, 'now' | 'scheduler'>;
  readonly #logger: Logger;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #untold = 0;

  constructor(clock: Pick<Clock, 'now' | 'scheduler'>, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** `what` has failed. */
  report(what: string, error: unknown): void {
    const nowMs = monotonicMs(this.#clock);
    if (nowMs - this.#sinceMs >= WINDOW_MS) {
      this.#sinceMs = nowMs;
      this.#lines = 0;
    }
    if (this.#lines === MAX_LINES) {
      this.#untold++;
      return;
    }
    this.#lines++;
    this.#logger.error(`${what}: ${messageOf(error)}${this.#more()}`, error);
    this.#untold = 0;
  }

  #more(): string {
    if (this.#untold > 0) return ` (${this.#untold} failures before it were counted, not reported)`;
    return this.#lines === MAX_LINES ? ' (further failures within this minute are counted, not reported)' : '';
  }
}
