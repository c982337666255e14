import { describe, expect, it } from 'vitest';
import { configMaps, secrets } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import type { MetricLabels, Metrics } from '../observe/metrics.ts';
import { clusterFixture, until } from './cluster-fixture.ts';
import type { InformerState } from './informer-state.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';
import { SharedInformerFactory, type SharedInformerFactoryOptions } from './shared-informer-factory.ts';
import { StateFeed } from './state-stream.ts';

async function setup(options: SharedInformerFactoryOptions = {}) {
  const fixture = await clusterFixture();
  const clock = new FakeClock();
  const factory = new SharedInformerFactory(fixture.cluster, { clock, ...options });
  const informer = factory.for(configMaps).informer();
  return {
    ...fixture,
    clock,
    factory,
    informer,
    tick: () => clock.advance(50),
    async [Symbol.asyncDispose]() {
      await factory.shutdown();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

describe('onState', () => {
  it('of a factory is called with each new state, and the informer that it is of', async () => {
    const heard: string[] = [];
    await using scene = await setup({ onState: ({ phase }, { name }) => void heard.push(`${name} ${phase}`) });
    const { factory, informer, tick, server } = scene;
    factory.start();
    await until(() => informer.state.phase === 'watching', tick);
    server.faults.add({ resource: 'configmaps' }, { kind: 'status', code: 500 }, { times: 1 });
    server.disconnectWatches({ abruptly: true });
    await until(() => heard.includes('configmaps.v1 backoff'), tick);
    await until(() => informer.state.phase === 'watching', tick);
    await factory.shutdown();
    expect(heard.at(0)).toBe('configmaps.v1 listing');
    expect(heard.at(-1)).toBe('configmaps.v1 stopped');
    expect(heard.filter((line) => line.endsWith('watching')).length).toBeGreaterThanOrEqual(2);
    expect(heard.filter((line, at) => line.endsWith('stopped') && heard[at - 1] === line)).toEqual([]);
  });

  it('of a single informer is called with each new state, and the informer', async () => {
    await using fixture = await clusterFixture();
    const heard: [phase: string, informer: unknown][] = [];
    const informer = new SharedIndexInformer({
      cluster: fixture.cluster,
      resource: configMaps,
      onState: ({ phase }, of) => void heard.push([phase, of]),
    });
    expect(heard).toEqual([]);
    const running = informer.run();
    await until(() => informer.state.phase === 'watching');
    await informer.stop();
    await running;
    expect(heard.map(([phase]) => phase)).toEqual(['listing', 'watching', 'stopped']);
    expect(heard.every(([, of]) => of === informer)).toBe(true);
  });

  it.each<[how: string, onState: () => void]>([
    [
      'throwing',
      () => {
        throw new Error('of the user');
      },
    ],
    ['a promise that rejects', async () => Promise.reject(new Error('of the user'))],
  ])('changes nothing by failing: %s', async (_, onState) => {
    await using scene = await setup({ onState });
    scene.factory.start();
    await until(() => scene.informer.state.phase === 'watching', scene.tick);
    expect(scene.logger.lines.join()).toContain('configmaps.v1: onState failed');
  });

  it('may change the state: what it hears and what the metrics show ends with the last one', async () => {
    const { metrics, values } = recordedMetrics();
    const heard: string[] = [];
    await using scene = await setup({
      namespace: 'default',
      metrics,
      onState: ({ phase }) => {
        heard.push(phase);
        if (phase === 'forbidden') void scene.factory.namespaces.remove('closed');
      },
    });
    scene.server.access.deny({ namespaces: ['closed'] });
    scene.factory.start();
    await until(() => scene.informer.state.phase === 'watching', scene.tick);
    const adding = scene.factory.namespaces.add('closed');
    await until(() => heard.includes('forbidden') && scene.informer.state.phase === 'watching', scene.tick);
    expect(await adding).toBe(false);
    expect(heard.at(-1)).toBe('watching');
    expect(values.get('tidewatch_informer_phase configmaps.v1 watching')).toBe(1);
    expect(values.get('tidewatch_informer_phase configmaps.v1 forbidden')).toBe(0);
  });
});

describe('states of an informer', () => {
  it('are the present one, each change, and the end', async () => {
    await using scene = await setup();
    const { factory, informer, tick } = scene;
    const phases: string[] = [];
    const reading = (async () => {
      for await (const { phase } of informer.states()) phases.push(phase);
    })();
    await until(() => phases.length === 1);
    factory.start();
    await until(() => phases.includes('watching'), tick);
    await factory.shutdown();
    await reading;
    expect(phases[0]).toBe('idle');
    expect(phases.slice(-2)).toEqual(['watching', 'stopped']);
  });

  it('are skipped by a slow reader up to the latest, and shared by selections', async () => {
    await using scene = await setup();
    const { factory, informer, tick } = scene;
    const slow = factory.for(configMaps).select({ labelSelector: 'a' }).states();
    expect((await slow.next()).value?.phase).toBe('idle');
    factory.start();
    await until(() => informer.state.phase === 'watching', tick);
    expect((await slow.next()).value?.phase).toBe('watching');
    await slow.return?.();
    expect(await slow.next()).toEqual({ done: true, value: undefined });
  });

  it('come one by one to a reader that waits, also those of one turn; what is left is read before the end', async () => {
    let state: InformerState = { phase: 'idle', since: 0 };
    const feed = new StateFeed({
      name: 'x',
      state: () => state,
      onNews() {},
      onState: undefined,
      logger: silentLogger,
    });
    const states = feed.stream(undefined);
    await states.next();
    const waiting = states.next();
    for (const phase of ['listing', 'backoff', 'watching'] as const) {
      state = { phase, since: 0 };
      feed.check();
    }
    feed.end();
    expect((await waiting).value?.phase).toBe('listing');
    expect((await states.next()).value?.phase).toBe('watching');
    expect((await states.next()).done).toBe(true);
  });

  it('are over for one who has left by break, whatever comes afterwards', async () => {
    await using scene = await setup();
    const states = scene.informer.states();
    for await (const { phase } of states) {
      expect(phase).toBe('idle');
      break;
    }
    scene.factory.start();
    await until(() => scene.informer.state.phase === 'watching', scene.tick);
    expect(await states.next()).toEqual({ done: true, value: undefined });
  });

  it('end at the signal, also while one is waited for, and at once after it or after the informer', async () => {
    await using scene = await setup();
    const { factory, informer } = scene;
    const stop = new AbortController();
    const early = informer.states();
    const states = informer.states({ signal: stop.signal });
    await states.next();
    const waiting = states.next();
    stop.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await informer.states({ signal: stop.signal }).next()).toEqual({ done: true, value: undefined });
    await factory.shutdown();
    for (const after of [informer.states(), early]) {
      expect((await after.next()).value?.phase).toBe('stopped');
      expect((await after.next()).done).toBe(true);
    }
  });
});

function recordedMetrics() {
  const values = new Map<string, number>();
  const key = (name: string, labels: MetricLabels = {}) => `${name} ${Object.values(labels).join(' ')}`;
  const metrics: Metrics = {
    counter: ({ name }) => ({
      add: (value, labels) => values.set(key(name, labels), (values.get(key(name, labels)) ?? 0) + value),
    }),
    gauge: ({ name }) => ({ set: (value, labels) => values.set(key(name, labels), value) }),
    histogram: () => ({ observe: () => {} }),
  };
  return { metrics, values };
}

describe('the metrics of an informer', () => {
  it('show its phase, for how long it is behind and when it last heard of the server', async () => {
    const { metrics, values } = recordedMetrics();
    await using scene = await setup({ metrics });
    const { factory, informer, tick, server, clock } = scene;
    factory.start();
    await until(() => informer.state.phase === 'watching', tick);
    const name = 'configmaps.v1';
    expect(values.get(`tidewatch_informer_phase ${name} watching`)).toBe(1);
    expect(values.get(`tidewatch_informer_phase ${name} listing`)).toBe(0);
    expect(values.get(`tidewatch_informer_behind_seconds ${name}`)).toBe(0);
    server.faults.add({ resource: 'configmaps' }, { kind: 'status', code: 500 }, { times: Number.POSITIVE_INFINITY });
    server.disconnectWatches({ abruptly: true });
    await until(() => informer.state.phase === 'backoff', tick);
    await until(
      () => (values.get(`tidewatch_informer_behind_seconds ${name}`) ?? 0) >= 10,
      () => clock.advance(5_000),
    );
    expect(values.get(`tidewatch_informer_phase ${name} watching`)).toBe(0);
    const contact = values.get(`tidewatch_informer_last_contact_timestamp_seconds ${name}`) ?? 0;
    expect(contact).toBe((informer.state.lastContact ?? 0) / 1000);
    await factory.shutdown();
    expect(values.get(`tidewatch_informer_phase ${name} stopped`)).toBe(1);
    expect(values.get(`tidewatch_informer_behind_seconds ${name}`)).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('show how far behind its handlers are, and how often they failed', async () => {
    const { metrics, values } = recordedMetrics();
    await using scene = await setup({ metrics });
    const { factory, informer, tick, clock } = scene;
    let finish = () => {};
    informer.addEventHandler(
      {
        onAdd: () =>
          new Promise<void>((resolve) => {
            finish = resolve;
          }),
      },
      { name: 'slow' },
    );
    informer.addEventHandler({
      onAdd: () => {
        throw new Error('of the user');
      },
    });
    factory.start();
    await until(() => informer.hasSynced(), tick);
    await informer.waitFor(await scene.createConfigMap('a'));
    await until(
      () => (values.get('tidewatch_handler_lag_seconds configmaps.v1 slow') ?? 0) >= 5,
      () => clock.advance(1_000),
    );
    expect(values.get('tidewatch_handler_pending configmaps.v1 slow')).toBe(1);
    expect(values.get('tidewatch_handler_lag_seconds configmaps.v1 unnamed')).toBe(0);
    expect(values.get('tidewatch_handler_failures_total configmaps.v1 unnamed')).toBe(1);
    finish();
    await until(
      () => values.get('tidewatch_handler_lag_seconds configmaps.v1 slow') === 0,
      () => clock.advance(1_000),
    );
    await factory.shutdown();
  });

  it('have a name for each informer of a type', async () => {
    const { metrics, values } = recordedMetrics();
    await using scene = await setup({ metrics });
    scene.factory.for(secrets, { labelSelector: 'app=web' }).informer();
    scene.factory.start();
    await until(() => values.get('tidewatch_informer_phase secrets.v1[app=web] watching') === 1, scene.tick);
    await scene.factory.shutdown();
  });
});
