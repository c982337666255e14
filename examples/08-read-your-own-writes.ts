/** After a write, the cache is a little behind. `waitFor` waits until it has caught up with what was written. */
import { SharedInformerFactory } from 'tidewatch';
import { configMaps } from 'tidewatch/api/core/v1';
import { type ExampleContext, runExample } from './example-cluster.ts';

export async function main({ cluster, log, signal }: ExampleContext): Promise<void> {
  await using factory = new SharedInformerFactory(cluster, { namespace: cluster.namespace });
  const informer = factory.for(configMaps).informer();
  const lister = factory.for(configMaps).lister().namespace(cluster.namespace);
  factory.start({ signal });
  await factory.waitForCacheSync({ signal });

  const client = cluster.client(configMaps);
  const created = await client.create({ metadata: { generateName: 'tidewatch-example-' }, data: { step: '1' } });
  const { name } = created.metadata;
  try {
    await informer.waitFor(created, { signal, timeoutMs: 10_000 });
    log(`created, and in the cache with step ${lister.get(name)?.data?.step}`);

    const changed = await client.patch(name, { data: { step: '2' } });
    await informer.waitFor(changed, { signal, timeoutMs: 10_000 });
    log(`changed, and in the cache with step ${lister.get(name)?.data?.step}`);
  } finally {
    await client.delete(name);
  }
}

await runExample(import.meta.url, main);
