import { describe, expect, it } from 'vitest';
import { configMaps, nodes, secrets } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { clusterFixture, names, until, widgets } from './cluster-fixture.ts';
import { SharedInformerFactory, type SharedInformerFactoryOptions } from './shared-informer-factory.ts';

/** A factory of namespace `a` that runs; `b` and `c` are there, too, each with one object. */
async function setup(options: SharedInformerFactoryOptions = {}) {
  const fixture = await clusterFixture();
  for (const name of ['a', 'b', 'c']) {
    await fixture.createNamespace(name);
    await fixture.createConfigMap(`of-${name}`, name);
  }
  const factory = new SharedInformerFactory(fixture.cluster, { namespace: 'a', ...options });
  const informer = factory.for(configMaps).informer();
  const heard: string[] = [];
  const registration = informer.addEventHandler({
    onAdd: (object, isInInitialList) => void heard.push(`add ${object.metadata?.name} ${isInInitialList}`),
    onUpdate: (_old, object) => void heard.push(`update ${object.metadata?.name}`),
    onDelete: (object, unknown) => void heard.push(`delete ${object.metadata?.name} ${unknown}`),
  });
  return {
    ...fixture,
    factory,
    informer,
    heard,
    registration,
    async [Symbol.asyncDispose]() {
      await factory.shutdown();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

describe('a namespace that comes', () => {
  it('is in the cache when add resolves; handlers hear adds, and nothing else is listed again', async () => {
    await using scene = await setup();
    const { factory, informer, heard, registration, requests } = scene;
    factory.start();
    await factory.waitForCacheSync();
    await registration.synced;
    const before = requests.filter((request) => request.includes('/namespaces/a/')).length;
    const adding = factory.namespaces.add('b');
    expect([informer.hasSynced(), registration.hasSynced()]).toEqual([true, true]);
    expect(await adding).toBe(true);
    expect(informer.store.listKeys().sort()).toEqual(['a/of-a', 'b/of-b']);
    await until(() => heard.length === 2);
    expect(heard).toEqual(['add of-a true', 'add of-b false']);
    expect([informer.hasSynced(), registration.hasSynced()]).toEqual([true, true]);
    expect(requests.filter((request) => request.includes('/namespaces/a/'))).toHaveLength(before);
    expect(factory.namespaces.list()).toEqual(['a', 'b']);
    await informer.waitFor(await scene.createConfigMap('new', 'b'));
    expect(names(informer.lister().namespace('b').list())).toEqual(['new', 'of-b']);
  });

  it('reaches every informer that follows the factory, and no other', async () => {
    await using scene = await setup();
    const { factory, informer, requests } = scene;
    const own = factory.for(configMaps, { namespace: 'a', labelSelector: 'x' }).informer();
    factory.for(nodes).informer();
    factory.for(secrets).informer();
    factory.start();
    await factory.waitForCacheSync();
    await factory.namespaces.add('b');
    const late = factory.forMetadata(configMaps).informer();
    factory.start();
    await factory.waitForCacheSync();
    expect([informer, late].map(({ store }) => store.listKeys().sort())).toEqual([
      ['a/of-a', 'b/of-b'],
      ['a/of-a', 'b/of-b'],
    ]);
    expect(requests).toContain('GET /api/v1/namespaces/b/secrets');
    await expect(own.waitFor({ metadata: { name: 'x', namespace: 'b', resourceVersion: '1' } })).rejects.toThrow(
      'it watches a',
    );
  });

  it('is shown to late handlers, to selections and to waits', async () => {
    await using scene = await setup();
    const { factory, informer } = scene;
    const inB = factory.for(configMaps).select({ namespace: 'b' });
    const seen: (string | undefined)[] = [];
    inB.addEventHandler({
      onAdd: (object) => void seen.push(object.metadata?.name),
      onDelete: () => void seen.push('gone'),
    });
    factory.start();
    await factory.waitForCacheSync();
    const object = await scene.createConfigMap('new', 'b');
    await expect(informer.waitFor(object)).rejects.toThrow('never holds new, which is in namespace b: it watches a');
    const adding = factory.namespaces.add('b');
    await inB.waitFor(object);
    await adding;
    await until(() => seen.length === 2);
    const late: (string | undefined)[] = [];
    informer.addEventHandler({ onAdd: ({ metadata }) => void late.push(metadata?.name) });
    await until(() => late.length === 3);
    expect(seen.sort()).toEqual(['new', 'of-b']);
    await factory.namespaces.remove('b');
    await until(() => seen.length === 4);
    expect(inB.store.listKeys()).toEqual([]);
  });

  it('is waited for once more when it is added twice, also at the same time, and watched once', async () => {
    await using scene = await setup();
    const { factory, requests } = scene;
    factory.start();
    await factory.waitForCacheSync();
    expect(await Promise.all([factory.namespaces.add('b'), factory.namespaces.add('b')])).toEqual([true, true]);
    expect(await factory.namespaces.add('b')).toBe(true);
    expect(requests.filter((request) => request.includes('/namespaces/b/'))).toHaveLength(1);
  });

  it('is in the first list when it comes before the start', async () => {
    await using scene = await setup();
    const { factory, heard, informer } = scene;
    expect(await factory.namespaces.add('b')).toBe(true);
    factory.start();
    await factory.waitForCacheSync();
    await until(() => heard.length === 2);
    expect(heard.sort()).toEqual(['add of-a true', 'add of-b true']);
    expect(informer.store.listKeys()).toHaveLength(2);
  });

  it('may be waited for no longer than is wanted, and stays', async () => {
    await using scene = await setup();
    const { factory, server, informer } = scene;
    factory.start();
    await factory.waitForCacheSync();
    const allow = server.access.deny({ namespaces: ['b'] });
    const stop = new AbortController();
    const adding = factory.namespaces.add('b', { signal: stop.signal });
    await until(() => informer.state.phase === 'forbidden');
    stop.abort(new Error('enough'));
    await expect(adding).rejects.toThrow('enough');
    await expect(factory.namespaces.add('b', { timeoutMs: 5 })).rejects.toMatchObject({ kind: 'timeout' });
    expect(factory.namespaces.has('b')).toBe(true);
    expect(informer.hasSynced()).toBe(true);
    allow();
  });
});

describe('a namespace that goes', () => {
  it('takes its objects and its watch with it: handlers hear deletes of exactly those', async () => {
    await using scene = await setup({ namespace: ['a', 'b'] });
    const { factory, informer, heard, server } = scene;
    factory.start();
    await factory.waitForCacheSync();
    expect(server.openWatches).toBe(2);
    expect(await factory.namespaces.remove('a')).toBe(true);
    expect(informer.store.listKeys()).toEqual(['b/of-b']);
    await until(() => heard.length === 3);
    expect(heard.at(-1)).toBe('delete of-a true');
    await until(() => server.openWatches === 1);
    await scene.createConfigMap('unheard', 'a');
    await informer.waitFor(await scene.createConfigMap('heard', 'b'));
    await until(() => heard.length === 4);
    expect(heard.at(-1)).toBe('add heard false');
    expect(factory.namespaces.list()).toEqual(['b']);
    expect(informer.state.phase).toBe('watching');
  });

  it('goes in slices, however many objects it has', async () => {
    await using scene = await setup({ namespace: ['a', 'b'], clock: undefined });
    const { factory, informer } = scene;
    for (let i = 0; i < 400; i++) await scene.createConfigMap(`n-${i}`, 'a');
    let deleted = 0;
    informer.addEventHandler({ onDelete: () => void deleted++ });
    factory.start();
    await factory.waitForCacheSync();
    await factory.namespaces.remove('a');
    expect(informer.store.listKeys()).toEqual(['b/of-b']);
    await until(() => deleted === 401);
  });

  it('that was not there is answered with false, and one that goes twice goes once', async () => {
    await using scene = await setup({ namespace: ['a', 'b'] });
    const { factory, heard } = scene;
    factory.start();
    await factory.waitForCacheSync();
    expect(await factory.namespaces.remove('c')).toBe(false);
    expect(await Promise.all([factory.namespaces.remove('a'), factory.namespaces.remove('a')])).toEqual([true, false]);
    await until(() => heard.some((line) => line.startsWith('delete')));
    expect(heard.filter((line) => line.startsWith('delete'))).toEqual(['delete of-a true']);
  });

  it('may be the last one, and come back', async () => {
    await using scene = await setup();
    const { factory, informer, server, heard } = scene;
    factory.start();
    await factory.waitForCacheSync();
    await factory.namespaces.remove('a');
    expect(factory.namespaces.list()).toEqual([]);
    expect([informer.hasSynced(), informer.state.phase, informer.store.size]).toEqual([true, 'idle', 0]);
    const late = factory.for(secrets).informer();
    factory.start();
    await factory.waitForCacheSync();
    expect(late.hasSynced()).toBe(true);
    await until(() => server.openWatches === 0);
    expect(await factory.namespaces.add('a')).toBe(true);
    await until(() => heard.length === 3);
    expect(heard.at(-1)).toBe('add of-a false');
  });

  it('ends the waits for its objects, and holds up no other', async () => {
    await using scene = await setup({ namespace: ['a', 'b'] });
    const { factory, informer, server } = scene;
    const allow = server.access.deny({ namespaces: ['b'], resources: ['configmaps'] });
    factory.start();
    await until(() => informer.state.phase === 'forbidden');
    const ofB = expect(
      informer.waitFor({ metadata: { name: 'x', namespace: 'b', resourceVersion: '9999999' } }),
    ).rejects.toThrow('no longer watches namespace b');
    const until404 = expect(informer.waitUntil('b/x', () => false)).rejects.toThrow('no longer watches namespace b');
    const current = informer.waitFor(server.resourceVersion);
    const synced = informer.waitForSync();
    expect(await factory.namespaces.remove('b')).toBe(true);
    await ofB;
    await until404;
    expect(await synced).toBe(true);
    await scene.createConfigMap('later', 'a');
    await current;
    allow();
  });
});

describe('namespaces that come and go at the same time', () => {
  it('end as was asked for last, with one watch for each', async () => {
    await using scene = await setup();
    const { factory, informer, server } = scene;
    factory.start();
    await factory.waitForCacheSync();
    const { namespaces } = factory;
    await Promise.all([
      namespaces.add('b'),
      namespaces.remove('a'),
      namespaces.add('c'),
      namespaces.remove('b'),
      namespaces.add('a'),
      namespaces.remove('a'),
      namespaces.add('b'),
      namespaces.remove('c'),
    ]);
    expect(namespaces.list()).toEqual(['b']);
    await namespaces.add('b');
    expect(informer.store.listKeys()).toEqual(['b/of-b']);
    await until(() => server.openWatches === 1);
  });

  it('settle, whenever the factory stops, and leave nothing open', async () => {
    for (let step = 0; step < 12; step++) {
      const clock = new FakeClock();
      await using scene = await setup({ namespace: ['a', 'b'], clock });
      const { factory, server, heard } = scene;
      factory.start();
      await until(
        () => scene.informer.hasSynced(),
        () => clock.advance(10),
      );
      const work = Promise.all([
        factory.namespaces.add('c'),
        factory.namespaces.remove('a'),
        factory.namespaces.add('a'),
      ]);
      for (let turn = 0; turn < step; turn++) await Promise.resolve();
      await factory.shutdown();
      await work;
      const told = heard.length;
      await until(() => server.openWatches === 0);
      expect(clock.pendingTimers).toBe(0);
      expect(heard).toHaveLength(told);
      expect(await factory.namespaces.add('c')).toBe(false);
    }
  });
});

describe('the namespaces of a type whose scope only the server knows', () => {
  it('come and go; when the type is cluster-scoped they change nothing', async () => {
    await using scene = await setup();
    await scene.defineWidgets('Cluster');
    await scene.createWidget('w');
    const informer = scene.factory.forResource(widgets).informer();
    scene.factory.start();
    await scene.factory.waitForCacheSync();
    expect(await scene.factory.namespaces.add('b')).toBe(true);
    await scene.factory.namespaces.remove('a');
    expect(informer.store.listKeys()).toEqual(['w']);
    await informer.waitFor(await scene.createWidget('v'));
    expect(informer.store.listKeys().sort()).toEqual(['v', 'w']);
  });

  it('go on without the first, whether or not there was an answer', async () => {
    await using scene = await setup({ namespace: ['a', 'b'] });
    const informer = scene.factory.forResource(widgets).informer();
    scene.factory.start();
    await until(() => informer.state.phase === 'gone');
    await scene.factory.namespaces.remove('a');
    await scene.defineWidgets('Namespaced');
    await until(() => informer.hasSynced());
    await informer.waitFor(await scene.createWidget('w', 'b'));
    expect(informer.store.listKeys()).toEqual(['b/w']);
  });
});

describe('in a factory of all namespaces', () => {
  it('none can be added or removed, and each is there', async () => {
    await using fixture = await clusterFixture();
    const { namespaces } = new SharedInformerFactory(fixture.cluster);
    await expect(namespaces.add('b')).rejects.toThrow('namespaces.add: this factory watches all namespaces');
    await expect(namespaces.remove('b')).rejects.toThrow(TypeError);
    expect([namespaces.list(), namespaces.has('b')]).toEqual([undefined, true]);
    const some = new SharedInformerFactory(fixture.cluster, { namespace: 'a' });
    await expect(some.namespaces.add('..')).rejects.toThrow('cannot be the name of a namespace');
  });
});
