import type { KubernetesObject, Stored } from '../api/metadata.ts';

/**
 * What an informer calls when an object changes. Each function may be absent; each may be async and is then awaited before
 * the next call.
 *
 * Promised, for each object (each uid): `onAdd`, then any number of `onUpdate`, then `onDelete`, in this order; when a
 * call is made, the store already holds that state or a newer one. An object that was deleted and created again under the
 * same name is two objects: `onDelete` of the old one, then `onAdd` of the new one, even if the watch missed the
 * deletion. Not promised: an order between objects, and a call for each state in between.
 *
 * A call that throws or rejects is reported with the handler's name and skipped; the next call comes without a pause.
 * client-go's `cache.ResourceEventHandler`.
 */
export interface ResourceEventHandler<T extends KubernetesObject> {
  /** `isInInitialList`: the object was there before this handler began to listen. */
  onAdd?: ((object: Stored<T>, isInInitialList: boolean) => void | Promise<void>) | undefined;
  /** Also called in a resync, with the same object on both sides. */
  onUpdate?: ((oldObject: Stored<T>, newObject: Stored<T>) => void | Promise<void>) | undefined;
  /** `finalStateUnknown`: the moment of the deletion was missed, so `object` is the last state seen, which may be stale. */
  onDelete?: ((object: Stored<T>, finalStateUnknown: boolean) => void | Promise<void>) | undefined;
}

/** The same as `ResourceEventHandler`, one value for each call. */
export type ResourceEvent<T extends KubernetesObject> =
  | { readonly type: 'add'; readonly object: Stored<T>; readonly isInInitialList: boolean }
  | { readonly type: 'update'; readonly oldObject: Stored<T>; readonly object: Stored<T> }
  | { readonly type: 'delete'; readonly object: Stored<T>; readonly finalStateUnknown: boolean };

/**
 * `all`: each change that reaches the cache is delivered, and waits as long as it has to. `latest`: while a change of an
 * object waits, newer ones of that object are merged into it, so that one entry waits for each object at most, with the
 * state that the handler knew before and the newest one. An object that comes and goes before the handler was called for
 * it leaves nothing behind.
 */
export type Delivery = 'all' | 'latest';

/** Options of `addEventHandler`. */
export interface HandlerOptions<T extends KubernetesObject> {
  /** Names the handler in reports. Default `handler-1`, `handler-2`, … */
  name?: string | undefined;
  /**
   * How often this handler is called again for every object, as an update. Default: the informer's. 0: never. Below 1 s
   * counts as 1 s. client-go: AddEventHandlerWithResyncPeriod.
   *
   * The first period begins when the handler is added, or with the start of the informer if that is later.
   *
   * Promised: one call in each period for every object that is in the cache when the period ends and has not changed by the
   * time its turn comes. For one that has changed, the handler gets the change instead. A state is never repeated before it
   * was shown first, nor after a newer one. A resync is skipped, with a warning, when the handler has not finished the last one, or
   * its initial list. Changes that come meanwhile take turns with the objects of the resync. Besides, when the
   * informer has to list again, this handler is called for the objects that have not changed.
   */
  resyncMs?: number | undefined;
  /**
   * The handler is called only for objects that pass. An object that begins to pass is an add, one that stops passing is a
   * delete. The deletion of an object that was shown is a delete, whatever its final state. The filter is asked when the
   * object changes, and in a resync. It must answer at once: when it throws or returns a promise, that is reported, and the
   * object does not pass.
   * client-go: FilteringResourceEventHandler.
   */
  filter?: ((object: Stored<T>) => boolean) | undefined;
  /** Default `all`. */
  delivery?: Delivery | undefined;
}

/** A handler that was added: how far it is, and how to remove it. client-go's `ResourceEventHandlerRegistration`. */
export interface HandlerRegistration extends AsyncDisposable {
  readonly name: string;
  /** Whether the handler has been called for every object of the initial list. A call that failed counts. */
  hasSynced(): boolean;
  /** Resolves when `hasSynced` turns true; rejects when the handler is removed, or the informer stops, before that. */
  readonly synced: Promise<void>;
  /** How many calls wait at most, the running one included: changes, and what is left of the initial list or a resync. */
  readonly pending: number;
  /** How long the oldest of them has waited; 0 when none does. */
  readonly lagMs: number;
  /**
   * No call begins after this; resolves when the running one has settled (so do not await it inside that call).
   * Idempotent.
   */
  remove(): Promise<void>;
}
