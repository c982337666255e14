import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Gauge as PromGauge, Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import { Cluster } from '../cluster/cluster.ts';
import { Manager } from '../controller/manager.ts';
import { configMaps } from '../generated/api/core/v1.ts';
import { SharedInformerFactory } from '../informer/shared-informer-factory.ts';
import type { ChannelValues, Stage } from '../observe/channels.ts';
import { silentLogger } from '../observe/logger.ts';
import { type KnownMetric, METRICS } from '../observe/metric-definitions.ts';
import { ApiServer } from '../testing/api-server.ts';
import { problemsOf } from './dashboard-fixture.ts';
import { prometheusMetrics } from './prometheus-metrics.ts';

const STAGES: readonly Stage[] = ['request', 'list', 'watch', 'frames', 'store', 'handler', 'queue', 'run'];

describe('the channels', () => {
  it('lead from a run back to the bytes that caused it', async () => {
    const values = Object.fromEntries(STAGES.map((stage) => [stage, []])) as unknown as {
      [S in Stage]: ChannelValues[S][];
    };
    const listeners = STAGES.map((stage) => {
      const listener = (value: unknown) => values[stage].push(value as never);
      subscribe(`tidewatch:${stage}`, listener);
      return () => unsubscribe(`tidewatch:${stage}`, listener);
    });
    await using server = await ApiServer.start({ logger: silentLogger, http: true });
    const env = { KUBECONFIG: '/dev/null' };
    await using cluster = await Cluster.connect({ server: server.url, env, logger: silentLogger });
    const client = cluster.client(configMaps);
    await client.create({ metadata: { name: 'a' } });
    const manager = new Manager(cluster, { namespace: 'default' });
    manager
      .controller('counting')
      .for(configMaps)
      .reconcile(async () => {});
    const stop = new AbortController();
    const running = manager.run({ signal: stop.signal });
    const ended = () => values.run.filter(({ step }) => step === 'ended').length;
    await vi.waitFor(() => expect(ended()).toBe(1), { timeout: 10_000, interval: 10 });
    await client.update({ metadata: { name: 'a' }, data: { round: '2' } });
    await vi.waitFor(() => expect(ended()).toBe(2), { timeout: 10_000, interval: 10 });

    const update = values.store.find(({ key, type }) => key === 'default/a' && type === 'update');
    const frames = values.frames.find(({ id }) => id === update?.from);
    expect(frames?.arrivedMs).toBeLessThanOrEqual(update?.atMs ?? 0);
    const stream = values.watch.find(({ id, list }) => id === frames?.watch || list === frames?.watch);
    expect(values.request.some(({ cause }) => cause === stream?.id || cause === stream?.list)).toBe(true);
    const call = values.handler.find(({ change, handler }) => change === update?.id && handler.includes('counting'));
    const added = values.queue.find(({ cause, step }) => step === 'add' && cause === call?.id);
    const run = values.run.find(({ item }) => item === added?.id);
    expect(run).toMatchObject({ controller: 'counting', key: 'default/a' });
    expect(run?.causes).toContainEqual({ type: 'update', kind: 'ConfigMap', key: 'default/a', change: update?.id });
    stop.abort();
    await running;
    for (const leave of listeners) leave();
  });
});

describe('a change of the store', () => {
  it('names the batch of frames that brought it, or the list, whatever brought the one before', async () => {
    const [store, lists, frames]: [ChannelValues['store'][], ChannelValues['list'][], ChannelValues['frames'][]] = [
      [],
      [],
      [],
    ];
    const heard = { store, list: lists, frames };
    const leave = Object.entries(heard).map(([stage, values]) => {
      const listener = (value: unknown) => void values.push(value as never);
      subscribe(`tidewatch:${stage}`, listener);
      return () => unsubscribe(`tidewatch:${stage}`, listener);
    });
    await using server = await ApiServer.start({ listen: false, logger: silentLogger });
    const cluster = server.cluster({ logger: silentLogger });
    const client = cluster.client(configMaps, { namespace: 'default' });
    await client.create({ metadata: { name: 'a' } });
    await using factory = new SharedInformerFactory(cluster, { namespace: 'default', logger: silentLogger });
    const informer = factory.for(configMaps).informer();
    factory.start();
    await factory.waitForCacheSync();
    await informer.waitFor(await client.patch('a', { data: { round: '2' } }));
    expect(frames.map(({ id }) => id)).toContain(store.at(-1)?.from);
    // The server forgets what happened while no watch was open: a list shows it.
    const refused = server.faults.add({ verb: 'watch' }, { kind: 'drop' }, { times: Number.POSITIVE_INFINITY });
    server.disconnectWatches({ abruptly: true });
    const third = await client.patch('a', { data: { round: '3' } });
    server.compact();
    refused.remove();
    await informer.waitFor(third);
    expect(store.at(-1)?.resourceVersion).toBe(third.metadata.resourceVersion);
    expect(store.at(-1)?.from).toBe(lists.filter(({ failure }) => failure === undefined).at(-1)?.id);
    await informer.waitFor(await client.patch('a', { data: { round: '4' } }));
    expect(store.at(-1)?.from).toBe(frames.at(-1)?.id);
    for (const end of leave) end();
  });

  it('names nothing when it was queued while nobody listened', async () => {
    const told: ChannelValues['store'][] = [];
    const listener = (value: unknown) => void told.push(value as ChannelValues['store']);
    await using server = await ApiServer.start({ listen: false, logger: silentLogger });
    const cluster = server.cluster({ logger: silentLogger });
    const client = cluster.client(configMaps, { namespace: 'default' });
    await using factory = new SharedInformerFactory(cluster, { namespace: 'default', logger: silentLogger });
    const informer = factory.for(configMaps).informer();
    informer.addIndexers({
      late({ metadata: { name } }) {
        if (name === 'unheard') subscribe('tidewatch:store', listener);
        return [name];
      },
    });
    factory.start();
    await factory.waitForCacheSync();
    subscribe('tidewatch:store', listener);
    await informer.waitFor(await client.create({ metadata: { name: 'heard' } }));
    unsubscribe('tidewatch:store', listener);
    await informer.waitFor(await client.create({ metadata: { name: 'unheard' } }));
    unsubscribe('tidewatch:store', listener);
    expect(told.map(({ key, from }) => [key, from])).toEqual([
      ['default/heard', expect.any(Number)],
      ['default/unheard', undefined],
    ]);
  });
});

describe('a query of the dashboard', () => {
  const exported = new Map([
    ['lists_total', new Set(['job', 'name'])],
    ['list_seconds_bucket', new Set(['job', 'name', 'le'])],
  ]);
  it.each([
    ['sum by (name) (rate(lists_total{job=~"$job"}[$__rate_interval]))', []],
    ['histogram_quantile(0.5, sum by (le) (rate(list_seconds_bucket[5m])))', []],
    ['sum by (name) (rate(lists_totals[5m]))', ['lists_totals is not exported']],
    ['sum by (nam) (lists_total)', ['lists_total has no label nam']],
    ['lists_total{"a b"="c"}', ['lists_total has no label "a b"']],
    ['sum by (le) (lists_total{cause="x"})', ['lists_total has no label le', 'lists_total has no label cause']],
    ['sum by (name (lists_total)', ['does not parse at 13']],
    ['lists_total + lists_total', ['names 2 metrics']],
    ['1 + 1', ['names 0 metrics']],
  ])('is known to be good or bad: %s', (query, problems) => {
    expect(problemsOf(query, exported)).toEqual(problems);
  });
});

describe('prometheusMetrics', () => {
  it('shares the series of a registry, and refuses a name that somebody else has', () => {
    const registry = new Registry();
    const [one, two] = [prometheusMetrics({ register: registry }), prometheusMetrics({ register: registry })];
    one.counter(METRICS.lists).add(1, { name: 'x' });
    two.counter(METRICS.lists).add(2, { name: 'x' });
    new PromGauge({ name: METRICS.phase.name, help: 'Another.', registers: [registry] });
    expect(() => one.gauge(METRICS.phase)).toThrow('another metric of the name');
    expect(() => one.counter({ ...METRICS.lists, labelNames: ['other'] })).toThrow('other labels');
    for (const wrong of [undefined, null, {}, registry]) {
      expect(() => prometheusMetrics(wrong as never)).toThrow('prometheusMetrics needs prom-client');
    }
    return expect(registry.metrics()).resolves.toContain(`${METRICS.lists.name}{name="x"} 3`);
  });
});

describe('the buckets of a histogram', () => {
  it('are called as Go calls them, so that series of both can be added up', async () => {
    const registry = new Registry();
    const metrics = prometheusMetrics({ register: registry });
    const bounds = async (definition: KnownMetric) => {
      metrics.histogram(definition).observe(1, Object.fromEntries(definition.labelNames.map((name) => [name, 'x'])));
      const text = await registry.getSingleMetricAsString(definition.name);
      return [...text.matchAll(/le="([^"]*)"/g)].map(([, bound]) => bound).join(' ');
    };
    // What client_golang 1.24 writes.
    expect(await bounds(METRICS.queueDuration)).toBe(
      '1e-08 1e-07 1e-06 9.999999999999999e-06 9.999999999999999e-05 0.001 0.01 0.1 1 10 100 1000 +Inf',
    );
    expect(await bounds(METRICS.listItems)).toBe('1 10 100 1000 10000 100000 1e+06 +Inf');
  });
});

describe('metrics that cannot be registered', () => {
  const throwing = new Registry();
  throwing.registerMetric = () => {
    throw new Error('the registry is full');
  };
  const taken = new Registry();
  new PromGauge({ name: METRICS.lists.name, help: 'Another.', labelNames: ['other'], registers: [taken] });

  it.each([
    ['a registry that throws', throwing, 'the registry is full'],
    ['a metric that exists with other labels', taken, METRICS.lists.name],
  ])('%s is reported once, and the pipeline goes on', async (_what, registry, message) => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(warning.message);
    process.on('warning', onWarning);
    try {
      await using server = await ApiServer.start({ listen: false, logger: silentLogger });
      const metrics = prometheusMetrics({ register: registry });
      const cluster = server.cluster({ logger: silentLogger, metrics });
      for (const name of ['a', 'b']) await cluster.client(configMaps).create({ metadata: { name } });
      await using factory = new SharedInformerFactory(cluster, { namespace: 'default' });
      const informer = factory.for(configMaps).informer();
      factory.start();
      await factory.waitForCacheSync();
      expect(informer.store.listKeys()).toContain('default/b');
      await new Promise((resolve) => setImmediate(resolve));
      expect(warnings).toEqual([expect.stringContaining(message)]);
    } finally {
      process.off('warning', onWarning);
    }
  });
});

describe('a subscriber that throws', () => {
  it('is reported once, and the pipeline goes on', async () => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error) => warnings.push(message);
    process.on('warning', onWarning);
    const failing = () => {
      throw new Error('broken subscriber');
    };
    subscribe('tidewatch:store', failing);
    try {
      await using server = await ApiServer.start({ listen: false, logger: silentLogger });
      const cluster = server.cluster({ logger: silentLogger });
      for (const name of ['a', 'b']) await cluster.client(configMaps).create({ metadata: { name } });
      await using factory = new SharedInformerFactory(cluster, { namespace: 'default' });
      const informer = factory.for(configMaps).informer();
      factory.start();
      await factory.waitForCacheSync();
      expect(informer.store.listKeys()).toContain('default/b');
      await new Promise((resolve) => setImmediate(resolve));
      expect(warnings.filter((message) => message.includes('broken subscriber'))).toHaveLength(1);
    } finally {
      unsubscribe('tidewatch:store', failing);
      process.off('warning', onWarning);
    }
  });
});
