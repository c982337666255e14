import type { Cached } from '../api/cached.ts';
import type { Labels } from '../api/label-selector.ts';
import type { KubernetesObject } from '../api/metadata.ts';

/**
 * Changes each object before it is stored, for instance to drop what nobody reads. May change its argument and return
 * it. Must be pure otherwise: it runs for every version of every object. What it throws is reported, and the object is
 * left out of the cache. The identity (name, namespace, uid, resourceVersion) is kept whatever it returns. It needs the
 * decoded object, so it costs what decoding costs. client-go's `cache.TransformFunc`.
 */
export type Transform<T extends KubernetesObject> = (object: T) => T;

/** A version of an object after its transform. */
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

export function applyTransform<T extends KubernetesObject>(transform: Transform<T>, original: Cached<T>): Cached<T> {
  let object: T;
  try {
    object = transform(original.view());
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`the transform failed on ${original.key}: ${message}`, { cause: error });
  }
  if (typeof object !== 'object' || object === null) {
    throw new Error(`the transform returned ${String(object)} for ${original.key}: it must return the object to store`);
  }
  return new TransformedObject(original, object);
}
