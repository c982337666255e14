import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { Cluster } from 'tidewatch';
import { type Pod, pods } from 'tidewatch/api/core/v1';
import { ApiServer } from 'tidewatch/testing';
import type { Check } from '../check.ts';
import { outputOf } from '../own-runtime.ts';
import { pod, TestCluster } from '../test-cluster.ts';

/** The object as the cache gives it, and as a plain request does. */
async function both(test: TestCluster, name: string): Promise<{ read: () => Pod; plain: Pod }> {
  const client = (await test.connect()).client(pods);
  await client.create(pod(name, { app: 'web', tier: 'front' }));
  const factory = await test.factory();
  const lister = factory.for(pods).lister();
  factory.start();
  await factory.waitForCacheSync();
  const read = () => {
    const found = lister.get(`default/${name}`);
    if (found === undefined) throw new Error(`${name} is not in the cache`);
    return found;
  };
  const plain = await client.get(name);
  delete plain.metadata?.managedFields;
  return { read, plain };
}

export const viewChecks: readonly Check[] = [
  {
    name: 'a view behaves as plain data: keys, spread, JSON, structuredClone, nested fields, equality',
    async run() {
      await using test = await TestCluster.start();
      const { read, plain } = await both(test, 'web-1');
      assert.deepEqual(Object.keys(read()).sort(), Object.keys(plain).sort());
      assert.deepEqual({ ...read() }, plain);
      assert.deepEqual(JSON.parse(JSON.stringify(read())), plain);
      assert.deepEqual(structuredClone(read()), plain);
      assert.deepEqual(structuredClone(read().spec), plain.spec);
      assert.deepEqual(read(), plain);
      assert.equal(read().spec?.containers[0]?.image, 'web-1:1');
      assert.equal('status' in read(), true);
      const { metadata, ...rest } = read();
      assert.equal(metadata?.labels?.tier, 'front');
      assert.equal(rest.kind, 'Pod');
    },
  },
  {
    name: 'a view is its reader’s own: changes reach neither the cache nor other readers',
    async run() {
      await using test = await TestCluster.start();
      const { read, plain } = await both(test, 'web-1');
      const mine = read();
      if (mine.metadata?.labels) mine.metadata.labels.app = 'changed';
      mine.spec = { containers: [] };
      delete mine.status;
      assert.deepEqual(Object.keys(mine).includes('status'), false);
      assert.deepEqual(read(), plain);
    },
  },
  {
    name: 'a view can be read behind a Proxy and through its descriptors',
    async run() {
      await using test = await TestCluster.start();
      const { read, plain } = await both(test, 'web-1');
      const proxy = new Proxy(read(), { get: (target, key, receiver) => Reflect.get(target, key, receiver) });
      assert.equal(proxy.spec?.containers[0]?.image, 'web-1:1');
      const copy: Pod = Object.defineProperties({}, Object.getOwnPropertyDescriptors(read()));
      assert.deepEqual(JSON.parse(JSON.stringify(copy)), plain);
    },
  },
  {
    name: 'util.inspect shows the fields of a view',
    async run() {
      await using test = await TestCluster.start();
      const { read } = await both(test, 'web-1');
      const text = inspect(read(), { depth: 6 });
      assert.match(text, /kind: ['"]Pod['"]/);
      assert.match(text, /image: ['"]web-1:1['"]/);
    },
  },
  {
    name: 'console.log shows the fields of a view',
    async run() {
      await using server = await ApiServer.start({ http: true });
      await using cluster = await Cluster.connect({ server: server.url, env: {} });
      await cluster.client(pods).create(pod('web-1'));
      // Beside the package, so that it can be imported.
      const script = fileURLToPath(new URL('print-a-view.mjs', import.meta.url));
      writeFileSync(script, PRINTING_PROGRAM);
      const text = await outputOf(script, server.url);
      assert.match(text, /kind: ['"]Pod['"]/);
      assert.match(text, /containers: \[/);
    },
  },
];

const PRINTING_PROGRAM = `
import { Cluster, SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';

const cluster = await Cluster.connect({ server: process.argv[2], env: {} });
const factory = new SharedInformerFactory(cluster);
const lister = factory.for(pods).lister();
factory.start();
await factory.waitForCacheSync();
console.log(lister.get('default/web-1'));
await factory.shutdown();
await cluster.close();
`;
