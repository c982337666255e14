import { expect, it, vi } from 'vitest';
import { Cluster } from '../cluster/cluster.ts';
import type { Reconcile } from '../controller/controller.ts';
import { LeaderElector } from '../controller/leader-elector.ts';
import { Manager } from '../controller/manager.ts';
import { TerminalError } from '../controller/terminal-error.ts';
import { leases } from '../generated/api/coordination/v1.ts';
import { type ConfigMap, configMaps, type Secret, secrets } from '../generated/api/core/v1.ts';
import { SharedInformerFactory } from '../informer/shared-informer-factory.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { METRICS } from '../observe/metric-definitions.ts';
import type { MetricLabels } from '../observe/metrics.ts';
import { ApiServer } from '../testing/api-server.ts';
import { dashboardQueries, exportedBy, problemsOf } from './dashboard-fixture.ts';
import { BothReaders, type Numbers, seriesKey } from './readers-fixture.ts';
import { sum, Witness, WitnessedResource } from './witness-fixture.ts';

type MetricName = keyof typeof METRICS;

/** What nobody but the store itself can count. */
const NOT_COMPARED: Partial<Record<MetricName, string>> = {
  heldBytes: 'memory that the store sets aside as it sees fit; it is only compared with what it holds',
  liveBytes: 'the bytes of an object are those that the codec keeps of it; only that they are there is checked',
};

/** What the clock shows at the start. */
const EPOCH_MS = Date.UTC(2026, 0, 1);
/** The first delay of a controller's limiter. */
const FIRST_RETRY_MS = 5;

/** Compares metrics with counts, and notes which have been. */
class Comparison {
  readonly compared = new Set<MetricName>();
  #numbers: Numbers = {};

  async read(readers: BothReaders): Promise<void> {
    this.#numbers = await readers.prometheus();
  }

  value(metric: MetricName, labels: MetricLabels): number | undefined {
    return this.#numbers[seriesKey(METRICS[metric].name, labels)];
  }

  equals(metric: MetricName, labels: MetricLabels, expected: number): void {
    this.compared.add(metric);
    expect(this.value(metric, labels), `${METRICS[metric].name} ${JSON.stringify(labels)}`).toBeCloseTo(expected, 6);
  }

  /** All series of a metric, by one of their labels. */
  equalsBy(metric: MetricName, label: string, expected: Readonly<Record<string, number>>): void {
    this.compared.add(metric);
    const series = Object.entries(this.#numbers).filter(([key]) => key.startsWith(`${METRICS[metric].name} `));
    const found: Record<string, number> = {};
    for (const [key, value] of series) {
      const of = new RegExp(`(?:^|[ ,])${label}=([^,]*)`).exec(key)?.[1] ?? '';
      found[of] = (found[of] ?? 0) + value;
    }
    expect(found, METRICS[metric].name).toEqual(expected);
  }

  observed(metric: MetricName, labels: MetricLabels, values: readonly number[]): void {
    this.compared.add(metric);
    const { name } = METRICS[metric];
    const of = (part: string) => this.#numbers[seriesKey(`${name}_${part}`, labels)] ?? 0;
    expect(of('count'), `${name}_count ${JSON.stringify(labels)}`).toBe(values.length);
    expect(of('sum'), `${name}_sum ${JSON.stringify(labels)}`).toBeCloseTo(sum(values), 6);
  }
}

/** What the handlers and the reconciler see. */
interface Seen {
  failures: number;
  longCalls: number;
  latestCalls: number;
  /** What they were called with. */
  readonly secrets: Set<Secret>;
  /** How often an object was indexed that takes 2 ms. */
  indexed: number;
  readonly runs: { result: string; tookMs: number }[];
  /** How long keys waited that were due. */
  readonly waits: number[];
  /** When the next run of a key is due. */
  readonly due: Map<string, number>;
}

/** Reconciles as the names of the objects say, each of them once; after that nothing is left to do. */
function reconciler(clock: FakeClock, seen: Seen): Reconcile<ConfigMap> {
  const times = new Map<string, number>();
  return async ({ name, client, signal }) => {
    const startMs = clock.monotonicMs();
    seen.waits.push(startMs - (seen.due.get(name) ?? startMs));
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    const ended = (result: string, nextMs = 0) => {
      seen.runs.push({ result, tookMs: clock.monotonicMs() - startMs });
      seen.due.set(name, clock.monotonicMs() + nextMs);
    };
    if (name === 'fails' && time === 1) {
      ended('error', FIRST_RETRY_MS);
      throw new Error('not yet');
    }
    if (name === 'ends' && time === 1) {
      ended('error');
      throw new TerminalError('never');
    }
    if (name === 'slow' && time === 1) {
      await clock.sleep(10_000, signal).catch(() => {});
      ended('error', FIRST_RETRY_MS);
      throw signal.reason;
    }
    if (name === 'held' && time === 1) await clock.sleep(700);
    if (name === 'again' && time === 1) {
      ended('requeue_after', 1_000);
      return { requeueAfterMs: 1_000 };
    }
    if (name === 'writes' && time <= 2) {
      // It is due again before the cache holds this: a second later, and then not at all within the five that it waits.
      seen.due.set('copy', clock.monotonicMs() + 1_000);
      await client(configMaps).patch('copy', { data: { time: String(time) } });
      ended('requeue_after', time === 1 ? 1_000 : 5_000);
      return { requeueAfterMs: 100 };
    }
    ended('success');
    return {};
  };
}

it('equals what the server and the handlers saw, the same through both adapters, and leaves nothing behind', async () => {
  const clock = new FakeClock(EPOCH_MS);
  const at = (ms: number) => clock.advance(ms - clock.monotonicMs());
  const readers = new BothReaders();
  const server = await ApiServer.start({ listen: false, logger: silentLogger, clock });
  const witness = new Witness(server.transport(), clock);
  const host = 'server.test:6443';
  const { metrics } = readers;
  const cluster = Cluster.over(witness, { server: `https://${host}`, clock, metrics, logger: silentLogger });
  const admin = server.cluster({ clock, logger: silentLogger, fieldManager: 'admin' });
  const maps = admin.client(configMaps);
  for (const name of ['again', 'copy', 'ends', 'fails', 'plain', 'slow', 'writes'])
    await maps.create({ metadata: { name } });
  for (const name of ['s1', 's2']) await admin.client(secrets).create({ metadata: { name } });

  const settings = { namespace: 'default', encoding: 'json', random: () => 0.5 } as const;
  const factory = new SharedInformerFactory(cluster, settings);
  const listing = new SharedInformerFactory(cluster, { ...settings, watchList: false });
  const compare = new Comparison();
  const seen: Seen = {
    failures: 0,
    longCalls: 0,
    latestCalls: 0,
    secrets: new Set(),
    indexed: 0,
    runs: [],
    waits: [],
    due: new Map(),
  };
  const informer = factory.for(configMaps).informer();
  const slowly = ({ metadata }: ConfigMap) => {
    if (metadata?.name !== 'long') return [];
    seen.indexed++;
    clock.spend(2);
    return [];
  };
  informer.addIndexers({ slowly });
  const fail = () => {
    seen.failures++;
    throw new Error('broken handler');
  };
  informer.addEventHandler({ onAdd: fail }, { name: 'failing' });
  const takeLong = (_old: ConfigMap, { metadata }: ConfigMap) => {
    if (metadata?.name !== 'long') return;
    seen.longCalls++;
    clock.spend(20);
  };
  informer.addEventHandler({ onUpdate: takeLong }, { name: 'long' });
  const secretLister = listing.for(secrets).lister();
  const ofSecrets = listing.for(secrets).informer();
  let openGate = () => {};
  const gate = new Promise<void>((resolve) => {
    openGate = resolve;
  });
  const wait = (...objects: readonly Secret[]) => {
    seen.latestCalls++;
    for (const object of objects) seen.secrets.add(object);
    return gate;
  };
  ofSecrets.addEventHandler(
    { onAdd: (object) => wait(object), onUpdate: wait },
    { name: 'latest', delivery: 'latest' },
  );
  const manager = new Manager(cluster, { factory, clock });
  manager.controller('counting').for(configMaps).reconcile(reconciler(clock, seen), { timeoutMs: 2_000 });

  const name = { name: informer.name };
  const secretName = { name: ofSecrets.name };
  const latest = { ...secretName, handler: 'latest' };
  const controller = { controller: 'counting' };
  const queue = { ...controller, ...{ name: 'counting' } };
  const resource = { ...name, group: '', version: 'v1', resource: 'configmaps' };
  const runsWith = (result: string) => seen.runs.filter((run) => run.result === result).length;
  const seconds = (ms: readonly number[]) => ms.map((one) => one / 1_000);

  // Who leads: the first renewal meets a conflict, and reads the Lease; the third finds that somebody else has taken it.
  const elector = new LeaderElector(cluster, { name: 'website', namespace: 'default', clock, identity: 'us' });
  const stop = new AbortController();
  const contending = elector.run({ signal: stop.signal, onStartedLeading: () => {} });
  await vi.waitFor(() => expect(elector.isLeader()).toBe(true));
  const leaseReads = () => witness.requests.filter(({ method, path }) => method === 'GET' && path.endsWith('/website'));
  const readsToAcquire = leaseReads().length;
  server.faults.add({ verb: 'update', resource: 'leases' }, { kind: 'status', code: 409 });

  // The whole state comes after 300 ms, which is when all keys are due. What changes then comes a second late.
  server.faults.add({ verb: 'watch', resource: 'configmaps' }, { kind: 'delay', ms: 300 });
  server.faults.add({ verb: 'watch', resource: 'configmaps' }, { kind: 'delay-events', ms: 1_000 });
  for (const { metadata } of await maps.list().then(({ items }) => items)) seen.due.set(metadata?.name ?? '', 300);
  const running = manager.run({ signal: stop.signal });
  listing.start();
  await at(3_000);
  await compare.read(readers);
  compare.equals('leads', { name: 'website' }, 1);
  compare.equals('electionSlowPaths', { name: 'website' }, leaseReads().length - readsToAcquire);
  await admin.client(leases).patch('website', { spec: { holderIdentity: 'them' } });
  // A handler that is called with the latest alone is still busy with its first call.
  for (const round of ['1', '2', '3']) await admin.client(secrets).patch('s1', { metadata: { labels: { round } } });
  await at(3_800);
  // The server is away: the second write of a run is not seen, and its key waits for it until it gives up.
  const away = { verb: ['list', 'watch'], resource: 'configmaps' };
  const always = { times: Number.POSITIVE_INFINITY };
  const outage = server.faults.add(away, { kind: 'drop' }, always);
  const goneMs = clock.monotonicMs();
  server.disconnectWatches({ abruptly: true });
  await at(5_000);
  await compare.read(readers);
  compare.equals('leads', { name: 'website' }, 0);
  compare.equals('handlerPending', latest, 3);
  compare.equals('handlerLag', latest, 5);
  compare.equals('behind', name, (5_000 - goneMs) / 1_000);
  compare.equals('phase', { ...name, phase: 'backoff' }, 1);
  compare.equals('phase', { ...name, phase: 'watching' }, 0);
  await at(10_000);
  outage.remove();
  seen.due.delete('copy');
  openGate();
  await at(50_000);

  // One run is held for 700 ms, while two more keys wait.
  for (const of of ['held', 'plain', 'again']) {
    seen.due.set(of, 50_000);
    await maps.apply({ metadata: { name: of }, data: { round: '2' } });
    await clock.advance(0);
  }
  await at(50_500);
  await compare.read(readers);
  compare.equalsBy('queueDepth', 'controller', { counting: 2 });
  compare.equals('activeRuns', controller, 1);
  compare.equals('unfinishedWork', queue, 0.5);
  compare.equals('longestRunning', queue, 0.5);
  await at(52_000);

  // The server forgets what happened while no watch was open.
  const refused = server.faults.add(away, { kind: 'drop' }, always);
  server.disconnectWatches({ abruptly: true });
  await maps.create({ metadata: { name: 'long' } });
  await maps.apply({ metadata: { name: 'plain' }, data: { round: '3' } });
  seen.due.delete('plain');
  server.compact();
  refused.remove();
  await at(90_000);
  // It ends a watch at once, without a word.
  server.faults.add({ verb: 'watch', resource: 'configmaps' }, { kind: 'end', afterBytes: 0 });
  server.disconnectWatches();
  await at(130_000);
  seen.due.delete('long');
  await maps.apply({ metadata: { name: 'long' }, data: { round: '4' } });
  await at(140_000);

  const lookedAt = new Set<unknown>([...seen.secrets, ...secretLister.list()]);
  await at(145_000);
  await compare.read(readers);
  const ofMaps = new WitnessedResource(witness, 'configmaps');
  const ofAll = [
    [name, ofMaps, resource],
    [secretName, new WitnessedResource(witness, 'secrets'), { ...resource, ...secretName, resource: 'secrets' }],
  ] as const;
  for (const [of, sent, labels] of ofAll) {
    const { lists, watches, endedWatches: ended } = sent;
    compare.equals('lists', of, lists.length);
    compare.observed('listSeconds', of, seconds(lists.map(({ tookMs }) => tookMs)));
    const items = lists.map((list) => list.items);
    compare.observed('listItems', of, items);
    compare.equals('watches', of, watches.length);
    compare.observed('watchSeconds', of, seconds(ended.map(({ lastedMs }) => lastedMs)));
    const events = ended.map((watch) => watch.events);
    compare.observed('watchEvents', of, events);
    compare.equals('frames', of, sent.frames.length);
    compare.equals('bytes', of, sent.bytes);
    compare.equals('lastContact', of, (EPOCH_MS + sent.lastByteMs) / 1_000);
    compare.equals('storeVersion', labels, Number(sent.lastVersion));
    compare.equals('queuedItems', labels, 0);
    // One of them is an object that takes 2 ms to index.
    compare.observed('processingSeconds', labels, [
      ...Array.from({ length: sent.objects - (of === name ? seen.indexed : 0) }, () => 0),
      ...(of === name ? Array.from({ length: seen.indexed }, () => 0.002) : []),
    ]);
  }
  const broken = { [name.name]: 2, [secretName.name]: 2 };
  const refusals = witness.requests.filter(({ code }) => code === '<error>').length;
  for (const [of, times] of Object.entries(broken)) {
    const unreachable = times + (of === name.name ? refusals : 0);
    compare.equals('failures', { name: of, kind: 'unreachable' }, unreachable);
    compare.equals('failures', { name: of, kind: 'expired' }, 1);
    compare.equals('relists', { name: of, cause: 'expired' }, 1);
  }
  compare.equals('failures', { ...name, kind: 'shortWatch' }, 1);
  compare.equals(
    'shortWatches',
    name,
    ofMaps.endedWatches.filter(({ events, lastedMs }) => events + lastedMs === 0).length,
  );
  compare.equals('behind', name, 0);
  compare.equals('storeObjects', name, (await maps.list()).items.length);
  compare.equals('views', secretName, lookedAt.size);
  compare.equals('handlerFailures', { ...name, handler: 'failing' }, seen.failures);
  compare.equals('coalesced', latest, 2 + 3 - seen.latestCalls);
  compare.equals('longSlices', { ...name, stage: 'handlers' }, seen.longCalls);

  for (const { code, method } of witness.requests) {
    const alike = witness.requests.filter((request) => request.code === code && request.method === method);
    compare.equals('requests', { code, method, host }, alike.length);
    const timed = witness.requests.filter((request) => request.method === method && !request.isWatch);
    compare.observed('requestSeconds', { verb: method, host }, seconds(timed.map(({ tookMs }) => tookMs)));
  }

  // A key that waits for its own write has been taken from the queue, and is added again.
  compare.equalsBy('ownWriteWaits', 'result', { caught_up: 1, gave_up: 1 });
  const waits = [...seen.waits, 0, 0];
  const durations = seen.runs.map(({ tookMs }) => tookMs);
  compare.equals('queueAdds', queue, waits.length);
  compare.observed('queueDuration', queue, seconds(waits));
  compare.observed('workDuration', queue, seconds([...durations, 0, 0]));
  compare.equalsBy('queueDepth', 'controller', { counting: 0 });
  const [failed, terminal, timedOut] = [runsWith('error'), 1, 1];
  compare.equals('queueRetries', queue, failed - terminal + runsWith('requeue_after'));
  compare.equalsBy('runs', 'result', {
    success: runsWith('success'),
    error: failed,
    requeue: 0,
    requeue_after: runsWith('requeue_after'),
  });
  compare.equals('runErrors', controller, failed);
  compare.equals('terminalErrors', controller, terminal);
  compare.equals('runTimeouts', controller, timedOut);
  compare.equals('runPanics', controller, 0);
  compare.observed('runSeconds', controller, seconds(durations));
  compare.equals('maxConcurrentRuns', controller, 1);
  compare.equals('activeRuns', controller, 0);

  const live = compare.value('liveBytes', name) ?? 0;
  expect(live).toBeGreaterThan(0);
  expect(compare.value('heldBytes', name)).toBeGreaterThanOrEqual(live);
  expect([...compare.compared, ...Object.keys(NOT_COMPARED)].sort()).toEqual(Object.keys(METRICS).sort());

  expect(await readers.openTelemetry()).toEqual(await readers.prometheus());
  const exported = await exportedBy(readers.registry);
  const queries = dashboardQueries();
  expect(queries.length).toBeGreaterThan(20);
  for (const query of queries) expect(problemsOf(query, exported), query).toEqual([]);

  stop.abort();
  await Promise.all([running, contending]);
  await factory.shutdown();
  await listing.shutdown();
  await cluster.close();
  await server.stop();
  expect(await readers.prometheus()).toEqual({});
  await readers.openTelemetry();
  expect(await readers.openTelemetry()).toEqual({});
  await readers.close();
});
