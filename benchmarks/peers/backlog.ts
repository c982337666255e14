/**
 * How long a live change waits behind the pods of the first list: one worker, 1 ms for each key. With `--fifo` every key has the same
 * priority, because all come from a source. Prints a line when the work begins, and one at its end, with the times from the handler
 * that hears a change to the run of its key.
 */
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Cluster, leveled, SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { Manager } from 'tidewatch/controller';
import { WorkQueue } from 'tidewatch/workqueue';
import { report } from './measurement.ts';

const { values } = parseArgs({
  strict: false,
  options: { server: { type: 'string' }, objects: { type: 'string' }, fifo: { type: 'boolean', default: false } },
});
const objects = Number(values.objects);
const logger = leveled(console, 'error');
const cluster = await Cluster.connect({
  server: String(values.server),
  kubeconfig: [],
  env: {},
  serviceAccountFolder: '/nonexistent',
  logger,
});
const factory = new SharedInformerFactory(cluster, { logger });
const stop = new AbortController();
/** When the change of a key that is still to run was heard. */
const heard = new Map<string, number>();
const keys = new WorkQueue();
const seen = new Set<string>();
const waits: number[] = [];
const keyOf = ({ metadata }: { metadata?: { namespace?: string; name?: string } }) =>
  `${metadata?.namespace}/${metadata?.name}`;

factory
  .for(pods)
  .informer()
  .addEventHandler({
    onAdd: (pod) => keys.add(keyOf(pod)),
    onUpdate(_, pod) {
      heard.set(keyOf(pod), performance.now());
      keys.add(keyOf(pod));
    },
  });
const manager = new Manager(cluster, { factory });
const controller = manager.controller('backlog').for(pods, values.fifo ? { when: () => false } : {});
if (values.fifo) controller.source(keys);
controller.reconcile(async ({ key }) => {
  const since = heard.get(key);
  if (since !== undefined) waits.push(performance.now() - since);
  heard.delete(key);
  if (seen.size === 0) report({ begun: true });
  seen.add(key);
  if (seen.size === objects) stop.abort();
  await setTimeout(1);
});
await manager.run({ signal: stop.signal });
keys.shutDown();
await factory.shutdown();
await cluster.close();
const sorted = waits.toSorted((a, b) => a - b);
const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
report({ changes: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) });
