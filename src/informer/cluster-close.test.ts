import { getEventListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { configMaps, pods } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { clusterFixture, until } from './cluster-fixture.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

const CLOSED = 'the connection to the cluster was closed, so the informer stops.';

describe('cluster.close', () => {
  it('stops a running informer, says so once, and nothing is sent afterwards', async () => {
    await using fixture = await clusterFixture();
    const { cluster, requests, logger } = fixture;
    const clock = new FakeClock();
    const informer = new SharedIndexInformer({ cluster, resource: configMaps, clock });
    const running = informer.run();
    await informer.waitForSync();
    const waiting = informer.waitFor('99999999');
    const events = informer.events();
    const last = (async () => {
      for await (const _ of events);
    })();
    await cluster.close();
    await expect(waiting).rejects.toThrow('the informer stopped');
    await running;
    await last;
    expect(informer.state.phase).toBe('stopped');
    expect(logger.lines).toEqual([`configmaps.v1: ${CLOSED}`]);
    const sent = requests.length;
    await clock.advance(600_000);
    expect(requests).toHaveLength(sent);
    expect(clock.pendingTimers).toBe(0);
    expect(logger.lines).toHaveLength(1);
  });

  it('ends waitForSync with false, whatever the informer was waiting for', async () => {
    await using fixture = await clusterFixture();
    fixture.server.faults.add({ resource: 'pods' }, { kind: 'stall' }, { times: Number.POSITIVE_INFINITY });
    fixture.server.faults.add(
      { resource: 'configmaps' },
      { kind: 'status', code: 503 },
      { times: Number.POSITIVE_INFINITY },
    );
    const factory = new SharedInformerFactory(fixture.cluster, { watchErrorHandler: () => {} });
    const informers = [pods, configMaps].map((resource) => factory.for(resource as typeof pods).informer());
    factory.start();
    const waiting = factory.waitForCacheSync();
    await until(() => informers[1]?.state.phase === 'backoff');
    await fixture.cluster.close();
    const synced = await waiting;
    expect([synced.get(pods), synced.get(configMaps)]).toEqual([false, false]);
    await factory.shutdown();
    expect(fixture.logger.lines.sort()).toEqual([`configmaps.v1: ${CLOSED}`, `pods.v1: ${CLOSED}`]);
  });

  it('says nothing to informers that have stopped before, or are about to', async () => {
    await using fixture = await clusterFixture();
    const stop = new AbortController();
    const factory = new SharedInformerFactory(fixture.cluster);
    factory.for(configMaps).informer();
    factory.start({ signal: stop.signal });
    await factory.waitForCacheSync();
    stop.abort();
    await fixture.cluster.close();
    await factory.shutdown();
    expect(fixture.logger.lines).toEqual([]);
  });

  it('stops at once an informer that is started afterwards', async () => {
    await using fixture = await clusterFixture();
    await fixture.cluster.close();
    const informer = new SharedIndexInformer({ cluster: fixture.cluster, resource: configMaps });
    await informer.run();
    expect(await informer.waitForSync()).toBe(false);
    expect(fixture.requests).toEqual([]);
    expect(fixture.logger.lines).toEqual([`configmaps.v1: ${CLOSED}`]);
  });

  it('leaves no listener on the cluster when an informer stops', async () => {
    await using fixture = await clusterFixture();
    const informer = new SharedIndexInformer({ cluster: fixture.cluster, resource: configMaps });
    void informer.run();
    await informer.waitForSync();
    expect(getEventListeners(fixture.cluster.closed, 'abort')).toHaveLength(1);
    await informer.stop();
    expect(getEventListeners(fixture.cluster.closed, 'abort')).toHaveLength(0);
  });
});

describe('a transport that is closed under its cluster', () => {
  it('stops the informer with the next request', async () => {
    await using fixture = await clusterFixture();
    const errors: Error[] = [];
    const clock = new FakeClock();
    const informer = new SharedIndexInformer({
      cluster: fixture.cluster,
      resource: configMaps,
      clock,
      watchErrorHandler: (error) => void errors.push(error),
    });
    const running = informer.run();
    await informer.waitForSync();
    await fixture.transport.close();
    await until(
      () => informer.isStopped(),
      () => clock.advance(1_000),
    );
    await running;
    await delay(0);
    expect(fixture.logger.lines).toEqual([`configmaps.v1: ${CLOSED}`]);
  });
});
