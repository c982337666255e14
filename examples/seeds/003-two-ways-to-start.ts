/** One informer started on its own, or everything that was asked of the factory started at once; then a lister. */
import { pathToFileURL } from 'node:url';
import { SharedInformerFactory } from 'tidewatch';
import { type ExampleContext, runExample } from '../example-cluster.ts';

export async function main(
  { cluster, log, signal }: ExampleContext,
  way: 'informer' | 'factory' = process.argv.includes('--informer') ? 'informer' : 'factory',
  resyncMs = 5_000,
): Promise<void> {
  const factory = new SharedInformerFactory(cluster, { resyncMs });
  const podInformer = factory.core.v1.pods();
  const sharedInformer = podInformer.informer(); // the same one, however often it is asked for

  sharedInformer.addEventHandler({
    onAdd: (pod) => log(`add: ${pod.metadata?.name}`),
    onUpdate: (_oldPod, newPod) => log(`update: ${newPod.metadata?.name}`),
    onDelete: (pod) => log(`delete: ${pod.metadata?.name}`),
  });

  let running: Promise<void>;
  if (way === 'informer') {
    running = sharedInformer.run({ signal });
    await sharedInformer.waitForSync({ signal });
  } else {
    factory.start({ signal });
    await factory.waitForCacheSync({ signal });
    running = new Promise((resolve) => signal.addEventListener('abort', () => resolve(factory.shutdown())));
  }

  for (const pod of podInformer.lister().namespace('default').list()) log(`list pods: ${pod.metadata?.name}`);
  await running;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await runExample(main);
