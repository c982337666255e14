/** Finding objects in the cache: by label, by namespace and name, and by indexes of one's own. */
import { SharedInformerFactory, type Stored } from 'tidewatch';
import { type Pod, pods } from 'tidewatch/api/core/v1';
import { type ExampleContext, runExample } from './example-cluster.ts';

export async function main({ cluster, log, signal, meanwhile, untilDone }: ExampleContext): Promise<void> {
  await meanwhile(async (others) => {
    for (const [name, nodeName] of Object.entries({ 'web-1': 'node-a', 'web-2': 'node-b', 'web-3': 'node-a' })) {
      await others.client(pods).create({
        metadata: { name, namespace: 'default', labels: { app: 'web' } },
        spec: { nodeName, containers: [{ name: 'nginx', image: 'nginx:1.29' }] },
      });
    }
  });

  await using factory = new SharedInformerFactory(cluster);
  const podInformer = factory.for(pods);
  const { indexer } = podInformer.informer();
  indexer.addIndexers({
    node: 'spec.nodeName', // a path
    image: (pod) => pod.spec?.containers.map((container) => container.image ?? '') ?? [], // or a function: any number of values
  });

  factory.start({ signal });
  await factory.waitForCacheSync({ signal });

  const names = (list: Stored<Pod>[]) => list.map((pod) => pod.metadata.name).sort();
  const lister = podInformer.lister();
  log(`app=web: ${names(lister.list('app=web'))}`);
  log(`app in (web, mysql): ${names(lister.list('app in (web, mysql)'))}`);
  log(`default/mysql: ${lister.namespace('default').get('mysql')?.metadata.name}`);
  log(`nobody: ${lister.get('default/nobody')}`);
  log(`on node-a: ${names(indexer.byIndex('node', 'node-a'))}`);
  log(`keys with nginx:1.29: ${indexer.indexKeys('image', 'nginx:1.29')}`);
  log(`nodes in use: ${indexer.listIndexFuncValues('node').sort()}`);
  await untilDone();
}

await runExample(import.meta.url, main);
