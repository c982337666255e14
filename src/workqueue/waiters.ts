import type { GetOptions } from './workqueue.ts';

interface Waiter<T> {
  readonly resolve: (item: T | undefined) => void;
  /** Takes the listener off the signal. */
  readonly release: (() => void) | undefined;
}

/** Those who wait for an item, in the order in which they came. */
export class Waiters<T> {
  readonly #waiting = new Set<Waiter<T>>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  wait({ signal }: GetOptions): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      if (!signal) {
        this.#waiting.add({ resolve, release: undefined });
        return;
      }
      const onAbort = () => {
        this.#waiting.delete(waiter);
        reject(signal.reason);
      };
      const waiter: Waiter<T> = { resolve, release: () => signal.removeEventListener('abort', onAbort) };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter);
    });
  }

  /** Gives the item to the one who has waited longest. */
  serve(item: T | undefined): void {
    for (const waiter of this.#waiting) {
      this.#waiting.delete(waiter);
      waiter.release?.();
      waiter.resolve(item);
      return;
    }
  }

  /** Nobody gets anything more. */
  dismiss(): void {
    while (!this.isEmpty) this.serve(undefined);
  }
}
