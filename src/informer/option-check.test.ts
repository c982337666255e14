import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Resource } from '../api/resource.ts';
import { Cluster } from '../cluster/cluster.ts';
import { type ConfigMap, configMaps, namespaces, pods, secrets } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import type { ResourceEventHandler } from '../processor/processor.ts';
import { clusterFixture, until } from './cluster-fixture.ts';
import type { SharedIndexInformerOptions } from './informer-options.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';
import { SharedInformerFactory, type SharedInformerFactoryOptions } from './shared-informer-factory.ts';
import { waitForCacheSync } from './wait-for-cache-sync.ts';

/** What JavaScript lets through, whatever the types say. */
const loose = <T>(value: unknown): T => value as T;

describe('an option that is not one', () => {
  it.each([
    [{ namespaec: 'default' }, 'SharedInformerFactory: there is no option "namespaec": did you mean "namespace"?'],
    [{ Namespace: 'default' }, 'did you mean "namespace"?'],
    [{ labelSelector: 'app=web' }, 'there is no option "labelSelector": there are backoff, clock'],
    [{ store: 'paked' }, 'store is "paked", and must be "packed", "shared" or "plain": did you mean "packed"?'],
    [{ store: true }, 'store is true, and must be "packed", "shared" or "plain"'],
    [{ resyncMs: '5s' }, 'resyncMs is "5s", and must be a number'],
    [{ drop: 'metadata.annotations' }, 'drop is "metadata.annotations", and must be a list of paths'],
    [{ transform: {} }, 'transform is an object, and must be a function'],
    [{ customResyncMs: 5 }, 'customResyncMs is 5, and must be a Map'],
    [{ customResyncMs: [[pods, '5']] }, 'customResyncMs is a list, and must be a Map'],
    [{ customResyncMs: [['pods', 5]] }, 'customResyncMs needs the token of a resource, and got "pods"'],
    [
      { backoff: { initalMs: 5 } },
      'SharedInformerFactory: backoff: there is no option "initalMs": did you mean "initialMs"?',
    ],
    [{ backoff: { maxMs: 'x' } }, 'SharedInformerFactory: backoff: maxMs is "x", and must be a number'],
    [{ clock: {} }, 'clock is an object, and must be a clock, which has now, setTimeout and sleep'],
    [{ logger: { log: () => {} } }, 'logger is an object, and must be a logger, which has debug, info, warn and error'],
    [{ metrics: {} }, 'metrics is an object, and must be metrics, which has counter, gauge and histogram'],
    ['default', 'its options must be an object, not "default"'],
  ])('of a factory is a TypeError: %j', async (options, message) => {
    await using fixture = await clusterFixture();
    const make = () => new SharedInformerFactory(fixture.cluster, loose(options));
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  it('of an informer, a handler, a stream, a selection, a wait and a probe is one, too', async () => {
    await using fixture = await clusterFixture();
    const { cluster } = fixture;
    const factory = new SharedInformerFactory(cluster);
    const informer = factory.for(configMaps).informer();
    const handler = { onAdd: () => {} };
    expect(
      () =>
        new SharedIndexInformer(
          loose<SharedIndexInformerOptions<ConfigMap>>({ cluster, resource: configMaps, resync: 5 }),
        ),
    ).toThrow('"resync"');
    expect(() => factory.for(configMaps, loose({ labelSelecter: 'a' }))).toThrow('did you mean "labelSelector"?');
    expect(() => informer.addEventHandler(handler, loose({ delivery: 'last' }))).toThrow('"all" or "latest"');
    expect(() => informer.addEventHandler(handler, loose({ resync: 5 }))).toThrow('did you mean "resyncMs"?');
    expect(() => informer.events(loose({ signl: undefined }))).toThrow('did you mean "signal"?');
    expect(() => factory.for(configMaps).select(loose({ labels: 'a' }))).toThrow('there is no option "labels"');
    expect(() => factory.health(loose({ maxOutage: 5 }))).toThrow('did you mean "maxOutageMs"?');
    await expect(informer.waitForSync(loose({ timeout: 5 }))).rejects.toThrow('did you mean "timeoutMs"?');
    await expect(informer.waitFor('1', loose({ timeout: 5 }))).rejects.toThrow('did you mean "timeoutMs"?');
    await expect(factory.waitForCacheSync(loose({ timeout: 5 }))).rejects.toThrow();
    expect(() => factory.start(loose({ singal: undefined }))).toThrow('did you mean "signal"?');
    expect(() => factory.start({ signal: loose(new AbortController()) })).toThrow(
      'the `signal` of that AbortController',
    );
    await factory.shutdown();
  });

  it('is one that is unset when it is undefined, and leaves the default, or that of the cluster, in place', async () => {
    await using fixture = await clusterFixture();
    const clock = new FakeClock();
    const cluster = Cluster.over(fixture.server.transport(), { logger: undefined, clock });
    const options: SharedInformerFactoryOptions = { namespace: undefined, clock: undefined, store: undefined };
    expectTypeOf<{ resyncMs: undefined }>().toExtend<SharedInformerFactoryOptions>();
    const informer = new SharedIndexInformer({ cluster, resource: configMaps, ...options, resyncMs: undefined });
    const running = informer.run({ signal: undefined });
    await clock.advance(0);
    expect(informer.hasSynced()).toBe(true);
    expect(informer.state.since).toBe(clock.now());
    await informer.stop();
    await running;
    await cluster.close();
  });
});

describe('a handler', () => {
  class Controller {
    readonly queue: string[] = [];
    onAdd(): void {}
    reconcile(): void {}
  }

  it.each([
    [{}, 'and this one has none'],
    [{ onAdd: undefined }, 'and this one has none'],
    [{ AddFunc: () => {} }, '"AddFunc", which is never called: did you mean "onAdd"?'],
    [{ onadd: () => {} }, 'did you mean "onAdd"?'],
    [{ onAdd: () => {}, onUpdated: () => {} }, '"onUpdated", which is never called: did you mean "onUpdate"?'],
    [{ onAdd: 'x' }, 'onAdd of the handler must be a function'],
    [{ *onAdd() {} }, 'onAdd of the handler is a generator function'],
    [{ async *onDelete() {} }, 'onDelete of the handler is a generator function'],
    [() => {}, 'pass { onAdd: (object) => … }'],
    [undefined, 'and this is a undefined'],
    [
      new (class {
        OnDelete(): void {}
      })(),
      'did you mean "onDelete"?',
    ],
  ])('that would never be called as it is meant is a TypeError: %o', async (handler, message) => {
    await using fixture = await clusterFixture();
    const informer = new SharedInformerFactory(fixture.cluster).for(configMaps).informer();
    const add = () => informer.addEventHandler(loose<ResourceEventHandler<ConfigMap>>(handler));
    expect(add).toThrow(TypeError);
    expect(add).toThrow(message);
    await informer.stop();
  });

  it('may have whatever else it needs', async () => {
    await using fixture = await clusterFixture();
    const informer = new SharedInformerFactory(fixture.cluster).for(configMaps).informer();
    informer.addEventHandler(new Controller());
    informer.addEventHandler({ onUpdate: () => {}, ...{ onUpdated: () => {} } });
    await informer.stop();
  });
});

describe('what a factory is made of, and asked for', () => {
  it('is told apart from everything else by a single informer, too', async () => {
    await using fixture = await clusterFixture();
    const { cluster } = fixture;
    const make = (options: unknown) => () =>
      new SharedIndexInformer(loose<SharedIndexInformerOptions<ConfigMap>>(options));
    expect(make(undefined)).toThrow('new SharedIndexInformer needs a cluster, and got nothing');
    expect(make({ cluster: Promise.resolve(cluster), resource: pods })).toThrow('await Cluster.connect()');
    expect(make({ cluster })).toThrow('new SharedIndexInformer needs the token of a resource, and got nothing');
    expect(make({ cluster, resource: 'pods' })).toThrow('got "pods"');
    const informer = new SharedIndexInformer({ cluster, resource: configMaps });
    expect(() => informer.setTransform(loose(5))).toThrow('setTransform of configmaps.v1 needs a function, and got 5');
    expect(() => informer.setWatchErrorHandler(loose(undefined))).toThrow('needs a function, and got undefined');
    await informer.stop();
  });

  it('is told apart from everything else', async () => {
    await using fixture = await clusterFixture();
    const make = (cluster?: unknown) => () => new SharedInformerFactory(loose(cluster));
    expect(make()).toThrow('needs a cluster, and got nothing: pass what `await Cluster.connect()` gives');
    expect(make('default')).toThrow('got "default"');
    expect(make(Promise.resolve(fixture.cluster))).toThrow('got a promise in place of a cluster: await');
    expect(make({ getCurrentCluster: () => null })).toThrow('pass Cluster.from(kubeConfig)');
    const factory = new SharedInformerFactory(fixture.cluster);
    expect(() => factory.for(loose<Resource>('pods'))).toThrow(
      'for needs the token of a resource, and got "pods": import { pods }',
    );
    expect(() => factory.for(loose<Resource>(undefined))).toThrow('got nothing');
    expect(() => factory.forMetadata(loose<Resource>('pods'))).toThrow('forMetadata needs the token');
    expect(() => factory.informerFor(pods, loose(undefined))).toThrow(
      'needs a function that makes the informer of pods.v1',
    );
  });

  it('gives a function for informerFor a client, whatever the factory was made with', async () => {
    await using fixture = await clusterFixture();
    await fixture.createConfigMap('a');
    const { transport } = fixture.cluster;
    for (const cluster of [fixture.cluster, { transport }]) {
      let got: { client: Cluster['client'] } | undefined;
      new SharedInformerFactory(cluster).informerFor(configMaps, (given, resyncMs) => {
        got = given;
        return new SharedIndexInformer({ cluster: given, resource: configMaps, resyncMs });
      });
      expect((await got?.client(configMaps).get('a'))?.metadata?.name).toBe('a');
    }
  });
});

describe('what was asked for and never started', () => {
  it('is named by waitForCacheSync, at the call, also when it was asked for after the start', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    factory.for(configMaps).informer();
    await expect(factory.waitForCacheSync()).rejects.toMatchObject({
      kind: 'misuse',
      message: expect.stringContaining('configmaps.v1 was asked for and not started: call factory.start() first'),
    });
    factory.start();
    factory.for(secrets).lister();
    factory.for(pods, { labelSelector: 'app=web' }).informer();
    await expect(factory.waitForCacheSync()).rejects.toThrow('secrets.v1, pods.v1[app=web] were asked for');
    factory.start();
    expect((await factory.waitForCacheSync()).get(pods)).toBe(true);
    await factory.shutdown();
  });

  it('is warned of when it was asked for after the start, and start is not called again', async () => {
    await using fixture = await clusterFixture();
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
    const factory = new SharedInformerFactory(fixture.cluster, { logger });
    const late = factory.for(configMaps);
    factory.for(namespaces).informer();
    factory.start();
    await factory.waitForCacheSync();
    factory.for(secrets).lister();
    factory.start();
    void factory.for(pods).informer().run();
    expect(late.lister().list()).toEqual([]);
    await until(() => warnings.length > 0);
    expect(warnings).toEqual([
      'configmaps.v1 was asked for after factory.start(), and does not run: its cache stays empty until start is called again.',
    ]);
    await factory.shutdown();
  });

  it('is not one that somebody else has started, nor one that has stopped', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    const running = factory.for(configMaps).informer().run();
    await factory.for(secrets).informer().stop();
    expect([...(await factory.waitForCacheSync())]).toEqual([[configMaps, true]]);
    await factory.shutdown();
    await running;
  });
});

describe('start and run', () => {
  it('take a signal as it is, and its controller', async () => {
    await using fixture = await clusterFixture();
    const stop = new AbortController();
    const factory = new SharedInformerFactory(fixture.cluster);
    const third = new SharedIndexInformer({ cluster: fixture.cluster, resource: pods });
    const first = factory.for(configMaps).informer();
    const second = new SharedIndexInformer({ cluster: fixture.cluster, resource: secrets });
    factory.start(stop.signal);
    const running = Promise.all([second.run(stop.signal), third.run(stop)]);
    await waitForCacheSync([first, second]);
    stop.abort();
    await running;
    expect([first.isStopped(), second.isStopped(), third.isStopped()]).toEqual([true, true, true]);
    await until(() => fixture.server.openWatches === 0);
  });
});

describe('waitForCacheSync', () => {
  it('takes functions, which it asks until they agree', async () => {
    await using fixture = await clusterFixture();
    await fixture.createConfigMap('a');
    const factory = new SharedInformerFactory(fixture.cluster);
    const informer = factory.for(configMaps).informer();
    const seen = informer.addEventHandler({ onAdd: () => {} });
    factory.start();
    expect(await waitForCacheSync([informer, () => seen.hasSynced()])).toBe(true);
    expect(seen.hasSynced()).toBe(true);
    await factory.shutdown();
  });

  it('says which function did not agree, passes on what one throws, and leaves no timer', async () => {
    const clock = new FakeClock();
    const never = () => false;
    const waiting = waitForCacheSync([never], { timeoutMs: 1_000, clock });
    const failed = expect(waiting).rejects.toThrow(
      '1 of 1 caches did not sync within 1000 ms: the function never (false)',
    );
    await clock.advance(1_000);
    await failed;
    const broken = () => {
      throw new Error('of the user');
    };
    await expect(waitForCacheSync([never, broken], { clock })).rejects.toThrow('of the user');
    await expect(waitForCacheSync([loose(async () => true)], { clock })).rejects.toThrow('returned a promise');
    expect(await waitForCacheSync([never], { clock, signal: AbortSignal.abort() })).toBe(false);
    await expect(waitForCacheSync([loose(pods)], { clock })).rejects.toThrow('takes informers and functions');
    await expect(waitForCacheSync(loose(never), { clock })).rejects.toThrow('takes a list, and got a function');
    await clock.advance(0);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('the store of a selection', () => {
  it('has the whole indexer', async () => {
    await using fixture = await clusterFixture();
    const client = fixture.admin.client(configMaps);
    for (const [name, app, zone] of [
      ['a', 'web', 'x'],
      ['b', 'web', 'y'],
      ['c', 'db', 'z'],
    ] as const) {
      await client.create({ metadata: { name, labels: { app, zone } } });
    }
    const factory = new SharedInformerFactory(fixture.cluster, { namespace: 'default' });
    const web = factory.for(configMaps).select({ labelSelector: 'app=web' });
    web.addIndexers({ zone: 'metadata.labels.zone' });
    factory.start();
    await factory.waitForCacheSync();
    const { indexer } = web;
    expect(indexer.size).toBe(2);
    expect(indexer.listIndexFuncValues('zone').sort()).toEqual(['x', 'y']);
    expect(indexer.indexKeys('zone', 'z')).toEqual([]);
    expect(indexer.index('zone', { metadata: { name: 'probe', labels: { zone: 'y' } } })).toHaveLength(1);
    expect(indexer.index('zone', { metadata: { name: 'probe', labels: { zone: 'z' } } })).toEqual([]);
    expect(Object.keys(indexer.getIndexers())).toContain('zone');
    expect(indexer.lastStoreSyncResourceVersion()).not.toBe('');
    await factory.shutdown();
  });
});
