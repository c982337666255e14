import type { Clock, Timer } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { Run } from './run.ts';

export interface LongRunsOptions {
  clock: Clock;
  /** Those under way, in the order in which they began. */
  runs: ReadonlySet<Run>;
  afterMs: number;
  /** Called once for each. */
  onLong: (run: Run) => void;
}

/** Finds runs that do not end, where no time limit would: each holds a worker. One timer for all, so that a run costs nothing. */
export class LongRuns {
  readonly #options: LongRunsOptions;
  readonly #found = new WeakSet<Run>();
  #timer: Timer | undefined;

  constructor(options: LongRunsOptions) {
    this.#options = options;
  }

  /** A run has begun. */
  begun(): void {
    if (this.#timer === undefined) this.#lookIn(this.#options.afterMs);
  }

  stop(): void {
    this.#timer?.clear();
  }

  #lookIn(ms: number): void {
    this.#timer = this.#options.clock.setTimeout(() => this.#look(), ms, { keepAlive: false });
  }

  #look(): void {
    const { clock, runs, afterMs, onLong } = this.#options;
    this.#timer = undefined;
    const nowMs = monotonicMs(clock);
    for (const run of runs) {
      const leftMs = run.startedMs + afterMs - nowMs;
      if (leftMs > 0) {
        this.#lookIn(leftMs);
        return;
      }
      // One whose signal has aborted is stuck, and reported as that.
      if (this.#found.has(run) || run.overdueMs(nowMs) > 0) continue;
      this.#found.add(run);
      onLong(run);
    }
  }
}
