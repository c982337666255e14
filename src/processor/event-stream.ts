import type { KubernetesObject } from '../api/metadata.ts';
import { onAbort } from '../observe/interruption.ts';
import type { Listener } from './listener.ts';
import type { Notification } from './notification.ts';
import type { ResourceEvent } from './processor.ts';

/**
 * The changes of an informer as an async iterator: a listener that is called when its consumer asks for the next one.
 * Subscribes at the first `next`; ends, without an error, when `signal` aborts or the informer stops; leaving the loop
 * ends the subscription.
 */
export class EventStream<T extends KubernetesObject> implements AsyncIterableIterator<ResourceEvent<T>> {
  readonly #subscribe: (deliver: (notification: Notification<T>) => Promise<void>, onEnd: () => void) => Listener<T>;
  readonly #signal: AbortSignal | undefined;
  #listener: Listener<T> | undefined;
  #ended = false;
  #forgetSignal: () => void = () => {};
  /** The event that waits for its consumer; settling `taken` lets the listener go on. */
  #offered: { readonly event: ResourceEvent<T>; readonly taken: () => void } | undefined;
  /** Consumers that wait for an event, oldest first. */
  readonly #waiting: ((result: IteratorResult<ResourceEvent<T>>) => void)[] = [];

  constructor(
    subscribe: (deliver: (notification: Notification<T>) => Promise<void>, onEnd: () => void) => Listener<T>,
    signal?: AbortSignal,
  ) {
    this.#subscribe = subscribe;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<ResourceEvent<T>>> {
    this.#start();
    if (this.#ended) return { done: true, value: undefined };
    const offered = this.#offered;
    if (offered) {
      this.#offered = undefined;
      offered.taken();
      return { done: false, value: offered.event };
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async return(): Promise<IteratorResult<ResourceEvent<T>>> {
    this.#end();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<IteratorResult<ResourceEvent<T>>> {
    this.#end();
    throw error;
  }

  #start(): void {
    if (this.#listener || this.#ended) return;
    if (this.#signal?.aborted) {
      this.#ended = true;
      return;
    }
    this.#forgetSignal = onAbort(this.#signal, this.#end);
    this.#listener = this.#subscribe((notification) => this.#offer(notification), this.#end);
  }

  #offer(notification: Notification<T>): Promise<void> {
    const event = notification.toEvent();
    const waiting = this.#waiting.shift();
    if (waiting) {
      waiting({ done: false, value: event });
      return Promise.resolve();
    }
    return new Promise((taken) => {
      this.#offered = { event, taken };
    });
  }

  readonly #end = (): void => {
    if (this.#ended) return;
    this.#ended = true;
    this.#forgetSignal();
    this.#offered?.taken();
    this.#offered = undefined;
    void this.#listener?.remove();
    for (const resolve of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
  };
}
