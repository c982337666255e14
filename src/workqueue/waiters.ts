import { onAbort } from '../observe/interruption.ts';
import type { GetOptions } from './workqueue.ts';

interface Waiter<T> {
  readonly resolve: (item: T | undefined) => void;
  /** Takes the listener off the signal. */
  readonly release: () => void;
}

/** Those who wait for an item, in the order in which they came. */
export class Waiters<T> {
  readonly #waiting = new Set<Waiter<T>>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  wait({ signal }: GetOptions): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const release = onAbort(signal, () => {
        this.#waiting.delete(waiter);
        reject(signal?.reason);
      });
      const waiter: Waiter<T> = { resolve, release };
      this.#waiting.add(waiter);
    });
  }

  /** Gives the item to the one who has waited longest. */
  serve(item: T | undefined): void {
    for (const waiter of this.#waiting) {
      this.#waiting.delete(waiter);
      waiter.release();
      waiter.resolve(item);
      return;
    }
  }

  /** Nobody gets anything more. */
  dismiss(): void {
    while (!this.isEmpty) this.serve(undefined);
  }
}
