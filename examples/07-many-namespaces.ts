/** Several namespaces in one informer: one cache, one set of handlers, and a watch for each namespace. */
import { SharedInformerFactory } from 'tidewatch';
import { configMaps } from 'tidewatch/api/core/v1';
import { type ExampleContext, runExample } from './example-cluster.ts';

export async function main({ cluster, log, signal, meanwhile, untilDone }: ExampleContext): Promise<void> {
  await using factory = new SharedInformerFactory(cluster, { namespace: ['default', 'kube-system'] });
  const informer = factory.for(configMaps).informer();
  informer.addEventHandler({
    onAdd: ({ metadata }) => log(`add ${metadata.namespace}/${metadata.name}`),
    onDelete: ({ metadata }) => log(`delete ${metadata.namespace}/${metadata.name}`),
  });
  factory.start({ signal });
  await factory.waitForCacheSync({ signal });

  await meanwhile(async (others) => {
    for (const namespace of ['kube-public', 'default', 'kube-system']) {
      const written = await others.client(configMaps, { namespace }).create({ metadata: { name: 'settings' } });
      // Nobody here hears of what happens in kube-public.
      if (namespace !== 'kube-public') await informer.waitFor(written, { signal });
    }
  });
  await untilDone();

  const lister = factory.for(configMaps).lister();
  log(`in the cache: ${lister.list().length}, of kube-public: ${lister.namespace('kube-public').list().length}`);
}

await runExample(import.meta.url, main);
