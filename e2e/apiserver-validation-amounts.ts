import type { JsonObject } from '../src/apiserver/values/json.ts';
import type { Judged } from './apiserver-validation-network.ts';

const withSpec = (specs: readonly JsonObject[]): JsonObject[] =>
  specs.map((spec) => ({ metadata: { name: 'x' }, spec }));

const NAMES = [
  'cpu',
  'memory',
  'storage',
  'ephemeral-storage',
  'pods',
  'foo',
  'a.b/c',
  'requests.cpu',
  'requests.storage',
  'limits.foo',
  'kubernetes.io/foo',
  'requests.a.b/c',
  'hugepages-2Mi',
  'requests.hugepages-2Mi',
  'a b',
  '',
  'count/deployments.apps',
  'services.nodeports',
  `a.b/${'c'.repeat(64)}`,
];
const bounds = (type: string, more: JsonObject) => ({ limits: [{ type, ...more }] });
const TYPES = ['Container', 'Pod', 'PersistentVolumeClaim', '', 'pod', 'a.b/c', 'a b'];
const PAIRS: [string, string][] = [
  ['1', '2'],
  ['2', '1'],
  ['1Gi', '512Mi'],
  ['100m', '1500m'],
  ['1500m', '1'],
  ['-1', '1'],
];

const RANGES: JsonObject[] = withSpec([
  {},
  { limits: [] },
  { limits: [{}] },
  ...TYPES.flatMap((type) => [
    bounds(type, {}),
    bounds(type, { max: { cpu: '1' } }),
    bounds(type, { min: { storage: '1Gi' }, max: { storage: '2Gi' } }),
    bounds(type, { default: { cpu: '1' }, defaultRequest: { memory: '1' } }),
  ]),
  ...['Container', 'Pod', 'PersistentVolumeClaim', 'a.b/c'].flatMap((type) =>
    NAMES.map((name) =>
      bounds(type, { max: { [name]: '2' }, min: { [name]: '1' }, maxLimitRequestRatio: { [name]: '2' } }),
    ),
  ),
  ...NAMES.map((name) => bounds('Container', { default: { [name]: '2' }, defaultRequest: { [name]: '1' } })),
  ...PAIRS.flatMap(([a, b]) => [
    bounds('Pod', { min: { cpu: a }, max: { cpu: b } }),
    bounds('Container', { min: { cpu: a }, default: { cpu: b } }),
    bounds('Container', { min: { cpu: a }, defaultRequest: { cpu: b } }),
    bounds('Container', { default: { cpu: a }, max: { cpu: b } }),
    bounds('Container', { defaultRequest: { cpu: a }, max: { cpu: b } }),
    bounds('Container', { defaultRequest: { cpu: a }, default: { cpu: b } }),
    bounds('Pod', { maxLimitRequestRatio: { cpu: a }, min: { cpu: '1' }, max: { cpu: b } }),
  ]),
  bounds('Pod', { maxLimitRequestRatio: { cpu: '500m' } }),
  bounds('Pod', { maxLimitRequestRatio: { cpu: '3' }, min: { cpu: '300m' }, max: { cpu: '500m' } }),
  { limits: [{ type: 'Pod' }, { type: 'Container' }, { type: 'Pod' }] },
]);

const SCOPES = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
  'foo',
  '',
];
const hard = { pods: '1' };
const selected = (expressions: JsonObject[], more: JsonObject = { hard }) => ({
  ...more,
  scopeSelector: { matchExpressions: expressions },
});

const QUOTAS: JsonObject[] = withSpec([
  {},
  { hard: {} },
  ...NAMES.flatMap((name) => ['1', '-1', '1500m'].map((amount) => ({ hard: { [name]: amount } }))),
  ...SCOPES.flatMap((scope) => [
    { scopes: [scope] },
    { hard, scopes: [scope] },
    { hard: { cpu: '1' }, scopes: [scope] },
    { hard: { services: '1', 'a.b/c': '1', 'requests.storage': '1' }, scopes: [scope] },
  ]),
  { hard, scopes: ['Terminating', 'NotTerminating'] },
  { hard, scopes: ['BestEffort', 'NotBestEffort', 'BestEffort'] },
  ...SCOPES.flatMap((scopeName) =>
    ['Exists', 'In', 'DoesNotExist', 'foo', ''].flatMap((operator) => [
      selected([{ scopeName, operator }]),
      selected([{ scopeName, operator, values: ['a'] }]),
    ]),
  ),
  selected([{ scopeName: 'BestEffort', operator: 'Exists' }], { hard: { cpu: '1', services: '1' } }),
  selected([
    { scopeName: 'BestEffort', operator: 'Exists' },
    { scopeName: 'NotBestEffort', operator: 'Exists' },
  ]),
  selected([{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['a', 'b'] }]),
]);

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const scaler = (more: JsonObject): JsonObject => ({ scaleTargetRef: target, maxReplicas: 3, ...more });
const metrics = (...list: JsonObject[]): JsonObject => scaler({ metrics: list });
const TARGETS: JsonObject[] = [
  {},
  { type: 'Utilization', averageUtilization: 50 },
  { type: 'Utilization', averageUtilization: 0 },
  { type: 'Utilization', averageUtilization: -1, averageValue: '1' },
  { type: 'Utilization' },
  { type: 'AverageValue', averageValue: '100m' },
  { type: 'AverageValue', averageValue: '0' },
  { type: 'AverageValue', averageValue: '-1', value: '-1' },
  { type: 'Value', value: '5' },
  { type: 'Value', value: '5', averageValue: '5' },
  { type: 'foo', averageValue: '1' },
];
const metric = { name: 'm' };
const SOURCES: [string, string, JsonObject][] = [
  ['Resource', 'resource', { name: 'cpu' }],
  ['ContainerResource', 'containerResource', { name: 'cpu', container: 'c' }],
  ['Pods', 'pods', { metric }],
  ['External', 'external', { metric }],
  ['Object', 'object', { metric, describedObject: { kind: 'Service', name: 's', apiVersion: 'v1' } }],
];
const share = { type: 'Utilization', averageUtilization: 50 };
const POLICY = { type: 'Pods', value: 1, periodSeconds: 15 };
const RULES: JsonObject[] = [
  {},
  ...[-1, 0, 3600, 3601].map((stabilizationWindowSeconds) => ({ stabilizationWindowSeconds })),
  ...['Max', 'Min', 'Disabled', 'max', ''].map((selectPolicy) => ({ selectPolicy })),
  { policies: [POLICY] },
  { policies: [{}] },
  { policies: [{ ...POLICY, type: 'x', value: 0, periodSeconds: 0 }] },
  { policies: [POLICY, { type: 'Percent', value: -1, periodSeconds: 1801 }] },
  ...['0', '0.1', '-1'].map((tolerance) => ({ tolerance })),
];

const SCALERS: JsonObject[] = withSpec([
  {},
  { maxReplicas: 3 },
  { scaleTargetRef: target },
  ...[-1, 0, 1, 3, 4].map((minReplicas) => scaler({ minReplicas })),
  ...[-1, 0, 1].map((maxReplicas) => scaler({ maxReplicas })),
  ...[
    { kind: 'a/b', name: '..', apiVersion: 'a/b' },
    { kind: 'Deployment', name: 'd' },
    { kind: 'Deployment', name: 'd', apiVersion: 'v1' },
    { kind: 'Deployment', name: 'd', apiVersion: 'a/b/c' },
    { kind: 'Deployment', name: 'd', apiVersion: '/v1' },
    { kind: 'ReplicationController', name: 'd' },
    { kind: 'ReplicationController', name: 'd', apiVersion: 'v1' },
    { kind: 'K%', name: 'a%b', apiVersion: 'x/y' },
  ].map((scaleTargetRef) => scaler({ scaleTargetRef })),
  metrics({}),
  metrics({ type: '' }),
  metrics({ type: 'foo' }),
  ...SOURCES.flatMap(([type, field, source]) => [
    metrics({ type }),
    metrics({ type, [field]: {} }),
    metrics({ type: 'foo', [field]: { ...source, target: share } }),
    metrics({ type: 'Pods', [field]: { ...source, target: share } }),
    metrics({ type, [field]: { ...source, target: share }, resource: { name: 'cpu', target: share } }),
    ...TARGETS.map((one) => metrics({ type, [field]: { ...source, target: one } })),
  ]),
  ...['', 'foo', 'a b', 'a.b/c', 'memory'].map((name) =>
    metrics({ type: 'ContainerResource', containerResource: { name, container: 'A', target: share } }),
  ),
  ...['', 'a/b', '%', '..'].map((name) =>
    metrics({ type: 'Pods', pods: { metric: { name }, target: { type: 'AverageValue', averageValue: '1' } } }),
  ),
  metrics({
    type: 'Object',
    object: { metric, describedObject: { kind: 'a/b', apiVersion: 'a/b/c' }, target: { type: 'Value', value: '1' } },
  }),
  scaler({ minReplicas: 0, metrics: [{ type: 'Resource', resource: { name: 'cpu', target: share } }] }),
  ...RULES.flatMap((rules) => [scaler({ behavior: { scaleUp: rules } }), scaler({ behavior: { scaleDown: rules } })]),
]);
const OLD_SCALERS: JsonObject[] = withSpec([
  {},
  ...[-1, 0, 1, 150].map((targetCPUUtilizationPercentage) => scaler({ targetCPUUtilizationPercentage })),
  scaler({ minReplicas: 0 }),
]);

export const AMOUNTS: readonly Judged[] = [
  { path: '/api/v1/namespaces/{ns}/limitranges', objects: RANGES },
  { path: '/api/v1/namespaces/{ns}/resourcequotas', objects: QUOTAS },
  { path: '/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers', objects: SCALERS },
  { path: '/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers', objects: OLD_SCALERS },
];
