import type { JsonObject } from '../src/apiserver/values/json.ts';
import type { Judged } from './apiserver-validation-network.ts';

const plain = { name: 'c', image: 'i' };
const variable = (valueFrom: JsonObject) => ({ env: [{ name: 'A', valueFrom }] });
const liveness = (livenessProbe: JsonObject) => ({ livenessProbe });
const command = ['a'];

/** What is added to the one container of a pod. */
const CONTAINERS: JsonObject[] = [
  {},
  { name: 'A' },
  { image: ' x' },
  { imagePullPolicy: 'x' },
  { terminationMessagePolicy: 'x' },
  { ports: [{ containerPort: 70_000 }] },
  { ports: [{ containerPort: 80, hostPort: 70_000 }] },
  {
    ports: [
      { containerPort: 80, hostPort: 80 },
      { containerPort: 81, hostPort: 80 },
    ],
  },
  { ports: [{ containerPort: 80, name: 'BAD' }] },
  { ports: [{ containerPort: 80, name: 'toolongportname1' }] },
  { env: [{ name: '' }] },
  { env: [{ name: '1fine' }] },
  { env: [{ name: 'a=b' }] },
  { env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
  variable({}),
  ...['metadata.bad', '', "metadata.labels['a']", 'status.podIP'].map((fieldPath) =>
    variable({ fieldRef: { fieldPath } }),
  ),
  variable({ configMapKeyRef: { name: 'x' } }),
  variable({ configMapKeyRef: { key: 'k' } }),
  variable({ secretKeyRef: { name: 'x', key: 'bad key' } }),
  variable({ resourceFieldRef: { resource: 'limits.cpu' } }),
  variable({ resourceFieldRef: { resource: 'bad' } }),
  variable({ resourceFieldRef: { resource: 'limits.cpu' }, fieldRef: { fieldPath: 'metadata.name' } }),
  { envFrom: [{}] },
  { envFrom: [{ prefix: '1=', secretRef: { name: 'x' } }] },
  { envFrom: [{ configMapRef: {} }] },
  { envFrom: [{ configMapRef: { name: 'a' }, secretRef: { name: 'b' } }] },
  liveness({}),
  liveness({ httpGet: { port: 80 } }),
  liveness({ httpGet: { path: '/x' } }),
  liveness({ httpGet: { port: 80, scheme: 'x' } }),
  liveness({ httpGet: { port: 80, httpHeaders: [{ name: 'bad header', value: 'x' }] } }),
  liveness({ tcpSocket: { port: 70_000 } }),
  liveness({ exec: {} }),
  liveness({ exec: { command }, tcpSocket: { port: 1 } }),
  liveness({ exec: { command }, successThreshold: 2 }),
  liveness({ exec: { command }, terminationGracePeriodSeconds: 0 }),
  { readinessProbe: { exec: { command }, initialDelaySeconds: -1, periodSeconds: -1, failureThreshold: -1 } },
  { readinessProbe: { exec: { command }, terminationGracePeriodSeconds: 5 } },
  { lifecycle: { preStop: {} } },
  { lifecycle: { postStart: { exec: { command: [] } } } },
  { resources: { limits: { cpu: '-1' } } },
  { resources: { limits: { foo: '1' } } },
  { resources: { limits: { 'bad name': '1' } } },
  { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
  { volumeMounts: [{ name: 'none', mountPath: '/a' }] },
];

const affinity = (kind: string, rule: string, value: JsonObject | JsonObject[]) => ({
  affinity: { [kind]: { [`${rule}DuringSchedulingIgnoredDuringExecution`]: value } },
});
const expression = { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] };
const mounts = (...volumeMounts: JsonObject[]) => ({
  volumes: [{ name: 'v' }],
  containers: [{ ...plain, volumeMounts: volumeMounts.map((mount) => ({ name: 'v', mountPath: '/a', ...mount })) }],
});

/** What is added to the spec of a pod with one container. */
const SPECS: JsonObject[] = [
  ...[
    { hostPath: {} },
    { hostPath: { path: '/a/../b' } },
    { hostPath: { path: '/a', type: 'x' } },
    { secret: {} },
    { secret: { secretName: 's', defaultMode: 9999 } },
    { secret: { secretName: 's', items: [{ key: 'a' }] } },
    { secret: { secretName: 's', items: [{ key: 'a', path: '../x' }] } },
    { configMap: {} },
    { configMap: { name: 'c', items: [{ key: 'a', path: '/abs' }] } },
    { persistentVolumeClaim: {} },
    { nfs: {} },
    { csi: {} },
    { ephemeral: {} },
  ].map((source) => ({ volumes: [{ name: 'v', ...source }] })),
  { volumes: [{ name: 'a' }, { name: 'a' }] },
  mounts({}, {}),
  mounts({ subPath: '../x' }),
  mounts({ subPath: 'x', subPathExpr: 'y' }),
  mounts({ mountPropagation: 'x' }),
  { dnsPolicy: 'x' },
  { dnsPolicy: 'None' },
  { serviceAccountName: 'Bad_' },
  { nodeName: 'Bad_' },
  { hostname: 'a.b' },
  { subdomain: 'a_b' },
  { priorityClassName: 'nope' },
  { priorityClassName: 'system-node-critical' },
  { priority: 5 },
  { schedulingGates: [{ name: 'a.b/c' }] },
  { schedulingGates: [{ name: 'a.b/c' }, { name: 'a.b/c' }] },
  { schedulingGates: [{ name: 'g' }], nodeName: 'n' },
  ...[
    { key: 'a', operator: 'x' },
    { operator: 'Equal' },
    { key: 'a', effect: 'x' },
    { key: 'a', tolerationSeconds: 5 },
    { key: 'bad key' },
    { key: 'a', value: 'bad value' },
  ].map((toleration) => ({ tolerations: [toleration] })),
  affinity('nodeAffinity', 'required', {}),
  affinity('nodeAffinity', 'required', { nodeSelectorTerms: [expression] }),
  affinity('nodeAffinity', 'preferred', [{ weight: 0, preference: {} }]),
  affinity('podAntiAffinity', 'required', [{ labelSelector: {} }]),
  affinity('podAntiAffinity', 'preferred', [{ weight: 200, podAffinityTerm: { topologyKey: 'zone' } }]),
  { topologySpreadConstraints: [{}] },
  {
    topologySpreadConstraints: [1, 2].map((maxSkew) => ({
      maxSkew,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
    })),
  },
];

const env = (...values: (string | undefined)[]): JsonObject => ({
  env: values.map((value) => ({ name: 'A', ...(value === undefined ? {} : { value }) })),
});
const ports = (...list: JsonObject[]): JsonObject => ({ ports: list.map((port) => ({ containerPort: 80, ...port })) });
const withContainer = (more: JsonObject): JsonObject => ({ containers: [{ ...plain, ...more }] });

/** What is accepted with a warning. */
const ODD: JsonObject[] = [
  withContainer(env('a', 'b')),
  withContainer(env('a', '$(A)', '$(A)b', undefined)),
  withContainer({ env: [{ name: 'A' }, { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
  withContainer(ports({}, {})),
  withContainer(ports({}, { protocol: 'UDP' })),
  withContainer(ports({ hostPort: 1 }, {})),
  withContainer(ports({ hostPort: 1, hostIP: '1.2.3.4' }, { hostPort: 1 })),
  {
    containers: [
      { ...plain, ...ports({ name: 'a' }) },
      { ...plain, name: 'd', ...ports({ name: 'a', containerPort: 81 }) },
    ],
  },
  withContainer({
    resources: { limits: { memory: '1500m', 'ephemeral-storage': '1500m' }, requests: { memory: '100m' } },
  }),
  { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } },
  {
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'failure-domain.beta.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
    ],
  },
  { hostAliases: [{ ip: '1.2.3.4' }, { ip: '1.2.3.4' }, { ip: '2001:DB8::1' }] },
  { imagePullSecrets: [{ name: 'a' }, { name: 'a' }, {}] },
  { terminationGracePeriodSeconds: -1 },
  affinity('podAffinity', 'required', [{ topologyKey: 'zone' }]),
  affinity('podAntiAffinity', 'preferred', [{ weight: 1, podAffinityTerm: { topologyKey: 'zone' } }]),
  { volumes: [{ name: 'v', projected: { sources: [{}] } }] },
  { volumes: [{ name: 'v', gitRepo: { repository: 'r' } }] },
  { dnsConfig: { nameservers: ['2001:DB8::1'] } },
];
const template = (spec: JsonObject): JsonObject => ({ metadata: { labels: { a: 'b' } }, spec });
const selector = { matchLabels: { a: 'b' } };

export const PODS: readonly Judged[] = [
  {
    path: '/api/v1/namespaces/{ns}/pods',
    objects: [
      ...CONTAINERS.map((more) => ({ containers: [{ ...plain, ...more }] })),
      ...SPECS.map((more) => ({ containers: [plain], ...more })),
      ...ODD.map((more) => ({ containers: [plain], ...more })),
    ].map((spec) => ({ metadata: { name: 'x' }, spec })),
  },
  ...['deployments', 'statefulsets', 'daemonsets', 'replicasets'].map((plural) => ({
    path: `/apis/apps/v1/namespaces/{ns}/${plural}`,
    objects: ODD.map((more) => ({
      metadata: { name: 'x', ...(plural === 'deployments' ? {} : { labels: { a: 'b' } }) },
      spec: { selector, template: template({ containers: [plain], ...more }) },
    })),
  })),
  {
    path: '/apis/batch/v1/namespaces/{ns}/cronjobs',
    objects: ODD.map((more) => ({
      metadata: { name: 'x' },
      spec: {
        schedule: '* * * * *',
        jobTemplate: { spec: { template: template({ containers: [plain], restartPolicy: 'Never', ...more }) } },
      },
    })),
  },
];
