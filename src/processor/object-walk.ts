import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';

/** Many objects, taken one by one. There may be a million, so nothing is made of one before its turn. */
export class ObjectWalk<T extends KubernetesObject> {
  /** When it began. */
  readonly atMs: number;
  readonly #objects: readonly Cached<T>[];
  #next = 0;

  constructor(objects: readonly Cached<T>[], atMs: number) {
    this.#objects = objects;
    this.atMs = atMs;
  }

  /** How many have not been taken. */
  get left(): number {
    return this.#objects.length - this.#next;
  }

  /** Undefined when none is left. */
  take(): Cached<T> | undefined {
    return this.#next < this.#objects.length ? this.#objects[this.#next++] : undefined;
  }
}
