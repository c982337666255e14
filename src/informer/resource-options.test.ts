import { describe, expect, it } from 'vitest';
import { LabelSelector } from '../api/label-selector.ts';
import type { Resource } from '../api/resource.ts';
import { SelectorError } from '../api/selector-error.ts';
import type { ApiServer } from '../apiserver/apiserver.ts';
import { type ConfigMap, configMaps, nodes, pods } from '../generated/api/core/v1.ts';
import { clusterFixture, names, until } from './cluster-fixture.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

const blank = (object: ConfigMap) => ({ ...object, data: {} });
const other = (object: ConfigMap) => object;

/** Nothing is heard of config maps with the label `app=slow`. */
function stallSlowOnes(server: ApiServer): void {
  server.faults.add(
    { resource: 'configmaps', where: ({ query }) => query.get('labelSelector') === 'app=slow' },
    { kind: 'stall' },
    { times: Number.POSITIVE_INFINITY },
  );
}

describe('the options of one informer of a factory', () => {
  it('mean the same informer when they are equal, and another one otherwise', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster, { namespace: ['default', 'other'] });
    const of = (options?: Parameters<typeof factory.for<ConfigMap>>[1]) => factory.for(configMaps, options).informer();
    const plain = of();
    expect(of({})).toBe(plain);
    expect(of({ labelSelector: undefined, drop: undefined })).toBe(plain);
    expect(of({ labelSelector: '' })).toBe(plain);
    expect(factory.core.v1.configMaps().informer()).toBe(plain);
    const web = of({ labelSelector: 'app=web' });
    expect(web).not.toBe(plain);
    expect(of({ labelSelector: 'app = web' })).toBe(web);
    expect(of({ labelSelector: LabelSelector.parse('app=web') })).toBe(web);
    expect(factory.core.v1.configMaps({ labelSelector: 'app=web' }).informer()).toBe(web);
    expect(of({ labelSelector: 'app=web', store: 'plain' })).not.toBe(web);
    expect(of({ drop: ['data', 'metadata.labels'] })).toBe(of({ drop: ['metadata.labels', 'data'] }));
    expect(of({ namespace: ['a', 'b', 'a'] })).toBe(of({ namespace: ['b', 'a'] }));
    expect(of({ namespace: 'a' })).toBe(of({ namespace: ['a'] }));
    expect(of({ namespace: ['default', 'other'] })).not.toBe(plain);
    expect(of({ transform: blank })).toBe(of({ transform: blank }));
    expect(of({ transform: blank })).not.toBe(of({ transform: other }));
    expect(of({ transform: (object) => object })).not.toBe(of({ transform: (object) => object }));
    expect(of({ resyncMs: 5_000 })).not.toBe(plain);
    expect(factory.forMetadata(configMaps, { labelSelector: 'app=web' }).informer()).not.toBe(web);
    expect(factory.for(nodes, { namespace: 'a' }).informer()).toBe(factory.for(nodes).informer());
    await factory.shutdown();
  });

  it('give it a name that no other one has, in logs and metrics', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    const nameOf = (options: Parameters<typeof factory.for<ConfigMap>>[1]) =>
      factory.for(configMaps, options).informer().name;
    expect(nameOf({})).toBe('configmaps.v1');
    expect(nameOf({ labelSelector: 'app=web', namespace: ['b', 'a'], store: 'plain' })).toBe(
      'configmaps.v1[a,b app=web store=plain]',
    );
    expect(nameOf({ transform: blank })).toBe('configmaps.v1[transform=blank]');
    const anonymous = [1, 2].map(() => nameOf({ transform: (object) => object }));
    expect(anonymous).toEqual(['configmaps.v1[transform]', 'configmaps.v1[transform]#2']);
    const named = ['web-0', 'web-1'].map((name) => nameOf({ fieldSelector: `metadata.name=${name}` }));
    expect(named).toEqual(['configmaps.v1[metadata.name=…]', 'configmaps.v1[metadata.name=…]#2']);
    const long = ['x', 'y'].map((end) => nameOf({ keep: [`data.${'k'.repeat(100)}${end}`] }));
    expect(new Set(long).size).toBe(2);
    const metadata = [{}, { labelSelector: 'app=web' }].map((options) => factory.forMetadata(configMaps, options));
    expect(metadata.map((handle) => handle.informer().name)).toEqual([
      'configmaps.v1[metadata]',
      'configmaps.v1[metadata app=web]',
    ]);
    await factory.shutdown();
  });

  it('limit what the server sends, what is kept and where it is looked for', async () => {
    await using fixture = await clusterFixture();
    await fixture.createNamespace('other');
    const client = fixture.admin.client(configMaps);
    await client.create({ metadata: { name: 'a', labels: { app: 'web' } }, data: { key: 'secret' } });
    await client.create({ metadata: { name: 'b', labels: { app: 'db' } }, data: { key: 'secret' } });
    await fixture.createConfigMap('c', 'other');
    const tweaked: [selectors: string, resource: Resource][] = [];
    const factory = new SharedInformerFactory(fixture.cluster, {
      tweakListOptions: ({ labelSelector = '', fieldSelector = '' }, resource) =>
        void tweaked.push([`${labelSelector}${fieldSelector}`, resource]),
    });
    const web = factory.for(configMaps, { labelSelector: 'app=web', drop: ['data'] });
    const named = factory.for(configMaps, { fieldSelector: 'metadata.name=b', transform: blank });
    const elsewhere = factory.for(configMaps, { namespace: 'other' });
    const listers = [web, named, elsewhere].map((handle) => handle.lister());
    factory.start();
    expect((await factory.waitForCacheSync()).get(configMaps)).toBe(true);
    expect(listers.map((lister) => names(lister.list()))).toEqual([['a'], ['b'], ['c']]);
    expect(listers[0]?.list()[0]?.data).toBeUndefined();
    expect(listers[1]?.list()[0]?.data).toEqual({});
    expect(new Set(tweaked.map(([selectors]) => selectors))).toEqual(new Set(['app=web', 'metadata.name=b', '']));
    expect(tweaked.every(([, resource]) => resource === configMaps)).toBe(true);
    expect(fixture.requests).toContain('GET /api/v1/namespaces/other/configmaps');
    await factory.shutdown();
  });

  it('select nothing where a selector was absent, and the server is told so', async () => {
    await using fixture = await clusterFixture();
    const client = fixture.cluster.client(configMaps);
    await client.create({ metadata: { name: 'a', namespace: 'default' } });
    const absent = LabelSelector.fromObject(undefined);
    const factory = new SharedInformerFactory(fixture.cluster);
    const none = factory.for(configMaps, { labelSelector: absent });
    expect(none.informer()).not.toBe(factory.for(configMaps).informer());
    factory.start();
    await factory.waitForCacheSync();
    expect(none.lister().list()).toEqual([]);
    await client.deleteCollection({ namespace: 'default', labelSelector: absent.toString() });
    expect((await client.list()).items).toHaveLength(1);
    await factory.shutdown();
  });

  it('are checked when they are given: selectors, namespaces and fields', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    expect(() => factory.for(pods, { labelSelector: 'a in' })).toThrow(SelectorError);
    expect(() => factory.for(pods, { fieldSelector: 'spec.nodeNam=a' })).toThrow(SelectorError);
    expect(() => factory.for(pods, { namespace: [] })).toThrow('leave namespace out');
    expect(() => factory.for(nodes, { namespace: '..' })).toThrow('cannot be the name of a namespace');
  });

  it('wait for all informers of a type before the type counts as synced', async () => {
    await using fixture = await clusterFixture();
    stallSlowOnes(fixture.server);
    const factory = new SharedInformerFactory(fixture.cluster);
    const fast = factory.for(configMaps).informer();
    factory.for(configMaps, { labelSelector: 'app=slow' }).informer();
    factory.start();
    const stop = new AbortController();
    const waiting = factory.waitForCacheSync({ signal: stop.signal });
    await fast.waitForSync();
    stop.abort();
    expect((await waiting).get(configMaps)).toBe(false);
    await factory.shutdown();
  });
});

describe('release', () => {
  it('stops one informer and forgets it; the same options then mean a new one', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    const web = factory.for(configMaps, { labelSelector: 'app=web' });
    const first = web.informer();
    const rest = factory.for(configMaps).informer();
    factory.start();
    await factory.waitForCacheSync();
    await factory.release(web);
    expect([first.isStopped(), rest.isStopped()]).toEqual([true, false]);
    await until(() => fixture.server.openWatches === 1);
    await factory.release(first);
    const second = factory.for(configMaps, { labelSelector: 'app=web' }).informer();
    expect(second).not.toBe(first);
    expect(second.name).toBe(first.name);
    await factory.release(second);
    expect([...(await factory.waitForCacheSync())]).toEqual([[configMaps, true]]);
    await factory.shutdown();
    await factory.release(rest);
  });

  it('of one that has not synced yet ends its waits with false, and nothing waits for it any more', async () => {
    await using fixture = await clusterFixture();
    stallSlowOnes(fixture.server);
    const factory = new SharedInformerFactory(fixture.cluster);
    factory.for(configMaps).informer();
    const slow = factory.for(configMaps, { labelSelector: 'app=slow' }).informer();
    factory.start();
    const waiting = factory.waitForCacheSync();
    const until404 = expect(slow.waitUntil('default/a', () => true)).rejects.toMatchObject({ kind: 'stopped' });
    await Promise.all([factory.release(slow), factory.release(slow)]);
    await until404;
    expect((await waiting).get(configMaps)).toBe(false);
    expect((await factory.waitForCacheSync()).get(configMaps)).toBe(true);
    expect(factory.informers().map(({ name }) => name)).toEqual(['configmaps.v1']);
    await factory.shutdown();
  });

  it('refuses what is not an informer of the factory, and selections', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    const foreign = new SharedInformerFactory(fixture.cluster).for(configMaps).informer();
    await expect(factory.release(foreign)).rejects.toThrow('not an informer of this factory');
    await expect(factory.release(undefined as never)).rejects.toThrow(TypeError);
    const selection = factory.for(configMaps).select({ labelSelector: 'a' });
    await expect(factory.release(selection as never)).rejects.toThrow('is a selection');
    await foreign.stop();
    await factory.shutdown();
  });

  it('of a handle of another factory makes no informer there', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    const other = new SharedInformerFactory(fixture.cluster);
    await expect(factory.release(other.for(configMaps))).rejects.toThrow('not an informer of this factory');
    expect(other.informers()).toEqual([]);
    expect(factory.informers()).toEqual([]);
  });
});
