import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NodeStatus, nodes } from '../../src/generated/api/core/v1.ts';
import { Cluster } from '../../src/index.ts';
import { ApiServer } from '../../src/testing/api-server.ts';
import { startControllerManager } from '../../src/testing/control-plane/controller-manager.ts';
import { ControlPlane } from '../../src/testing/control-plane.ts';

/** What the suite runs on. */
export type SettingName = 'embedded' | 'embedded-alone' | 'real';

export const SETTINGS: Readonly<Record<SettingName, string>> = {
  embedded: 'the embedded server with kube-controller-manager',
  'embedded-alone': 'the embedded server with its own controllers',
  real: 'kube-apiserver and etcd with kube-controller-manager',
};

export interface Setting extends AsyncDisposable {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
}

const MANAGER_FLAGS = [
  // The one node is made by hand, and nobody renews its lease.
  '--controllers=*,-node-lifecycle-controller',
  // Many specs at once delete many namespaces at once.
  '--kube-api-qps=500',
  '--kube-api-burst=1000',
  '--concurrent-namespace-syncs=20',
  '--concurrent-gc-syncs=40',
  '--namespace-sync-period=1m',
  // A quota whose turn was missed is looked at again by the clock, after five minutes without this.
  '--resource-quota-sync-period=10s',
];

/** One spec waits until a list cannot go on any more; both servers forget by the same clock, five times as often as by default. */
const HISTORY_MINUTES = 1;

/** Starts an API server, what goes with it, and the one node that the suite wants to see. Nothing runs pods. */
export async function startSetting(name: SettingName): Promise<Setting> {
  const folder = mkdtempSync(join(tmpdir(), 'tidewatch-conformance-'));
  const parts: AsyncDisposable[] = [];
  const stop = async () => {
    for (const part of parts.reverse()) await part[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const server = name === 'real' ? await startRealServer() : await startEmbeddedServer(name === 'embedded-alone');
    parts.push(server);
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 });
    if (name !== 'embedded-alone') {
      const caFile = join(folder, 'ca.crt');
      writeFileSync(caFile, server.ca ?? '');
      parts.push(await startControllerManager({ kubeconfig, flags: [...MANAGER_FLAGS, `--root-ca-file=${caFile}`] }));
    }
    await makeNode(kubeconfig);
    return { kubeconfig, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startEmbeddedServer(controllers: boolean): Promise<ApiServer> {
  return ApiServer.start({ newCluster: true, controllers, historyMaxAgeMs: HISTORY_MINUTES * 60_000 });
}

function startRealServer(): Promise<ControlPlane> {
  return ControlPlane.start({ flags: { apiserver: REAL_FLAGS } });
}

const REAL_FLAGS = [
  // All plugins that are on by default.
  '--disable-admission-plugins=',
  // It refuses to write a loopback address into the Endpoints of the Service `kubernetes`; nobody follows this one.
  '--advertise-address=192.0.2.1',
  '--endpoint-reconciler-type=lease',
  `--etcd-compaction-interval=${HISTORY_MINUTES}m`,
];

async function makeNode(kubeconfig: string): Promise<void> {
  const cluster = await Cluster.connect({ kubeconfig });
  try {
    const client = cluster.client(nodes);
    const resources = { cpu: '32', memory: '64Gi', pods: '110', 'ephemeral-storage': '100Gi' };
    const made = await client.create({
      metadata: { name: 'node-1', labels: { 'kubernetes.io/hostname': 'node-1', 'kubernetes.io/os': 'linux' } },
    });
    const since = made.metadata.creationTimestamp ?? '';
    const status: NodeStatus = {
      capacity: resources,
      allocatable: resources,
      addresses: [{ type: 'InternalIP', address: '192.0.2.10' }],
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'KubeletReady',
          message: '',
          lastHeartbeatTime: since,
          lastTransitionTime: since,
        },
      ],
    };
    await client.patch('node-1', { status }, { subresource: 'status' });
    // The real server taints it until it is said to be ready.
    await client.patch('node-1', { spec: { taints: null } });
  } finally {
    await cluster.close();
  }
}
