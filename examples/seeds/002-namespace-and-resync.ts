/** The pods of one namespace, told again every five seconds: add for what is there, update at each resync, delete. */
import { SharedInformerFactory } from 'tidewatch';
import { type ExampleContext, podGoesAway, runExample } from '../example-cluster.ts';

export async function main({ cluster, log, signal, resyncMs = 5_000 }: ExampleContext): Promise<void> {
  const factory = new SharedInformerFactory(cluster, { namespace: 'default', resyncMs });
  const podInformer = factory.core.v1.pods().informer();

  podInformer.addEventHandler({
    onAdd: (pod) => log(`add a pod: ${pod.metadata.name}`),
    onUpdate: (oldPod, newPod) => log(`update a pod: ${oldPod.metadata.name} ${newPod.metadata.name}`),
    onDelete: (pod) => log(`delete a pod: ${pod.metadata.name}`),
  });

  const running = podInformer.run({ signal });
  if (!(await podInformer.waitForSync({ signal }))) log('pod has not cached');
  await running;
}

await runExample(import.meta.url, main, { story: podGoesAway });
