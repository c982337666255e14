import { expect, it } from 'vitest';
import { configMaps, namespaces } from '../generated/api/core/v1.ts';
import { silentLogger } from '../observe/logger.ts';
import { ListWatch } from '../reflector/list-watch.ts';
import { ApiServer } from '../testing/api-server.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

it('a list of one namespace says nothing of another, also of one whose name begins the same', async () => {
  const server = await ApiServer.start({ listen: false, logger: silentLogger });
  const cluster = server.cluster();
  const create = (name: string, namespace: string) =>
    cluster.client(configMaps).create({ metadata: { name, namespace } });
  for (const name of ['team', 'team-b']) {
    await cluster.client(namespaces).create({ metadata: { name } });
    await create('a', name);
  }
  const factory = new SharedInformerFactory(cluster, { logger: silentLogger, namespace: ['team', 'team-b'] });
  const informer = factory.for(configMaps).informer();
  const deleted: string[] = [];
  informer.addEventHandler({
    onDelete: ({ metadata }) => void deleted.push(`${metadata?.namespace}/${metadata?.name}`),
  });
  factory.start();
  await factory.waitForCacheSync();
  const forgotten = server.faults.add({ verb: 'watch', namespace: 'team' }, { kind: 'status', code: 410 });
  server.disconnectWatches();
  await forgotten.met();
  for (const name of ['team', 'team-b']) await informer.waitFor(await create('b', name));
  expect(informer.store.listKeys().sort()).toEqual(['team-b/a', 'team-b/b', 'team/a', 'team/b']);
  expect(deleted).toEqual([]);
  await factory.shutdown();
  await cluster.close();
  await server.stop();
});

it('asks for no watch before most of a long list is in the store', async () => {
  const items = Array.from({ length: 6_000 }, (_, i) => ({ metadata: { name: `t${i}`, resourceVersion: '1' } }));
  const stored: number[] = [];
  const informer = new SharedIndexInformer({
    logger: silentLogger,
    listWatch: new ListWatch({
      list: () => ({ metadata: { resourceVersion: '1' }, items }),
      watch: async function* (_options, { signal }) {
        stored.push(informer.store.size);
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      },
    }),
  });
  void informer.run();
  await informer.waitForSync();
  while (stored.length === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  expect(stored[0]).toBeGreaterThanOrEqual(1_000);
  await informer.stop();
});
