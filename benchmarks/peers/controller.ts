/**
 * A controller of tidewatch over all pods that reads each from the cache and does nothing: what it takes until every pod has been
 * reconciled, and how fast updates are. As in peers/controller-runtime, everything is left at its default.
 */
import { parseArgs } from 'node:util';
import { Cluster, leveled } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { Manager } from 'tidewatch/controller';
import { LoopTurns } from '../loop-turns.ts';
import { Measurement, report } from './measurement.ts';

const { values } = parseArgs({
  strict: false,
  options: { server: { type: 'string' }, objects: { type: 'string' }, events: { type: 'string' } },
});
const [objects, events] = [Number(values.objects), Number(values.events)];
const cluster = await Cluster.connect({
  server: String(values.server),
  kubeconfig: [],
  env: {},
  serviceAccountFolder: '/nonexistent',
  logger: leveled(console, 'error'),
});
const stop = new AbortController();
const seen = new Set<string>();
const sync = new Measurement();
const turns = new LoopTurns().start();
let runs = 0;
let firstMs = 0;
let cpuBefore: NodeJS.CpuUsage | undefined;

const manager = new Manager(cluster);
manager
  .controller('noop')
  .for(pods)
  .reconcile(async ({ key, object }) => {
    if (!object) return;
    if (seen.size < objects) {
      seen.add(key);
      if (seen.size === objects) await reportSync();
      return;
    }
    runs++;
    if (runs === 1) firstMs = performance.now();
    if (runs === events) reportEvents();
  });
await manager.run({ signal: stop.signal });
await cluster.close();

async function reportSync(): Promise<void> {
  const { seconds, cpuSeconds, peakRssMb } = await sync.end();
  const { longestMs, p99Ms } = turns.stop();
  report({
    objects: seen.size,
    syncSeconds: seconds,
    cpuSeconds,
    peakRssMb,
    longestTurnMs: longestMs,
    turnP99Ms: p99Ms,
  });
  cpuBefore = process.cpuUsage();
}

function reportEvents(): void {
  const eventsPerSecond = (1_000 * events) / (performance.now() - firstMs);
  const { user, system } = process.cpuUsage(cpuBefore);
  const eventsCpuSeconds = (user + system) / 1e6;
  report({ eventsPerSecond, eventsCpuSeconds, heapBytesPerObject: sync.memoryGrowth().all / objects });
  stop.abort();
}
