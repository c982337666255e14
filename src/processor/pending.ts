import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { Notification } from './notification.ts';
import { RingBuffer } from './ring-buffer.ts';

/** What waits for one listener, oldest first. */
export interface Pending<T extends KubernetesObject> {
  readonly length: number;
  readonly oldestAtMs: number | undefined;
  /** Whether what is to be delivered next was replayed, and so has passed no filter. */
  readonly isReplaying: boolean;
  /** `isShared`: it waits for other listeners too. */
  push(notification: Notification<T>, isShared: boolean): void;
  /** What is to be delivered next. */
  shift(): Notification<T> | Difference<T> | undefined;
  clear(): void;
}

/** What several changes of one object come to. */
export interface Difference<T extends KubernetesObject> {
  /** None when the changes cancelled each other out; two when the object was replaced by another of the same name. */
  readonly notifications: readonly Notification<T>[];
  /** How many notifications of the initial list this settles. */
  readonly initial: number;
}

/** `delivery: 'all'`. */
export class EveryChange<T extends KubernetesObject> implements Pending<T> {
  /** An object stands for its addition as a part of the initial list: of those there may be a million. */
  readonly #ring = new RingBuffer<Notification<T> | Cached<T>>();
  /** When the oldest of those objects came, or one before it. */
  #listedAtMs: number | undefined;
  /** Comes before all else; each is made a notification when its turn has come, since there may be a million. */
  #replay: { readonly present: readonly Cached<T>[]; readonly atMs: number; next: number } | undefined;

  get length(): number {
    return this.#ring.length + (this.#replay ? this.#replay.present.length - this.#replay.next : 0);
  }

  get oldestAtMs(): number | undefined {
    if (this.#replay !== undefined) return this.#replay.atMs;
    const oldest = this.#ring.peek();
    return oldest instanceof Notification ? oldest.atMs : oldest && this.#listedAtMs;
  }

  get isReplaying(): boolean {
    return this.#replay !== undefined;
  }

  /** As pushing the addition of each, as a part of the initial list; to be called before anything is pushed. */
  replay(present: readonly Cached<T>[], atMs: number): void {
    if (present.length > 0) this.#replay = { present, atMs, next: 0 };
  }

  push(notification: Notification<T>, isShared: boolean): void {
    const isObjectEnough = notification.isInitial && !isShared && !notification.hasView;
    if (isObjectEnough) this.#listedAtMs ??= notification.atMs;
    this.#ring.push(isObjectEnough ? notification.object : notification);
  }

  shift(): Notification<T> | undefined {
    const replay = this.#replay;
    if (replay === undefined) return this.#nextInRing();
    const object = replay.present[replay.next++];
    if (replay.next >= replay.present.length) this.#replay = undefined;
    return object && Notification.add(object, true, replay.atMs);
  }

  clear(): void {
    this.#replay = undefined;
    this.#ring.clear();
  }

  #nextInRing(): Notification<T> | undefined {
    const next = this.#ring.shift();
    if (next === undefined || next instanceof Notification) return next;
    const notification = Notification.add(next, true, this.#listedAtMs ?? 0);
    if (this.#ring.length === 0) this.#listedAtMs = undefined;
    return notification;
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

  get isReplaying(): boolean {
    return false;
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

  shift(): Notification<T> | Difference<T> | undefined {
    for (const [key, merged] of this.#byKey) {
      this.#byKey.delete(key);
      if (merged.first === merged.last) return merged.first;
      return { notifications: difference(merged), initial: merged.initial };
    }
    return undefined;
  }

  clear(): void {
    this.#byKey.clear();
  }
}

function difference<T extends KubernetesObject>({ first, last, initial }: Merged<T>): Notification<T>[] {
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
