import { type DeletedFinalStateUnknown, TOMBSTONE } from '../api/deleted-final-state-unknown.ts';
import { KeyError, type KeyFunction, metaNamespaceKey } from '../api/key.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { TransformError } from '../api/transform-error.ts';
import type { QueueOptions } from './queue.ts';

/** How many objects are taken between two yields: enough for a yield not to matter, too few to take long. */
export const STEP = 64;

/** Work that may pause at each yield. */
export type Steps<R = void> = Generator<void, R, void>;

/** All of it, without a pause. */
export function runThrough<R>(steps: Steps<R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export function* setOf(keys: readonly string[]): Steps<ReadonlySet<string>> {
  const set = new Set<string>();
  for (const [i, key] of keys.entries()) {
    set.add(key);
    if (i % STEP === 0) yield;
  }
  return set;
}

/** As `instanceof DeletedFinalStateUnknown`, which asks a function. */
export function isTombstone<T>(object: T | DeletedFinalStateUnknown<T>): object is DeletedFinalStateUnknown<T> {
  return typeof object === 'object' && object !== null && TOMBSTONE in object;
}

/** The user's functions at the mouth of a queue: whatever they throw or return, what leaves here is sound. */
export class ObjectIntake<T> {
  readonly #keyFunction: KeyFunction<T>;
  readonly #transform: ((object: T) => T) | undefined;

  constructor(options: Pick<QueueOptions<T>, 'keyFunction' | 'transform'>) {
    this.#keyFunction = options.keyFunction ?? ((object) => metaNamespaceKey(object as KubernetesObject));
    this.#transform = options.transform;
  }

  /** Throws `KeyError`. */
  keyOf(object: T | DeletedFinalStateUnknown<T>): string {
    if (isTombstone(object)) return object.key;
    let key: unknown;
    try {
      key = this.#keyFunction(object);
    } catch (error) {
      if (error instanceof KeyError) throw error;
      throw new KeyError(object, `the key function failed: ${String(error)}`, { cause: error });
    }
    if (typeof key !== 'string') throw new KeyError(object, `the key function returned ${String(key)}, not a string`);
    return key;
  }

  /** The object to queue under `key`. Throws `TransformError`. */
  transformed(key: string, object: T): T {
    const transform = this.#transform;
    if (transform === undefined) return object;
    let result: T;
    try {
      result = transform(object);
    } catch (error) {
      const why = TidewatchError.from(error).message;
      throw new TransformError(key, `the transform failed on ${key}: ${why}`, { cause: error });
    }
    if (result === undefined || result === null) {
      throw new TransformError(
        key,
        `the transform returned ${String(result)} for ${key}: it must return the object to queue`,
      );
    }
    const newKey = this.keyOf(result);
    if (newKey !== key) {
      throw new TransformError(key, `the transform must keep the key, but made "${newKey}" of ${key}`);
    }
    return result;
  }

  /** As `transformed`, for an object that was deleted; a tombstone holds one that has been transformed. */
  final(key: string, object: T | DeletedFinalStateUnknown<T>): T | DeletedFinalStateUnknown<T> {
    return isTombstone(object) ? object : this.transformed(key, object);
  }

  /**
   * The keys of a whole list, the objects to queue under them, and whether they are in the order of their keys, as servers list:
   * then none comes twice. Yields now and then.
   */
  *list(objects: readonly T[]): Steps<{ keys: readonly string[]; listed: readonly T[]; areSorted: boolean }> {
    let areSorted = true;
    const keys: string[] = [];
    const listed: T[] = [];
    for (let i = 0; i < objects.length; i += STEP) {
      areSorted = this.#listSome(objects, i, keys, listed) && areSorted;
      yield;
    }
    return { keys, listed: this.#transform === undefined ? objects : listed, areSorted };
  }

  /** One step of a list. Whether the keys go on in their order. In a function of its own, which V8 is quick to compile. */
  #listSome(objects: readonly T[], from: number, keys: string[], listed: T[]): boolean {
    let areSorted = true;
    let last = keys.at(-1);
    for (let i = from; i < from + STEP && i < objects.length; i++) {
      const object = objects[i] as T;
      const key = this.keyOf(object);
      keys.push(key);
      areSorted &&= last === undefined || key > last;
      last = key;
      if (this.#transform !== undefined) listed.push(this.transformed(key, object));
    }
    return areSorted;
  }
}
