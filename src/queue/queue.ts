import type { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';

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

/** The queue was closed; `pop` rejects with it once nothing is left. client-go's `ErrFIFOClosed`. */
export class QueueClosedError extends Error {
  override readonly name = 'QueueClosedError';
}

/**
 * Between the reflector and the store: what changed, in order. One producer, one consumer.
 *
 * Promised: the changes of one object come out in the order in which they went in; every object that changed comes out;
 * `hasSynced` turns true, for good, when everything of the first `replace` (or of the first add, update or delete, if
 * that came before) has been popped and processed. Not promised: an order between objects (the in-order queue gives it),
 * or that each intermediate change of an object is seen on its own.
 */
export interface Queue<T> {
  add(object: T): void;
  update(object: T): void;
  /** Dropped when the object is neither known nor queued (the in-order queue always takes it). */
  delete(object: T | DeletedFinalStateUnknown<T>): void;
  /** Queues every object as `Replaced`, and a tombstone for each that is known or queued and not among them. */
  replace(objects: readonly T[], resourceVersion: string): void;
  /** Queues a `Sync` for each known object that has nothing pending. */
  resync(): void;

  /**
   * Waits for the next object, hands its deltas to `process`, and resolves with them when that has settled. Rejects with
   * `QueueClosedError` after `close` (what was queued before is lost), and with what `process` threw; with
   * `retryOnError` the deltas have then been put back, before newer ones of that object.
   */
  pop(process: ProcessDeltas<T>): Promise<Deltas<T>>;
  /** As `pop`, without waiting and for a synchronous `process`; undefined when nothing is queued. Throws what `process` threw. */
  popNow(process: (deltas: Deltas<T>, isInInitialList: boolean) => void): Deltas<T> | undefined;
  /** Resolves when something is queued or the queue is closed. */
  whenReady(): Promise<void>;

  hasSynced(): boolean;
  close(): void;
  readonly isClosed: boolean;
  /** How many objects (in-order queue: changes) wait. */
  readonly length: number;
}
