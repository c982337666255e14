import assert from 'node:assert/strict';
import { SharedInformerFactory } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { ApiServer, FakeClock } from 'tidewatch/testing';
import { RateLimitingQueue } from 'tidewatch/workqueue';
import type { Check } from '../check.ts';
import { pod, silent } from '../test-cluster.ts';

export const timeChecks: readonly Check[] = [
  {
    name: 'FakeClock moves resyncs and backoff in process, and leaves no timer',
    async run() {
      const clock = new FakeClock();
      await using server = await ApiServer.start({ listen: false, logger: silent });
      await using cluster = server.cluster({ logger: silent });
      await cluster.client(pods).create(pod('a'));
      const factory = new SharedInformerFactory(cluster, { clock, resyncMs: 60_000, logger: silent });
      const informer = factory.for(pods).informer();
      let resyncs = 0;
      const registration = informer.addEventHandler({ onUpdate: () => void resyncs++ });
      factory.start();
      await registration.synced;
      await clock.advance(3 * 60_000);
      assert.equal(resyncs, 3);

      const away = server.faults.add({ verb: 'watch' }, { kind: 'status', code: 503 });
      server.disconnectWatches();
      await clock.advance(30_000);
      assert.equal(away.hits, 1);
      await informer.waitFor(await cluster.client(pods).create(pod('b')));
      await factory.shutdown();
      assert.equal(clock.pendingTimers, 0);
    },
  },
  {
    name: 'a work queue gives out keys, and those that failed later',
    async run() {
      const queue = new RateLimitingQueue<string>();
      queue.add('a');
      queue.add('a');
      queue.addRateLimited('b');
      const seen: string[] = [];
      for (let taken = 0; taken < 2; taken++) {
        const item = await queue.get();
        if (item === undefined) break;
        seen.push(item);
        queue.forget(item);
        queue.done(item);
      }
      queue.shutDown();
      assert.deepEqual(seen, ['a', 'b']);
    },
  },
];
