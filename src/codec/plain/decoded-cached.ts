import type { Cached } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { withOrigin } from '../../api/origin.ts';
import { plainCached, withType } from '../../api/plain-cached.ts';
import type { Resource } from '../../api/resource.ts';
import { reductionByTransform } from '../filter/reduction.ts';

const TRANSFORMED = reductionByTransform();

/** As `plainCached`, for an object that a transform has made. */
export function transformedCached<T extends KubernetesObject>(
  object: T,
  resource?: Pick<Resource, 'kind' | 'group' | 'version'>,
): Cached<T> {
  const isComplete = resource === undefined || (object.kind && object.apiVersion);
  return plainCached(withOrigin(isComplete ? object : withType(object, resource), () => TRANSFORMED));
}
