/**
 * Follows all pods of the replay server, with channels and metrics attached or not. Prints a line when it has synced, and one for each version of
 * `--until` that has reached its handler: the seconds of CPU that the process has used by then.
 */
import { subscribe } from 'node:diagnostics_channel';
import { parseArgs } from 'node:util';
import { Registry } from 'prom-client';
import { Cluster, leveled, SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { prometheusMetrics } from 'tidewatch/metrics';

const { values } = parseArgs({
  options: {
    server: { type: 'string', default: '' },
    ca: { type: 'string' },
    attach: { type: 'boolean', default: false },
    until: { type: 'string', multiple: true, default: [] },
  },
});
const logger = leveled(console, 'error');
let published = 0;
if (values.attach) {
  for (const stage of ['request', 'list', 'watch', 'frames', 'store', 'handler', 'queue', 'run']) {
    subscribe(`tidewatch:${stage}`, () => {
      published++;
    });
  }
}
const registry = new Registry();
const cluster = await Cluster.connect({
  server: values.server,
  certificateAuthority: values.ca,
  kubeconfig: [],
  env: {},
  serviceAccountFolder: '/nonexistent',
  logger,
  ...(values.attach && { metrics: prometheusMetrics({ register: registry }) }),
});
const factory = new SharedInformerFactory(cluster, { logger });
const informer = factory.for(pods).informer();
const waiting = new Map(
  values.until.map((version) => {
    let done = () => {};
    const reached = new Promise<void>((resolve) => {
      done = resolve;
    });
    return [version, { reached, done }];
  }),
);
informer.addEventHandler(
  { onUpdate: (_, { metadata }) => waiting.get(metadata?.resourceVersion ?? '')?.done() },
  { name: 'counting' },
);
factory.start();
await informer.waitForSync();
report();
for (const { reached } of waiting.values()) {
  await reached;
  report();
}
const measured = (await registry.metrics()).includes('tidewatch_decoded_frames_total');
if (values.attach !== published > 0 || values.attach !== measured) throw new Error('nothing was attached');
await factory.shutdown();
await cluster.close();

function report(): void {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${(user + system) / 1e6}\n`);
}
