/**
 * A program that starts with a snapshot in the file that it is given, if there is one, and leaves one behind: what it takes until its
 * cache can be read, and how many objects it then has.
 */
import { parseArgs } from 'node:util';
import { Cluster, leveled, SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { Measurement, report } from './measurement.ts';

const { values } = parseArgs({
  options: {
    server: { type: 'string', default: '' },
    ca: { type: 'string' },
    file: { type: 'string', default: '' },
  },
});
const cluster = await Cluster.connect({
  server: values.server,
  certificateAuthority: values.ca,
  kubeconfig: [],
  env: {},
  serviceAccountFolder: '/nonexistent',
});
const logger = leveled(console, 'info');
const factory = new SharedInformerFactory(cluster, { logger, snapshot: { file: values.file, everyMs: 0 } });
const informer = factory.for(pods).informer();
const ready = new Measurement();
factory.start();
await informer.waitForSync();
const { seconds, cpuSeconds, peakRssMb } = await ready.end();
report({ seconds, cpuSeconds, peakRssMb, objects: informer.indexer.listKeys().length });
const writing = new Measurement();
await factory.shutdown();
const written = await writing.end();
report({ writeSeconds: written.seconds, writeCpuSeconds: written.cpuSeconds });
await cluster.close();
