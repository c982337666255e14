import type { Cached } from '../api/cached.ts';
import type { Labels } from '../api/label-selector.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { isPromise } from '../api/promise-like.ts';

/**
 * Changes each object before it is stored, for instance to put something in the place of a secret. May change its argument
 * and return it. Must be pure otherwise: it runs for every version of every object. What it throws is reported, and the
 * object is left out of the cache; so is one for which it returns a promise. The identity (name, namespace, uid, resourceVersion) is kept whatever it returns.
 *
 * In a packed store what it returns is written as JSON and packed again. So each object is decoded whole, written and
 * scanned, and takes the room that JSON takes, about twice that of protobuf; what JSON cannot hold, as `undefined`, is lost.
 * To leave out fields, `drop` and `keep` do it on the bytes, at a small part of that cost. client-go's `cache.TransformFunc`.
 */
export type Transform<T extends KubernetesObject> = (object: T) => T;

/** A version of an object after its transform, in a plain store. */
class TransformedObject<T extends KubernetesObject> implements Cached<T> {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Labels;
  readonly #object: T;

  constructor(original: Cached<T>, object: T) {
    this.key = original.key;
    this.namespace = original.namespace;
    this.name = original.name;
    this.uid = original.uid;
    this.resourceVersion = original.resourceVersion;
    this.labels = object.metadata?.labels ?? {};
    this.#object = object;
  }

  view(): T {
    return this.#object;
  }
}

/** `pack` is how a packed store keeps an object; without it, the result stays as it is. */
export function applyTransform<T extends KubernetesObject>(
  transform: Transform<T>,
  original: Cached<T>,
  pack?: (object: T) => Cached<T>,
): Cached<T> {
  let object: T;
  try {
    object = transform(original.view());
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`the transform failed on ${original.key}: ${message}`, { cause: error });
  }
  if (isPromise(object)) {
    throw new Error(
      `the transform returned a promise for ${original.key}: it must return the object to store, at once`,
    );
  }
  if (typeof object !== 'object' || object === null) {
    throw new Error(`the transform returned ${String(object)} for ${original.key}: it must return the object to store`);
  }
  if (pack === undefined) return new TransformedObject(original, object);
  try {
    return pack(withIdentity(original, object));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`what the transform returned for ${original.key} cannot be kept: ${message}`, { cause: error });
  }
}

/** A copy with the identity of the original. */
function withIdentity<T extends KubernetesObject>({ name, namespace, uid, resourceVersion }: Cached<T>, object: T): T {
  const metadata = {
    ...object.metadata,
    name,
    namespace: namespace || undefined,
    uid: uid || undefined,
    resourceVersion: resourceVersion || undefined,
  };
  return { ...object, metadata };
}
