/**
 * The example controller as a process, on the cluster of KUBECONFIG in the namespace of NAMESPACE. With KILL_AT it ends itself with SIGKILL at its
 * n-th write: before it is sent, or with KILL_WHEN=after when the server has stored it. Prints the number of each write that it has done. With
 * ELECTION it works while it leads; what it writes to its Lease is not counted.
 */
import { Cluster } from 'tidewatch';
import { Manager } from 'tidewatch/controller';
import { addWebsiteController } from '../examples/website/controller.ts';
import { WriteCounter } from './write-counter-fixture.ts';

const killAt = Number(process.env.KILL_AT ?? Number.POSITIVE_INFINITY);
const isAfter = process.env.KILL_WHEN === 'after';
const endNow = async () => {
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment, and nothing may go on meanwhile.
  await new Promise(() => {});
};

const isElected = process.env.ELECTION !== undefined;
const { transport, server } = await Cluster.connect();
const counter = new WriteCounter(transport, {
  before: (n) => (n === killAt && !isAfter ? endNow() : undefined),
  after: (n) => {
    if (n === killAt && isAfter) return endNow();
    process.stdout.write(`${n}\n`);
    return undefined;
  },
});
const cluster = Cluster.over(
  {
    request: (request) =>
      request.path.includes('/coordination.k8s.io/') ? transport.request(request) : counter.request(request),
    close: () => transport.close(),
  },
  { server },
);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

const namespace = process.env.NAMESPACE ?? 'default';
const times = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 500 };
const manager = new Manager(cluster, {
  namespace,
  ...(isElected && { leaderElection: { name: 'website', namespace, ...times } }),
});
addWebsiteController(manager);
await manager.run({ signal: stop.signal });
await cluster.close();
