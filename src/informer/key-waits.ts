import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { deferred, isPromise } from '../api/promise-like.ts';
import type { Notification } from '../processor/notification.ts';

/** What is asked of each state of an object; undefined: there is none. */
export type CachedCondition<T extends KubernetesObject> = (object: Cached<T> | undefined) => boolean;

export interface KeyWait<T extends KubernetesObject> {
  /** The state that meets the condition. Rejects when the condition throws, or the wait fails. Never settles after `cancel`. */
  readonly met: Promise<Cached<T> | undefined>;
  /** Looks at a state now. */
  look(object: Cached<T> | undefined): void;
  fail(reason: unknown): void;
  cancel(): void;
}

/** Who waits for a state of one object. Sees each state that reaches the cache, in the turn in which it does. */
export class KeyWaits<T extends KubernetesObject> {
  readonly #byKey = new Map<string, Set<KeyWait<T>>>();

  /** How many objects somebody waits for. */
  get size(): number {
    return this.#byKey.size;
  }

  keys(): readonly string[] {
    return [...this.#byKey.keys()];
  }

  add(key: string, condition: CachedCondition<T>): KeyWait<T> {
    const waits = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, waits);
    const { promise: met, resolve, reject } = deferred<Cached<T> | undefined>();
    // Whoever gave up waiting does not hear of a failure that comes later.
    met.catch(() => {});
    const cancel = () => {
      waits.delete(wait);
      if (waits.size === 0 && this.#byKey.get(key) === waits) this.#byKey.delete(key);
    };
    const wait: KeyWait<T> = {
      met,
      cancel,
      look: (object) => {
        if (!waits.has(wait)) return;
        try {
          if (!isMet(condition, object)) return;
          resolve(object);
        } catch (thrown) {
          reject(thrown);
        }
        cancel();
      },
      fail: (reason) => {
        reject(reason);
        cancel();
      },
    };
    waits.add(wait);
    return wait;
  }

  changed({ type, object }: Notification<T>): void {
    this.look(object.key, type === 'delete' ? undefined : object);
  }

  look(key: string, object: Cached<T> | undefined): void {
    for (const wait of [...(this.#byKey.get(key) ?? [])]) wait.look(object);
  }

  fail(key: string, reason: unknown): void {
    for (const wait of [...(this.#byKey.get(key) ?? [])]) wait.fail(reason);
  }
}

function isMet<T extends KubernetesObject>(condition: CachedCondition<T>, object: Cached<T> | undefined): boolean {
  const answer: unknown = condition(object);
  if (isPromise(answer)) {
    throw new TypeError('the condition of waitUntil returned a promise: it must answer at once, with true or false');
  }
  return Boolean(answer);
}
