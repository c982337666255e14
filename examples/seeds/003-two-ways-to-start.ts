/** One informer started on its own (`--informer`), or everything that was asked of the factory at once; then a lister. */
import { SharedInformerFactory } from 'tidewatch';
import { type ExampleContext, podGoesAway, runExample, untilAborted } from '../example-cluster.ts';

export async function main(
  { cluster, log, signal, resyncMs = 5_000 }: ExampleContext,
  way: 'informer' | 'factory' = process.argv.includes('--informer') ? 'informer' : 'factory',
): Promise<void> {
  const factory = new SharedInformerFactory(cluster, { resyncMs });
  const podInformer = factory.core.v1.pods();
  const sharedInformer = podInformer.informer(); // the same one, however often it is asked for

  const registration = sharedInformer.addEventHandler({
    onAdd: (pod) => log(`add: ${pod.metadata.name}`),
    onUpdate: (_oldPod, newPod) => log(`update: ${newPod.metadata.name}`),
    onDelete: (pod) => log(`delete: ${pod.metadata.name}`),
  });

  let running: Promise<void>;
  if (way === 'informer') {
    running = sharedInformer.run({ signal });
    await sharedInformer.waitForSync({ signal });
  } else {
    factory.start({ signal });
    await factory.waitForCacheSync({ signal });
    running = untilAborted(signal).then(() => factory.shutdown());
  }

  await registration.synced; // the cache is filled; now the handler has been told, too
  for (const pod of podInformer.lister().namespace('default').list()) log(`list pods: ${pod.metadata.name}`);
  await running;
}

await runExample(import.meta.url, main, { story: podGoesAway });
