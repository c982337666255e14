/**
 * Follows all objects of one kind with a shared informer of tidewatch and reports what that took. With `--read-all` an index function
 * and the handler read all of every object.
 */
import { Cluster, leveled, SharedInformerFactory } from 'tidewatch';
import { EventWatch, Measurement, measureEvents, peerOptions, report } from './measurement.ts';
import { ReadsDuringSync } from './reads-during-sync.ts';
import { resourceOf } from './tidewatch-kinds.ts';
import { measureReads } from './tidewatch-reads.ts';

const options = peerOptions();
const cluster = await Cluster.connect({
  server: options.server,
  certificateAuthority: options.ca,
  kubeconfig: [],
  env: {},
  serviceAccountFolder: '/nonexistent',
});
// That the handler lags behind a stream that is as fast as can be is no news here.
const logger = leveled(console, 'error');
const { encoding, store } = options;
const resource = resourceOf(options.kind);
const factory = new SharedInformerFactory(cluster, { logger, encoding, store });
const informer = factory.for(resource).informer();
const lister = factory.for(resource).lister();
let leaves = 0;
const events = new EventWatch(options.lastVersion);
if (options.readAll) informer.addIndexers({ node: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []) });
const registration = informer.addEventHandler({
  onAdd(object) {
    if (options.readAll) leaves += countLeaves(object);
  },
  onUpdate(_, object) {
    if (options.readAll) leaves += countLeaves(object);
    events.heard(object.metadata?.resourceVersion);
  },
});

const sync = new Measurement();
const readsDuringSync = options.readsDuringSync ? new ReadsDuringSync(informer, lister) : undefined;
factory.start();
await informer.waitForSync();
if (options.readAll) await registration.synced;
const duringSync = readsDuringSync?.end();
const { seconds, ...synced } = await sync.end();
const objects = informer.indexer.listKeys().length;
checkStore();
const heapBytesAtSync = sync.memoryGrowth().all / objects;
report({ objects, syncSeconds: seconds, ...synced, heapBytesAtSync, ...duringSync });

const changed = await measureEvents(options, events);
const memory = sync.memoryGrowth();
const reads = options.reads ? measureReads(informer, lister) : {};
report({ ...changed, heapBytesPerObject: memory.all / objects, v8BytesPerObject: memory.v8 / objects, ...reads });
if (options.readAll && leaves === 0) throw new Error('the handler read nothing');
await factory.shutdown();
await cluster.close();

/** So the row is what it says. */
function checkStore(): void {
  if (storeOf() !== store) {
    throw new Error(`the store is ${storeOf()} with the encoding ${encoding}, whatever the options say`);
  }
}

/** A plain store gives all readers the object that it holds, the others give each a view of its own. */
function storeOf(): string {
  const [key = ''] = informer.indexer.listKeys();
  const [first, second] = [lister.get(key), lister.get(key)];
  if (first === second) return 'plain';
  const { liveBytes = 0, wholeBytes = liveBytes } = informer.memory;
  return wholeBytes === liveBytes ? 'packed' : 'shared';
}

function countLeaves(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 0;
  for (const field of Object.values(value)) count += countLeaves(field);
  return count;
}
