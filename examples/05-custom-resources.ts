/** A custom resource with its own type, watched from before its definition is installed. */
import { defineResource, type KubernetesObject, SharedInformerFactory } from 'tidewatch';
import { customResourceDefinitions } from 'tidewatch/api/apiextensions/v1';
import { type ExampleContext, runExample } from './example-cluster.ts';

interface CronTab extends KubernetesObject {
  spec: { schedule: string; replicas?: number };
}

const cronTabs = defineResource<CronTab>({
  group: 'stable.example.com',
  version: 'v1',
  plural: 'crontabs',
  kind: 'CronTab',
});

const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export async function main({ cluster, log, signal, meanwhile, untilDone }: ExampleContext): Promise<void> {
  await using factory = new SharedInformerFactory(cluster);
  const informer = factory.for(cronTabs).informer();
  const missing = new Promise<void>((resolve) =>
    informer.setWatchErrorHandler(() => {
      log(`the informer is ${informer.state.phase}`);
      resolve();
    }),
  );
  informer.addEventHandler({
    onAdd: (tab) => log(`add ${tab.metadata.name} ${tab.spec.schedule}`),
    onUpdate: (old, tab) => log(`update ${tab.metadata.name} ${old.spec.schedule} -> ${tab.spec.schedule}`),
    onDelete: (tab) => log(`delete ${tab.metadata.name}`),
  });
  factory.start({ signal });

  await meanwhile(async (others) => {
    await missing;
    await others.client(customResourceDefinitions).create({
      metadata: { name: 'crontabs.stable.example.com' },
      spec: {
        group: 'stable.example.com',
        names: { plural: 'crontabs', kind: 'CronTab' },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
  });
  // While the server does not know the type, it is asked every 5 s whether it does.
  if (!(await informer.waitForSync({ signal }))) return;
  log('the informer has synced');

  await meanwhile(async (others) => {
    const client = others.client(cronTabs);
    await client.create({ metadata: { name: 'backup' }, spec: { schedule: '0 3 * * *' } });
    await client.patch('backup', { spec: { schedule: '0 4 * * *' } });
    await client.delete('backup');
  });
  await untilDone();
}

await runExample(import.meta.url, main);
