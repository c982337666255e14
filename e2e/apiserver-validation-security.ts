import type { JsonObject, JsonValue } from '../src/apiserver/values/json.ts';
import type { Judged } from './apiserver-validation-network.ts';

const plain = { name: 'c', image: 'i' };
const IDS = [0, -1, 2_147_483_647, 2_147_483_648];
const PROFILES: JsonObject[] = [
  {},
  ...['RuntimeDefault', 'Unconfined', 'Localhost', 'x'].flatMap((type) => [
    { type },
    ...['', 'a/b', '/a', '../a', ' a', 'a'.repeat(5000)].map((localhostProfile) => ({ type, localhostProfile })),
  ]),
];
const WINDOWS: JsonObject[] = [
  {},
  { hostProcess: true },
  { hostProcess: false },
  ...['', 'a', 'A'].map((gmsaCredentialSpecName) => ({ gmsaCredentialSpecName })),
  ...['', 'a', 'a'.repeat(65_537)].map((gmsaCredentialSpec) => ({ gmsaCredentialSpec })),
  ...[
    '',
    'u',
    'd\\u',
    'd\\e\\u',
    'a\tb',
    '.. .',
    'a@b',
    'd.e\\u',
    '.d\\u',
    'd\\',
    '\\u',
    'u'.repeat(105),
    `${'d'.repeat(256)}\\u`,
  ].map((runAsUserName) => ({ runAsUserName })),
];
const SHARED: JsonObject[] = [
  ...IDS.map((runAsUser) => ({ runAsUser })),
  ...IDS.map((runAsGroup) => ({ runAsGroup })),
  ...PROFILES.map((seccompProfile) => ({ seccompProfile })),
  ...PROFILES.map((appArmorProfile) => ({ appArmorProfile })),
  ...WINDOWS.map((windowsOptions) => ({ windowsOptions })),
  { runAsNonRoot: true, seLinuxOptions: { level: 'x' } },
];
const CONTAINER: JsonObject[] = [
  ...SHARED,
  ...['Default', 'Unmasked', 'x', ''].map((procMount) => ({ procMount })),
  { privileged: true },
  { privileged: true, allowPrivilegeEscalation: false },
  {
    privileged: true,
    allowPrivilegeEscalation: false,
    capabilities: { add: ['CAP_SYS_ADMIN', 'x'], drop: ['ALL'] },
    runAsUser: 1,
    procMount: 'Default',
  },
  { allowPrivilegeEscalation: false, capabilities: { add: ['SYS_ADMIN'] } },
  { readOnlyRootFilesystem: true },
];
const POD: JsonObject[] = [
  ...SHARED,
  ...IDS.map((fsGroup) => ({ fsGroup })),
  ...IDS.map((group) => ({ supplementalGroups: [1, group] })),
  ...['Always', 'OnRootMismatch', 'x', ''].map((fsGroupChangePolicy) => ({ fsGroupChangePolicy })),
  ...['Merge', 'Strict', 'x', ''].map((supplementalGroupsPolicy) => ({ supplementalGroupsPolicy })),
  ...['Recursive', 'MountOption', 'x', ''].map((seLinuxChangePolicy) => ({ seLinuxChangePolicy })),
  ...['', 'a', 'a.b', 'a/b', 'A', 'a..b', 'x'.repeat(254), 'kernel.shm_rmid_forced'].map((name) => ({
    sysctls: [{ name, value: '1' }],
  })),
  { sysctls: ['a', 'b', 'a'].map((name) => ({ name, value: '1' })) },
];
const port = (containerPort: number, hostPort?: number): JsonObject => ({
  containers: [{ ...plain, ports: [{ containerPort, ...(hostPort === undefined ? {} : { hostPort }) }] }],
});
const inside = (securityContext: JsonObject, more: JsonObject = {}): JsonObject => ({
  containers: [{ ...plain, securityContext }],
  ...more,
});

const HOSTS: JsonObject[] = [
  { shareProcessNamespace: true, hostPID: true },
  { shareProcessNamespace: true },
  { hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true },
  { hostUsers: false },
  inside({ procMount: 'Unmasked' }, { hostUsers: false }),
  { hostNetwork: true, ...port(80) },
  { hostNetwork: true, ...port(80, 80) },
  { hostNetwork: true, ...port(80, 81) },
  ...['', 'linux', 'windows', 'x'].map((name) => ({ os: { name } })),
  inside({ windowsOptions: {} }, { os: { name: 'linux' }, securityContext: { windowsOptions: {} } }),
  {
    os: { name: 'windows' },
    hostUsers: true,
    hostPID: true,
    hostIPC: true,
    shareProcessNamespace: false,
    securityContext: {
      runAsUser: 1,
      runAsGroup: 1,
      fsGroup: 1,
      fsGroupChangePolicy: 'Always',
      sysctls: [{ name: 'a', value: 'b' }],
      supplementalGroups: [1],
      supplementalGroupsPolicy: 'Merge',
      seLinuxOptions: {},
      seLinuxChangePolicy: 'Recursive',
      seccompProfile: { type: 'Unconfined' },
      appArmorProfile: { type: 'Unconfined' },
    },
  },
  inside(
    {
      runAsUser: 1,
      runAsGroup: 1,
      privileged: false,
      allowPrivilegeEscalation: true,
      procMount: 'Default',
      capabilities: {},
      readOnlyRootFilesystem: true,
      seLinuxOptions: {},
      seccompProfile: { type: 'Unconfined' },
      appArmorProfile: { type: 'Unconfined' },
    },
    { os: { name: 'windows' } },
  ),
  inside({ windowsOptions: { hostProcess: true } }),
  inside({ windowsOptions: { hostProcess: true } }, { hostNetwork: true }),
  inside({ windowsOptions: { hostProcess: true } }, { securityContext: { windowsOptions: { hostProcess: false } } }),
  {
    containers: [
      { ...plain, securityContext: { windowsOptions: { hostProcess: true } } },
      { ...plain, name: 'd' },
    ],
  },
];

const FIELDS = [
  'metadata.name',
  'metadata.labels',
  'metadata.uid',
  "metadata.labels['a']",
  "metadata.annotations['A/b']",
  "metadata.labels['a b']",
  "metadata.labels['']",
  "spec.nodeName['a']",
  'spec.nodeName',
  'spec.host',
  'status.podIP',
  'status.phase',
  'spec.containers',
  '',
];
const DIVISORS = ['1', '1m', '1Mi', '3', '0'];
const RESOURCES = ['limits.cpu', 'requests.memory', 'limits.ephemeral-storage', 'limits.hugepages-2Mi', 'x', ''];
const FILES: JsonObject[] = [
  {},
  ...FIELDS.map((fieldPath) => ({ path: 'a', fieldRef: { fieldPath } })),
  { path: 'a', fieldRef: { fieldPath: 'metadata.name', apiVersion: 'v2' } },
  ...RESOURCES.flatMap((resource) => [
    { path: 'a', resourceFieldRef: { resource } },
    ...DIVISORS.map((divisor) => ({ path: 'a', resourceFieldRef: { resource, containerName: 'c', divisor } })),
  ]),
  { path: 'a', fieldRef: { fieldPath: 'metadata.name' }, resourceFieldRef: { resource: 'x' } },
  ...['', '/a', '../a', '..a', 'a/../b', 'a/..b'].map((path) => ({ path, fieldRef: { fieldPath: 'metadata.name' } })),
  ...[-1, 511, 512].map((mode) => ({ path: 'a', mode, fieldRef: { fieldPath: 'metadata.name' } })),
];
const keys = (...paths: string[]): JsonValue => paths.map((path) => ({ key: 'k', path }));
const SOURCES: JsonObject[] = [
  { secret: {} },
  { secret: { name: 's' } },
  { secret: { name: 's', items: [{}] } },
  { secret: { name: 's', items: keys('a', 'b', 'a') } },
  { configMap: {} },
  { configMap: { name: 'c', items: keys('/a', '..a', '../b', 'a/..') } },
  { configMap: { name: 'c', items: [{ key: 'a', path: 'b', mode: 512 }] } },
  { secret: { name: 's' }, configMap: { name: 'c' } },
  ...[0, 599, 600, 2 ** 32, 2 ** 32 + 1].map((expirationSeconds) => ({
    serviceAccountToken: { path: 't', expirationSeconds },
  })),
  ...['', '/t', '../t', '..t'].map((path) => ({ serviceAccountToken: { path } })),
  ...FILES.map((file) => ({ downwardAPI: { items: [file] } })),
];
const volume = (source: JsonObject): JsonObject => ({ volumes: [{ name: 'v', ...source }] });
const mounted = (mount: JsonObject, container: JsonObject = {}): JsonObject => ({
  volumes: [{ name: 'v', emptyDir: {} }],
  containers: [{ ...plain, ...container, volumeMounts: [{ name: 'v', mountPath: '/a', ...mount }] }],
});
const VOLUMES: JsonObject[] = [
  volume({ projected: {} }),
  ...[-1, 511, 512].map((defaultMode) => volume({ projected: { defaultMode, sources: [] } })),
  // Of a pod without an account, the real server would say that it can have no token.
  ...SOURCES.map((source) => ({ ...volume({ projected: { sources: [source] } }), serviceAccountName: 'a' })),
  volume({
    projected: {
      sources: [{ secret: { name: 's', items: keys('a') } }, { configMap: { name: 'c', items: keys('a') } }],
    },
  }),
  volume({ projected: {}, emptyDir: {} }),
  ...FILES.map((file) => volume({ downwardAPI: { items: [file] } })),
  volume({ downwardAPI: { defaultMode: 512 } }),
  volume({ emptyDir: { sizeLimit: '-1' } }),
  volume({ emptyDir: { sizeLimit: '1Gi', medium: 'Memory' } }),
  mounted({ mountPropagation: 'Bidirectional' }),
  mounted({ mountPropagation: 'Bidirectional' }, { securityContext: { privileged: true } }),
  ...['Disabled', 'Enabled', 'IfPossible', 'x', ''].flatMap((recursiveReadOnly) => [
    mounted({ recursiveReadOnly }),
    mounted({ recursiveReadOnly, readOnly: true, mountPropagation: 'HostToContainer' }),
  ]),
];

const amounts = (resources: JsonObject): JsonObject => ({ containers: [{ ...plain, resources }] });
const NAMES = ['cpu', 'a.b/c', 'hugepages-2Mi', 'hugepages-x', 'kubernetes.io/a', 'requests.a.b/c', 'storage', 'pods'];
const AMOUNTS: JsonObject[] = [
  ...NAMES.flatMap((name) => [
    amounts({ limits: { [name]: '2' } }),
    amounts({ requests: { [name]: '2' } }),
    amounts({ limits: { [name]: '4Mi', cpu: '1' } }),
    amounts({ limits: { [name]: '4' }, requests: { [name]: '2' } }),
    amounts({ limits: { [name]: '1500m' } }),
  ]),
  amounts({ limits: { 'hugepages-2Mi': '3Mi', memory: '1' }, requests: { 'hugepages-2Mi': '4Mi' } }),
];
const ENVIRONMENT: JsonObject[] = [
  ...FIELDS.map((fieldPath) => ({ fieldRef: { fieldPath } })),
  ...RESOURCES.flatMap((resource) => DIVISORS.map((divisor) => ({ resourceFieldRef: { resource, divisor } }))),
].map((valueFrom) => ({ containers: [{ ...plain, env: [{ name: 'A', valueFrom }] }] }));

export const SECURITY: readonly Judged[] = [
  {
    path: '/api/v1/namespaces/{ns}/pods',
    objects: [
      ...CONTAINER.map((context) => inside(context)),
      ...POD.map((securityContext) => ({ securityContext })),
      ...HOSTS,
      ...VOLUMES,
      ...AMOUNTS,
      ...ENVIRONMENT,
    ].map((spec) => ({ metadata: { name: 'x' }, spec: { containers: [plain], ...spec } })),
  },
  {
    path: '/apis/apps/v1/namespaces/{ns}/deployments',
    objects: [
      inside({ runAsUser: -1 }),
      { hostNetwork: true, ...port(80) },
      { hostNetwork: true, ...port(80, 81) },
    ].map((spec) => ({
      metadata: { name: 'x' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [plain], ...spec } },
      },
    })),
  },
];
