import type { JsonObject } from '../src/apiserver/values/json.ts';
import { jobTemplate, LONG_AGO, type PrintedObject, selector, template } from './apiserver-table-objects.ts';

export const WORKLOADS: PrintedObject[] = [
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
];

function pods(): PrintedObject[] {
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
