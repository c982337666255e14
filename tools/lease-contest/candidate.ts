/**
 * Our side of the contest for a Lease: an elector, and work that writes a ConfigMap over and over while it leads, through the fence.
 * SIGTERM stops it. SIGUSR2 makes it stop itself by SIGSTOP, between two turns of its event loop: a SIGSTOP from outside could come in the
 * moment between the last check of a write and its first byte, about which no process can do anything. It prints one line for
 * each thing that happens: "standing", "leading", "lost".
 *
 *     tsx tools/lease-contest/candidate.ts KUBECONFIG NAMESPACE LEASE IDENTITY
 */

import { Cluster } from '../../src/cluster/cluster.ts';
import { fencedTransport } from '../../src/controller/fenced-transport.ts';
import { LeaderElector } from '../../src/controller/leader-elector.ts';
import type { Fence } from '../../src/controller/leadership.ts';
import { configMaps } from '../../src/generated/api/core/v1.ts';
import { CONTEST_MS } from './contest.ts';
import { WRITTEN } from './contest-history.ts';

const [kubeconfig = '', namespace = '', name = '', identity = ''] = process.argv.slice(2);
const say = (line: string) => void process.stdout.write(`${line}\n`);
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
process.on('SIGUSR2', () => process.kill(process.pid, 'SIGSTOP'));

const cluster = await Cluster.connect({ kubeconfig, fieldManager: 'lease-contest' });

async function writeWhileLeading(signal: AbortSignal, fence: Fence): Promise<void> {
  say('leading');
  const fenced = Cluster.over(fencedTransport(cluster.transport, fence), { fieldManager: 'lease-contest' });
  const client = fenced.client(configMaps, { namespace });
  for (let count = 0; !signal.aborted; count++) {
    await client.patch(WRITTEN, { data: { by: identity, count: String(count) } });
    await cluster.clock.sleep(25, signal);
  }
}

const elector = new LeaderElector(cluster, { name, namespace, identity, ...CONTEST_MS });
say('standing');
await elector.run({ signal: stop.signal, onStartedLeading: writeWhileLeading, onStoppedLeading: () => say('lost') });
await cluster.close();
