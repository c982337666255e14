import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { Notification } from './notification.ts';

/**
 * What several changes of one object come to. Keeps the state that the listener knew before the first of them and the
 * state after the last one, and nothing in between.
 */
export class Difference<T extends KubernetesObject> {
  /** When the first of the changes came. */
  readonly atMs: number;
  /** What the listener knows; undefined when it knows nothing. */
  readonly #before: Cached<T> | undefined;
  /** As of the last change. */
  type: Notification<T>['type'];
  object: Cached<T>;
  flag: boolean;
  change: number;
  /** How many notifications of the initial list this settles. */
  initial: number;

  constructor({ type, object, old, flag, atMs, initial, change }: Notification<T>) {
    this.atMs = atMs;
    this.#before = type === 'add' ? undefined : (old ?? object);
    this.type = type;
    this.object = object;
    this.flag = flag;
    this.change = change;
    this.initial = initial;
  }

  /** Whether the object came and went, and the listener need not be notified. */
  get isNothing(): boolean {
    return this.#before === undefined && this.type === 'delete';
  }

  /** `later` must follow from the last change. */
  merge({ type, object, flag, change, initial }: Notification<T> | Difference<T>): void {
    this.type = type;
    this.object = object;
    this.flag = flag;
    this.change = change;
    this.initial += initial;
  }

  /** None when the changes cancelled each other out; two when the object was replaced by another of the same name. */
  notifications(): Notification<T>[] {
    const notifications = this.#notifications();
    for (const notification of notifications) notification.change = this.change;
    return notifications;
  }

  #notifications(): Notification<T>[] {
    const before = this.#before;
    const { object, type } = this;
    if (before === undefined) return this.isNothing ? [] : [this.#addition()];
    if (type === 'delete') {
      // The listener knew `before`; it was never notified of another uid that came and went in between.
      if (object.uid !== before.uid) return [Notification.delete(before, true, this.atMs)];
      return [Notification.delete(object, this.flag, this.atMs, before)];
    }
    if (before.uid === object.uid) return [Notification.update(before, object, this.atMs)];
    return [Notification.delete(before, true, this.atMs), this.#addition()];
  }

  #addition(): Notification<T> {
    return Notification.add(this.object, this.initial > 0, this.atMs);
  }
}
