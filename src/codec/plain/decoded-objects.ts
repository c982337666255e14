import type { BrokenObject, Cached } from '../../api/cached.ts';
import { metaNamespaceKey } from '../../api/key.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { type Origin, type Reduction, withOrigin } from '../../api/origin.ts';
import { plainCached, withType } from '../../api/plain-cached.ts';
import { apiVersionOf, type Resource } from '../../api/resource.ts';
import { DecodeError } from '../decode-error.ts';
import { reductionByTransform } from '../filter/field-filter.ts';
import type { ExpectedObjects, Where } from '../keeping.ts';

/** Judges decoded values: one that is a usable object of the expected kind becomes a `Cached`. */
export class ObjectIntake<T extends KubernetesObject> {
  readonly #expected: ExpectedObjects;
  readonly #origin: Origin | undefined;

  /** Objects that it takes will tell of the reduction. */
  constructor(expected: ExpectedObjects, reduction?: Reduction) {
    this.#expected = expected;
    this.#origin = reduction && (() => reduction);
  }

  /** Throws what is wrong with the value. */
  take(value: unknown): Cached<T> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new DecodeError('malformed', `expected an object and got ${value === null ? 'null' : typeof value}`);
    }
    const object: KubernetesObject = value;
    const { kind, apiVersion, metadataOf } = this.#expected;
    if (metadataOf !== undefined) return this.#cached(reduced(object, this.#expected) as T);
    if (kind !== '' && (object.kind !== kind || object.apiVersion !== apiVersion)) {
      throw new DecodeError(
        'unsupported',
        `expected a ${kind} of ${apiVersion} and got a ${String(object.kind)} of ${String(object.apiVersion)}`,
      );
    }
    return this.#cached(object as T);
  }

  takeOrExplain(value: unknown, where: Where): Cached<T> | BrokenObject {
    try {
      return this.take(value);
    } catch (cause) {
      return broken(value, `${where()} cannot be used`, cause);
    }
  }

  #cached(object: T): Cached<T> {
    return plainCached(this.#origin ? withOrigin(object, this.#origin) : object);
  }
}

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

function reduced(object: KubernetesObject, { kind, apiVersion, metadataOf }: ExpectedObjects): KubernetesObject {
  const whole =
    metadataOf !== undefined && object.kind === metadataOf.kind && object.apiVersion === apiVersionOf(metadataOf);
  if (!whole && object.kind !== kind) {
    throw new DecodeError('unsupported', `expected a ${kind} and got a ${String(object.kind)}`);
  }
  return { kind, apiVersion, ...(object.metadata !== undefined && { metadata: object.metadata }) };
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
