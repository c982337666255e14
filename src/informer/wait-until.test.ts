import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Stored } from '../api/metadata.ts';
import { type Deployment, deployments } from '../generated/api/apps/v1.ts';
import { type ConfigMap, configMaps, nodes, pods } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { clusterFixture, until } from './cluster-fixture.ts';
import { conditionTrue, crdEstablished, deleted, deploymentAvailable, jobComplete, podReady } from './conditions.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

async function setup() {
  const fixture = await clusterFixture();
  const factory = new SharedInformerFactory(fixture.cluster);
  const informer = factory.for(configMaps).informer();
  const client = fixture.admin.client(configMaps);
  return {
    ...fixture,
    factory,
    informer,
    client,
    async [Symbol.asyncDispose]() {
      await factory.shutdown();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

const isDone = (object: ConfigMap | undefined) => object?.data?.state === 'done';

describe('waitUntil of an informer', () => {
  it('resolves with the object as soon as the cache has a state that will do', async () => {
    await using scene = await setup();
    const { factory, informer, client } = scene;
    const waiting = informer.waitUntil('default/a', isDone);
    factory.start();
    await factory.waitForCacheSync();
    await client.create({ metadata: { name: 'a' }, data: { state: 'begun' } });
    await client.patch('a', { data: { state: 'done' } });
    const met = await waiting;
    expect(met?.data).toEqual({ state: 'done' });
    expect(informer.store.getByKey('default/a')?.data).toEqual({ state: 'done' });
    expect((await informer.waitUntil('default/a', isDone))?.metadata.name).toBe('a');
  });

  it('sees a state that lasts for a moment only', async () => {
    await using scene = await setup();
    const { factory, informer, client } = scene;
    factory.start();
    await factory.waitForCacheSync();
    await client.create({ metadata: { name: 'a' }, data: { state: 'begun' } });
    const waiting = informer.waitUntil('default/a', isDone);
    await informer.waitFor(await client.patch('a', { data: { state: 'done' } }));
    await client.patch('a', { data: { state: 'undone' } });
    expect((await waiting)?.data).toEqual({ state: 'done' });
  });

  it('takes an object for absent only when that is known, and one of another uid for a deletion', async () => {
    await using scene = await setup();
    const { factory, informer, client } = scene;
    await client.create({ metadata: { name: 'a' } });
    let isGone = false;
    const waiting = informer.waitUntil('default/a', deleted).then(() => {
      isGone = true;
    });
    const absent = informer.waitUntil('default/never', deleted);
    factory.start();
    await factory.waitForCacheSync();
    expect(await absent).toBeUndefined();
    expect(isGone).toBe(false);
    await client.delete('a');
    await client.create({ metadata: { name: 'a' } });
    await waiting;
  });

  it('rejects with what the predicate throws, and when it answers later', async () => {
    await using scene = await setup();
    const { factory, informer, client } = scene;
    factory.start();
    await factory.waitForCacheSync();
    const waiting = informer.waitUntil('default/a', (object) => {
      if (object) throw new Error('of the user');
      return false;
    });
    const failed = expect(waiting).rejects.toThrow('of the user');
    await client.create({ metadata: { name: 'a' } });
    await failed;
    const late = informer.waitUntil('default/a', (async () => true) as unknown as () => boolean);
    await expect(late).rejects.toThrow('returned a promise');
    await expect(informer.waitUntil('default/a', undefined as never)).rejects.toThrow('needs a predicate');
  });

  it('ends by the timeout, which says how things are, by the signal, and with the informer', async () => {
    await using scene = await setup();
    const clock = new FakeClock();
    const factory = new SharedInformerFactory(scene.cluster, { clock });
    const informer = factory.for(configMaps).informer();
    factory.start();
    await until(
      () => informer.hasSynced(),
      () => clock.advance(10),
    );
    const late = expect(informer.waitUntil('default/a', isDone, { timeoutMs: 5_000 })).rejects.toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining(
        'default/a did not meet isDone when 5000 ms passed: the cache does not have it; configmaps.v1: it is watching',
      ),
    });
    await clock.advance(5_000);
    await late;
    const stop = new AbortController();
    const aborted = expect(informer.waitUntil('default/a', isDone, { signal: stop.signal })).rejects.toThrow('enough');
    stop.abort(new Error('enough'));
    await aborted;
    const stopped = expect(informer.waitUntil('default/a', isDone)).rejects.toMatchObject({ kind: 'stopped' });
    await factory.shutdown();
    await stopped;
    await expect(informer.waitUntil('default/a', isDone)).rejects.toMatchObject({ kind: 'stopped' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('is a TypeError for a key that the informer never holds', async () => {
    await using scene = await setup();
    const factory = new SharedInformerFactory(scene.cluster, { namespace: 'default' });
    await expect(factory.for(configMaps).informer().waitUntil('a', isDone)).rejects.toThrow(
      'the key is namespace/name',
    );
    await expect(factory.for(configMaps).informer().waitUntil('b/a', isDone)).rejects.toThrow('it watches default');
    await expect(factory.for(configMaps).informer().waitUntil('a/b/c', isDone)).rejects.toThrow('is not a key');
    const nodeInformer = factory.for(nodes).informer();
    factory.start();
    expect(await nodeInformer.waitUntil('node-1', deleted)).toBeUndefined();
    await factory.shutdown();
  });

  it('of a selection takes what is not selected for absent', async () => {
    await using scene = await setup();
    const { factory, client } = scene;
    const web = factory.for(configMaps).select({ labelSelector: 'app=web', namespace: 'default' });
    factory.start();
    await factory.waitForCacheSync();
    await client.create({ metadata: { name: 'a', labels: { app: 'web' } } });
    await web.waitUntil('default/a', (object) => object !== undefined);
    const waiting = web.waitUntil('default/a', deleted);
    await client.patch('a', { metadata: { labels: { app: 'db' } } });
    expect(await waiting).toBeUndefined();
    await expect(web.waitUntil('other/a', deleted)).rejects.toThrow('not in namespace default');
  });

  it('gives the type that its condition promises', () => {
    const factory = undefined as unknown as SharedInformerFactory;
    const typed = () => factory.for(deployments).informer().waitUntil('default/web', deploymentAvailable);
    const general = () => factory.for(deployments).informer().waitUntil('default/web', conditionTrue('Progressing'));
    const gone = () => factory.for(deployments).informer().waitUntil('default/web', deleted);
    const own = () =>
      factory
        .for(deployments)
        .informer()
        .waitUntil('default/web', (object) => object?.spec?.replicas === 3);
    expectTypeOf(typed).returns.resolves.toEqualTypeOf<Stored<Deployment>>();
    expectTypeOf(general).returns.resolves.toEqualTypeOf<Stored<Deployment>>();
    expectTypeOf(gone).returns.resolves.toEqualTypeOf<undefined>();
    expectTypeOf(own).returns.resolves.toEqualTypeOf<Stored<Deployment> | undefined>();
  });
});

describe('a condition', () => {
  const meta = { metadata: { name: 'x', generation: 2 } };
  const having = (type: string, status: string, more = {}) => ({
    ...meta,
    status: {
      conditions: [
        { type: 'Other', status: 'False' },
        { type, status, ...more },
      ],
    },
  });

  it.each([
    ['deploymentAvailable', deploymentAvailable, 'Available'],
    ['jobComplete', jobComplete, 'Complete'],
    ['podReady', podReady, 'Ready'],
    ['crdEstablished', crdEstablished, 'Established'],
    ['conditionTrue', conditionTrue('Ready'), 'ready'],
  ])('%s is met by status True of its type', (_name, given, type) => {
    const condition = given as (object: object | undefined) => boolean;
    expect(condition(having(type, 'True'))).toBe(true);
    expect(condition(having(type, 'False'))).toBe(false);
    expect(condition(having('Foreign', 'True'))).toBe(false);
    expect(condition(meta)).toBe(false);
    expect(condition({ ...meta, status: { conditions: null } })).toBe(false);
    expect(condition(undefined)).toBe(false);
  });

  it('is not met by what was said of an earlier generation', () => {
    const condition = conditionTrue('Ready') as (object: object) => boolean;
    expect(condition(having('Ready', 'True', { observedGeneration: 1 }))).toBe(false);
    expect(condition(having('Ready', 'True', { observedGeneration: 2 }))).toBe(true);
    const stale = having('Ready', 'True');
    expect(condition({ ...stale, status: { ...stale.status, observedGeneration: 1 } })).toBe(false);
  });

  it('deleted is met by nothing alone', () => {
    expect([deleted(undefined), deleted({ metadata: { deletionTimestamp: 'now' } })]).toEqual([true, false]);
  });

  it('can be waited for on the server', async () => {
    await using fixture = await clusterFixture();
    const spec = { containers: [{ name: 'web', image: 'web' }] };
    const client = fixture.admin.client(pods);
    await client.create({ metadata: { name: 'web' }, spec });
    const waiting = fixture.cluster.client(pods).waitUntil('web', podReady);
    await client.patch(
      'web',
      { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      { subresource: 'status' },
    );
    expect((await waiting).metadata.name).toBe('web');
  });
});
