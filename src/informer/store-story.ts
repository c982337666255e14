import type { CachedChange } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { channels, nextId, type StoreValue, type Writable } from '../observe/channels.ts';
import type { Notification } from '../processor/notification.ts';
import type { TraceOrigin } from '../reflector/reflector-trace.ts';

/** How many keys may be remembered while nothing is queued: clearing a map after each change would cost more than the change. */
const MAX_IDLE_KEYS = 1_024;

/** Tells the channel `tidewatch:store` what a part has changed, and which list or batch of frames brought it. To be called while somebody listens. */
export class StoreStory {
  readonly #origin: TraceOrigin;
  readonly #current: () => number;
  /** By key, what brought the last change since the last list. */
  readonly #frames = new Map<string, number>();
  #list = 0;

  /** @param current the id of what the reflector writes */
  constructor(origin: TraceOrigin, current: () => number) {
    this.#origin = origin;
    this.#current = current;
  }

  /** The change is about to be queued. */
  comes(change: CachedChange<KubernetesObject>): void {
    if (change.type === 'LIST') {
      this.#list = this.#current();
      this.#frames.clear();
    } else if ('object' in change) this.#frames.set(change.object.key, this.#current());
  }

  /** The store has changed. */
  changed(notification: Notification<KubernetesObject>): void {
    const { type, object, old, atMs } = notification;
    const { key, uid, resourceVersion } = object;
    const from = this.#frames.get(key) || this.#list;
    const id = nextId();
    notification.change = id;
    const { name, informer, namespace } = this.#origin;
    // Fields one by one: a literal with several spreads costs more than all else that is done for a change here.
    const value: Writable<StoreValue> = { id, name, type, key, uid, resourceVersion, atMs };
    if (informer !== undefined) value.informer = informer;
    if (namespace !== undefined) value.namespace = namespace;
    if (from > 0) value.from = from;
    if (old !== undefined) value.oldResourceVersion = old.resourceVersion;
    channels.store.publish(value);
  }

  /** Nothing is queued any more. What comes while nobody listens is not noted, so that nothing noted before it may stay. */
  idle(): void {
    if (this.#frames.size > MAX_IDLE_KEYS || !channels.store.hasSubscribers) this.#frames.clear();
  }
}
