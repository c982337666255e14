/** Follows all pods with `makeInformer` of @kubernetes/client-node and reports what that took. */
import { CoreV1Api, KubeConfig, makeInformer, type V1Pod } from '@kubernetes/client-node';
import { EventWatch, Measurement, peerOptions, report, reportEvents } from '../measurement.ts';

const options = peerOptions();
const config = new KubeConfig();
config.loadFromOptions({
  clusters: [{ name: 'replay', server: options.server, skipTLSVerify: true }],
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
const { seconds, heapGrowth, ...synced } = await sync.end();
const objects = informer.list().length;
report({ objects, syncSeconds: seconds, ...synced, heapBytesPerObject: heapGrowth() / objects });

await reportEvents(options, events);
process.exit(0);
