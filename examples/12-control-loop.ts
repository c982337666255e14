/**
 * The control loop by hand: a handler puts keys into a rate limiting queue, a worker takes them out, reads the object from the
 * cache, and tries again later what failed.
 */
import { metaNamespaceKey, SharedInformerFactory } from 'tidewatch';
import { type Pod, pods } from 'tidewatch/api/core/v1';
import { RateLimitingQueue } from 'tidewatch/workqueue';
import { type ExampleContext, runExample } from './example-cluster.ts';

const MAX_RETRIES = 5;

export async function main({ cluster, log, signal, meanwhile, untilDone }: ExampleContext): Promise<void> {
  await using factory = new SharedInformerFactory(cluster, { namespace: 'default' });
  const informer = factory.for(pods).informer();
  const queue = new RateLimitingQueue({ name: 'pods' });

  const enqueue = (pod: Pod) => queue.add(metaNamespaceKey(pod));
  informer.addEventHandler({
    onAdd: enqueue,
    // Of a pod that is being deleted, the deletion is what counts.
    onUpdate: (_old, pod) => {
      if (!pod.metadata.deletionTimestamp) enqueue(pod);
    },
    onDelete: enqueue,
  });
  factory.start({ signal });
  await factory.waitForCacheSync({ signal });

  const failedOnce = new Set<string>();
  const reconcile = async (key: string) => {
    const pod = informer.indexer.getByKey(key);
    if (!pod) {
      log(`${key} is gone`);
      return;
    }
    if (!failedOnce.has(key)) {
      failedOnce.add(key);
      throw new Error('the first try fails');
    }
    log(`${key} is done after ${queue.numRequeues(key)} retry`);
    if (key === 'default/wordpress') await meanwhile((others) => others.client(pods).delete('wordpress'));
  };
  const worker = async () => {
    for await (const key of queue) {
      try {
        await reconcile(key);
        queue.forget(key);
      } catch (error) {
        if (queue.numRequeues(key) < MAX_RETRIES) queue.addRateLimited(key);
        else log(`${key} is given up: ${error}`);
      }
    }
  };
  const working = [worker(), worker()];

  await untilDone();
  await queue.shutDownWithDrain();
  await Promise.all(working);
}

await runExample(import.meta.url, main);
