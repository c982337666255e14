import type { KubernetesObject as ClientNodeObject, KubernetesListObject } from '@kubernetes/client-node';
import type { KubernetesList, KubernetesObject } from '../api/metadata.ts';
import { apiVersionOf, parseApiVersion, type Resource } from '../api/resource.ts';
import { schemaOfKind } from '../generated/type-schemas.ts';
import { converted } from './conversion.ts';

/** A class of client-node's models: `V1Pod`, `V1PodList`. */
export type ClientNodeClass<V> = new () => V;

type Typed = Pick<Resource, 'group' | 'version' | 'kind'>;

/**
 * An object or a list of tidewatch as client-node has it: an instance of the class, times as `Date` (those with microseconds keep
 * them), and the names that client-node gives to some fields (`_continue`, `_from`, `x_kubernetes_…`). Objects inside are plain ones
 * with the fields of their classes. Of a custom resource it is the metadata alone that differ. The object must have `kind` and
 * `apiVersion`, as those of a cache or a server have. It is not changed.
 *
 * ```ts
 * informer.addEventHandler({ onAdd: (pod) => reconcile(toClientNode(pod, V1Pod)) });
 * ```
 */
export function toClientNode<V extends object>(
  object: KubernetesObject | KubernetesList<KubernetesObject>,
  type: ClientNodeClass<V>,
): V {
  const { apiVersion, kind } = object;
  if (!apiVersion || !kind) {
    throw new TypeError('toClientNode needs an object with kind and apiVersion, as caches and servers give it');
  }
  const fields = converted(object, schemaFor({ ...parseApiVersion(apiVersion), kind }), 'to client-node');
  return Object.assign(new type(), fields);
}

/**
 * The other way: an object or a list of client-node, or a plain one of that form, as tidewatch has it. `kind` and `apiVersion` are those
 * of the resource where they are missing, as they are in the items of a list. The object is not changed.
 *
 * ```ts
 * const { items } = fromClientNode(await api.listNamespacedPod({ namespace: 'default' }), pods);
 * ```
 */
export function fromClientNode<T extends KubernetesObject>(
  list: KubernetesListObject<ClientNodeObject>,
  resource: Resource<T>,
): KubernetesList<T>;
export function fromClientNode<T extends KubernetesObject>(object: ClientNodeObject, resource: Resource<T>): T;
export function fromClientNode<T extends KubernetesObject>(
  object: ClientNodeObject | KubernetesListObject<ClientNodeObject>,
  resource: Resource<T>,
): T | KubernetesList<T> {
  if (!('items' in object)) return one<T>(object, resource);
  const { items, ...head } = object;
  const list: Typed = { ...resource, kind: `${resource.kind}List` };
  return { ...one<KubernetesObject>(head, list), items: items.map((item) => one<T>(item, resource)) };
}

function one<T extends KubernetesObject>(object: object, typed: Typed): T {
  const fields = converted(object, schemaFor(typed), 'from client-node');
  return { apiVersion: apiVersionOf(typed), kind: typed.kind, ...fields } as T;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** That of a kind without a schema knows its metadata. */
function schemaFor({ group, version, kind }: Typed): string {
  return (
    schemaOfKind(group, version, kind) ??
    `${META}.${kind.endsWith('List') ? 'PartialObjectMetadataList' : 'PartialObjectMetadata'}`
  );
}
