/** The pods of one namespace, told again every five seconds: add for what is there, update at each resync, delete. */
import { pathToFileURL } from 'node:url';
import { SharedInformerFactory } from 'tidewatch';
import { type ExampleContext, runExample } from '../example-cluster.ts';

export async function main({ cluster, log, signal }: ExampleContext, resyncMs = 5_000): Promise<void> {
  const factory = new SharedInformerFactory(cluster, { namespace: 'default', resyncMs });
  const podInformer = factory.core.v1.pods().informer();

  podInformer.addEventHandler({
    onAdd: (pod) => log(`add a pod: ${pod.metadata?.name}`),
    onUpdate: (oldPod, newPod) => log(`update a pod: ${oldPod.metadata?.name} ${newPod.metadata?.name}`),
    onDelete: (pod) => log(`delete a pod: ${pod.metadata?.name}`),
  });

  const running = podInformer.run({ signal });
  if (!(await podInformer.waitForSync({ signal }))) log('pod has not cached');
  await running;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await runExample(main);
