import type { Cached } from './cached.ts';
import { KeyError, objectKey } from './key.ts';
import type { Labels } from './label-selector.ts';
import type { KubernetesObject, Stored } from './metadata.ts';
import { apiVersionOf, type Resource } from './resource.ts';

const NO_LABELS: Labels = Object.freeze({});

/** A `Cached` that keeps the decoded object; `view` always returns that one. */
class PlainCached<T extends KubernetesObject> implements Cached<T> {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Labels;
  readonly #object: T;

  constructor(object: T, name: string, namespace: string, uid: string, resourceVersion: string, labels: Labels) {
    this.key = objectKey(namespace, name);
    this.namespace = namespace;
    this.name = name;
    this.uid = uid;
    this.resourceVersion = resourceVersion;
    this.labels = labels;
    this.#object = object;
  }

  view(): Stored<T> {
    return this.#object as Stored<T>;
  }
}

/**
 * Wraps a decoded object. With a `resource`, an object that lacks `kind` or `apiVersion` is copied with both filled in;
 * the object itself is never changed. Throws `KeyError` when it has no usable metadata.
 */
export function plainCached<T extends KubernetesObject>(
  object: T,
  resource?: Pick<Resource, 'kind' | 'group' | 'version'>,
): Cached<T> {
  const metadata = object?.metadata;
  if (typeof metadata !== 'object' || metadata === null) throw new KeyError(object, 'it has no metadata');
  const name = text(object, 'name', metadata.name);
  if (name === '') throw new KeyError(object, 'it has no metadata.name');
  return new PlainCached(
    resource === undefined || (object.kind && object.apiVersion) ? object : withType(object, resource),
    name,
    text(object, 'namespace', metadata.namespace),
    text(object, 'uid', metadata.uid),
    text(object, 'resourceVersion', metadata.resourceVersion),
    labelsOf(object, metadata.labels),
  );
}

/** The wire may hold anything, whatever the type says. */
function text(object: KubernetesObject, field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  throw new KeyError(object, `its metadata.${field} is not a string`);
}

function labelsOf(object: KubernetesObject, labels: unknown): Labels {
  if (labels === undefined || labels === null) return NO_LABELS;
  if (typeof labels !== 'object' || Array.isArray(labels))
    throw new KeyError(object, 'its metadata.labels are not a map');
  return labels as Labels;
}

/** A copy of an object that says less than its resource. */
export function withType<T extends KubernetesObject>(
  object: T,
  resource: Pick<Resource, 'kind' | 'group' | 'version'>,
): T {
  return {
    ...object,
    kind: object.kind || resource.kind,
    apiVersion: object.apiVersion || apiVersionOf(resource),
  };
}
