import { describe, expect, it } from 'vitest';
import type { Transport } from '../api/transport.ts';
import { Cluster } from '../cluster/cluster.ts';
import { configMaps, namespaces } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import type { ReflectorState } from '../reflector/reflector-state.ts';
import { ApiServer } from '../testing/api-server.ts';
import { clusterFixture, names, until, widgets } from './cluster-fixture.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('two factories on one cluster', () => {
  it('have informers of their own, and one may end without the other', async () => {
    await using fixture = await clusterFixture();
    const [first, second] = [new SharedInformerFactory(fixture.cluster), new SharedInformerFactory(fixture.cluster)];
    const [one, two] = [first.for(configMaps).informer(), second.for(configMaps).informer()];
    expect(one).not.toBe(two);
    first.start();
    second.start();
    await Promise.all([first.waitForCacheSync(), second.waitForCacheSync()]);
    await until(() => fixture.server.openWatches === 2);
    await first.shutdown();
    await two.waitFor(await fixture.createConfigMap('later'));
    expect(names(two.lister().list())).toContain('later');
    expect(names(one.lister().list())).not.toContain('later');
    expect(fixture.server.openWatches).toBe(1);
    await second.shutdown();
  });
});

describe('two informers of one type in one factory', () => {
  it('run side by side, whole and metadata alone, and one may stop without the other', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    const [whole, partial] = [factory.for(configMaps).informer(), factory.forMetadata(configMaps).informer()];
    factory.start();
    await factory.waitForCacheSync();
    await whole.stop();
    await partial.waitFor(await fixture.createConfigMap('later'));
    expect(names(partial.lister().list())).toContain('later');
    expect(factory.forMetadata(configMaps).informer()).toBe(partial);
    expect(factory.for(configMaps).informer()).not.toBe(whole);
    await factory.shutdown();
  });
});

describe('an informer of ten namespaces', () => {
  it('holds the objects of those ten, hears of each, and stops as one', async () => {
    await using fixture = await clusterFixture();
    const wanted = Array.from({ length: 10 }, (_, n) => `ns-${n}`);
    for (const name of [...wanted, 'ns-10']) await fixture.createNamespace(name);
    const factory = new SharedInformerFactory(fixture.cluster, { namespace: [...wanted, 'ns-0'] });
    const informer = factory.for(configMaps).informer();
    const heard: (string | undefined)[] = [];
    informer.addEventHandler({ onAdd: ({ metadata }) => void heard.push(metadata?.namespace) });
    factory.for(namespaces).informer();
    factory.start();
    await factory.waitForCacheSync();
    const written = await Promise.all([...wanted, 'ns-10'].map((name) => fixture.createConfigMap('x', name)));
    for (const object of written.slice(0, 10)) await informer.waitFor(object);
    expect(informer.indexer.listKeys().filter((key) => key.endsWith('/x'))).toHaveLength(10);
    await until(() => new Set(heard).size >= 10);
    expect(new Set(heard)).toEqual(new Set(wanted));
    await informer.stop();
    expect(fixture.server.openWatches).toBe(1);
    await factory.shutdown();
    expect(fixture.server.openWatches).toBe(0);
  });
});

describe('start', () => {
  it('called twice, with two signals, runs each informer once, under the first', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    const [first, second] = [new AbortController(), new AbortController()];
    const informer = factory.for(configMaps).informer();
    factory.start({ signal: first.signal });
    factory.start({ signal: second.signal });
    await factory.waitForCacheSync();
    expect(fixture.server.openWatches).toBe(1);
    second.abort();
    expect(informer.isStopped()).toBe(false);
    first.abort();
    expect(informer.isStopped()).toBe(true);
    await factory.shutdown();
    expect(fixture.logger.lines).toEqual([]);
  });

  it('under a signal that has aborted sends nothing, and the type can be asked for again', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    factory.for(configMaps).informer();
    factory.start({ signal: AbortSignal.abort() });
    expect((await factory.waitForCacheSync()).get(configMaps)).toBe(false);
    expect(fixture.requests).toEqual([]);
    factory.for(configMaps).informer();
    factory.start();
    expect((await factory.waitForCacheSync()).get(configMaps)).toBe(true);
    await factory.shutdown();
  });
});

type End = 'informer.stop' | 'factory.shutdown' | 'the signal' | 'cluster.close';

/** Everything that can be waited for, of a factory that ends `how` when it has come to step `at`, or else by `end`. */
function lived(server: ApiServer, how: End, at: number) {
  const inner = server.transport();
  const requests: string[] = [];
  let steps = 0;
  const step = () => {
    if (++steps === at) end();
  };
  const transport: Transport = {
    request: async (request) => {
      requests.push(request.path);
      step();
      const response = await inner.request(request);
      step();
      return { ...response, body: stepped(response.body) };
    },
    close: () => inner.close(),
  };
  async function* stepped(body: AsyncIterable<Uint8Array>) {
    for await (const chunk of body) {
      step();
      yield chunk;
      step();
    }
  }
  const clock = new FakeClock();
  const cluster = Cluster.over(transport, { logger: silentLogger, clock });
  const stop = new AbortController();
  const factory = new SharedInformerFactory(cluster, { namespace: ['default', 'kube-system'] });
  const informers = [factory.for(configMaps).informer(), factory.forResource(widgets).informer()];
  const heard: string[] = [];
  for (const informer of informers) informer.addEventHandler({ onAdd: () => void heard.push('add') });
  const ends: Record<End, () => unknown> = {
    'informer.stop': () => informers.map((informer) => informer.stop()),
    'factory.shutdown': () => factory.shutdown(),
    'the signal': () => stop.abort(),
    'cluster.close': () => cluster.close(),
  };
  const end = () => void ends[how]();
  return {
    requests,
    heard,
    informers,
    clock,
    tick: () => clock.advance(50),
    end,
    steps: () => steps,
    async run() {
      const waits = informers.flatMap((informer): Promise<unknown>[] => [
        informer.waitForSync(),
        informer.waitFor('99999999').catch((error: Error) => error.message),
      ]);
      factory.start({ signal: stop.signal });
      await Promise.all([...waits, factory.waitForCacheSync()]);
      await factory.shutdown();
      await cluster.close();
    },
  };
}

/** Nothing happens any more: one type is watched, the other one gone. */
function isCalm(informers: readonly { state: ReflectorState }[]): boolean {
  return informers.map(({ state }) => state.phase).join() === 'watching,gone';
}

async function stepsUntilWatching(server: ApiServer, how: End): Promise<number> {
  const life = lived(server, how, Number.POSITIVE_INFINITY);
  const running = life.run();
  await until(() => isCalm(life.informers), life.tick);
  const steps = life.steps();
  life.end();
  await running;
  return steps;
}

describe('an end at every step of the way', () => {
  it.each(['packed', 'plain'] as const)(
    'leaves no timer when it comes as soon as the cache is filled (%s store)',
    async (store) => {
      await using fixture = await clusterFixture();
      const clock = new FakeClock();
      for (const queue of ['delta', 'inOrder'] as const) {
        const factory = new SharedInformerFactory(fixture.cluster, { clock, store, queue });
        factory.for(configMaps).informer();
        factory.start();
        await factory.waitForCacheSync();
        await factory.shutdown();
        expect(clock.pendingTimers).toBe(0);
        await until(() => fixture.server.openWatches === 0);
      }
    },
  );

  it.each(['informer.stop', 'factory.shutdown', 'the signal', 'cluster.close'] as const)(
    'by %s settles every wait, leaves nothing open and sends nothing more',
    async (how) => {
      await using server = await ApiServer.start({ listen: false, logger: silentLogger });
      const admin = server.cluster({ logger: silentLogger });
      await admin.client(configMaps).create({ metadata: { name: 'a' } });
      const enough = await stepsUntilWatching(server, how);
      expect(enough).toBeGreaterThan(8);
      for (let at = 1; at <= enough; at++) {
        const life = lived(server, how, at);
        const running = life.run();
        await until(() => life.steps() >= at || isCalm(life.informers), life.tick);
        life.end();
        await running;
        const [sent, told] = [life.requests.length, life.heard.length];
        await turn();
        await turn();
        expect(life.requests).toHaveLength(sent);
        expect(life.heard).toHaveLength(told);
        await until(() => server.openWatches === 0);
        expect(life.clock.pendingTimers).toBe(0);
        for (const informer of life.informers) {
          expect(informer.state.phase).toBe('stopped');
          expect(await informer.waitForSync({ signal: AbortSignal.abort() })).toBe(informer.hasSynced());
        }
      }
      await admin.close();
    },
  );
});
