import type { Cached } from '../api/cached.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import { isPromise } from '../api/promise-like.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { TransformError } from '../api/transform-error.ts';

/**
 * Changes each object before it is stored, for instance to put something in the place of a secret. May change its argument
 * and return it. Must be pure otherwise: it runs for every version of every object. Must be synchronous: a promise is refused.
 * What it throws, or returns that cannot be stored (an object of another kind, a promise, nothing), is reported, and the
 * object is left out of the cache. The identity (name, namespace, uid, resourceVersion) stays that of the server's object,
 * also in the stored object, whatever it returns; `kind` and `apiVersion` are filled in where they are missing. client-go
 * files an object under a key that it has from before the transform or from after it, depending on the stage.
 *
 * In a packed store what it returns is written as JSON and packed again. So each object is decoded whole, written and
 * scanned, and takes the room that JSON takes, about twice that of protobuf; what JSON cannot hold, as `undefined`, is lost.
 * To leave out fields, `drop` and `keep` do it on the bytes, at a small part of that cost. client-go's `cache.TransformFunc`.
 */
export type Transform<T extends KubernetesObject> = (object: Stored<T>) => T;

/** `keep` is how the store keeps what the transform returned. */
export function applyTransform<T extends KubernetesObject>(
  transform: Transform<T>,
  original: Cached<T>,
  keep: (object: T) => Cached<T>,
): Cached<T> {
  const { key } = original;
  let object: T;
  try {
    object = transform(original.view());
  } catch (error) {
    throw new TransformError(key, `the transform failed on ${key}: ${messageOf(error)}`, { cause: error });
  }
  if (isPromise(object)) {
    const wanted = 'transforms are synchronous and return the object to store';
    throw new TransformError(key, `the transform returned a promise for ${key}: ${wanted}`);
  }
  if (typeof object !== 'object' || object === null) {
    const what = `the transform returned ${String(object)} for ${key}: it must return the object to store`;
    throw new TransformError(key, what);
  }
  try {
    return keep(hasIdentity(original, object) ? object : withIdentity(original, object));
  } catch (error) {
    const what = `what the transform returned for ${key} cannot be kept: ${messageOf(error)}`;
    throw new TransformError(key, what, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return TidewatchError.from(error).message;
}

function hasIdentity<T extends KubernetesObject>(original: Cached<T>, { metadata }: T): boolean {
  return (
    metadata?.name === original.name &&
    (metadata.namespace ?? '') === original.namespace &&
    (metadata.uid ?? '') === original.uid &&
    (metadata.resourceVersion ?? '') === original.resourceVersion
  );
}

/** A copy with the identity of the original. */
function withIdentity<T extends KubernetesObject>({ name, namespace, uid, resourceVersion }: Cached<T>, object: T): T {
  const { namespace: _, uid: __, resourceVersion: ___, ...rest } = object.metadata ?? {};
  const metadata = {
    ...rest,
    name,
    ...(namespace !== '' && { namespace }),
    ...(uid !== '' && { uid }),
    ...(resourceVersion !== '' && { resourceVersion }),
  };
  return { ...object, metadata };
}
