/**
 * Follows all pods with a shared informer of tidewatch and reports what that took. With `--read-all` an index function reads
 * the spec, and the handler all of every object.
 */
import { Cluster, leveled, SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { EventWatch, Measurement, peerOptions, report, reportEvents } from './measurement.ts';
import { ReadsDuringSync } from './reads-during-sync.ts';
import { measureReads } from './tidewatch-reads.ts';

const options = peerOptions();
const cluster = await Cluster.connect({
  server: options.server,
  kubeconfig: [],
  env: {},
  serviceAccountFolder: '/nonexistent',
});
// That the handler lags behind a stream that is as fast as can be is no news here.
const logger = leveled(console, 'error');
const { encoding, store } = options;
const factory = new SharedInformerFactory(cluster, { logger, encoding, store });
const informer = factory.for(pods).informer();
const lister = factory.for(pods).lister();
let leaves = 0;
const events = new EventWatch(options.lastVersion);
if (options.readAll) informer.addIndexers({ node: (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []) });
const registration = informer.addEventHandler({
  onAdd(pod) {
    if (options.readAll) leaves += countLeaves(pod);
  },
  onUpdate(_, pod) {
    if (options.readAll) leaves += countLeaves(pod);
    events.heard(pod.metadata?.resourceVersion);
  },
});

const sync = new Measurement();
const readsDuringSync = options.readsDuringSync ? new ReadsDuringSync(informer, lister) : undefined;
factory.start();
await informer.waitForSync();
if (options.readAll) await registration.synced;
const duringSync = readsDuringSync?.end();
const { seconds, heapGrowth, ...synced } = await sync.end();
const objects = informer.indexer.listKeys().length;
checkStore();
const heapBytesPerObject = heapGrowth() / objects;
const reads = options.reads ? measureReads(informer, lister) : {};
report({ objects, syncSeconds: seconds, ...synced, heapBytesPerObject, ...reads, ...duringSync });

await reportEvents(options, events);
if (options.readAll && leaves === 0) throw new Error('the handler read nothing');
await factory.shutdown();
await cluster.close();

/** A packed store gives each reader a view of its own, a plain one the object that it holds: so the row is what it says. */
function checkStore(): void {
  const [key = ''] = informer.indexer.listKeys();
  const [first, second] = [lister.get(key), lister.get(key)];
  const found = first === second ? 'plain' : 'packed';
  if (found !== store) throw new Error(`the store is ${found} with the encoding ${encoding}, whatever the options say`);
}

function countLeaves(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 0;
  for (const field of Object.values(value)) count += countLeaves(field);
  return count;
}
