/** The cache by namespace index and by lister. */
import { NAMESPACE_INDEX, SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { type ExampleContext, podGoesAway, runExample, untilAborted } from '../example-cluster.ts';

export async function main({ cluster, log, signal, resyncMs = 30_000 }: ExampleContext): Promise<void> {
  await using factory = new SharedInformerFactory(cluster, { resyncMs });
  const podInformer = factory.for(pods);

  const registration = podInformer.informer().addEventHandler({
    onAdd: (pod) => log(`Pod Added: ${pod.metadata.namespace}/${pod.metadata.name}`),
    onUpdate: (_oldPod, pod) => log(`Pod Updated: ${pod.metadata.namespace}/${pod.metadata.name}`),
    onDelete: (pod) => log(`Pod Deleted: ${pod.metadata.namespace}/${pod.metadata.name}`),
  });

  factory.start({ signal });
  await factory.waitForCacheSync({ signal });
  await registration.synced;

  const byIndex = podInformer.informer().indexer.byIndex(NAMESPACE_INDEX, 'default');
  const byLister = podInformer.lister().namespace('default').list();
  log(`${byIndex.length} pods by index, ${byLister.length} by lister`);

  await untilAborted(signal);
}

await runExample(import.meta.url, main, { story: podGoesAway });
