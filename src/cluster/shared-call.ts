import { onAbort } from '../observe/interruption.ts';

/**
 * One run of some work for everybody who wants its result. Whoever aborts stops waiting at once; the work itself is aborted when nobody
 * waits for it any more, and nobody may join it after that.
 */
export class SharedCall<T> {
  readonly #work = new AbortController();
  readonly #result: Promise<T>;
  #waiting = 0;
  #isSettled = false;

  /** Starts at once. */
  constructor(start: (signal: AbortSignal) => Promise<T>) {
    this.#result = start(this.#work.signal);
    const settle = () => {
      this.#isSettled = true;
    };
    this.#result.then(settle, settle);
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Calls back when it has failed, also when it was abandoned. */
  onFailure(callback: () => void): void {
    this.#result.catch(callback);
  }

  /** Whether everybody left before there was a result. */
  get isAbandoned(): boolean {
    return this.#work.signal.aborted;
  }

  /** The result, unless the signal aborts first. Without a signal the caller waits to the end. */
  join(signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#waiting += 1;
    if (signal === undefined) return this.#result;
    return new Promise((resolve, reject) => {
      const forget = onAbort(signal, () => {
        reject(signal.reason);
        this.#waiting -= 1;
        if (this.#waiting === 0 && !this.#isSettled) this.#work.abort(signal.reason);
      });
      this.#result.then(resolve, reject).finally(forget);
    });
  }
}
