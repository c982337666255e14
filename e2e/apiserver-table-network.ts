import type { JsonObject } from '../src/apiserver/values/json.ts';
import type { PrintedObject } from './apiserver-table-objects.ts';

export function services(): PrintedObject[] {
  const path = '/api/v1/namespaces/default/services';
  const ports = [
    { name: 'http', port: 80, targetPort: 8080 },
    { name: 'dns', port: 53, protocol: 'UDP' },
  ];
  return [
    { path, object: { metadata: { name: 'plain' }, spec: { selector: { b: '2', a: '1' }, ports } } },
    { path, object: { metadata: { name: 'headless' }, spec: { clusterIP: 'None' } } },
    { path, object: { metadata: { name: 'nodes' }, spec: { type: 'NodePort', externalIPs: ['1.2.3.4'], ports } } },
    { path, object: { metadata: { name: 'pending' }, spec: { type: 'LoadBalancer', ports } } },
    {
      path,
      object: { metadata: { name: 'balanced' }, spec: { type: 'LoadBalancer', externalIPs: ['1.2.3.4'], ports } },
      status: { loadBalancer: { ingress: [{ hostname: 'z.example.com' }, { ip: '9.8.7.6' }] } },
    },
    {
      path,
      object: { metadata: { name: 'named' }, spec: { type: 'ExternalName', externalName: 'www.example.com' } },
    },
  ];
}

export function network(): PrintedObject[] {
  const networking = '/apis/networking.k8s.io/v1';
  const rule = (host: string): JsonObject => (host === '' ? { http: http() } : { host, http: http() });
  const http = (): JsonObject => ({
    paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }],
  });
  const addresses = (count: number): JsonObject[] =>
    Array.from({ length: count }, (_, index) => ({ ip: `10.0.0.${index + 1}` }));
  return [
    {
      path: '/api/v1/namespaces/default/endpoints',
      object: {
        metadata: { name: 'many' },
        subsets: [
          {
            addresses: addresses(3),
            ports: [
              { name: 'w', port: 80 },
              { name: 'x', port: 81 },
            ],
          },
        ],
      },
    },
    { path: '/api/v1/namespaces/default/endpoints', object: { metadata: { name: 'empty' } } },
    {
      path: '/api/v1/namespaces/default/endpoints',
      object: { metadata: { name: 'portless' }, subsets: [{ addresses: [...addresses(2), { ip: 'fd00::1' }] }] },
    },
    {
      path: '/api/v1/namespaces/default/endpoints',
      object: { metadata: { name: 'v6' }, subsets: [{ addresses: [{ ip: 'fd00::1' }], ports: [{ port: 80 }] }] },
    },
    {
      path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      object: {
        metadata: { name: 'web' },
        addressType: 'IPv4',
        ports: [{ name: 'a', port: 80 }, { name: 'b' }, { name: 'c', port: 82 }, { name: 'd', port: 83 }],
        endpoints: [1, 2, 3, 4].map((n) => ({ addresses: [`10.0.0.${n}`] })),
      },
    },
    {
      path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      object: { metadata: { name: 'empty' }, addressType: 'IPv6', endpoints: [] },
    },
    {
      path: `${networking}/namespaces/default/ingresses`,
      object: {
        metadata: { name: 'web' },
        spec: {
          ingressClassName: 'nginx',
          tls: [{ hosts: ['a.com'] }],
          rules: ['a.com', 'b.com', 'c.com', 'd.com'].map(rule),
        },
      },
      status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { hostname: 'a-rather-long-name.example.com' }] } },
    },
    {
      path: `${networking}/namespaces/default/ingresses`,
      object: { metadata: { name: 'any' }, spec: { rules: [rule('')] } },
    },
    {
      path: `${networking}/ingressclasses`,
      object: {
        metadata: { name: 'nginx', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
        spec: { controller: 'x.io/c', parameters: { apiGroup: 'x.io', kind: 'P', name: 'p', scope: 'Cluster' } },
      },
    },
    {
      path: `${networking}/namespaces/default/networkpolicies`,
      object: { metadata: { name: 'all' }, spec: { podSelector: {} } },
    },
    {
      path: `${networking}/namespaces/default/networkpolicies`,
      object: {
        metadata: { name: 'some' },
        spec: {
          podSelector: {
            matchLabels: { z: '1', a: '2' },
            matchExpressions: [
              { key: 'b', operator: 'Exists' },
              { key: 'c', operator: 'DoesNotExist' },
              { key: 'd', operator: 'NotIn', values: ['y', 'x'] },
            ],
          },
        },
      },
    },
    {
      path: `${networking}/ipaddresses`,
      object: {
        metadata: {
          name: '192.168.1.1',
          labels: { 'ipaddress.kubernetes.io/ip-family': 'IPv4', 'ipaddress.kubernetes.io/managed-by': 'me' },
        },
        spec: { parentRef: { group: 'x.io', resource: 'things', namespace: 'n', name: 'thing' } },
      },
    },
  ];
}

export function nodesAndStorage(): PrintedObject[] {
  return [
    {
      path: '/api/v1/nodes',
      object: {
        metadata: {
          name: 'node-1',
          labels: { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/a': '', 'kubernetes.io/role': 'b' },
        },
        spec: { unschedulable: true },
      },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [
          { type: 'InternalIP', address: '10.0.0.1' },
          { type: 'ExternalIP', address: '1.1.1.1' },
        ],
        nodeInfo: {
          ...Object.fromEntries(
            ['machineID', 'systemUUID', 'bootID', 'kubeProxyVersion', 'operatingSystem'].map((key) => [key, 'x']),
          ),
          kubeletVersion: 'v1.36.0',
          kernelVersion: '6.1',
          osImage: 'Linux',
          containerRuntimeVersion: 'containerd://2',
          architecture: 'amd64',
        },
      },
    },
    {
      path: '/api/v1/nodes',
      object: { metadata: { name: 'node-2' } },
      status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
    },
    { path: '/api/v1/nodes', object: { metadata: { name: 'node-3' } } },
    {
      path: '/api/v1/persistentvolumes',
      object: {
        metadata: { name: 'pv' },
        spec: {
          capacity: { storage: '2048Mi' },
          accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
          claimRef: { namespace: 'default', name: 'pvc' },
          storageClassName: 'fast',
          hostPath: { path: '/x' },
        },
      },
      status: { phase: 'Available', reason: 'Because' },
    },
    {
      path: '/api/v1/namespaces/default/persistentvolumeclaims',
      object: {
        metadata: { name: 'pvc' },
        spec: { volumeName: 'pv', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500M' } } },
      },
      status: { phase: 'Bound', accessModes: ['ReadOnlyMany', 'ReadWriteOncePod'], capacity: { storage: '1.5Gi' } },
    },
    {
      path: '/api/v1/namespaces/default/persistentvolumeclaims',
      object: {
        metadata: { name: 'unbound' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } }, storageClassName: 'fast' },
      },
    },
    {
      path: '/apis/storage.k8s.io/v1/storageclasses',
      object: {
        metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        provisioner: 'x.io/fast',
        allowVolumeExpansion: true,
      },
    },
    {
      path: '/apis/storage.k8s.io/v1/csidrivers',
      object: {
        metadata: { name: 'csi.x.io' },
        spec: { tokenRequests: [{ audience: 'a' }, { audience: 'b' }], requiresRepublish: true },
      },
    },
    {
      path: '/apis/storage.k8s.io/v1/csidrivers',
      object: {
        metadata: { name: 'plain.x.io' },
        spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral'] },
      },
    },
    {
      path: '/apis/storage.k8s.io/v1/csinodes',
      object: { metadata: { name: 'node-1' }, spec: { drivers: [{ name: 'csi.x.io', nodeID: 'n' }] } },
    },
    {
      path: '/apis/storage.k8s.io/v1/volumeattachments',
      object: {
        metadata: { name: 'va' },
        spec: { attacher: 'csi.x.io', nodeName: 'node-1', source: { persistentVolumeName: 'pv' } },
      },
      status: { attached: true },
    },
    {
      path: '/apis/storage.k8s.io/v1/volumeattributesclasses',
      object: { metadata: { name: 'gold' }, driverName: 'csi.x.io', parameters: { iops: '5' } },
    },
    {
      path: '/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities',
      object: { metadata: { name: 'cap' }, storageClassName: 'fast', capacity: '1Gi' },
    },
    {
      path: '/api/v1/namespaces/default/resourcequotas',
      object: { metadata: { name: 'quota' }, spec: { hard: { pods: '1000', 'limits.cpu': '4' } } },
      status: {
        hard: { pods: '1000', 'requests.cpu': '2500m', 'limits.cpu': '4', 'limits.memory': '1024Mi' },
        used: { pods: '5', 'requests.cpu': '0.25', 'limits.memory': '1536Mi' },
      },
    },
  ];
}
