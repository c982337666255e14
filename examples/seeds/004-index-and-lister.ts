/** The cache by namespace index and by lister. */
import { pathToFileURL } from 'node:url';
import { NAMESPACE_INDEX, SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { type ExampleContext, runExample } from '../example-cluster.ts';

export async function main({ cluster, log, signal }: ExampleContext): Promise<void> {
  const factory = new SharedInformerFactory(cluster, { resyncMs: 30_000 });
  const podInformer = factory.for(pods);

  podInformer.informer().addEventHandler({
    onAdd: (pod) => log(`Pod Added: ${pod.metadata?.namespace}/${pod.metadata?.name}`),
    onUpdate: (_oldPod, pod) => log(`Pod Updated: ${pod.metadata?.namespace}/${pod.metadata?.name}`),
    onDelete: (pod) => log(`Pod Deleted: ${pod.metadata?.namespace}/${pod.metadata?.name}`),
  });

  factory.start({ signal });
  await factory.waitForCacheSync({ signal });

  const byIndex = podInformer.informer().indexer.byIndex(NAMESPACE_INDEX, 'default');
  const byLister = podInformer.lister().namespace('default').list();
  log(`${byIndex.length} pods by index, ${byLister.length} by lister`);

  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  await factory.shutdown();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await runExample(main);
