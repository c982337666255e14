import type { JsonObject } from '../src/apiserver/values/json.ts';
import type { Judged } from './apiserver-validation-network.ts';

const container = { name: 'c', image: 'i' };
const selector = { matchLabels: { a: 'b' } };
const pod = (spec: JsonObject = {}): JsonObject => ({ containers: [container], ...spec });
const template = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { labels: { a: 'b' }, ...metadata },
  spec: pod(spec),
});
const withSpec = (specs: readonly JsonObject[]): JsonObject[] =>
  specs.map((spec) => ({ metadata: { name: 'x' }, spec }));
const workloads = (specs: readonly JsonObject[]): JsonObject[] =>
  withSpec(specs.map((spec) => ({ selector, template: template(), ...spec })));
const finite = { template: { spec: pod({ restartPolicy: 'Never' }) } };
const rolling = (...updates: JsonObject[]) => updates.map((rollingUpdate) => ({ rollingUpdate }));

const SELECTORS: JsonObject[] = [
  { selector: {} },
  { selector: { matchLabels: { 'a b': 'c' } } },
  { selector: { matchLabels: { a: 'c d' } } },
  { selector: { matchLabels: { x: 'y' } } },
  { selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'c'] }] } },
  { selector: { matchExpressions: [{ key: 'a', operator: 'Bad' }] } },
  { template: template({ restartPolicy: 'Never' }) },
  { template: template({ restartPolicy: 'Bad' }) },
  { template: template({ activeDeadlineSeconds: 5 }) },
  { template: template({ hostname: 'Bad_' }) },
  { template: template({}, { labels: { a: 'b', 'bad key': 'x' } }) },
  { template: template({}, { annotations: { 'bad key': 'x' } }) },
  { minReadySeconds: -1 },
];

const DEPLOYMENTS: JsonObject[] = [
  {},
  ...SELECTORS,
  { strategy: { type: 'Recreate' } },
  { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
  { strategy: { type: 'Foo' } },
  ...rolling(
    { maxSurge: 0, maxUnavailable: 0 },
    { maxSurge: '0%', maxUnavailable: '0%' },
    { maxSurge: 'abc', maxUnavailable: '150%' },
    { maxSurge: -1 },
    { maxSurge: '150%' },
  ).map((strategy) => ({ strategy })),
  { minReadySeconds: 10, progressDeadlineSeconds: 5 },
  { progressDeadlineSeconds: -1 },
  { revisionHistoryLimit: -1 },
];

const STATEFUL_SETS: JsonObject[] = [
  { serviceName: 'x' },
  ...SELECTORS,
  { serviceName: 'Bad_' },
  { podManagementPolicy: 'x' },
  { updateStrategy: { type: 'x' } },
  { updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } },
  ...rolling({ partition: -1 }, { partition: 2, maxUnavailable: 0 }).map((updateStrategy) => ({ updateStrategy })),
  { ordinals: { start: -1 } },
  { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'x' } },
  { revisionHistoryLimit: -1 },
  { volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: {} }] },
  {
    template: template({ containers: [{ ...container, volumeMounts: [{ name: 'd', mountPath: '/d' }] }] }),
    volumeClaimTemplates: [
      {
        metadata: { name: 'd' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  },
];

const DAEMON_SETS: JsonObject[] = [
  {},
  ...SELECTORS,
  { updateStrategy: { type: 'x' } },
  ...rolling(
    { maxUnavailable: 0 },
    { maxSurge: 1 },
    { maxSurge: 1, maxUnavailable: 0 },
    { maxSurge: '110%', maxUnavailable: 0 },
    { maxUnavailable: 'x' },
  ).map((updateStrategy) => ({ updateStrategy })),
  { revisionHistoryLimit: -1 },
];

const JOBS: JsonObject[] = [
  {},
  ...['completions', 'parallelism', 'backoffLimit', 'activeDeadlineSeconds', 'ttlSecondsAfterFinished'].map(
    (field) => ({
      [field]: -1,
    }),
  ),
  { completionMode: 'Indexed' },
  { completionMode: 'x' },
  { completionMode: 'Indexed', completions: 3, parallelism: 100_001 },
  { manualSelector: true },
  { selector },
  { template: { spec: pod() } },
  { backoffLimitPerIndex: 1 },
  { maxFailedIndexes: 1 },
  { podFailurePolicy: { rules: [{ action: 'x' }] } },
  { podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] } },
  { podReplacementPolicy: 'x' },
  { managedBy: 'x' },
  { successPolicy: { rules: [{ succeededCount: 1 }] } },
  { template: { metadata: { labels: { 'job-name': 'other' } }, spec: pod({ restartPolicy: 'Never' }) } },
].map((spec) => ({ ...finite, ...spec }));

const SCHEDULES = [
  '',
  '@hourly',
  '@every 1h',
  '@bad',
  '60 * * * *',
  '*/0 * * * *',
  '0 0 31 2 *',
  'TZ=UTC * * * * *',
  '* * * * * *',
  '0 0 * JAN MON-FRI',
  '5-1 * * * *',
  '1,2,x * * * *',
];
const CRON_JOBS: JsonObject[] = [
  {},
  ...SCHEDULES.map((schedule) => ({ schedule })),
  ...['UTC', '', 'local', 'Bad/Zone', 'Europe/Berlin', '/x'].map((timeZone) => ({ timeZone })),
  { concurrencyPolicy: 'x' },
  { startingDeadlineSeconds: -1 },
  { successfulJobsHistoryLimit: -1 },
  { jobTemplate: { spec: { template: { spec: pod() } } } },
  { jobTemplate: { spec: { ...finite, manualSelector: true } } },
  { jobTemplate: { spec: { ...finite, selector } } },
].map((spec) => ({ schedule: '* * * * *', jobTemplate: { spec: finite }, ...spec }));

const storage = (request: string) => ({ resources: { requests: { storage: request } } });
const claim = { accessModes: ['ReadWriteOnce'], ...storage('1Gi') };
const CLAIMS: JsonObject[] = [
  {},
  claim,
  { ...claim, accessModes: ['x'] },
  { ...claim, accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] },
  { ...claim, ...storage('0') },
  { ...claim, ...storage('-1') },
  { ...claim, storageClassName: 'Bad_' },
  { ...claim, volumeMode: 'x' },
  { ...claim, selector: { matchExpressions: [{ key: 'a', operator: 'x' }] } },
  { ...claim, dataSource: { kind: 'PersistentVolumeClaim', name: 'x' } },
  { ...claim, dataSource: { kind: 'X', name: 'x' } },
  { ...claim, dataSourceRef: { kind: 'VolumeSnapshot', apiGroup: 'snapshot.storage.k8s.io', name: 'x' } },
];

const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
const local = { ...volume, hostPath: { path: '/x' } };
const VOLUMES: JsonObject[] = [
  local,
  { ...local, nfs: { server: 's', path: '/p' } },
  { ...volume, hostPath: {} },
  { ...volume, hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' },
  { ...local, persistentVolumeReclaimPolicy: 'x' },
  { ...local, accessModes: ['x'] },
  { ...local, capacity: { storage: '0' } },
  { ...volume, csi: {} },
  { ...volume, local: { path: '/x' } },
  { ...local, storageClassName: 'Bad_' },
  { ...local, volumeMode: 'x' },
];

const NODES: JsonObject[] = [
  { spec: { taints: [{ key: 'a', effect: 'x' }] } },
  {
    spec: {
      taints: [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoSchedule' },
      ],
    },
  },
  { spec: { taints: [{ key: 'bad key', effect: 'NoSchedule' }] } },
  { spec: { podCIDR: 'x' } },
  { spec: { podCIDR: '10.0.0.0/24' } },
  { spec: { podCIDRs: ['10.0.0.0/24'] } },
  { status: { addresses: [{ type: 'InternalIP', address: '1.2.3.4' }], capacity: { cpu: '1' } } },
].map((object) => ({ metadata: { name: 'x' }, ...object }));

const named = (objects: readonly JsonObject[]) => objects.map((object) => ({ metadata: { name: 'x' }, ...object }));

export const WORKLOADS: readonly Judged[] = [
  { path: '/apis/apps/v1/namespaces/{ns}/deployments', objects: workloads(DEPLOYMENTS) },
  { path: '/apis/apps/v1/namespaces/{ns}/statefulsets', objects: workloads(STATEFUL_SETS) },
  { path: '/apis/apps/v1/namespaces/{ns}/daemonsets', objects: workloads(DAEMON_SETS) },
  { path: '/apis/apps/v1/namespaces/{ns}/replicasets', objects: workloads(SELECTORS) },
  { path: '/apis/batch/v1/namespaces/{ns}/jobs', objects: withSpec(JOBS) },
  { path: '/apis/batch/v1/namespaces/{ns}/cronjobs', objects: withSpec(CRON_JOBS) },
  { path: '/api/v1/namespaces/{ns}/persistentvolumeclaims', objects: withSpec(CLAIMS) },
  { path: '/api/v1/persistentvolumes', objects: withSpec(VOLUMES) },
  { path: '/api/v1/nodes', objects: NODES },
  {
    path: '/apis/storage.k8s.io/v1/storageclasses',
    objects: named([
      { provisioner: 'Bad_/x y' },
      { provisioner: 'x', reclaimPolicy: 'x' },
      { provisioner: 'x', volumeBindingMode: 'x' },
    ]),
  },
  {
    path: '/apis/scheduling.k8s.io/v1/priorityclasses',
    objects: named([
      { value: 2_000_000_000 },
      { value: 5, preemptionPolicy: 'x' },
      { metadata: { name: 'system-x' }, value: 5 },
    ]),
  },
];
