import type { Api } from '../api.ts';
import { trackUpdate } from '../apply/managed-fields.ts';
import { RBAC_GROUP } from '../rbac/rule-resolver.ts';
import { ObjectWriter } from '../storage/object-writer.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { JsonObject } from '../values/json.ts';

/** Where clients reach the server. */
export interface ServerAddress {
  readonly ip: string;
  readonly port: number;
}

const SERVICE_RANGE = '10.96.0.0/12';
const SERVICE_ADDRESS = '10.96.0.1';
const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** The namespaces that every cluster begins with. */
export function createFirstNamespaces(api: Api): void {
  const namespaces = api.registry.find('', 'v1', 'namespaces');
  if (!namespaces) return;
  const writer = new ObjectWriter(api);
  for (const name of NAMESPACES) {
    writer.create(namespaces, { metadata: { name } }, { namespace: '', dryRun: false, warn: () => {} });
  }
}

/** The Service by which a cluster reaches its own API server, with its Endpoints and EndpointSlice: the real server makes them, too. */
export function createKubernetesService(api: Api, { ip, port }: ServerAddress): void {
  const name = 'kubernetes';
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  createByServer(api, ['', 'v1', 'services'], 'default', {
    metadata: { name, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      clusterIP: SERVICE_ADDRESS,
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }],
      sessionAffinity: 'None',
      type: 'ClusterIP',
    },
  });
  createByServer(api, ['', 'v1', 'endpoints'], 'default', {
    metadata: { name, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip }], ports }],
  });
  createByServer(api, ['discovery.k8s.io', 'v1', 'endpointslices'], 'default', {
    metadata: { name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: ports.map((one) => ({ ...one })),
  });
}

const PRIORITY_CLASSES = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

/** What the real server makes beside namespaces: the range of cluster addresses, and the priorities of the system. */
export function createClusterObjects(api: Api): void {
  for (const { name, ...fields } of PRIORITY_CLASSES) {
    createByServer(api, ['scheduling.k8s.io', 'v1', 'priorityclasses'], '', { metadata: { name }, ...fields });
  }
  const range = createByServer(api, ['networking.k8s.io', 'v1', 'servicecidrs'], '', {
    metadata: { name: 'kubernetes' },
    spec: { cidrs: [SERVICE_RANGE] },
  });
  if (!range) return;
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
    lastTransitionTime: range.metadata().creationTimestamp ?? null,
  };
  api.store.put(api.store.table('servicecidrs.networking.k8s.io'), {
    ...range.decode(),
    status: { conditions: [ready] },
  });
}

/** The roles and bindings of a cluster that goes by RBAC. Their table is read only then. */
export async function createDefaultRoles(api: Api): Promise<void> {
  const { defaultRoles } = await import('../../generated/default-roles.ts');
  for (const { plural, namespace, object } of defaultRoles()) {
    createByServer(api, [RBAC_GROUP, 'v1', plural], namespace, object as JsonObject);
  }
}

/** Creates an object in the server's own name. */
export function createByServer(
  api: Api,
  [group, version, plural]: readonly [string, string, string],
  namespace: string,
  object: JsonObject,
  manager = 'kube-apiserver',
): StoredObject | undefined {
  const resource = api.registry.find(group, version, plural);
  if (!resource) return undefined;
  resource.strategy.defaults?.(object);
  const { kind, apiVersion } = resource;
  const tracked = trackUpdate({
    before: undefined,
    after: { ...object, kind, apiVersion },
    schema: resource.mergeSchema,
    manager,
    apiVersion,
    kind,
    hasStatusSubresource: resource.hasStatus,
    now: api.clock.now(),
  });
  return new ObjectWriter(api).create(resource, tracked, { namespace, dryRun: false, warn: () => {} });
}
