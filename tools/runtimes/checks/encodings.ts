import assert from 'node:assert/strict';
import { Cluster, SharedInformerFactory } from 'tidewatch';
import { configMaps, pods } from 'tidewatch/api/core/v1';
import type { Check } from '../check.ts';
import { ProtobufServer } from '../protobuf-server.ts';
import { pod, silent, TestCluster, until } from '../test-cluster.ts';

export const encodingChecks: readonly Check[] = [
  {
    name: 'an informer reads lists and watches in protobuf',
    async run() {
      await using server = await ProtobufServer.start();
      await using cluster = await Cluster.connect({
        server: server.url,
        certificateAuthority: server.ca,
        env: {},
        logger: silent,
      });
      await using factory = new SharedInformerFactory(cluster, { logger: silent, watchList: false });
      const lister = factory.for(pods).lister();
      factory.start();
      await factory.waitForCacheSync({ timeoutMs: 20_000 });
      assert.deepEqual(JSON.parse(JSON.stringify(lister.get('default/a'))), {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { name: 'a', namespace: 'default', uid: 'uid-a', resourceVersion: '1', labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'a:1', resources: {} }] },
        status: { phase: 'Running' },
      });
      await until('the watch is open', () => server.openWatches === 1);
      server.change('b');
      await until('the change is there', () => lister.get('default/b')?.metadata?.resourceVersion === '3');
      assert.equal(lister.get('default/b')?.spec?.containers[0]?.image, 'b:3');
      assert.deepEqual(structuredClone(lister.get('default/b')), JSON.parse(JSON.stringify(lister.get('default/b'))));
    },
  },
  {
    name: 'long lists come compressed, in one piece and in pages',
    async run() {
      await using test = await TestCluster.start();
      const client = (await test.connect()).client(configMaps);
      const text = 'äöü – 日本語 '.repeat(100);
      const names = Array.from({ length: 300 }, (_, index) => `settings-${index}`);
      for (const name of names) await client.create({ metadata: { name }, data: { text, name } });
      assert.equal((await client.list()).items.length, 300);
      for (const options of [{ watchList: true }, { watchList: false }, { watchList: false, pageSize: 100 }]) {
        const factory = await test.factory(options);
        const lister = factory.for(configMaps).lister();
        factory.start();
        await factory.waitForCacheSync({ timeoutMs: 20_000 });
        assert.equal(lister.list().length, 300);
        for (const name of names) assert.deepEqual(lister.get(`default/${name}`)?.data, { text, name });
        await factory.shutdown();
      }
    },
  },
  {
    name: 'a plain store, reduced objects and metadata alone',
    async run() {
      await using test = await TestCluster.start();
      await (await test.connect()).client(pods).create(pod('a', { app: 'web' }));
      const plain = await test.factory({ store: 'plain' });
      const reduced = await test.factory({ keep: ['metadata.labels', 'spec.containers.*.image'] });
      const listers = [plain.for(pods).lister(), reduced.for(pods).lister(), plain.forMetadata(pods).lister()] as const;
      for (const factory of [plain, reduced]) {
        factory.start();
        await factory.waitForCacheSync({ timeoutMs: 20_000 });
      }
      const [whole, small, metadata] = listers;
      assert.equal(whole.get('default/a')?.spec?.containers[0]?.name, 'main');
      assert.deepEqual(small.get('default/a')?.spec?.containers, [{ image: 'a:1' }]);
      assert.deepEqual(metadata.get('default/a')?.metadata?.labels, { app: 'web' });
      assert.equal('spec' in (metadata.get('default/a') ?? {}), false);
    },
  },
  {
    name: 'the client creates, updates, patches, applies and deletes',
    async run() {
      await using test = await TestCluster.start();
      const client = (await test.connect({ fieldManager: 'check' })).client(configMaps);
      const made = await client.create({ metadata: { name: 'settings' }, data: { a: '1' } });
      const updated = await client.update({ ...made, data: { a: '2' } });
      assert.notEqual(updated.metadata?.resourceVersion, made.metadata?.resourceVersion);
      await client.patch('settings', { data: { b: '3' } });
      await client.apply({ metadata: { name: 'settings' }, data: { c: '4' } });
      assert.deepEqual((await client.get('settings')).data, { a: '2', b: '3', c: '4' });
      await client.delete('settings');
      assert.equal(
        (await client.list()).items.some(({ metadata }) => metadata?.name === 'settings'),
        false,
      );
    },
  },
];
