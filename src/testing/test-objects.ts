import type { KubernetesObject, OwnerReference } from '../api/metadata.ts';
import { defineResource, parseApiVersion, type Resource, resourceName } from '../api/resource.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { type CustomResourceDefinition, customResourceDefinitions } from '../generated/api/apiextensions/v1.ts';
import { builtinResources, findBuiltin } from '../generated/resources.ts';

/** An object with `kind` and `apiVersion`, of any other fields. */
export type TestObject = KubernetesObject | (KubernetesObject & { readonly [field: string]: unknown });

/** Defines each custom resource that a controller has declared, with any fields and a status. */
export async function defineCustomResources(cluster: Cluster, resources: Iterable<Resource>): Promise<void> {
  const byName = new Map<string, Resource[]>();
  for (const resource of resources) {
    if (findBuiltin(resource.group, resource.version, resource.plural)) continue;
    const name = `${resource.plural}.${resource.group}`;
    const known = byName.get(name) ?? [];
    if (!known.some((one) => resourceName(one) === resourceName(resource))) byName.set(name, [...known, resource]);
  }
  for (const [name, versions] of byName) {
    await cluster.client(customResourceDefinitions).create(definition(name, versions));
  }
}

function definition(name: string, versions: readonly Resource[]): CustomResourceDefinition {
  const { group = '', plural = '', kind = '', namespaced = true } = versions[0] ?? {};
  return {
    metadata: { name },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { plural, kind },
      versions: versions.map(({ version }, index) => ({
        name: version,
        served: true,
        storage: index === 0,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  };
}

/**
 * Creates objects in their order, their status included. An owner reference to an object before gets its uid, which the server has made.
 */
export async function createObjects(
  cluster: Cluster,
  objects: Iterable<TestObject>,
  declared: readonly Resource[],
): Promise<KubernetesObject[]> {
  const created: KubernetesObject[] = [];
  for (const object of objects) {
    const resource = resourceOf(object, declared);
    const { uid: _uid, resourceVersion: _version, ...metadata } = object.metadata ?? {};
    const ownerReferences = metadata.ownerReferences?.map((reference) => withUid(reference, created));
    const given = { ...object, metadata: { ...metadata, ...(ownerReferences && { ownerReferences }) } };
    const client = cluster.client(resource);
    let stored: KubernetesObject = await client.create(given);
    const { status } = object as { status?: unknown };
    if (status !== undefined && JSON.stringify(status) !== JSON.stringify((stored as { status?: unknown }).status)) {
      const { name = '', namespace = '' } = stored.metadata ?? {};
      stored = await client.patch(name, { status }, { subresource: 'status', ...(namespace && { namespace }) });
    }
    created.push({ kind: resource.kind, ...stored });
  }
  return created;
}

function withUid(reference: OwnerReference, created: readonly KubernetesObject[]): OwnerReference {
  const owner = created.find(({ kind, metadata }) => kind === reference.kind && metadata?.name === reference.name);
  return { ...reference, uid: owner?.metadata?.uid ?? reference.uid };
}

/** Of an object with `kind` and `apiVersion`. */
export function resourceOf({ kind, apiVersion, metadata }: KubernetesObject, declared: readonly Resource[]): Resource {
  if (!kind || !apiVersion) {
    throw new TypeError(`the object ${metadata?.name} needs kind and apiVersion, so that it can be created.`);
  }
  const { group, version } = parseApiVersion(apiVersion);
  const isMeant = (resource: Pick<Resource, 'group' | 'version' | 'kind'>) =>
    resource.kind === kind && resource.group === group && resource.version === version;
  const known = declared.find(isMeant);
  if (known) return known;
  const builtin = builtinResources().find(isMeant);
  if (builtin) return defineResource(builtin);
  throw new TypeError(
    `no controller declares ${kind} of ${apiVersion}, and Kubernetes has no such kind. Add .reads(…) to the controller, or leave the object out.`,
  );
}
