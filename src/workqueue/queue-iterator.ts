import type { GetOptions } from './workqueue.ts';

interface Source<T> {
  get(options: GetOptions): Promise<T | undefined>;
  done(item: T): void;
}

/**
 * Hands out one item at a time; an item is done when the next one is asked for, or the loop is left. Leaving also ends a wait for
 * the next item at once.
 */
export class QueueIterator<T> implements AsyncIterableIterator<T> {
  readonly #source: Source<T>;
  readonly #leaving = new AbortController();
  #held: { readonly item: T } | undefined;
  /** One `next` after the other, also when they are not awaited. */
  #last: Promise<IteratorResult<T, undefined>> = Promise.resolve({ done: true, value: undefined });

  constructor(source: Source<T>) {
    this.#source = source;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    this.#last = this.#last.then(() => this.#advance());
    return this.#last;
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#leaving.abort();
    await this.#last;
    this.#release();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #advance(): Promise<IteratorResult<T, undefined>> {
    this.#release();
    if (this.#leaving.signal.aborted) return { done: true, value: undefined };
    let item: T | undefined;
    try {
      item = await this.#source.get({ signal: this.#leaving.signal });
    } catch (error) {
      if (!this.#leaving.signal.aborted) throw error;
    }
    if (item === undefined) return { done: true, value: undefined };
    this.#held = { item };
    return { done: false, value: item };
  }

  #release(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#source.done(held.item);
  }
}
