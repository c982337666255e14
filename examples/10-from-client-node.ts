/**
 * The same program twice: with `makeInformer` of @kubernetes/client-node, and with tidewatch on the same `KubeConfig`.
 * What changes on the way is told in docs/from-client-node.md.
 */
import type { KubeConfig, V1Pod } from '@kubernetes/client-node';
import { Cluster, SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { type ExampleContext, runExample } from './example-cluster.ts';

type Log = (line: string) => void;

/** Returns the way out. */
export async function before(config: KubeConfig, log: Log): Promise<() => Promise<void>> {
  const { CoreV1Api, makeInformer } = await import('@kubernetes/client-node');
  const api = config.makeApiClient(CoreV1Api);
  const name = ({ metadata = {} }: V1Pod) => metadata.name;
  const informer = makeInformer(config, '/api/v1/namespaces/default/pods', () =>
    api.listNamespacedPod({ namespace: 'default' }),
  );
  informer.on('add', (pod: V1Pod) => log(`add ${name(pod)}`));
  informer.on('update', (pod: V1Pod) => log(`update ${name(pod)}`));
  informer.on('delete', (pod: V1Pod) => log(`delete ${name(pod)}`));
  let stopped = false;
  informer.on('error', (error: unknown) => {
    if (stopped) return; // stop() is reported as an error, too
    log(`error ${String(error)}`);
    setTimeout(() => void informer.start(), 5_000);
  });
  await informer.start();
  return async () => {
    stopped = true;
    await informer.stop();
  };
}

/** Returns the way out. */
export async function after(config: KubeConfig, log: Log): Promise<() => Promise<void>> {
  const cluster = Cluster.from(config); // the cluster and login of its current context
  const factory = new SharedInformerFactory(cluster, { namespace: 'default' });
  factory
    .for(pods)
    .informer()
    .addEventHandler({
      onAdd: (pod) => log(`add ${pod.metadata.name}`),
      onUpdate: (_old, pod) => log(`update ${pod.metadata.name}`), // and the old one, too
      onDelete: (pod) => log(`delete ${pod.metadata.name}`),
    });
  factory.start(); // failures are retried, with backoff, forever
  await factory.waitForCacheSync();
  return async () => {
    await factory.shutdown();
    await cluster.close();
  };
}

export async function main({ log, meanwhile, untilDone, kubeconfig }: ExampleContext): Promise<void> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromDefault();
  else config.loadFromString(kubeconfig);

  const stopBefore = await before(config, (line) => log(`before: ${line}`));
  const stopAfter = await after(config, (line) => log(`after: ${line}`));
  await meanwhile(async (others) => {
    await others.client(pods).patch('mysql', { metadata: { labels: { tier: 'data' } } });
    await others.client(pods).delete('wordpress');
  });
  await untilDone();
  await stopBefore();
  await stopAfter();
}

await runExample(import.meta.url, main, { listen: true });
