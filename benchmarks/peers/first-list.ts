/** One informer of all pods with one LIST: how long it takes from its start until it has synced. */
import { parseArgs } from 'node:util';
import { Cluster, leveled, SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { Measurement, report } from './measurement.ts';

const { values } = parseArgs({
  options: {
    server: { type: 'string', default: '' },
    ca: { type: 'string' },
    token: { type: 'string', default: '' },
    gzip: { type: 'boolean', default: false },
  },
});
const logger = leveled(console, 'error');
const cluster = await Cluster.connect({
  server: values.server,
  certificateAuthority: values.ca,
  token: values.token,
  userAgent: 'tidewatch-benchmark',
  disableCompression: !values.gzip,
  kubeconfig: [],
  env: {},
  serviceAccountFolder: '/nonexistent',
  logger,
});
const factory = new SharedInformerFactory(cluster, { logger, watchList: false });
const informer = factory.for(pods).informer();
const sync = new Measurement();
factory.start();
await informer.waitForSync();
const { seconds, cpuSeconds } = await sync.end();
report({ seconds, cpuSeconds, objects: informer.indexer.listKeys().length });
await factory.shutdown();
await cluster.close();
