import type { CachedChange } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { channels, nextId, type OfPart, type StoreValue, type Writable } from '../observe/channels.ts';
import type { Notification } from '../processor/notification.ts';

/**
 * Tells the channel `tidewatch:store` what a part has changed, and which list or batch of frames brought it. For as long as somebody listens: one that
 * has missed a change is let go.
 */
export class StoreStory {
  readonly #origin: OfPart;
  readonly #current: () => number;
  /** What brought all that is queued, unless `#later` knows better; 0: what came before somebody listened. */
  #first = 0;
  /** By key, what came while something was queued that something else had brought. */
  readonly #later = new Map<string, number>();

  /** @param current the id of what the reflector writes */
  constructor(origin: OfPart, current: () => number) {
    this.#origin = origin;
    this.#current = current;
  }

  /** The change is about to be queued. @param isNext nothing else is */
  comes(change: CachedChange<KubernetesObject>, isNext: boolean): void {
    const current = this.#current();
    if (isNext || change.type === 'LIST') {
      this.#first = current;
      this.idle();
    } else if (current !== this.#first && 'object' in change) this.#later.set(change.object.key, current);
  }

  /** The store has changed. */
  changed(notification: Notification<KubernetesObject>): void {
    const { type, object, old, atMs } = notification;
    const { key, uid, resourceVersion } = object;
    const from = this.#later.get(key) ?? this.#first;
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

  /** Nothing is queued any more. */
  idle(): void {
    if (this.#later.size > 0) this.#later.clear();
  }
}
