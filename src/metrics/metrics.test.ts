import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { AggregationTemporality, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { Gauge as PromGauge, Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import { Cluster } from '../cluster/cluster.ts';
import { LeaderElector } from '../controller/leader-elector.ts';
import { Manager } from '../controller/manager.ts';
import { configMaps } from '../generated/api/core/v1.ts';
import { SharedInformerFactory } from '../informer/shared-informer-factory.ts';
import type { ChannelValues, Stage } from '../observe/channels.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { METRICS } from '../observe/metric-definitions.ts';
import type { MetricDefinition, Metrics } from '../observe/metrics.ts';
import { ApiServer } from '../testing/api-server.ts';
import { dashboardQueries, exportedBy, problemsOf } from './dashboard-fixture.ts';
import { openTelemetryMetrics } from './open-telemetry-metrics.ts';
import { prometheusMetrics } from './prometheus-metrics.ts';

class TestReader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.DELTA });
  }
  protected override async onShutdown() {}
  protected override async onForceFlush() {}
}

/** Every measurement to both. */
function both(a: Metrics, b: Metrics): Metrics {
  const removal = (x: { remove?(labels: object): void }, y: { remove?(labels: object): void }) => ({
    remove: (labels: Readonly<Record<string, string>>) => {
      x.remove?.(labels);
      y.remove?.(labels);
    },
  });
  return {
    counter: (definition) => {
      const [x, y] = [a.counter(definition), b.counter(definition)];
      return {
        add: (value, labels) => {
          x.add(value, labels);
          y.add(value, labels);
        },
        ...removal(x, y),
      };
    },
    gauge: (definition) => {
      const [x, y] = [a.gauge(definition), b.gauge(definition)];
      return {
        set: (value, labels) => {
          x.set(value, labels);
          y.set(value, labels);
        },
        ...removal(x, y),
      };
    },
    histogram: (definition: MetricDefinition & { buckets?: readonly number[] }) => {
      const [x, y] = [a.histogram(definition), b.histogram(definition)];
      return {
        observe: (value, labels) => {
          x.observe(value, labels);
          y.observe(value, labels);
        },
        ...removal(x, y),
      };
    },
  };
}

type Numbers = Record<string, number>;
const keyOf = (name: string, labels: object) =>
  `${name} ${Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, value]) => `${label}=${value}`)
    .join()}`;

/** Counters, gauges, and the count of each histogram. */
async function promNumbers(registry: Registry): Promise<Numbers> {
  const numbers: Numbers = {};
  for (const { name, type, values } of await registry.getMetricsAsJSON()) {
    for (const { value, labels, metricName } of values as {
      value: number;
      labels: Record<string, string>;
      metricName?: string;
    }[]) {
      if (String(type) === 'histogram' && metricName !== `${name}_count`) continue;
      numbers[keyOf(name, labels)] = value;
    }
  }
  return numbers;
}

async function otelNumbers(reader: TestReader): Promise<Numbers> {
  const numbers: Numbers = {};
  const { resourceMetrics, errors } = await reader.collect();
  expect(errors).toEqual([]);
  for (const { descriptor, dataPoints } of resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics)) {
    for (const { attributes, value } of dataPoints) {
      numbers[keyOf(descriptor.name, attributes)] =
        typeof value === 'number' ? value : (value as { count: number }).count;
    }
  }
  return numbers;
}

async function seen(check: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitFor(async () => expect(await check()).toBe(true), { timeout: 10_000, interval: 10 });
}

const STAGES: readonly Stage[] = ['request', 'list', 'watch', 'frames', 'store', 'handler', 'queue', 'run'];

describe('what an informer and a controller on the embedded server measure and publish', () => {
  it('equals what happened, is the same through both adapters, joins by ids, tells no secret, and leaves nothing behind', async () => {
    const marker = 'm4rk3r';
    const values = Object.fromEntries(STAGES.map((stage) => [stage, []])) as unknown as {
      [S in Stage]: ChannelValues[S][];
    };
    const listeners = STAGES.map((stage) => {
      const listener = (value: unknown) => values[stage].push(value as never);
      subscribe(`tidewatch:${stage}`, listener);
      return () => unsubscribe(`tidewatch:${stage}`, listener);
    });
    const registry = new Registry();
    const reader = new TestReader();
    const provider = new MeterProvider({ readers: [reader] });
    const metrics = both(prometheusMetrics({ register: registry }), openTelemetryMetrics(provider.getMeter('test')));
    await using server = await ApiServer.start({ logger: silentLogger, http: true });
    const cluster = await Cluster.connect({
      server: server.url,
      env: { KUBECONFIG: '/dev/null' },
      metrics,
      logger: silentLogger,
    });
    const client = cluster.client(configMaps);
    for (const name of ['a', 'b', 'c']) {
      const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': marker };
      await client.create({ metadata: { name, annotations }, data: { secret: marker } });
    }
    const factory = new SharedInformerFactory(cluster, { namespace: 'default' });
    const manager = new Manager(cluster, { factory });
    let runs = 0;
    manager
      .controller('counting')
      .for(configMaps)
      .reconcile(async ({ key }) => {
        if (key === 'default/b' && ++runs === 1) throw new Error('not yet');
      });
    let calls = 0;
    const informer = factory.for(configMaps).informer();
    const fail = () => {
      calls++;
      throw new Error('broken handler');
    };
    informer.addEventHandler({ onAdd: fail }, { name: 'failing' });
    // By a clock of its own: no renewal comes between the two readings of the metrics.
    const clock = new FakeClock();
    const elector = new LeaderElector(cluster, { name: 'website', namespace: 'default', clock });
    server.faults.add({ verb: 'update', resource: 'leases' }, { kind: 'status', code: 409 });
    const stop = new AbortController();
    const contending = elector.run({ signal: stop.signal, onStartedLeading: () => {} });
    await seen(() => elector.isLeader() && clock.pendingTimers > 0);
    const renewals = () => values.request.filter(({ method, status }) => method === 'PUT' && status === 200).length;
    await clock.advance(2_000);
    await seen(() => renewals() === 1);

    server.faults.script({ verb: 'watch', resource: 'configmaps' }, [
      { kind: 'cut', afterBytes: 50_000 },
      { kind: 'error-event' },
    ]);
    const running = manager.run({ signal: stop.signal });
    await informer.waitForSync();
    await client.update({ metadata: { name: 'a' }, data: { secret: `${marker}2` } });
    await seen(() => runs >= 2 && values.run.filter(({ step }) => step === 'ended').length >= 5);
    await client.create({ metadata: { name: 'd' }, data: { large: 'x'.repeat(100_000) } });
    await seen(() => values.run.some(({ step, key }) => step === 'ended' && key === 'default/d'));
    await seen(() => informer.state.phase === 'watching');
    await seen(() => manager.controllers()[0]?.queue?.running === 0);

    const name = informer.name;
    const prom = await promNumbers(registry);
    const otel = await otelNumbers(reader);
    const same = ([key]: [string, number]) => !/timestamp|behind|lag_|unfinished|longest/.test(key);
    expect(Object.fromEntries(Object.entries(otel).filter(same))).toEqual(
      Object.fromEntries(Object.entries(prom).filter(same)),
    );
    expect(prom[keyOf(METRICS.handlerFailures.name, { name, handler: 'failing' })]).toBe(calls);
    expect(prom[keyOf(METRICS.lists.name, { name })]).toBe(values.list.length);
    expect(prom[keyOf(METRICS.relists.name, { name, cause: 'expired' })]).toBe(1);
    expect(prom[keyOf(METRICS.leads.name, { name: 'website' })]).toBe(1);
    expect(prom[keyOf(METRICS.electionSlowPaths.name, { name: 'website' })]).toBe(1);
    const ended = values.run.filter(({ step }) => step === 'ended');
    expect(prom[keyOf(METRICS.runs.name, { controller: 'counting', result: 'error' })]).toBe(1);
    expect(prom[keyOf(METRICS.runs.name, { controller: 'counting', result: 'success' })]).toBe(ended.length - 1);
    const posts = values.request.filter(({ method }) => method === 'POST');
    const { host } = new URL(server.url);
    expect(prom[keyOf(METRICS.requests.name, { code: '201', method: 'POST', host })]).toBe(posts.length);
    expect(Object.keys(prom).filter((key) => key.startsWith(METRICS.queuedItems.name))).toEqual([
      keyOf(METRICS.queuedItems.name, { name, group: '', version: 'v1', resource: 'configmaps' }),
    ]);
    for (const key of Object.keys(prom)) expect(key).not.toMatch(/default\/|not yet|broken handler/);

    const exported = await exportedBy(registry);
    const queries = dashboardQueries();
    expect(queries.length).toBeGreaterThan(20);
    for (const query of queries) expect(problemsOf(query, exported), query).toEqual([]);

    // From the run back to the bytes.
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
    expect(JSON.stringify(values)).not.toContain(marker);
    expect(await registry.metrics()).not.toContain(marker);

    stop.abort();
    await Promise.all([running, contending]);
    await factory.shutdown();
    await cluster.close();
    for (const leave of listeners) leave();
    expect(await promNumbers(registry)).toEqual({});
    await otelNumbers(reader);
    expect(await otelNumbers(reader)).toEqual({});
    await provider.shutdown();
  }, 60_000);
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
    expect(() => prometheusMetrics({} as never)).toThrow(TypeError);
    return expect(promNumbers(registry)).resolves.toMatchObject({ [keyOf(METRICS.lists.name, { name: 'x' })]: 3 });
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
