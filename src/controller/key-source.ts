import type { Resource } from '../api/resource.ts';
import type { Logger } from '../observe/logger.ts';
import type { TimeSlice } from '../observe/time-slice.ts';
import { failureText } from '../processor/failure-text.ts';
import { keyProblem } from './event-keys.ts';

export interface KeySourceOptions {
  controller: string;
  resource: Resource;
  keys: AsyncIterable<string>;
  enqueue: (key: string) => void;
  slice: TimeSlice;
  logger: Logger;
}

/** Reads keys from elsewhere until they end or fail, which is reported. */
export class KeySource {
  readonly #options: KeySourceOptions;
  #iterator: AsyncIterator<unknown> | undefined;
  #stopped = false;

  constructor(options: KeySourceOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#read().catch((error: unknown) => {
      if (this.#stopped) return;
      const { controller, logger } = this.#options;
      logger.error(
        `controller ${controller}: a source of keys failed and brings no more: ${failureText(error)}`,
        error,
      );
    });
  }

  /** Does not wait for the source: what it brings later is dropped. */
  stop(): void {
    this.#stopped = true;
    const { controller, logger } = this.#options;
    void (async () => this.#iterator?.return?.())().catch((error: unknown) => {
      logger.warn(`controller ${controller}: a source of keys failed when it was left: ${failureText(error)}`, error);
    });
  }

  async #read(): Promise<void> {
    const { controller, resource, keys, enqueue, slice, logger } = this.#options;
    const iterator: AsyncIterator<unknown> = keys[Symbol.asyncIterator]();
    this.#iterator = iterator;
    while (!this.#stopped) {
      const { done, value: key } = await iterator.next();
      if (done || this.#stopped) return;
      const problem = keyProblem(key, resource);
      if (problem === undefined) enqueue(key as string);
      else
        logger.error(`controller ${controller}: a source of keys brought a wrong one, which is skipped: ${problem}.`);
      if (slice.isDue()) await slice.pause();
    }
  }
}
