import type { Clock } from '../../observe/clock.ts';
import type { Logger } from '../../observe/logger.ts';
import { TimeSlice } from '../../observe/scheduler.ts';

interface WorkLoopOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** All that waits is done before anything else has its turn, so that the next request sees its effect. Default false. */
  readonly atOnce?: boolean;
}

/**
 * Runs jobs one after the other, soon after the change that caused them and never inside it. Each key waits once; a job
 * that fails is reported and forgotten, because the next change of its object brings it back.
 */
export class WorkLoop {
  readonly #jobs = new Map<string, () => void>();
  readonly #options: WorkLoopOptions;
  #running = false;
  #stopped = false;

  constructor(options: WorkLoopOptions) {
    this.#options = options;
  }

  add(key: string, job: () => void): void {
    if (this.#stopped) return;
    this.#jobs.set(key, job);
    if (this.#running) return;
    this.#running = true;
    void Promise.resolve().then(() => this.#drain());
  }

  stop(): void {
    this.#stopped = true;
    this.#jobs.clear();
  }

  async #drain(): Promise<void> {
    const { clock, logger, atOnce } = this.#options;
    const slice = new TimeSlice(clock);
    for (const [key, job] of this.#jobs) {
      this.#jobs.delete(key);
      try {
        job();
      } catch (error) {
        logger.warn(`A controller of the embedded server could not handle ${key}.`, error);
      }
      if (!atOnce && slice.isDue()) await slice.pause();
    }
    this.#running = false;
  }
}
