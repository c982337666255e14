import assert from 'node:assert/strict';
import { TransportError } from 'tidewatch';
import { configMaps, pods } from 'tidewatch/api/core/v1';
import type { Fault } from 'tidewatch/testing';
import type { Check } from '../check.ts';
import { listen, pod, rejection, remove, TestCluster, until } from '../test-cluster.ts';

const WATCH = { verb: 'watch', resource: 'pods' };

/** An informer of pods that has synced with one pod `a`. */
async function synced(test: TestCluster) {
  const cluster = await test.connect();
  const client = cluster.client(pods);
  await client.create(pod('a'));
  const factory = await test.factory();
  const informer = factory.for(pods).informer();
  const heard = listen(informer);
  factory.start();
  await heard.registration.synced;
  await until('a watch is open', () => informer.state.phase === 'watching' && test.server.openWatches === 1);
  return { cluster, client, informer, heard };
}

/** The next watch meets the fault; what happens meanwhile is told once, in order. */
function survives(name: string, fault: Fault): Check {
  return {
    name,
    async run() {
      await using test = await TestCluster.start();
      const { cluster, client, informer, heard } = await synced(test);
      const planned = test.server.faults.add(WATCH, fault);
      test.server.disconnectWatches();
      await planned.met();
      await client.create(pod('b', { step: '1' }));
      await informer.waitFor(await client.patch('b', { metadata: { labels: { step: '2' } } }));
      await remove(cluster, 'a');
      await until('a is gone', () => heard.events.includes('delete a'));
      assert.deepEqual(informer.store.listKeys(), ['default/b']);
      assert.equal(heard.events.filter((event) => event.startsWith('add b')).length, 1);
      assert.equal(heard.events.filter((event) => event.startsWith('delete')).length, 1);
    },
  };
}

export const faultChecks: readonly Check[] = [
  survives('a watch that is cut in the middle of an event is opened again', { kind: 'cut', afterBytes: 60 }),
  survives('a watch that ends cleanly is opened again', { kind: 'end', afterBytes: 0 }),
  survives('a watch that is refused with 503 is opened again', { kind: 'status', code: 503 }),
  survives('a watch whose connection breaks before an answer is opened again', { kind: 'drop' }),
  survives('a watch that arrives byte by byte is understood', { kind: 'split', bytes: 1 }),
  survives('an ERROR event with 410 leads to a list', { kind: 'error-event' }),
  {
    name: 'a list that breaks off is asked for again',
    async run() {
      await using test = await TestCluster.start();
      const client = (await test.connect()).client(configMaps);
      const names = Array.from({ length: 100 }, (_, index) => `settings-${index}`);
      for (const name of names) await client.create({ metadata: { name }, data: { name, text: 'x'.repeat(5_000) } });
      const faults = test.server.faults.script({ verb: 'list', resource: 'configmaps' }, [
        { kind: 'cut', afterBytes: 100 },
        { kind: 'cut', afterBytes: 400_000 },
        { kind: 'end', afterBytes: 400_000 },
        { kind: 'drop' },
      ]);
      const factory = await test.factory({ watchList: false });
      const lister = factory.for(configMaps).lister();
      factory.start();
      await factory.waitForCacheSync({ timeoutMs: 45_000 }); // four waits, 24 s at the longest
      assert.deepEqual(
        faults.map(({ hits }) => hits),
        [1, 1, 1, 1],
      );
      for (const name of names) assert.equal(lister.get(`default/${name}`)?.data?.name, name);
    },
  },
  {
    name: 'connections that break under all watches are opened again',
    async run() {
      await using test = await TestCluster.start();
      const { client, informer, heard } = await synced(test);
      for (const name of ['b', 'c', 'd']) {
        test.server.disconnectWatches({ abruptly: true });
        await informer.waitFor(await client.create(pod(name)));
      }
      await heard.count(4);
      assert.deepEqual(heard.events, ['add a', 'add b', 'add c', 'add d']);
    },
  },
  {
    name: 'an expired history (410) leads to a list, and a deletion that was missed is told',
    async run() {
      await using test = await TestCluster.start();
      const { cluster, client, informer, heard } = await synced(test);
      const away = test.server.faults.add(WATCH, { kind: 'status', code: 503 }, { times: Number.POSITIVE_INFINITY });
      test.server.disconnectWatches();
      await away.met();
      await remove(cluster, 'a');
      const made = await client.create(pod('b'));
      test.server.compact();
      away.remove();
      await informer.waitFor(made);
      await heard.count(3);
      assert.deepEqual(heard.events.slice(1).sort(), ['add b', 'delete unseen a']);
    },
  },
  {
    name: '429 with Retry-After is waited for',
    async run() {
      await using test = await TestCluster.start();
      const { client, informer } = await synced(test);
      const busy = test.server.faults.add(WATCH, { kind: 'status', code: 429, retryAfterSeconds: 1 });
      test.server.disconnectWatches();
      await busy.met();
      const refusedAt = Date.now();
      await informer.waitFor(await client.create(pod('b')));
      // Timers may be a little early.
      assert.ok(Date.now() - refusedAt >= 900, 'the watch was opened again before the second was over');

      const once = test.server.faults.add(
        { verb: 'list', resource: 'pods' },
        { kind: 'status', code: 429, retryAfterSeconds: 1 },
      );
      assert.equal((await client.list()).items.length, 2);
      assert.equal(once.hits, 1);
    },
  },
  {
    name: 'a server that is restarted, with a new authority in the same file, is found again',
    async run() {
      await using test = await TestCluster.start();
      const { informer, heard } = await synced(test);
      const { port } = new URL(test.server.url);
      const backup = test.server.snapshot();
      await test.server.stop();
      await until('the informer notices', () => informer.state.phase === 'backoff');
      await test.listen(Number(port));
      test.server.restore(backup);
      const client = (await test.connect()).client(pods);
      await informer.waitFor(await client.create(pod('b')));
      await heard.count(2);
      assert.deepEqual(heard.events, ['add a', 'add b']);
    },
  },
  {
    name: 'an answer that does not come, or stops half-way, is a timeout',
    async run() {
      await using test = await TestCluster.start();
      await (await test.connect()).client(configMaps).create({ metadata: { name: 'settings' }, data: { a: 'b' } });
      const client = (await test.connect({ headersTimeoutMs: 1_000, stallTimeoutMs: 1_000 })).client(configMaps);
      for (const fault of [{ kind: 'stall' }, { kind: 'stall-body', afterBytes: 20 }] satisfies Fault[]) {
        test.server.faults.add({ resource: 'configmaps' }, fault);
        const error = await rejection(client.get('settings'));
        assert.ok(error instanceof TransportError, String(error));
        assert.equal(error.kind, 'timeout');
      }
      assert.equal((await client.get('settings')).data?.a, 'b');
    },
  },
  {
    name: 'an abort ends a request with the reason of its signal, and a watch that is left ends',
    async run() {
      await using test = await TestCluster.start();
      const client = (await test.connect()).client(pods);
      const stalled = test.server.faults.add({ verb: 'get', resource: 'pods' }, { kind: 'stall' });
      const stop = new AbortController();
      const request = rejection(client.get('a', { signal: stop.signal }));
      await stalled.met();
      const reason = new Error('enough');
      stop.abort(reason);
      assert.equal(await request, reason);

      await client.create(pod('a'));
      for await (const event of client.watch()) {
        assert.equal(event.type, 'ADDED');
        break;
      }
      await until('the server notices that the watch was left', () => test.server.openWatches === 0);
    },
  },
];
