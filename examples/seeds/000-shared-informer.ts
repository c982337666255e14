/** A shared informer of pods with all three handlers, run until it is stopped. */
import { pathToFileURL } from 'node:url';
import { SharedInformerFactory } from 'tidewatch';
import { type ExampleContext, runExample } from '../example-cluster.ts';

export async function main({ cluster, log, signal }: ExampleContext): Promise<void> {
  const factory = new SharedInformerFactory(cluster, { resyncMs: 60_000 });
  const informer = factory.core.v1.pods().informer();

  informer.addEventHandler({
    onAdd: (pod) => log(`New Pod Added to Store: ${pod.metadata?.name}`),
    onUpdate: (oldPod, newPod) =>
      log(
        `${newPod.metadata?.name} with UID ${newPod.metadata?.uid} has been updated to ${oldPod.metadata?.name} with ${oldPod.metadata?.uid}`,
      ),
    onDelete: (pod) => log(`Resource ${pod.metadata?.name} has been deleted.`),
  });

  await informer.run({ signal });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await runExample(main);
