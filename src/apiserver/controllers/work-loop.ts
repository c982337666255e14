import type { Logger } from '../../observe/logger.ts';
import { Slices } from '../values/slices.ts';

/**
 * Runs jobs one after the other, soon after the change that caused them and never inside it. Each key waits once; a job
 * that fails is reported and forgotten, because the next change of its object brings it back.
 */
export class WorkLoop {
  readonly #jobs = new Map<string, () => void>();
  readonly #logger: Logger;
  readonly #atOnce: boolean;
  #running = false;
  #stopped = false;

  /** `atOnce`: all that waits is done before anything else has its turn, so that the next request sees its effect. */
  constructor(logger: Logger, { atOnce = false } = {}) {
    this.#logger = logger;
    this.#atOnce = atOnce;
  }

  add(key: string, job: () => void): void {
    if (this.#stopped) return;
    this.#jobs.set(key, job);
    if (this.#running) return;
    this.#running = true;
    queueMicrotask(() => void this.#drain());
  }

  stop(): void {
    this.#stopped = true;
    this.#jobs.clear();
  }

  async #drain(): Promise<void> {
    const slices = new Slices();
    for (const [key, job] of this.#jobs) {
      this.#jobs.delete(key);
      try {
        job();
      } catch (error) {
        this.#logger.warn(`A controller of the embedded server could not handle ${key}.`, error);
      }
      if (!this.#atOnce) await slices.pause();
    }
    this.#running = false;
  }
}
