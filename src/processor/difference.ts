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
  #object: Cached<T>;
  #isGone: boolean;
  #flag: boolean;
  #initial: number;
  #change: number;

  constructor(first: Notification<T>) {
    const { type, object, old, flag, atMs, isInitial } = first;
    this.atMs = atMs;
    this.#before = type === 'add' ? undefined : (old ?? object);
    this.#object = object;
    this.#isGone = type === 'delete';
    this.#flag = flag;
    this.#initial = isInitial ? 1 : 0;
    this.#change = first.change;
  }

  /** How many notifications of the initial list this settles. */
  get initial(): number {
    return this.#initial;
  }

  /** Whether the object came and went, and the listener need not be notified. */
  get isNothing(): boolean {
    return this.#before === undefined && this.#isGone;
  }

  /** `later` must follow from the last change. */
  merge(later: Notification<T> | Difference<T>): void {
    if (later instanceof Notification) {
      this.#object = later.object;
      this.#isGone = later.type === 'delete';
      this.#flag = later.flag;
      if (later.isInitial) this.#initial++;
      this.#change = later.change;
    } else {
      this.#object = later.#object;
      this.#isGone = later.#isGone;
      this.#flag = later.#flag;
      this.#initial += later.#initial;
      this.#change = later.#change;
    }
  }

  /** None when the changes cancelled each other out; two when the object was replaced by another of the same name. */
  notifications(): Notification<T>[] {
    const notifications = this.#notifications();
    for (const notification of notifications) notification.change = this.#change;
    return notifications;
  }

  #notifications(): Notification<T>[] {
    const before = this.#before;
    const object = this.#object;
    if (before === undefined) return this.#isGone ? [] : [this.#addition()];
    if (this.#isGone) {
      // The listener knew `before`; it was never notified of another uid that came and went in between.
      if (object.uid !== before.uid) return [Notification.delete(before, true, this.atMs)];
      return [Notification.delete(object, this.#flag, this.atMs, before)];
    }
    if (before.uid === object.uid) return [Notification.update(before, object, this.atMs)];
    return [Notification.delete(before, true, this.atMs), this.#addition()];
  }

  #addition(): Notification<T> {
    return Notification.add(this.#object, this.#initial > 0, this.atMs);
  }
}
