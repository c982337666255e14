import { onAbort } from './interruption.ts';

/**
 * An async generator that can be left while it waits. `return` and `throw` of a plain one are heard only when what it waits for has come,
 * which for a quiet watch may be never; here they abort the work, whose pending `next` then ends.
 */
export class InterruptibleStream<T> implements AsyncGenerator<T, void, undefined> {
  readonly #work = new AbortController();
  readonly #items: AsyncGenerator<T, void, undefined>;
  readonly #signal: AbortSignal | undefined;
  /** Unset until the work begins. */
  #forgetSignal: (() => void) | undefined;

  /** @param work begins with the first `next`, ends when its signal aborts: because of `signal`, or because the stream was left. */
  constructor(work: (signal: AbortSignal) => AsyncGenerator<T, void, undefined>, signal: AbortSignal | undefined) {
    this.#items = work(this.#work.signal);
    this.#signal = signal;
  }

  async next(): Promise<IteratorResult<T, void>> {
    this.#forgetSignal ??= onAbort(this.#signal, () => this.#work.abort(this.#signal?.reason));
    try {
      const result = await this.#items.next();
      if (result.done) this.#forgetSignal();
      return result;
    } catch (error) {
      this.#forgetSignal();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<T, void>> {
    this.#forgetSignal?.();
    this.#work.abort();
    await this.#items.return();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<IteratorResult<T, void>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
