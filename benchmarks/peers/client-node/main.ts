/** Follows all pods with `makeInformer` of @kubernetes/client-node and reports what that took. */
import { CoreV1Api, KubeConfig, makeInformer, type V1Pod } from '@kubernetes/client-node';
import { EventWatch, Measurement, measureEvents, peerOptions, report } from '../measurement.ts';

const options = peerOptions();
const config = new KubeConfig();
config.loadFromOptions({
  clusters: [
    // Without TLS there is nothing to verify, and it has to be told so.
    { name: 'replay', server: options.server, ...(options.ca && { caFile: options.ca }), skipTLSVerify: !options.ca },
  ],
  users: [{ name: 'nobody' }],
  contexts: [{ name: 'replay', cluster: 'replay', user: 'nobody' }],
  currentContext: 'replay',
});
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer<V1Pod>(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
const events = new EventWatch(options.lastVersion);
informer.on('add', () => {});
informer.on('update', (pod) => events.heard(pod.metadata?.resourceVersion));
informer.on('error', (error) => {
  console.error(error);
  process.exit(1);
});

const sync = new Measurement();
await informer.start();
const { seconds, ...synced } = await sync.end();
const objects = informer.list().length;
report({ objects, syncSeconds: seconds, ...synced, heapBytesAtSync: sync.memoryGrowth().all / objects });

const changed = await measureEvents(options, events);
const memory = sync.memoryGrowth();
report({ ...changed, heapBytesPerObject: memory.all / objects, v8BytesPerObject: memory.v8 / objects });
process.exit(0);
