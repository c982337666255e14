import { aClock, aFunction, aLogger, aMeter, aText, type OptionChecks } from '../api/option-check.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';

/** Options of every work queue. */
export interface WorkQueueOptions<T> {
  /** For messages and metrics. Without a name there are no metrics. client-go's `Name`. */
  name?: string | undefined;
  /**
   * Two items with the same key are the same item. Strings, numbers and bigints need none: they are their own keys. Items of any
   * other type need one, because two objects that look alike are not the same to JavaScript.
   */
  keyOf?: ((item: T) => string) | undefined;
  /** Whose time and turns it goes by. Default: the machine's. */
  clock?: Clock | undefined;
  /** Default: warnings and errors on the console. */
  logger?: Logger | undefined;
  /** Default: none. The names and labels are controller-runtime's: `workqueue_depth` and so on. */
  metrics?: Metrics | undefined;
}

export const WORK_QUEUE_CHECKS: OptionChecks<WorkQueueOptions<unknown>> = {
  name: aText,
  keyOf: aFunction,
  clock: aClock,
  logger: aLogger,
  metrics: aMeter,
};

/** Options of `queue.get`. */
export interface GetOptions {
  /** Ends the wait: `get` rejects with its reason, and no item is taken. */
  signal?: AbortSignal | undefined;
}

/**
 * Work to do, each item once. client-go's `workqueue.TypedInterface`.
 *
 * Promised:
 * - An item that waits is in the queue once, however often it is added.
 * - An item is never handed out twice at a time. Added while it is being worked on, it is handed out once more after `done`.
 * - Items are handed out in the order in which they began to wait.
 * - Whoever has waited longest in `get` is served first.
 *
 * Every item that was handed out must be given back with `done`, whether the work succeeded or not; until then nobody else gets
 * it. A loop with `for await` does that by itself.
 */
export interface Queue<T> extends AsyncIterable<T> {
  /** How many items wait to be handed out. Those that are being worked on do not count. */
  readonly length: number;
  /** After `shutDown` or `shutDownWithDrain`. */
  readonly isShuttingDown: boolean;
  /** Does nothing once the queue is shutting down. */
  add(item: T): void;
  /** The next item, as soon as there is one; undefined once the queue is shutting down and nothing waits. */
  get(options?: GetOptions): Promise<T | undefined>;
  /** The next item if one waits now. */
  tryGet(): T | undefined;
  /** The work on the item has ended. Of an item that was not handed out it is reported, and changes nothing. */
  done(item: T): void;
  /** Takes nothing more. What waits is still handed out. Ends a `shutDownWithDrain` that still waits. */
  shutDown(): void;
  /** As `shutDown`; resolves when nothing waits and nothing is being worked on. */
  shutDownWithDrain(): Promise<void>;
}

/** How long an item waits before it is tried again. client-go's `TypedRateLimiter`. */
export interface RateLimiter<T> {
  /** The wait before the next try, in milliseconds. Each call counts as one more try. */
  when(item: T): number;
  /** The item is done with: its next failure counts as the first. */
  forget(item: T): void;
  /** How many tries have been counted since the item was forgotten. */
  numRequeues(item: T): number;
}
