/** The changes of an informer as an async iterator of a discriminated union. */
import { type Informer, SharedInformerFactory } from 'tidewatch';
import { type Pod, pods } from 'tidewatch/api/core/v1';
import { type ExampleContext, runExample } from './example-cluster.ts';

async function follow(informer: Informer<Pod>, { log, signal }: ExampleContext): Promise<void> {
  // Ends without an error when the signal aborts or the informer stops; leaving the loop ends the subscription.
  for await (const event of informer.events({ signal })) {
    const { name, labels } = event.object.metadata;
    switch (event.type) {
      case 'add':
        log(`add ${name}${event.isInInitialList ? ' (was there)' : ''}`);
        break;
      case 'update':
        log(`update ${name}: tier ${event.oldObject.metadata.labels?.tier} -> ${labels?.tier}`);
        break;
      case 'delete':
        log(`delete ${name}${event.finalStateUnknown ? ' (last seen state)' : ''}`);
        return;
    }
  }
}

export async function main(context: ExampleContext): Promise<void> {
  const { cluster, signal, meanwhile } = context;
  await using factory = new SharedInformerFactory(cluster, { namespace: 'default' });
  const following = follow(factory.for(pods).informer(), context);
  factory.start({ signal });
  await factory.waitForCacheSync({ signal });
  await meanwhile(async (others) => {
    await others.client(pods).patch('mysql', { metadata: { labels: { tier: 'data' } } });
    await others.client(pods).delete('mysql');
  });
  await following;
}

await runExample(import.meta.url, main);
