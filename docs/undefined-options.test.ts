import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ApiError,
  Cluster,
  DeltaFIFO,
  Indexer,
  InformerController,
  InOrderQueue,
  ListWatch,
  Reflector,
  retryOnConflict,
  SharedIndexInformer,
  SharedInformerFactory,
  Store,
  waitForCacheSync,
} from 'tidewatch';
import { type ConfigMap, configMaps, pods } from 'tidewatch/api/core/v1';
import { EventRecorder, HealthServer, LeaderElector, Manager } from 'tidewatch/controller';
import { serveInspector } from 'tidewatch/inspector';
import { ApiServer, ControllerTest, reconcileOnce } from 'tidewatch/testing';
import {
  BucketLimiter,
  DelayingQueue,
  defaultRateLimiter,
  ExponentialLimiter,
  FastSlowLimiter,
  MaxWaitLimiter,
  PriorityQueue,
  RateLimitingQueue,
  WorkQueue,
} from 'tidewatch/workqueue';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/** The optional members of each type of options that a door exports, from the snapshot that `npm run check:api` keeps true. */
const OPTIONS = new Map(
  [...readFileSync(new URL('api-snapshot.txt', import.meta.url), 'utf8').matchAll(/^type (\w+Options): (.*)$/gm)].map(
    ([, name = '', members = '']) =>
      [name, [...members.matchAll(/(\w+)\?/g)].map(([, member = '']) => member)] as const,
  ),
);

/** Parts of others, what only the library makes, and what needs programs of its own (e2e). */
const ELSEWHERE = [
  'ClientOptions',
  'ClusterOptions',
  'ControlPlaneOptions',
  'ControllerManagerOptions',
  'KubectlOptions',
  'ListOptions',
  'MutationDetectorOptions',
  'PodClientOptions',
  'ProjectionOptions',
  'QueueConsumerOptions',
  'ReflectorErrorOptions',
  'SocketOptions',
  'TimerOptions',
  'TransportErrorOptions',
];

const used = new Set<string>();

/** Every option of a type, set to undefined: what `exactOptionalPropertyTypes` lets programs hand in. */
// biome-ignore lint/suspicious/noExplicitAny: that the types accept it is what check:api holds
function unset(type: string): any {
  used.add(type);
  return Object.fromEntries((OPTIONS.get(type) ?? []).map((member) => [member, undefined]));
}

let server: ApiServer;
let cluster: Cluster;
let folder: string;

beforeEach(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.spyOn(console, 'error').mockImplementation(() => {});
  folder = mkdtempSync(join(tmpdir(), 'tidewatch-undefined-'));
  server = await ApiServer.start({
    ...unset('ApiServerOptions'),
    kubelet: { log: () => 'one\ntwo\n', exec: () => 0, attach: () => 0, portForward: async () => {} },
  });
  cluster = await Cluster.connect({ ...unset('ConnectOptions'), kubeconfig: server.kubeconfig() });
  await cluster.client(configMaps).create({ metadata: { name: 'a' } });
});

afterEach(async () => {
  await cluster.close();
  await server.stop();
  rmSync(folder, { recursive: true });
  vi.restoreAllMocks();
});

describe('options that are undefined leave their defaults in place', () => {
  it('of a cluster and its clients', async () => {
    expect(cluster.namespace).toBe('default');
    const over = Cluster.over(server.transport(), unset('OverOptions'));
    const inProcess = server.cluster(unset('InProcessClusterOptions'));
    for (const each of [over, inProcess]) {
      expect((await each.client(configMaps, unset('ClusterClientOptions')).list()).items).toHaveLength(1);
      await each.close();
    }
    expect((await cluster.discovery.find('cm', unset('DiscoveryOptions')))?.plural).toBe('configmaps');
    expect(await cluster.allowed({ ...unset('AllowedOptions'), verbs: ['list'], resource: pods })).toContain('default');
  });

  it('of the calls of a client', async () => {
    const client = cluster.client(configMaps, { fieldManager: 'me' });
    const b = await client.create({ metadata: { name: 'b' } }, unset('CreateOptions'));
    expect(b.metadata.namespace).toBe('default');
    expect((await client.get('b', unset('GetOptions'))).metadata.uid).toBe(b.metadata.uid);
    expect((await client.list(unset('ListCallOptions'))).items).toHaveLength(2);
    expect((await client.listAll(unset('ListCallOptions'))).items).toHaveLength(2);
    for await (const page of client.listPages(unset('ListCallOptions'))) expect(page.items).toHaveLength(2);
    for await (const event of client.watch(unset('ListCallOptions'))) {
      expect(event.type).toBe('ADDED');
      break;
    }
    await client.patch('b', { data: { x: '1' } }, unset('PatchOptions'));
    await client.apply({ metadata: { name: 'b' }, data: { y: '2' } }, unset('ApplyOptions'));
    const now = await client.waitUntil('b', (object) => object?.data?.y === '2', unset('WaitUntilOptions'));
    await client.update({ ...now, data: { z: '3' } }, unset('WriteOptions'));
    expect((await client.get('b')).data).toEqual({ z: '3' });
    await client.delete('b', unset('DeleteOptions'));
    await client.deleteCollection(unset('DeleteCollectionOptions'));
    expect((await client.list()).items).toEqual([]);
    const attempts: number[] = [];
    const call = (attempt: number) => {
      if (attempts.push(attempt) === 1) throw new ApiError({ kind: 'Status', code: 409, reason: 'Conflict' });
    };
    await retryOnConflict(call, unset('RetryOnConflictOptions'));
    expect(attempts).toHaveLength(2);
  });

  it('of the calls of pods', async () => {
    const client = cluster.client(pods);
    const spec = { containers: [{ name: 'main', image: 'x' }] };
    await client.create({ metadata: { name: 'web', labels: { app: 'web' } }, spec });
    const main = { name: 'main', restartCount: 0, ready: true, image: 'x', imageID: 'x', state: { running: {} } };
    await client.patch('web', { status: { phase: 'Running', containerStatuses: [main] } }, { subresource: 'status' });
    const lines: string[] = [];
    for await (const line of client.logs('web', unset('LogOptions'))) lines.push(line);
    for await (const { line } of client.logsOf('app=web', unset('LogsOfOptions'))) lines.push(line);
    expect(lines).toEqual(['one', 'two', 'one', 'two']);
    expect((await client.exec('web', ['ls'], unset('AttachOptions'))).exitCode).toBe(0);
    expect((await client.attach('web', unset('AttachOptions'))).exitCode).toBe(0);
    (await client.dial('web', 80, unset('CallOptions'))).destroy();
    await using forward = await client.portForward('web', 80, unset('PortForwardOptions'));
    expect(forward.address).toBe('127.0.0.1');
  });

  it('of factories, informers, handlers and waits', async () => {
    const snapshot = { ...unset('SnapshotOptions'), file: join(folder, 'snapshot') };
    const backoff = unset('BackoffOptions');
    server.faults.add({ resource: 'configmaps' }, { kind: 'status', code: 500 }, unset('FaultOptions'));
    await using factory = new SharedInformerFactory(cluster, {
      ...unset('SharedInformerFactoryOptions'),
      backoff,
      snapshot,
    });
    const handle = factory.for(configMaps, unset('ResourceOptions'));
    expect(handle.informer()).toBe(factory.for(configMaps).informer());
    const added: string[] = [];
    const handler = { onAdd: (object: ConfigMap) => void added.push(object.metadata?.name ?? ''), onUpdate: undefined };
    const registration = handle.informer().addEventHandler(handler as never, unset('HandlerOptions'));
    const selection = handle.select(unset('SelectOptions'));
    const events = handle.informer().events(unset('EventsOptions'));
    const states = handle.informer().states(unset('StatesOptions'));
    factory.start({ signal: undefined });
    expect((await factory.waitForCacheSync(unset('WaitOptions'))).get(configMaps)).toBe(true);
    expect(await waitForCacheSync([handle.informer()], unset('WaitOptions'))).toBe(true);
    await registration.synced;
    expect(added).toEqual(['a']);
    expect((await events.next()).value).toMatchObject({ type: 'add' });
    expect((await states.next()).value).toMatchObject({ phase: expect.any(String) });
    expect(selection.store.list()).toHaveLength(1);
    await handle.informer().waitUntil('default/a', (object) => object !== undefined, unset('WaitOptions'));
    expect(factory.health(unset('HealthOptions')).ok).toBe(true);
    const alone = new SharedIndexInformer({ ...unset('KeepOptions'), cluster, resource: configMaps });
    await alone.stop();
  });

  it('of the parts', async () => {
    const listerWatcher = ListWatch.for(cluster, configMaps);
    const own = new ListWatch<ConfigMap>({
      ...unset('ListWatchOptions'),
      list: (...call) => listerWatcher.list(...call),
      watch: (...call) => listerWatcher.watch(...call),
    });
    const stop = new AbortController();
    const store = new Store<ConfigMap>(unset('StoreOptions'));
    new Indexer<ConfigMap>(unset('IndexerOptions')).add({ metadata: { name: 'x' } });
    const reflector = new Reflector<ConfigMap>({
      ...unset('ReflectorOptions'),
      name: 'parts',
      listerWatcher: own,
      target: store,
    });
    const popped: string[] = [];
    const controller = new InformerController<ConfigMap>({
      ...unset('InformerControllerOptions'),
      name: 'controller',
      listerWatcher: own,
      queue: new DeltaFIFO<ConfigMap>(unset('DeltaFIFOOptions')),
      process: () => void popped.push('one'),
    });
    new InOrderQueue<ConfigMap>(unset('QueueOptions'));
    const running = [reflector.run({ signal: stop.signal }), controller.run({ signal: stop.signal })];
    await vi.waitFor(() => expect([store.list().length, popped.length]).toEqual([1, 1]), 60_000);
    stop.abort();
    await Promise.all(running);
  });

  it('of work queues and their limiters', async () => {
    const limiters = [
      new BucketLimiter(unset('BucketLimiterOptions')),
      new ExponentialLimiter(unset('ExponentialLimiterOptions')),
      new FastSlowLimiter({ ...unset('FastSlowLimiterOptions'), fastMs: 1, slowMs: 2, fastTries: 3 }),
      defaultRateLimiter(unset('DefaultLimiterOptions')),
      new MaxWaitLimiter(new ExponentialLimiter(unset('ItemLimiterOptions')), 5),
    ];
    for (const limiter of limiters) expect(limiter.when('x')).toBeGreaterThanOrEqual(0);
    for (const queue of [
      new WorkQueue<string>(unset('WorkQueueOptions')),
      new DelayingQueue<string>(unset('WorkQueueOptions')),
      new RateLimitingQueue<string>(unset('RateLimitingQueueOptions')),
      new PriorityQueue<string>(unset('RateLimitingQueueOptions')),
    ]) {
      if (queue instanceof PriorityQueue) queue.add('x', unset('PriorityOptions'));
      else queue.add('x');
      await queue.get(unset('GetOptions'));
      queue.done('x');
      queue.shutDown();
    }
  });

  it('of controllers', async () => {
    const done: string[] = [];
    const set = (manager: Manager) =>
      manager
        .controller('one')
        .for(configMaps, unset('TriggerOptions'))
        .reconcile(({ key }) => void done.push(key), unset('ReconcileOptions'));
    const manager = new Manager(cluster, {
      ...unset('ManagerOptions'),
      resources: [[configMaps, unset('CacheOptions')]],
    });
    set(manager);
    const stop = new AbortController();
    const running = manager.run({ signal: stop.signal });
    await vi.waitFor(() => expect(done).toContain('default/a'), 60_000);
    stop.abort();
    await running;
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b', namespace: 'default' } };
    await reconcileOnce(set, [object], unset('ReconcileOnceOptions'));
    await using test = await ControllerTest.start(set, { ...unset('ControllerTestOptions'), objects: [object] });
    await test.settle(unset('SettleOptions'));
    expect(done.filter((key) => key === 'default/b')).toHaveLength(2);
    await serveInspector({ ...unset('InspectorOptions'), managers: [manager], port: 0 }).then((page) => page.stop());
    const recorder = new EventRecorder({ ...unset('EventRecorderOptions'), cluster, controller: 'one' });
    await recorder.stop();
    const check = () => [];
    const health = new HealthServer({
      ...unset('HealthServerOptions'),
      healthz: check,
      readyz: check,
      port: 0,
    } as never);
    await health.start();
    await health.stop();
    for (const type of ['LeaderElectorOptions', 'ShardingOptions']) {
      const ends = new AbortController();
      const { by: _, shards: __, ...options } = unset(type);
      const elector = new LeaderElector(cluster, { ...options, name: type.toLowerCase() });
      await elector.run({
        ...unset('LeaderElectorRunOptions'),
        signal: ends.signal,
        onStartedLeading: async () => ends.abort(),
      });
      expect(elector.isLeader()).toBe(false);
    }
  });
});

afterAll(() => {
  const all = [...OPTIONS].filter(([, members]) => members.length > 0).map(([name]) => name);
  expect(all.filter((name) => !used.has(name) && !ELSEWHERE.includes(name))).toEqual([]);
});
