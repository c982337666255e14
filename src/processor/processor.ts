import type { KubernetesObject } from '../api/metadata.ts';

/**
 * What a listener hears. Each function may be absent; each may be async and is then awaited before the next call.
 *
 * Promised, for each object (each uid): `onAdd`, then any number of `onUpdate`, then `onDelete`, in this order; when a
 * call is made, the store already holds that state or a newer one. An object that was deleted and created again under the
 * same name is two objects: `onDelete` of the old one, then `onAdd` of the new one, also when the deletion itself was
 * missed. Not promised: an order between objects, and that each state in between is heard of.
 *
 * A call that throws or rejects is reported with the handler's name and skipped; the next call comes without a pause.
 * client-go's `cache.ResourceEventHandler`.
 */
export interface ResourceEventHandler<T extends KubernetesObject> {
  /** `isInInitialList`: the object was there before this handler began to listen. */
  onAdd?(object: T, isInInitialList: boolean): void | Promise<void>;
  /** Also called in a resync, with the same object on both sides. */
  onUpdate?(oldObject: T, newObject: T): void | Promise<void>;
  /** `finalStateUnknown`: the moment of the deletion was missed, so `object` is the last state seen, which may be stale. */
  onDelete?(object: T, finalStateUnknown: boolean): void | Promise<void>;
}

/** The same as `ResourceEventHandler`, one value for each call. */
export type ResourceEvent<T extends KubernetesObject> =
  | { readonly type: 'add'; readonly object: T; readonly isInInitialList: boolean }
  | { readonly type: 'update'; readonly oldObject: T; readonly object: T }
  | { readonly type: 'delete'; readonly object: T; readonly finalStateUnknown: boolean };

/**
 * `all`: each change that reaches the cache is delivered, and waits as long as it has to. `latest`: while a change of an
 * object waits, newer ones of that object are merged into it, so that one entry waits for each object at most, with the
 * state that the handler knew before and the newest one. An object that comes and goes before the handler has heard of it
 * leaves nothing behind.
 */
export type Delivery = 'all' | 'latest';

export interface HandlerOptions<T extends KubernetesObject> {
  /** Names the handler in reports. Default `handler-1`, `handler-2`, … */
  name?: string;
  /**
   * How often this handler hears of every object again, as an update. Default: the informer's. 0: never. Below 1 s
   * counts as 1 s. client-go: AddEventHandlerWithResyncPeriod.
   *
   * Promised: in each period, once, of every object that is in the cache when the period ends and has not changed by the
   * time its turn comes. One that has is heard of through its change. A state is never shown again before it was shown
   * first, nor after a newer one. A resync is skipped, with a warning, when the handler has not finished the last one, or
   * its initial list. Changes that come meanwhile take turns with the objects of the resync. Beside the timer, a list that
   * the informer has to repeat tells this handler of what it finds unchanged.
   */
  resyncMs?: number;
  /**
   * Only what passes is heard of. An object that begins to pass is an add, one that ceases to pass is a delete, and a
   * deletion is heard of when the object was shown, whatever its final state. Asked when the object changes, and in a
   * resync; must answer at once. What it throws, or a promise, is reported, and the object does not pass.
   * client-go: FilteringResourceEventHandler.
   */
  filter?: (object: T) => boolean;
  /** Default `all`. */
  delivery?: Delivery;
}

/** The way out of a subscription, and how it fares. client-go's `ResourceEventHandlerRegistration`. */
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
