import type { JsonObject } from '../src/apiserver/values/json.ts';
import { LONG_AGO, type PrintedObject, selector } from './apiserver-table-objects.ts';

export function clusterKinds(): PrintedObject[] {
  const event = (name: string, more: JsonObject): PrintedObject => ({
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

function autoscalers(): PrintedObject[] {
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

function access(): PrintedObject[] {
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
  const binding = (name: string, ref?: JsonObject): PrintedObject => ({
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
