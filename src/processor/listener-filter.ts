import type { Cached } from '../api/cached.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import { isPromise } from '../api/promise-like.ts';
import { Notification } from './notification.ts';

export interface ListenerFilterOptions<T extends KubernetesObject> {
  /** `view` decodes the object, once for all listeners of the change. */
  passes: (object: Cached<T>, view: () => Stored<T>) => boolean;
  onFailure: (notification: Notification<T>, error: unknown) => void;
}

/**
 * The part of the objects that one listener is shown. Remembers which those are: what a change means for the listener
 * follows from what it has been shown, and from whether the new state passes. So it is notified of a deletion even if the
 * final state does not pass, and never of an object that it was not shown, whatever the filter says from call to call.
 * What the filter fails on does not pass, and is reported.
 */
export class ListenerFilter<T extends KubernetesObject> {
  readonly #options: ListenerFilterOptions<T>;
  /** The keys of what the listener will know when all that waits has been delivered. */
  readonly #shown = new Set<string>();
  /**
   * While the initial list is on its way: whether the listed state of an object passes, for all that had their turn or
   * changed before it. Such a change cannot wait for the turn of its object to know whether that is shown.
   */
  #listed: Map<string, boolean> | undefined;

  constructor(options: ListenerFilterOptions<T>) {
    this.#options = options;
  }

  beginReplay(): void {
    this.#listed = new Map();
  }

  endReplay(): void {
    this.#listed = undefined;
  }

  /** Whether the listener is shown an object of its initial list, whose turn has come. */
  replayed(addition: Notification<T>): boolean {
    const { key } = addition.object;
    const known = this.#listed?.get(key);
    if (known !== undefined) return known;
    const passes = this.#passes(addition, addition.object, () => addition.view());
    this.#listed?.set(key, passes);
    if (passes) this.#shown.add(key);
    return passes;
  }

  /** What a change is for the listener; undefined when it does not concern it. */
  changed(notification: Notification<T>): Notification<T> | undefined {
    const { type, object, old, atMs } = notification;
    const { key } = object;
    if (this.#listed !== undefined) this.#judgeListed(notification, this.#listed);
    if (type === 'delete') return this.#shown.delete(key) ? notification : undefined;
    if (this.#passes(notification, object, () => notification.view())) {
      if (this.#shown.has(key)) return notification;
      this.#shown.add(key);
      return type === 'add' ? notification : Notification.add(object, false, atMs);
    }
    return this.#shown.delete(key) ? Notification.delete(old ?? object, false, atMs) : undefined;
  }

  /** An object that changes before its turn: the state that was listed is the one before the change. */
  #judgeListed(notification: Notification<T>, listed: Map<string, boolean>): void {
    const { object, old } = notification;
    if (listed.has(object.key)) return;
    const isShown = this.#shown.has(object.key);
    const passes = isShown || (old !== undefined && this.#passes(notification, old, () => notification.oldView()));
    listed.set(object.key, passes);
    if (passes) this.#shown.add(object.key);
  }

  #passes(notification: Notification<T>, object: Cached<T>, view: () => Stored<T>): boolean {
    try {
      const passes: unknown = this.#options.passes(object, view);
      if (!isPromise(passes)) return Boolean(passes);
      throw new TypeError('it returned a promise, and must return true or false');
    } catch (error) {
      this.#options.onFailure(notification, error);
      return false;
    }
  }
}
