import type { Resource } from '../api/resource.ts';
import { messageOf } from '../observe/guarded.ts';
import type { Logger } from '../observe/logger.ts';
import type { TimeSlice } from '../observe/scheduler.ts';
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
  #wrongKeys = 0;

  constructor(options: KeySourceOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#read().catch((error: unknown) => {
      if (this.#stopped) return;
      const { controller, logger } = this.#options;
      logger.error(`controller ${controller}: a source of keys failed and brings no more: ${messageOf(error)}`, error);
    });
  }

  /** Does not wait for the source: what it brings later is dropped. */
  stop(): void {
    this.#stopped = true;
    const { controller, logger } = this.#options;
    void (async () => this.#iterator?.return?.())().catch((error: unknown) => {
      logger.warn(`controller ${controller}: a source of keys failed when it was left: ${messageOf(error)}`, error);
    });
  }

  async #read(): Promise<void> {
    const { resource, keys, enqueue, slice } = this.#options;
    const iterator: AsyncIterator<unknown> = keys[Symbol.asyncIterator]();
    this.#iterator = iterator;
    while (!this.#stopped) {
      const result: unknown = await iterator.next();
      if (this.#stopped) return;
      // As `for await` has it. Without this, such a source would bring undefined without an end.
      if (!isObject(result))
        throw new TypeError(`its next() gave ${String(result)}, which is not a result of an iterator`);
      const { done, value: key } = result as IteratorResult<unknown>;
      if (done) return;
      const problem = keyProblem(key, resource);
      if (problem === undefined) enqueue(key as string);
      else this.#report(problem);
      if (slice.isDue()) await slice.pause();
    }
  }

  /** The first, the second, the fourth and so on: a source that brings nothing else must not fill the log. */
  #report(problem: string): void {
    const count = ++this.#wrongKeys;
    if ((count & (count - 1)) !== 0) return;
    const { controller, logger } = this.#options;
    const sum = count === 1 ? '' : ` (${count} so far)`;
    logger.error(`controller ${controller}: a source of keys brought a wrong one${sum}, which is skipped: ${problem}.`);
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
