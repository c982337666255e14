import type { BrokenObject, Cached } from '../../api/cached.ts';
import { metaNamespaceKey } from '../../api/key.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { withOrigin } from '../../api/origin.ts';
import { plainCached, withType } from '../../api/plain-cached.ts';
import type { Resource } from '../../api/resource.ts';
import { DecodeError } from '../decode-error.ts';
import { reductionByTransform } from '../filter/field-filter.ts';

/** A `BrokenObject` with the key, if the value has one. */
export function broken(value: unknown, what: string, cause?: unknown): BrokenObject {
  const key = keyOf(value);
  const which = key === undefined ? '' : ` (${key})`;
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  const problem = new DecodeError('malformed', `${what}${which}${why}`, cause === undefined ? undefined : { cause });
  return key === undefined ? { problem } : { problem, key };
}

function keyOf(value: unknown): string | undefined {
  try {
    return metaNamespaceKey(value as KubernetesObject);
  } catch {
    return undefined;
  }
}

const TRANSFORMED = reductionByTransform();

/** As `plainCached`, for an object that a transform has made. */
export function transformedCached<T extends KubernetesObject>(
  object: T,
  resource?: Pick<Resource, 'kind' | 'group' | 'version'>,
): Cached<T> {
  const isComplete = resource === undefined || (object.kind && object.apiVersion);
  return plainCached(withOrigin(isComplete ? object : withType(object, resource), () => TRANSFORMED));
}
