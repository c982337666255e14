/** A shared informer of pods with all three handlers, run until it is stopped. */
import { SharedInformerFactory } from 'tidewatch';
import { type ExampleContext, podGoesAway, runExample } from '../example-cluster.ts';

export async function main({ cluster, log, signal, resyncMs = 60_000 }: ExampleContext): Promise<void> {
  const factory = new SharedInformerFactory(cluster, { resyncMs });
  const informer = factory.core.v1.pods().informer();

  informer.addEventHandler({
    onAdd: (pod) => log(`New Pod Added to Store: ${pod.metadata.name}`),
    onUpdate: ({ metadata: old }, { metadata }) =>
      log(`${metadata.name} with UID ${metadata.uid} has been updated to ${old.name} with ${old.uid}`),
    onDelete: (pod) => log(`Resource ${pod.metadata.name} has been deleted.`),
  });

  await informer.run({ signal });
}

await runExample(import.meta.url, main, { story: podGoesAway });
