import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resourcePath } from '../src/api/resource.ts';
import type { JsonObject } from '../src/apiserver/json.ts';
import { customPrinter } from '../src/apiserver/table/custom-printer.ts';
import { printerFor, toTable } from '../src/apiserver/table/table.ts';
import type { TablePrinter } from '../src/apiserver/table/table-printer.ts';
import { builtinResources } from '../src/generated/resources.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';

interface Table {
  kind: string;
  columnDefinitions: { name: string; type: string; format: string; priority: number; description?: string }[] | null;
  rows: { cells: unknown[]; conditions?: unknown; object: JsonObject }[] | null;
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const LONG_AGO = '2020-02-03T04:05:06Z';
const template = {
  metadata: { labels: { app: 'web', tier: 'b' } },
  spec: {
    nodeSelector: { disk: 'ssd' },
    containers: [
      { name: 'a', image: 'nginx' },
      { name: 'b', image: 'redis:7' },
    ],
  },
};
const selector = {
  matchLabels: { app: 'web' },
  matchExpressions: [{ key: 'tier', operator: 'In', values: ['b', 'a'] }],
};

/** Each is created on the real server, with its status where it has one; its row is then the expectation. */
const CORPUS: { path: string; object: JsonObject; status?: JsonObject }[] = [
  ...pods(),
  {
    path: '/apis/apps/v1/namespaces/default/deployments',
    object: { metadata: { name: 'web' }, spec: { replicas: 3, selector, template } },
    status: { replicas: 3, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 },
  },
  {
    path: '/apis/apps/v1/namespaces/default/replicasets',
    object: { metadata: { name: 'web' }, spec: { replicas: 3, selector, template } },
    status: { replicas: 3, readyReplicas: 2 },
  },
  {
    path: '/apis/apps/v1/namespaces/default/statefulsets',
    object: { metadata: { name: 'web' }, spec: { serviceName: 'web', selector, template } },
    status: { replicas: 1 },
  },
  {
    path: '/apis/apps/v1/namespaces/default/daemonsets',
    object: { metadata: { name: 'web' }, spec: { selector, template } },
    status: { desiredNumberScheduled: 5, currentNumberScheduled: 4, numberReady: 3, numberMisscheduled: 0 },
  },
  {
    path: '/apis/apps/v1/namespaces/default/controllerrevisions',
    object: {
      metadata: {
        name: 'web-1',
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true }],
      },
      revision: 7,
      data: {},
    },
  },
  {
    path: '/apis/apps/v1/namespaces/default/controllerrevisions',
    object: { metadata: { name: 'lonely' }, revision: 1, data: {} },
  },
  {
    path: '/api/v1/namespaces/default/replicationcontrollers',
    object: { metadata: { name: 'web' }, spec: { replicas: 2, selector: { app: 'web', tier: 'b' }, template } },
    status: { replicas: 2, readyReplicas: 1 },
  },
  { path: '/api/v1/namespaces/default/podtemplates', object: { metadata: { name: 'web' }, template } },
  {
    path: '/apis/batch/v1/namespaces/default/jobs',
    object: { metadata: { name: 'running' }, spec: { parallelism: 2, template: jobTemplate() } },
    status: { startTime: LONG_AGO, active: 1 },
  },
  {
    path: '/apis/batch/v1/namespaces/default/jobs',
    object: { metadata: { name: 'suspended' }, spec: { suspend: true, completions: 4, template: jobTemplate() } },
    status: { conditions: [{ type: 'Suspended', status: 'True', lastTransitionTime: LONG_AGO }] },
  },
  {
    path: '/apis/batch/v1/namespaces/default/jobs',
    object: { metadata: { name: 'done' }, spec: { template: jobTemplate() } },
    status: {
      startTime: LONG_AGO,
      completionTime: '2020-02-03T05:05:07Z',
      succeeded: 1,
      conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' })),
    },
  },
  {
    path: '/apis/batch/v1/namespaces/default/cronjobs',
    object: {
      metadata: { name: 'nightly' },
      spec: { schedule: '0 3 * * *', timeZone: 'Etc/UTC', jobTemplate: { spec: { template: jobTemplate() } } },
    },
    status: { lastScheduleTime: LONG_AGO, active: [{ kind: 'Job', name: 'x' }] },
  },
  {
    path: '/apis/batch/v1/namespaces/default/cronjobs',
    object: {
      metadata: { name: 'never' },
      spec: { schedule: '@daily', suspend: true, jobTemplate: { spec: { template: jobTemplate() } } },
    },
  },
  ...services(),
  ...network(),
  ...nodesAndStorage(),
  ...clusterKinds(),
];

function jobTemplate(): JsonObject {
  return { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'busybox' }] } };
}

function pods(): typeof CORPUS {
  const path = '/api/v1/namespaces/default/pods';
  const containers = [
    { name: 'a', image: 'nginx' },
    { name: 'b', image: 'nginx' },
  ];
  const initContainers = [
    { name: 'i', image: 'busybox' },
    { name: 's', image: 'busybox', restartPolicy: 'Always' },
  ];
  const image = { image: 'nginx', imageID: '' };
  const at = (name: string, state: JsonObject, more: JsonObject = {}): JsonObject => ({
    name,
    ...image,
    ready: false,
    restartCount: 0,
    state,
    ...more,
  });
  const running = { running: { startedAt: LONG_AGO } };
  const exited = (exitCode: number, more: JsonObject = {}): JsonObject => ({ terminated: { exitCode, ...more } });
  const lastState = { terminated: { exitCode: 1, finishedAt: LONG_AGO } };
  const statuses: [string, JsonObject, JsonObject][] = [
    ['fresh', {}, { phase: 'Pending' }],
    ['gated', { schedulingGates: [{ name: 'x/y' }] }, { phase: 'Pending', conditions: [gate()] }],
    [
      'running',
      { readinessGates: [{ conditionType: 'a/b' }, { conditionType: 'a/c' }] },
      {
        phase: 'Running',
        podIPs: [{ ip: '10.1.2.3' }],
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'a/b', status: 'True' },
        ],
        containerStatuses: [
          at('a', running, { ready: true, restartCount: 3, lastState }),
          at('b', running, { ready: true }),
        ],
      },
    ],
    [
      'crashing',
      {},
      { phase: 'Running', containerStatuses: [at('a', { waiting: { reason: 'CrashLoopBackOff' } }), at('b', running)] },
    ],
    [
      'completed',
      { restartPolicy: 'Never' },
      { phase: 'Succeeded', containerStatuses: ['a', 'b'].map((name) => at(name, exited(0, { reason: 'Completed' }))) },
    ],
    [
      'half-completed',
      {},
      {
        phase: 'Running',
        containerStatuses: [at('a', exited(0, { reason: 'Completed' })), at('b', running, { ready: true })],
      },
    ],
    [
      'half-failed',
      {},
      {
        phase: 'Running',
        containerStatuses: [at('a', exited(0, { reason: 'Completed' })), at('b', exited(3, { reason: 'Error' }))],
      },
    ],
    [
      'failed',
      { restartPolicy: 'Never' },
      { phase: 'Failed', containerStatuses: [at('a', exited(2)), at('b', exited(0, { signal: 9 }))] },
    ],
    ['evicted', { restartPolicy: 'Never' }, { phase: 'Failed', reason: 'Evicted' }],
    [
      'init-waiting',
      { initContainers },
      { phase: 'Pending', initContainerStatuses: [at('i', { waiting: { reason: 'PodInitializing' } })] },
    ],
    [
      'init-crashing',
      { initContainers },
      { phase: 'Pending', initContainerStatuses: [at('i', { waiting: { reason: 'ImagePullBackOff' } })] },
    ],
    [
      'init-failed',
      { initContainers },
      { phase: 'Pending', initContainerStatuses: [at('i', exited(5), { restartCount: 2, lastState })] },
    ],
    [
      'init-killed',
      { initContainers },
      { phase: 'Pending', initContainerStatuses: [at('i', exited(137, { signal: 9 }))] },
    ],
    [
      'init-error',
      { initContainers },
      { phase: 'Pending', initContainerStatuses: [at('i', exited(1, { reason: 'Error' }))] },
    ],
    [
      'sidecar',
      { initContainers },
      {
        phase: 'Running',
        initContainerStatuses: [
          at('i', exited(0, { reason: 'Completed' }), { restartCount: 4 }),
          at('s', running, { ready: true, started: true, restartCount: 2, lastState }),
        ],
        containerStatuses: [at('a', running, { ready: true }), at('b', running)],
      },
    ],
    [
      'sidecar-starting',
      { initContainers },
      {
        phase: 'Pending',
        initContainerStatuses: [at('i', exited(0)), at('s', running, { started: false })],
      },
    ],
    ['nominated', {}, { phase: 'Pending', nominatedNodeName: 'node-9' }],
  ];
  return statuses.map(([name, spec, status]) => ({
    path,
    object: {
      metadata: { name },
      spec: {
        containers,
        ...(spec.schedulingGates || status.nominatedNodeName ? {} : { nodeName: 'node-1' }),
        ...spec,
      },
    },
    status,
  }));
}

function gate(): JsonObject {
  return { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' };
}

function services(): typeof CORPUS {
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

function network(): typeof CORPUS {
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

function nodesAndStorage(): typeof CORPUS {
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

function clusterKinds(): typeof CORPUS {
  const event = (name: string, more: JsonObject): (typeof CORPUS)[number] => ({
    path: '/api/v1/namespaces/default/events',
    object: { metadata: { name }, involvedObject: { kind: 'Pod', name: 'web', namespace: 'default' }, ...more },
  });
  return [
    event('old', {
      firstTimestamp: LONG_AGO,
      lastTimestamp: '2021-02-03T04:05:06Z',
      count: 12,
      type: 'Warning',
      reason: 'BackOff',
      message: ' Back-off \n',
      source: { component: 'kubelet', host: 'node-1' },
    }),
    event('new', {
      eventTime: '2021-02-03T04:05:06.123456Z',
      series: { count: 4, lastObservedTime: '2022-02-03T04:05:06.000000Z' },
      action: 'Binding',
      reason: 'Scheduled',
      type: 'Normal',
      reportingComponent: 'x.io/scheduler',
      reportingInstance: 'scheduler-1',
    }),
    event('bare', { involvedObject: { kind: 'Node', namespace: 'default', fieldPath: 'spec.x' } }),
    {
      path: '/api/v1/namespaces/default/configmaps',
      object: { metadata: { name: 'cm' }, data: { a: '1' }, binaryData: { b: 'AA==' } },
    },
    { path: '/api/v1/namespaces/default/secrets', object: { metadata: { name: 's' }, stringData: { a: '1', b: '2' } } },
    { path: '/api/v1/namespaces/default/serviceaccounts', object: { metadata: { name: 'sa' } } },
    {
      path: '/api/v1/namespaces/default/limitranges',
      object: { metadata: { name: 'lr' }, spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } },
    },
    {
      path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
      object: { metadata: { name: 'min' }, spec: { minAvailable: '50%', selector } },
      status: { disruptionsAllowed: 2, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    },
    {
      path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
      object: { metadata: { name: 'max' }, spec: { maxUnavailable: 3, selector } },
    },
    ...autoscalers(),
    ...access(),
    {
      path: '/apis/scheduling.k8s.io/v1/priorityclasses',
      object: { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' },
    },
    { path: '/apis/node.k8s.io/v1/runtimeclasses', object: { metadata: { name: 'gvisor' }, handler: 'runsc' } },
    {
      path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
      object: { metadata: { name: 'lock' }, spec: { holderIdentity: 'me' } },
    },
    {
      path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
      object: { metadata: { name: 'free' }, spec: {} },
    },
    {
      path: '/apis/apiregistration.k8s.io/v1/apiservices',
      object: {
        metadata: { name: 'v1.x.io' },
        spec: {
          group: 'x.io',
          version: 'v1',
          groupPriorityMinimum: 10,
          versionPriority: 10,
          insecureSkipTLSVerify: true,
          service: { namespace: 'default', name: 'x' },
        },
      },
    },
  ];
}

function autoscalers(): typeof CORPUS {
  const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const metric = { name: 'm' };
  const describedObject = { kind: 'Service', name: 'web' };
  const pod: JsonObject = { type: 'Pods', pods: { metric, target: { type: 'AverageValue', averageValue: '1500m' } } };
  const cpu: JsonObject = {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
  };
  const sets: [string, JsonObject[], JsonObject[]][] = [
    ['default', [], []],
    [
      'cpu',
      [cpu],
      [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 33, averageValue: '1' } } }],
    ],
    [
      'three',
      [pod, { type: 'External', external: { metric, target: { type: 'AverageValue', averageValue: '4' } } }, cpu],
      [{ type: 'Pods', pods: { metric, current: { averageValue: '0.5' } } }],
    ],
    [
      'values',
      [
        { type: 'External', external: { metric, target: { type: 'Value', value: '4' } } },
        { type: 'Object', object: { metric, describedObject, target: { type: 'Value', value: '1000' } } },
      ],
      [{ type: 'External', external: { metric, current: { value: '3' } } }],
    ],
    [
      'memory',
      [{ type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } } }],
      [],
    ],
  ];
  return sets.map(([name, metrics, currentMetrics]) => ({
    path,
    object: {
      metadata: { name },
      spec: { scaleTargetRef, maxReplicas: 5, ...(metrics.length === 0 ? {} : { metrics }) },
    },
    status: { currentReplicas: 2, desiredReplicas: 3, currentMetrics, conditions: [] },
  }));
}

function access(): typeof CORPUS {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = [
    { kind: 'User', name: 'ann', apiGroup },
    { kind: 'User', name: 'bob', apiGroup },
    { kind: 'Group', name: 'g', apiGroup },
    { kind: 'ServiceAccount', name: 'sa', namespace: 'default' },
  ];
  const admission = '/apis/admissionregistration.k8s.io/v1';
  const matchConstraints = {
    resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
  };
  const webhook = {
    name: 'a.x.io',
    clientConfig: { url: 'https://x.io/' },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const paramRef = (more: JsonObject): JsonObject => ({ parameterNotFoundAction: 'Deny', ...more });
  const binding = (name: string, ref?: JsonObject): (typeof CORPUS)[number] => ({
    path: `${admission}/validatingadmissionpolicybindings`,
    object: {
      metadata: { name },
      spec: { policyName: 'absent', validationActions: ['Deny'], ...(ref ? { paramRef: ref } : {}) },
    },
  });
  return [
    { path: `${rbac}/namespaces/default/roles`, object: { metadata: { name: 'r' }, rules: [] } },
    {
      path: `${rbac}/namespaces/default/rolebindings`,
      object: { metadata: { name: 'rb' }, subjects, roleRef: { apiGroup, kind: 'Role', name: 'r' } },
    },
    {
      path: `${rbac}/clusterrolebindings`,
      object: { metadata: { name: 'crb' }, subjects, roleRef: { apiGroup, kind: 'ClusterRole', name: 'r' } },
    },
    { path: `${admission}/validatingwebhookconfigurations`, object: { metadata: { name: 'w' }, webhooks: [webhook] } },
    { path: `${admission}/mutatingwebhookconfigurations`, object: { metadata: { name: 'w' }, webhooks: [] } },
    {
      path: `${admission}/validatingadmissionpolicies`,
      object: {
        metadata: { name: 'p' },
        spec: {
          matchConstraints,
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          validations: [{ expression: 'true' }],
        },
      },
    },
    binding('none'),
    binding('named', paramRef({ name: 'n', namespace: 'default' })),
    binding('anywhere', paramRef({ name: 'n' })),
    binding('selected', paramRef({ selector })),
    {
      path: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
      object: {
        metadata: { name: 'z-first' },
        spec: { matchingPrecedence: 3, priorityLevelConfiguration: { name: 'exempt' }, rules: [] },
      },
    },
    {
      path: '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
      object: {
        metadata: { name: 'rejecting' },
        spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } },
      },
    },
    {
      path: '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations',
      object: { metadata: { name: 'm' }, spec: { resource: { group: 'apps', resource: 'deployments' } } },
    },
    {
      path: '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
      object: { metadata: { name: 'claim' }, spec: {} },
    },
    {
      path: '/apis/resource.k8s.io/v1/resourceslices',
      object: {
        metadata: { name: 'slice' },
        spec: { driver: 'd.x.io', nodeName: 'node-1', pool: { name: 'pool', generation: 1, resourceSliceCount: 1 } },
      },
    },
  ];
}

describe('the tables of the embedded server and those of a real one', () => {
  let plane: ControlPlane;
  let agent: Agent;

  beforeAll(async () => {
    plane = await ControlPlane.start({
      flags: { apiserver: ['--runtime-config=api/all=true', '--feature-gates=AllAlpha=true,AllBeta=true'] },
    });
    agent = new Agent({ connect: { ca: plane.ca } });
  });

  afterAll(async () => {
    await agent?.close();
    await plane?.stop();
  });

  async function send(method: 'GET' | 'POST' | 'PATCH', path: string, body?: JsonObject, accept = 'application/json') {
    const headers = {
      authorization: `Bearer ${plane.token}`,
      accept,
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    };
    const answer = await request(`${plane.server}${path}`, {
      dispatcher: agent,
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, body: (await answer.body.json()) as JsonObject };
  }

  async function tableOf(path: string): Promise<Table> {
    const { status, body } = await send('GET', path, undefined, TABLE);
    expect(status, path).toBe(200);
    return body as unknown as Table;
  }

  /** Ages move on between the server's clock and ours: the rows of one of the moments around the answer must be equal. */
  async function compareRows(path: string, printer: TablePrinter): Promise<void> {
    const beforeMs = Date.now();
    const real = await tableOf(`${path}?includeObject=Object`);
    const expected = (real.rows ?? []).map(({ cells, conditions }) => ({ cells, conditions }));
    const objects = (real.rows ?? []).map(({ object }) => object);
    const attempts = [0, 500, 1000, 2000].map((offsetMs) => {
      const table = toTable({ printer, objects, nowMs: beforeMs + offsetMs, includeObject: 'Object' });
      const rows = (table.rows ?? []) as unknown as Table['rows'];
      return (rows ?? []).map(({ cells, conditions }) => ({ cells, conditions }));
    });
    const equal = attempts.find((rows) => JSON.stringify(rows) === JSON.stringify(expected));
    expect(equal ?? attempts[0], path).toEqual(expected);
  }

  it('have the same headings for every built-in kind that can be listed', async () => {
    for (const resource of builtinResources()) {
      if (!resource.verbs.includes('list')) continue;
      const real = await tableOf(resourcePath(resource));
      const withoutText = ({ name, type, format, priority }: NonNullable<Table['columnDefinitions']>[number]) => ({
        name,
        type,
        format,
        priority,
      });
      expect(printerFor(resource).columns.map(withoutText), `${resource.kind}.${resource.group}`).toEqual(
        real.columnDefinitions?.map(withoutText),
      );
    }
  });

  it('have the same rows for objects in all kinds of states', async () => {
    const refused: string[] = [];
    for (const { path, object, status } of CORPUS) {
      const name = String((object.metadata as JsonObject).name);
      const created = await send('POST', path, object);
      if (created.status !== 201) refused.push(`${path} ${name}: ${String(created.body.message)}`);
      if (created.status !== 201 || status === undefined) continue;
      const updated = await send('PATCH', `${path}/${name}/status`, { status });
      if (updated.status !== 200) refused.push(`${path}/${name}/status: ${String(updated.body.message)}`);
    }
    expect(refused).toEqual([]);
    const kinds = new Set(CORPUS.map(({ path }) => path.replace('/namespaces/default', '')));
    for (const resource of builtinResources()) {
      if (resource.verbs.includes('list')) await compareRows(resourcePath(resource), printerFor(resource));
      kinds.delete(resourcePath(resource));
    }
    expect([...kinds]).toEqual([]);
  });

  it('have the same rows for objects that are being deleted', async () => {
    for (const path of ['/api/v1/namespaces/kube-public/pods', '/apis/batch/v1/namespaces/kube-public/jobs']) {
      const spec = path.endsWith('pods') ? jobTemplate().spec : { template: jobTemplate() };
      const metadata = { name: 'going', finalizers: ['x.io/wait'] };
      const created = await send('POST', path, { metadata, spec } as JsonObject);
      expect(created.status, JSON.stringify(created.body)).toBe(201);
      const headers = { authorization: `Bearer ${plane.token}` };
      await request(`${plane.server}${path}/going`, { dispatcher: agent, method: 'DELETE', headers });
    }
    await compareRows('/api/v1/pods', printerFor({ group: '', kind: 'Pod' }));
    await compareRows('/apis/batch/v1/jobs', printerFor({ group: 'batch', kind: 'Job' }));
  });

  it('have the same rows for custom resources', async () => {
    const columns = [
      { name: 'Text', type: 'string', jsonPath: '.spec.text' },
      { name: 'Int', type: 'integer', jsonPath: '.spec.int', priority: 1 },
      { name: 'Float', type: 'number', jsonPath: '.spec.float' },
      { name: 'Bool', type: 'boolean', jsonPath: '.spec.bool' },
      { name: 'When', type: 'date', jsonPath: '.spec.when' },
      { name: 'As text', type: 'string', jsonPath: '.spec.map', description: 'A map as JSON.' },
      { name: 'Int as text', type: 'string', jsonPath: '.spec.int' },
      { name: 'Float as text', type: 'string', jsonPath: '.spec.float' },
      { name: 'First', type: 'string', jsonPath: '.spec.list[0].name' },
      { name: 'Last', type: 'string', jsonPath: '.spec.list[-1].name' },
      { name: 'All', type: 'string', jsonPath: '.spec.list[*].name' },
      { name: 'Ready', type: 'string', jsonPath: '.spec.list[?(@.name=="b")].value' },
      { name: 'More', type: 'string', jsonPath: '.spec.list[?(@.value>1)].name' },
      { name: 'Dotted', type: 'string', jsonPath: '.metadata.labels.x\\.io/y' },
      { name: 'Int as date', type: 'date', jsonPath: '.spec.int' },
      { name: 'Null', type: 'string', jsonPath: '.spec.nothing' },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ];
    const schema = {
      type: 'object',
      properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    };
    const version = (name: string, more: JsonObject): JsonObject => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: schema },
      ...more,
    });
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.table.example.com' },
      spec: {
        group: 'table.example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [version('v1', { additionalPrinterColumns: columns }), version('v2', {})],
      },
    };
    const made = await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const path = '/apis/table.example.com/v1/namespaces/default/things';
    await expect.poll(async () => (await send('GET', path)).status, { timeout: 20_000 }).toBe(200);
    const list = [
      { name: 'a', value: 1 },
      { name: 'b', value: 2 },
    ];
    const objects: JsonObject[] = [
      { text: 'x', int: 3, float: 1.5, bool: true, when: LONG_AGO, map: { b: ['<', 1], a: null }, list },
      { text: 4, int: 'x', float: 2, bool: 'y', when: 'not a date', list: [], nothing: null },
      { text: false, int: 2.5, float: 1e-7, list: { name: 'x' }, when: '' },
      {},
    ];
    for (const [index, spec] of objects.entries()) {
      const metadata = { name: `thing-${index}`, labels: { 'x.io/y': 'yes' } };
      const created = await send('POST', path, { apiVersion: 'table.example.com/v1', kind: 'Thing', metadata, spec });
      expect(created.status, JSON.stringify(created.body)).toBe(201);
    }
    await compareRows(path, customPrinter(columns));
    await compareRows(path.replace('v1', 'v2'), customPrinter(undefined));
    for (const [version, declared] of [
      ['v1', columns],
      ['v2', undefined],
    ] as const) {
      const real = await tableOf(path.replace('v1', version));
      const ours = customPrinter(declared).columns;
      const described = (column: { name: string; description?: string }) =>
        ['Name', 'Age'].includes(column.name) ? { ...column, description: '' } : column;
      expect(ours.map(described)).toEqual(real.columnDefinitions?.map(described));
    }
  });
});
