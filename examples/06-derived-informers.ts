/** One watch and one cache, many selections: each hears only of what it selects, as if it had a watch of its own. */
import { SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { type ExampleContext, runExample } from './example-cluster.ts';

export async function main({ cluster, log, signal, meanwhile, untilDone }: ExampleContext): Promise<void> {
  await using factory = new SharedInformerFactory(cluster);
  const allPods = factory.for(pods);
  const databases = allPods.select({ labelSelector: 'app in (mysql, postgres)', namespace: 'default' });
  const running = allPods.select({ fieldSelector: 'status.phase=Running' });

  const registrations = [databases, running].map((selection) =>
    selection.addEventHandler({
      onAdd: (pod) => log(`${selection.name}: add ${pod.metadata.name}`),
      onUpdate: (_old, pod) => log(`${selection.name}: update ${pod.metadata.name}`),
      onDelete: (pod) => log(`${selection.name}: delete ${pod.metadata.name}`),
    }),
  );

  factory.start({ signal }); // one LIST, one WATCH
  await factory.waitForCacheSync({ signal });
  await Promise.all(registrations.map((registration) => registration.synced));
  log(`${databases.lister().list().length} databases, ${running.lister().list().length} running`);

  await meanwhile(async (others) => {
    const client = others.client(pods);
    // Enters the one selection, is changed in the other, then leaves the first.
    await client.patch('mysql', { status: { phase: 'Running' } }, { subresource: 'status' });
    await client.patch('mysql', { status: { phase: 'Failed' } }, { subresource: 'status' });
  });
  await untilDone();
}

await runExample(import.meta.url, main);
