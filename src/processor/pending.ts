import type { KubernetesObject } from '../api/metadata.ts';
import { Notification } from './notification.ts';
import { RingBuffer } from './ring-buffer.ts';

/**
 * What waits for one listener, oldest first. `push` and `shift` return how many notifications of the initial list they
 * have settled without a call (merged away), so that the listener's count of them stays right.
 */
export interface Pending<T extends KubernetesObject> {
  readonly length: number;
  readonly oldestAtMs: number | undefined;
  push(notification: Notification<T>): void;
  shift(): Delivered<T> | undefined;
  clear(): void;
}

export interface Delivered<T extends KubernetesObject> {
  /** None when the changes cancelled each other out; two when the object was replaced by another of the same name. */
  readonly notifications: readonly Notification<T>[];
  /** How many notifications of the initial list this settles. */
  readonly initial: number;
}

/** `delivery: 'all'`. */
export class EveryChange<T extends KubernetesObject> implements Pending<T> {
  readonly #ring = new RingBuffer<Notification<T>>();

  get length(): number {
    return this.#ring.length;
  }

  get oldestAtMs(): number | undefined {
    return this.#ring.peek()?.atMs;
  }

  push(notification: Notification<T>): void {
    this.#ring.push(notification);
  }

  shift(): Delivered<T> | undefined {
    const notification = this.#ring.shift();
    return notification && { notifications: [notification], initial: notification.isInitial ? 1 : 0 };
  }

  clear(): void {
    this.#ring.clear();
  }
}

interface Merged<T extends KubernetesObject> {
  /** As it came: delivered as it is when nothing was merged into it. */
  readonly first: Notification<T>;
  /** The newest change; what it leaves behind is what the listener will end up with. */
  last: Notification<T>;
  initial: number;
}

/**
 * `delivery: 'latest'`. Keeps, for each object, the state that the listener knew before the first waiting change and the
 * state after the last one, and delivers the difference.
 */
export class LatestChange<T extends KubernetesObject> implements Pending<T> {
  /** In the order of the first waiting change of each object. */
  readonly #byKey = new Map<string, Merged<T>>();

  get length(): number {
    return this.#byKey.size;
  }

  get oldestAtMs(): number | undefined {
    for (const merged of this.#byKey.values()) return merged.first.atMs;
    return undefined;
  }

  push(notification: Notification<T>): void {
    const waiting = this.#byKey.get(notification.object.key);
    const initial = notification.isInitial ? 1 : 0;
    if (waiting) {
      waiting.last = notification;
      waiting.initial += initial;
    } else this.#byKey.set(notification.object.key, { first: notification, last: notification, initial });
  }

  shift(): Delivered<T> | undefined {
    for (const [key, merged] of this.#byKey) {
      this.#byKey.delete(key);
      return { notifications: difference(merged), initial: merged.initial };
    }
    return undefined;
  }

  clear(): void {
    this.#byKey.clear();
  }
}

function difference<T extends KubernetesObject>({ first, last, initial }: Merged<T>): Notification<T>[] {
  if (first === last) return [first];
  const before = first.type === 'add' ? undefined : (first.old ?? first.object);
  const after = last.type === 'delete' ? undefined : last.object;
  if (!before) return after ? [Notification.add(after, initial > 0, first.atMs)] : [];
  if (!after) {
    // The listener knew `before`; an object of another uid that came and went in between is none of its business.
    const known = last.object.uid === before.uid ? last.object : before;
    return [Notification.delete(known, last.flag || known === before, first.atMs)];
  }
  if (before.uid === after.uid) return [Notification.update(before, after, first.atMs)];
  return [Notification.delete(before, true, first.atMs), Notification.add(after, initial > 0, first.atMs)];
}
