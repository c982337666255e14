import type { DiscoveredResource } from './sources.ts';

/** GET of a path with query on a running server. */
export type Ask = (path: string, accept?: string) => Promise<{ status: number; body: string }>;

interface GroupDiscoveryList {
  items: {
    metadata: { name?: string };
    versions: { version: string; resources: ResourceDiscovery[] }[];
  }[];
}

interface ResourceDiscovery {
  resource: string;
  responseKind: ResponseKind;
  scope: 'Namespaced' | 'Cluster';
  singularResource: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: { subresource: string; responseKind: ResponseKind; verbs: string[] }[];
}

interface ResponseKind {
  group: string;
  version: string;
  kind: string;
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export async function askJson<T>(ask: Ask, path: string, accept?: string): Promise<T> {
  const { status, body } = await ask(path, accept);
  if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${body.slice(0, 200)}`);
  return JSON.parse(body) as T;
}

export async function discover(ask: Ask): Promise<DiscoveredResource[]> {
  const found: DiscoveredResource[] = [];
  for (const path of ['/api', '/apis']) {
    const list = await askJson<GroupDiscoveryList>(ask, path, AGGREGATED);
    for (const group of list.items) {
      for (const { version, resources } of group.versions) {
        for (const resource of resources) found.push(describe(group.metadata.name ?? '', version, resource));
      }
    }
  }
  return found;
}

function describe(group: string, version: string, found: ResourceDiscovery): DiscoveredResource {
  return {
    group,
    version,
    plural: found.resource,
    singular: found.singularResource,
    kind: found.responseKind.kind,
    namespaced: found.scope === 'Namespaced',
    shortNames: [...(found.shortNames ?? [])].sort(),
    categories: [...(found.categories ?? [])].sort(),
    verbs: [...found.verbs].sort(),
    subresources: (found.subresources ?? [])
      .map(({ subresource, responseKind, verbs }) => ({
        name: subresource,
        // Without a version it is of the resource's own group and version.
        group: responseKind.version === '' ? group : responseKind.group,
        version: responseKind.version === '' ? version : responseKind.version,
        kind: responseKind.kind,
        verbs: [...verbs].sort(),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
