import type { DiscoveredGroup, DiscoveredResource, DiscoveredVersion } from './discovered-resource.ts';

/** Aggregated discovery first (two documents for everything, since Kubernetes 1.26), then what every server has. */
export const DISCOVERY_ACCEPT = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

interface GroupDiscovery {
  metadata?: { name?: string };
  versions?: VersionDiscovery[] | null;
}

interface VersionDiscovery {
  version: string;
  resources?: ResourceDiscovery[] | null;
  freshness?: string;
}

interface ResourceDiscovery {
  resource: string;
  responseKind?: { kind?: string } | null;
  scope?: string;
  singularResource?: string;
  verbs?: string[] | null;
  shortNames?: string[] | null;
  categories?: string[] | null;
  subresources?: Array<{ subresource: string }> | null;
}

/** The groups of an `APIGroupDiscoveryList`, or undefined when the server sent something else. */
export function parseAggregatedDiscovery(document: unknown): DiscoveredGroup[] | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  const { kind, items } = document as { kind?: unknown; items?: GroupDiscovery[] | null };
  if (kind !== 'APIGroupDiscoveryList') return undefined;
  return (items ?? []).map((item) => {
    const group = item.metadata?.name ?? '';
    return { group, versions: (item.versions ?? []).map((version) => parseVersion(group, version)) };
  });
}

function parseVersion(group: string, { version, resources, freshness }: VersionDiscovery): DiscoveredVersion {
  // client-go takes a stale version as failed: what it lists may be gone.
  const failure = freshness === 'Stale' ? { failure: new Error('the server has not heard from this API lately') } : {};
  const found = 'failure' in failure ? [] : (resources ?? []).flatMap((one) => parseResource(group, version, one));
  return { version, resources: found, ...failure };
}

function parseResource(group: string, version: string, found: ResourceDiscovery): DiscoveredResource[] {
  const kind = found.responseKind?.kind;
  // A parent without kind exists only as the home of its subresources.
  if (!kind) return [];
  return [
    Object.freeze({
      group,
      version,
      plural: found.resource,
      kind,
      namespaced: found.scope === 'Namespaced',
      singular: found.singularResource || kind.toLowerCase(),
      shortNames: found.shortNames ?? [],
      categories: found.categories ?? [],
      verbs: found.verbs ?? [],
      subresources: (found.subresources ?? []).map((one) => one.subresource),
    }),
  ];
}
