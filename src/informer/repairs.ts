import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';

/** Which objects have turned out to be damaged, and which were fetched to take their place. Keeps none of them alive. */
export class Repairs<T extends KubernetesObject> {
  readonly #damaged = new WeakSet<Cached<T>>();
  readonly #fetched = new WeakSet<Cached<T>>();

  damaged(object: Cached<T>): void {
    this.#damaged.add(object);
  }

  isDamaged(object: Cached<T>): boolean {
    return this.#damaged.has(object);
  }

  fetched(object: Cached<T>): void {
    this.#fetched.add(object);
  }

  /**
   * Whether it was fetched as a repair, and is not of the version that is there: the object has changed or has been deleted.
   * Unlike an event, a repair says nothing of that; the watch does.
   */
  isInVain(object: Cached<T>, known: Cached<T> | undefined): boolean {
    if (!this.#fetched.has(object)) return false;
    return known?.uid !== object.uid || known.resourceVersion !== object.resourceVersion;
  }
}
