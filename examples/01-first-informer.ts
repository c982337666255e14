/** A cache of pods that follows the cluster, a handler that hears of every change, and a read from memory. */
import { SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { type ExampleContext, runExample } from './example-cluster.ts';

export async function main({ cluster, log, signal, meanwhile, untilDone }: ExampleContext): Promise<void> {
  await using factory = new SharedInformerFactory(cluster, { namespace: 'default' });
  const podInformer = factory.for(pods); // or factory.core.v1.pods()

  const registration = podInformer.informer().addEventHandler({
    onAdd: (pod, isInInitialList) => log(`${isInInitialList ? 'was there' : 'add'} ${pod.metadata.name}`),
    onUpdate: (old, pod) => log(`update ${pod.metadata.name} ${old.status?.phase} -> ${pod.status?.phase}`),
    onDelete: (pod) => log(`delete ${pod.metadata.name}`),
  });

  factory.start({ signal });
  await factory.waitForCacheSync({ signal });
  await registration.synced;

  const wordpress = podInformer.lister().list('app=wordpress'); // from memory, typed as Stored<Pod>[]
  log(`${wordpress.length} pods of wordpress in the cache`);

  await meanwhile(async (others) => {
    const client = others.client(pods);
    await client.patch('mysql', { status: { phase: 'Running' } }, { subresource: 'status' });
    await client.delete('wordpress'); // marked as deleted, an update; then removed
  });
  await untilDone();
} // the factory is disposed of: every informer stops

await runExample(import.meta.url, main);
