import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pods } from 'tidewatch/api/core/v1';
import type { Check } from '../check.ts';
import { listen, pod, remove, TestCluster, until } from '../test-cluster.ts';

export const informerChecks: readonly Check[] = [
  {
    name: 'an informer over HTTPS tells its handlers of adds, updates and deletes, in order',
    async run() {
      await using test = await TestCluster.start();
      const cluster = await test.connect();
      const client = cluster.client(pods);
      await client.create(pod('a'));
      const factory = await test.factory();
      const informer = factory.for(pods).informer();
      const heard = listen(informer);
      factory.start();
      await heard.registration.synced;
      assert.deepEqual(heard.events, ['add a']);

      await informer.waitFor(await client.create(pod('b', { step: '0' })));
      for (const step of ['1', '2', '3']) {
        await informer.waitFor(await client.patch('b', { metadata: { labels: { step } } }));
      }
      await remove(cluster, 'b');
      await heard.count(7);
      const updates = ['1', '2', '3', '3'].map((step) => `update b ${step}`);
      assert.deepEqual(heard.events, ['add a', 'add b 0', ...updates, 'delete b 3']);
    },
  },
  {
    name: 'listers, selections and indexes read from memory',
    async run() {
      await using test = await TestCluster.start();
      const client = (await test.connect()).client(pods);
      await client.create(pod('web-1', { app: 'web' }));
      await client.create(pod('web-2', { app: 'web' }));
      await client.create(pod('db-1', { app: 'db' }));
      const factory = await test.factory();
      const resource = factory.for(pods);
      const web = resource.select({ labelSelector: 'app=web' });
      const heard = listen(web);
      resource.informer().addIndexers({ image: (one) => one.spec?.containers.map(({ image = '' }) => image) ?? [] });
      factory.start();
      await factory.waitForCacheSync();

      const names = (label?: string) =>
        resource
          .lister()
          .list(label)
          .map(({ metadata }) => metadata?.name)
          .sort();
      assert.deepEqual(names(), ['db-1', 'web-1', 'web-2']);
      assert.deepEqual(names('app in (web),app!=db'), ['web-1', 'web-2']);
      assert.equal(resource.lister().get('default/db-1')?.spec?.containers[0]?.image, 'db-1:1');
      assert.equal(resource.informer().store.byIndex('image', 'web-2:1')[0]?.metadata?.name, 'web-2');
      assert.equal(web.lister().list().length, 2);

      await heard.registration.synced;
      await client.patch('web-1', { metadata: { labels: { app: 'other' } } });
      await client.patch('db-1', { metadata: { labels: { app: 'web' } } });
      await heard.count(4);
      assert.deepEqual(heard.events.slice(2), ['delete web-1', 'add db-1']);
    },
  },
  {
    name: 'events() is an async iterator that ends with its loop',
    async run() {
      await using test = await TestCluster.start();
      const client = (await test.connect()).client(pods);
      const factory = await test.factory();
      const informer = factory.for(pods).informer();
      factory.start();
      await factory.waitForCacheSync();
      const seen: string[] = [];
      const loop = (async () => {
        for await (const event of informer.events()) {
          seen.push(event.type);
          if (seen.length === 2) break;
        }
      })();
      await client.create(pod('a'));
      await client.create(pod('b'));
      await loop;
      assert.deepEqual(seen, ['add', 'add']);
    },
  },
  {
    name: 'a factory goes on from the snapshot of the one before, and hears of what has happened since',
    async run() {
      await using test = await TestCluster.start();
      const cluster = await test.connect();
      const client = cluster.client(pods);
      for (const name of ['a', 'b']) await client.create(pod(name));
      const snapshot = { file: join(test.folder, 'caches') };
      const first = await test.factory({ snapshot });
      first.for(pods).informer();
      first.start();
      await first.waitForCacheSync();
      await first.shutdown();
      await remove(cluster, 'b');

      const second = await test.factory({ snapshot });
      const informer = second.for(pods).informer();
      const heard = listen(informer);
      second.start();
      await until('b is gone', () => heard.events.includes('delete b'));
      assert.deepEqual(heard.events.filter((event) => event.startsWith('add')).sort(), ['add a', 'add b']);
    },
  },
];
