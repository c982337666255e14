import type { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import type { KeyFunction } from '../api/key.ts';
import { aBoolean, aClock, aFunction, aLogger, anObject, type OptionChecks } from '../api/option-check.ts';
import { brandError, TidewatchError } from '../api/tidewatch-error.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';

/**
 * `Replaced`: seen in a list, not known whether it changed. `Sync`: queued again by the resync timer.
 * client-go's `cache.DeltaType`.
 */
export type DeltaType = 'Added' | 'Updated' | 'Deleted' | 'Replaced' | 'Sync';

/** One change of one object. Only `Deleted` can carry a tombstone. client-go's `cache.Delta`. */
export interface Delta<T> {
  readonly type: DeltaType;
  readonly object: T | DeletedFinalStateUnknown<T>;
}

/** The changes of one object, oldest first, never empty. client-go's `cache.Deltas`. */
export type Deltas<T> = readonly Delta<T>[];

/** `isInInitialList`: the object was put there by the first `replace`. */
export type ProcessDeltas<T> = (deltas: Deltas<T>, isInInitialList: boolean) => void | Promise<void>;

/** What the queue must know about the state downstream of it, to find what vanished. client-go's `KeyListerGetter`. */
export interface KnownObjects<T> {
  listKeys(): Iterable<string>;
  getByKey(key: string): T | undefined;
}

/** What both queues take. */
export interface QueueOptions<T> {
  /**
   * The key of an object. Never asked for a tombstone, which carries its key. What it throws reaches the caller as a
   * `KeyError`. Default: `metaNamespaceKey`. client-go's `KeyFunction`.
   */
  keyFunction?: KeyFunction<T> | undefined;
  /** What the consumer holds. Without it only queued objects can vanish, and `resync` does nothing. client-go's `KnownObjects`. */
  knownObjects?: KnownObjects<T> | undefined;
  /**
   * Called once for each object before it is queued, but neither for tombstones nor for `Sync`, whose objects have been
   * through it. Must return an object with the same key. client-go's `Transformer`.
   */
  transform?: ((object: T) => T) | undefined;
  /** Whether a `pop` whose processing fails puts its deltas back. Default false: they are dropped. client-go's `RetryOnError`. */
  retryOnError?: boolean | undefined;
  /** Hears of known objects that cannot be looked up. Default: warnings to the console. */
  logger?: Logger | undefined;
  /** Whose turns a long `replace` is cut into. Default: the machine's. */
  clock?: Clock | undefined;
}

export const QUEUE_CHECKS: OptionChecks<QueueOptions<unknown>> = {
  keyFunction: aFunction,
  knownObjects: anObject,
  transform: aFunction,
  retryOnError: aBoolean,
  logger: aLogger,
  clock: aClock,
};

/** The queue was closed. client-go's `ErrFIFOClosed`. */
export class QueueClosedError extends TidewatchError {
  declare readonly name: 'QueueClosedError';
  declare readonly kind: 'closed';

  static {
    brandError(QueueClosedError, 'QueueClosedError');
  }

  constructor(message = 'the queue is closed', options?: ErrorOptions) {
    super('closed', message, options);
  }
}

/**
 * Between the reflector and the store: what changed, in order. One producer, one consumer.
 *
 * Promised: the changes of one object come out in the order in which they went in; every object that changed comes out;
 * `hasSynced` turns true, for good, when everything of the first `replace` has been popped and processed, and at once
 * when that was empty or when an add, update or delete came before it. A call that throws or rejects has changed nothing. Deltas
 * that are being processed still count as queued for `delete`, `replace` and `resync`. Not promised: an order between
 * objects (the in-order queue gives it), or that each intermediate change of an object is seen on its own.
 */
export interface Queue<T> {
  /** Queues the object as `Added`. */
  add(object: T): void;
  /** Queues the object as `Updated`. */
  update(object: T): void;
  /** Dropped when the object is neither known nor queued (the in-order queue always takes it). */
  delete(object: T | DeletedFinalStateUnknown<T>): void;
  /**
   * Queues every object as `Replaced`, and a tombstone for each that is known or queued and not among them; in slices, so that a
   * large list does not hold the event loop. Nothing of a first list comes out before it has settled. Until then the producer must
   * call nothing else but `resync` and `close`.
   */
  replace(objects: readonly T[], resourceVersion: string): Promise<void>;
  /** Queues a `Sync` for each known object that has nothing pending. */
  resync(): void;

  /**
   * Waits for the next object, hands its deltas to `process`, and resolves with them when that has settled. Several
   * calls are served in their order, each when the one before has settled, so `process` must not await another `pop`.
   * Rejects with `QueueClosedError` after `close` (what was queued before is lost), and with what `process` threw; with
   * `retryOnError` the deltas have then been put back, before newer ones of that object.
   */
  pop(process: ProcessDeltas<T>): Promise<Deltas<T>>;
  /**
   * As `pop`, without waiting for something to be queued: undefined when nothing is. Returns a promise only when `process`
   * does, and throws what `process` throws. Throws when another pop is being processed.
   */
  popNow(process: (deltas: Deltas<T>, isInInitialList: boolean) => unknown): Deltas<T> | Promise<Deltas<T>> | undefined;
  /** Resolves when something is queued or the queue is closed. */
  whenReady(): Promise<void>;

  /** Whether everything of the first `replace` has been processed; see above. */
  hasSynced(): boolean;
  /** Final. Drops what is queued, rejects every waiting `pop`, and ignores what comes later. */
  close(): void;
  /** After `close`. */
  readonly isClosed: boolean;
  /** How many objects (in-order queue: changes) wait. */
  readonly length: number;
}
