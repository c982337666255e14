import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster, SharedInformerFactory } from 'tidewatch';
import { configMaps, pods } from 'tidewatch/api/core/v1';
import { ApiServer } from 'tidewatch/testing';
import { httpProxy } from '../../../src/http/socket/proxy-fixture.ts';
import type { Check } from '../check.ts';
import { commandFor } from '../own-runtime.ts';
import { pod, silent, TestCluster } from '../test-cluster.ts';

export const loginChecks: readonly Check[] = [
  {
    name: 'an exec plugin is run for its token',
    async run() {
      await using test = await TestCluster.start();
      const plugin = join(test.folder, 'plugin.mjs');
      const status = { token: test.server.token };
      const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
      writeFileSync(plugin, `console.log(${JSON.stringify(JSON.stringify(credential))});\n`);
      const exec = { apiVersion: credential.apiVersion, ...commandFor(plugin), interactiveMode: 'Never' };
      const cluster = await test.connect({ kubeconfig: test.kubeconfig({ exec }) });
      assert.equal((await cluster.client(pods).list()).items.length, 0);
    },
  },
  {
    name: 'HTTPS goes through the tunnel of an HTTP proxy',
    async run() {
      await using test = await TestCluster.start();
      const seen: string[] = [];
      await using proxy = await httpProxy(Number(new URL(test.server.url).port), seen);
      const client = (await test.connect({ proxyUrl: proxy.url })).client(pods);
      await client.create(pod('a'));
      assert.equal((await client.list()).items.length, 1);
      assert.ok(seen.length > 0, 'nothing went through the proxy');
    },
  },
  {
    name: 'an informer works over plain HTTP, also with a long list',
    async run() {
      await using server = await ApiServer.start({ http: true, logger: silent });
      await using cluster = await Cluster.connect({
        server: server.url,
        disableCompression: true,
        env: {},
        logger: silent,
      });
      const client = cluster.client(configMaps);
      const text = 'x'.repeat(10_000);
      const names = Array.from({ length: 100 }, (_, index) => `settings-${index}`);
      await Promise.all(names.map((name) => client.create({ metadata: { name }, data: { text, name } })));
      await using factory = new SharedInformerFactory(cluster, { logger: silent, watchList: false });
      const configMapInformer = factory.for(configMaps);
      configMapInformer.informer();
      factory.start();
      await factory.waitForCacheSync({ timeoutMs: 20_000 });
      await configMapInformer.informer().waitFor(await client.create({ metadata: { name: 'last' } }));
      for (const name of names) {
        assert.deepEqual(configMapInformer.lister().get(`default/${name}`)?.data, { text, name });
      }
      assert.equal(configMapInformer.lister().list().length, 101);
    },
  },
  {
    name: 'many requests at a time have connections of their own',
    async run() {
      await using test = await TestCluster.start();
      const client = (await test.connect()).client(pods);
      const names = Array.from({ length: 40 }, (_, index) => `pod-${index}`);
      await Promise.all(names.map((name) => client.create(pod(name))));
      const read = await Promise.all(names.map((name) => client.get(name)));
      assert.deepEqual(
        read.map(({ metadata }) => metadata?.name),
        names,
      );
    },
  },
];
