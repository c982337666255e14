import { objectKey } from '../api/key.ts';
import type { KubernetesObject, ObjectMeta, OwnerReference } from '../api/metadata.ts';
import { ORIGIN, type Origin, withOrigin } from '../api/origin.ts';
import { apiVersionOf, parseApiVersion, type Resource } from '../api/resource.ts';

/**
 * A copy of the object that the owner controls: it is deleted with its owner, and `owns` finds the owner by it. The kind comes from the
 * resource token, because objects of a list carry none. The reference replaces one of the same group, kind and name; the others stay.
 * An object without a namespace gets that of a namespaced owner, unless its own resource is cluster-scoped.
 *
 * Throws a `TypeError` when another controller owns the object, when the owner is namespaced and the object is cluster-scoped or in another
 * namespace, and when the owner has no name or uid yet. controller-runtime: `SetControllerReference`.
 */
export function setControllerReference<T extends KubernetesObject>(
  owner: KubernetesObject,
  ownerResource: Resource,
  object: T,
  objectResource?: Pick<Resource, 'kind' | 'namespaced'>,
): T {
  const reference = referenceTo(owner, ownerResource);
  const kind = object.kind ?? objectResource?.kind ?? 'object';
  const namespace = ownerResource.namespaced
    ? namespaceFor(owner, ownerResource, object, kind, objectResource)
    : undefined;
  const references = object.metadata?.ownerReferences ?? [];
  const controller = controllerOf(object);
  if (controller !== undefined && !isSame(controller, reference)) {
    throw new TypeError(
      `${reference.kind} ${keyOf(owner)} cannot become the controller of the ${kind} ${keyOf(object)}, because ` +
        `${controller.kind} ${controller.name} controls it already. Give the object another name, or remove the reference of the other controller first`,
    );
  }
  const index = references.findIndex((one) => isSame(one, reference));
  const ownerReferences = index < 0 ? [...references, reference] : references.with(index, reference);
  const metadata: ObjectMeta = { ...object.metadata, ...(namespace !== undefined && { namespace }), ownerReferences };
  return keepingOrigin(object, { ...object, metadata });
}

/**
 * Throws where a cluster-scoped object is about to be written with a reference to a namespaced owner: whoever sets the reference by the object
 * alone cannot know its scope.
 */
export function mustNotOwn(owner: KubernetesObject, ownerResource: Resource, written: Resource, body: unknown): void {
  if (written.namespaced || !ownerResource.namespaced || typeof body !== 'string') return;
  const object = jsonOf(body);
  const { namespace: _, ...metadata } = object?.metadata ?? {};
  const isOwned = metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata?.uid);
  if (isOwned) setControllerReference(owner, ownerResource, { ...object, metadata }, written);
}

function jsonOf(body: string): KubernetesObject | undefined {
  try {
    return JSON.parse(body) as KubernetesObject;
  } catch {
    return undefined;
  }
}

/** The reference of the controller that owns the object, if one does. apimachinery: `GetControllerOf`. */
export function controllerOf(object: KubernetesObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}

function referenceTo(owner: KubernetesObject, resource: Resource): OwnerReference {
  const { name, uid } = owner.metadata ?? {};
  if (!name || !uid) {
    throw new TypeError(
      `${resource.kind} ${keyOf(owner)} cannot own anything: it has no ${name ? 'uid' : 'name'}. Use the object as the server stored it`,
    );
  }
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The namespace that the object of a namespaced owner must be in. */
function namespaceFor(
  owner: KubernetesObject,
  ownerResource: Resource,
  object: KubernetesObject,
  kind: string,
  objectResource: Pick<Resource, 'namespaced'> | undefined,
): string | undefined {
  const wanted = owner.metadata?.namespace;
  const who = `${ownerResource.kind} ${keyOf(owner)} is namespaced and cannot own the`;
  if (objectResource?.namespaced === false) {
    throw new TypeError(
      `${who} ${kind} ${keyOf(object)}, which is cluster-scoped: the garbage collector would delete it. Delete it in a finalizer instead`,
    );
  }
  const actual = object.metadata?.namespace;
  if (actual && actual !== wanted) {
    throw new TypeError(
      `${who} ${kind} ${keyOf(object)} in another namespace: the garbage collector would delete it. Create it in the namespace of its owner`,
    );
  }
  return wanted;
}

/** By group, kind and name: the version is how it is read, and a new uid means an owner that was made again. */
function isSame(one: OwnerReference, other: OwnerReference): boolean {
  return (
    one.name === other.name &&
    one.kind === other.kind &&
    parseApiVersion(one.apiVersion).group === parseApiVersion(other.apiVersion).group
  );
}

function keyOf({ metadata }: KubernetesObject): string {
  return objectKey(metadata?.namespace, metadata?.name ?? `${metadata?.generateName ?? ''}…`);
}

/** A copy of an object of a cache that leaves out a part must still be known as one by `update` and `apply`. */
function keepingOrigin<T extends KubernetesObject>(object: T, copy: T): T {
  const origin = (object as { readonly [ORIGIN]?: Origin })[ORIGIN];
  return origin === undefined ? copy : withOrigin(copy, origin);
}
