import type { KubernetesObject, OwnerReference } from '../../src/api/metadata.ts';

type Data = Record<string, unknown>;
type Random = () => number;

/** Numbers in [0, 1) that are the same for the same seed. */
function randomOf(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const below = (random: Random, limit: number) => Math.floor(random() * limit);
const hex = (random: Random, length: number) => Array.from({ length }, () => below(random, 16).toString(16)).join('');
const uid = (random: Random) =>
  `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)}`;
const time = (random: Random) =>
  new Date(1_790_000_000_000 + below(random, 3_000_000) * 1000).toISOString().replace('.000', '');
const ip = (random: Random) => `10.${below(random, 256)}.${below(random, 256)}.${below(random, 256)}`;

const PODS_A_WORKLOAD = 10;
const WORKLOADS_A_NAMESPACE = 100;
const NODES = 1_000;

/** What the pods of one workload have in common. */
interface Workload {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly owner: OwnerReference;
  readonly volumes: Data[];
  readonly containers: Data[];
  readonly serviceAccountName: string;
}

function workload(seed: number, number: number): Workload {
  const random = randomOf(seed * 1_000_003 + number);
  const name = `${['web', 'api', 'worker', 'cache', 'ingest', 'billing'][below(random, 6)]}-${hex(random, 4)}`;
  const hash = hex(random, 10);
  const labels: Record<string, string> = {
    app: name,
    'pod-template-hash': hash,
    'app.kubernetes.io/version': `1.${below(random, 90)}.${number % 10}`,
  };
  for (let i = below(random, 5); i > 0; i--) labels[`example.com/label-${i}`] = `${name}-${i}`;
  const annotations: Record<string, string> = { 'checksum/config': hex(random, 64) };
  for (let i = below(random, 4); i > 0; i--)
    annotations[`example.com/annotation-${i}`] = hex(random, 20 + below(random, 100));
  const containers = Array.from({ length: 1 + below(random, 4) }, (_, i) => container(random, name, i));
  return {
    name: `${name}-${hash}`,
    namespace: `team-${Math.floor(number / WORKLOADS_A_NAMESPACE)}`,
    labels,
    annotations,
    owner: {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: `${name}-${hash}`,
      uid: uid(random),
      controller: true,
      blockOwnerDeletion: true,
    },
    containers,
    volumes: Array.from({ length: below(random, 4) }, (_, i) => ({
      name: `config-${i}`,
      configMap: { name: `${name}-config-${i}`, defaultMode: 420 },
    })),
    serviceAccountName: `${name}-account`,
  };
}

function container(random: Random, name: string, i: number): Data {
  const probe = {
    httpGet: { path: `/healthz/${i}`, port: 8000 + i, scheme: 'HTTP' },
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  };
  return {
    name: `${name}-${i}`,
    image: `registry.example.com/${name}/part-${i}:1.${below(random, 90)}.${below(random, 10)}`,
    ports: [{ name: 'http', containerPort: 8000 + i, protocol: 'TCP' }],
    env: Array.from({ length: 1 + below(random, 30) }, (_, each) => ({
      name: `SETTING_${each}`,
      value: hex(random, 4 + below(random, 40)),
    })),
    resources: {
      limits: { memory: `${64 << below(random, 5)}Mi` },
      requests: { cpu: `${10 * (1 + below(random, 50))}m`, memory: '64Mi' },
    },
    volumeMounts: [{ name: 'token', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
    livenessProbe: probe,
    readinessProbe: probe,
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
}

/** Pods that differ as those of a cluster do: ten of each workload, with names, nodes, addresses and times of their own. */
export function variedPod(number: number, seed = 1, version = 1_000_000_000 + number): KubernetesObject & Data {
  const of = workload(seed, Math.floor(number / PODS_A_WORKLOAD));
  const random = randomOf(seed * 7_000_003 + number * 31 + version);
  const podRandom = randomOf(seed * 9_000_011 + number);
  const created = time(podRandom);
  const node = below(podRandom, NODES);
  const address = ip(podRandom);
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: `${of.name}-${hex(podRandom, 5)}`,
      generateName: `${of.name}-`,
      namespace: of.namespace,
      uid: uid(podRandom),
      resourceVersion: String(version),
      creationTimestamp: created,
      labels: of.labels,
      annotations: { ...of.annotations, 'cni.example.com/address': address },
      ownerReferences: [of.owner],
    },
    spec: {
      volumes: [
        ...of.volumes,
        {
          name: 'token',
          projected: {
            sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }],
            defaultMode: 420,
          },
        },
      ],
      containers: of.containers,
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: of.serviceAccountName,
      serviceAccount: of.serviceAccountName,
      nodeName: `node-${node}.example.com`,
      securityContext: {},
      schedulerName: 'default-scheduler',
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: {
      phase: random() < 0.95 ? 'Running' : 'Pending',
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: time(random) }),
      ),
      hostIP: `10.200.${node >> 8}.${node & 255}`,
      hostIPs: [{ ip: `10.200.${node >> 8}.${node & 255}` }],
      podIP: address,
      podIPs: [{ ip: address }],
      startTime: created,
      containerStatuses: of.containers.map(({ name, image }) => ({
        name,
        state: { running: { startedAt: time(random) } },
        lastState: {},
        ready: true,
        restartCount: below(random, 4),
        image,
        imageID: `${String(image)}@sha256:${hex(podRandom, 64)}`,
        containerID: `containerd://${hex(podRandom, 64)}`,
        started: true,
      })),
      qosClass: 'Burstable',
    },
  };
}

/** A custom resource of about 2 KB, nested. */
export function variedWidget(number: number, seed = 1): KubernetesObject & Data {
  const random = randomOf(seed * 5_000_011 + number);
  const name = `widget-${hex(random, 6)}-${number}`;
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: {
      annotations: { 'checksum/config': hex(random, 64) },
      creationTimestamp: time(random),
      generation: 1 + below(random, 5),
      labels: { app: `app-${number % 500}`, tier: 'backend' },
      name,
      namespace: `team-${Math.floor(number / 1000)}`,
      resourceVersion: String(1_000_000_000 + number),
      uid: uid(random),
    },
    spec: {
      backends: Array.from({ length: 1 + below(random, 4) }, (_, i) => ({
        host: `${name}-${i}.example.com`,
        image: `registry.example.com/widget/part-${i}:1.${below(random, 90)}`,
        limits: { cpu: '100m', memory: '128Mi' },
        ports: [{ name: 'http', port: 8000 + i }],
        settings: Object.fromEntries(
          Array.from({ length: below(random, 8) }, (_, each) => [`setting-${each}`, hex(random, 20)]),
        ),
      })),
      nodeName: `node-${below(random, NODES)}.example.com`,
      paused: false,
      replicas: below(random, 10),
      rules: Array.from({ length: 3 }, (_, i) => ({
        match: `/path/${hex(random, 8)}`,
        weight: i,
        text: hex(random, 30),
      })),
    },
    status: {
      conditions: ['Ready', 'Synced', 'Reachable'].map((type) => ({
        lastTransitionTime: time(random),
        message: hex(random, 40),
        reason: 'AsExpected',
        status: 'True',
        type,
      })),
      observedGeneration: 1,
      phase: random() < 0.9 ? 'Active' : 'Pending',
    },
  };
}
