import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import type { Stored } from '../api/metadata.ts';
import { defineResource, type Resource } from '../api/resource.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { deployments } from '../generated/api/apps/v1.ts';
import { configMaps, namespaces, nodes, type Pod, pods } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';
import { SharedInformerFactory, type SharedInformerFactoryOptions } from './shared-informer-factory.ts';

let server: ApiServer;
let cluster: Cluster;
let factory: SharedInformerFactory;

beforeEach(async () => {
  server = await ApiServer.start({ listen: false, logger: silentLogger });
  cluster = server.cluster();
});

afterEach(async () => {
  await factory.shutdown();
  await cluster.close();
  await server.stop();
});

function newFactory(options: SharedInformerFactoryOptions = {}): SharedInformerFactory {
  factory = new SharedInformerFactory(cluster, { logger: silentLogger, ...options });
  return factory;
}

const createPod = (name: string, namespace = 'default', labels: Record<string, string> = {}, nodeName?: string) =>
  cluster.client(pods).create({
    metadata: { name, namespace, labels },
    spec: { containers: [{ name: 'main', image: 'main' }], ...(nodeName !== undefined && { nodeName }) },
  });
const createConfigMap = (name: string, namespace = 'default', labels: Record<string, string> = {}) =>
  cluster.client(configMaps).create({ metadata: { name, namespace, labels } });
const createNamespace = (name: string) => cluster.client(namespaces).create({ metadata: { name } });
const names = (objects: { metadata?: { name?: string } }[]) => objects.map(({ metadata }) => metadata?.name).sort();

describe('SharedInformerFactory', () => {
  it('makes one informer for each type, however it is asked for', () => {
    newFactory();
    const informer = factory.for(pods).informer();
    expect(factory.core.v1.pods().informer()).toBe(informer);
    expect(factory.forResource({ group: '', version: 'v1', resource: 'pods' }).informer()).toBe(informer);
    expect(factory.apps.v1.deployments().informer()).not.toBe(informer);
    expectTypeOf(factory.core.v1.pods().lister().list).returns.toEqualTypeOf<Stored<Pod>[]>();
  });

  it('has an accessor for every built-in group and version', () => {
    newFactory();
    expect(factory.networking.v1.networkPolicies().resource.plural).toBe('networkpolicies');
    expect(factory.storage.v1.csiDrivers().resource.kind).toBe('CSIDriver');
    expect(factory.rbac.v1.clusterRoles().resource.namespaced).toBe(false);
  });

  it('starts what has been asked for, and later what was added since', async () => {
    newFactory();
    await createPod('a');
    factory.for(pods).informer();
    factory.start();
    factory.start();
    expect((await factory.waitForCacheSync()).get(pods)).toBe(true);
    factory.for(configMaps).lister();
    factory.start();
    await factory.waitForCacheSync();
    await createConfigMap('c');
    const synced = await factory.waitForCacheSync();
    expect([synced.get(pods), synced.get(configMaps), synced.size]).toEqual([true, true, 2]);
    expect(server.openWatches).toBe(2);
  });

  it('limits namespaced resources to its namespace', async () => {
    newFactory({ namespace: 'default' });
    await createNamespace('other');
    await createPod('a');
    await createPod('b', 'other');
    const [podInformer, namespaceInformer] = [factory.for(pods), factory.for(namespaces)];
    podInformer.informer();
    namespaceInformer.informer();
    factory.start();
    await factory.waitForCacheSync();
    expect(names(podInformer.lister().list())).toEqual(['a']);
    expect(names(namespaceInformer.lister().list())).toContain('other');
  });

  it('watches several namespaces in one informer, and a list of one says nothing of the others', async () => {
    await createNamespace('one');
    await createNamespace('two');
    await createConfigMap('a', 'one');
    await createConfigMap('b', 'two');
    await createConfigMap('c', 'default');
    newFactory({ namespace: ['one', 'two'] });
    const { informer, lister } = {
      informer: factory.for(configMaps).informer(),
      lister: factory.for(configMaps).lister(),
    };
    const heard: string[] = [];
    informer.addEventHandler({ onDelete: ({ metadata }) => void heard.push(`delete ${metadata?.name}`) });
    factory.start();
    await factory.waitForCacheSync();
    expect(names(lister.list())).toEqual(['a', 'b']);
    server.compact();
    server.disconnectWatches();
    const written = await createConfigMap('d', 'two');
    await informer.waitFor(written, { timeoutMs: 10_000 });
    expect(names(lister.list())).toEqual(['a', 'b', 'd']);
    expect(names(lister.namespace('two').list())).toEqual(['b', 'd']);
    expect(heard).toEqual([]);
  });

  it('goes on in the other namespaces of an informer when one of them is forbidden, from the start or later', async () => {
    const clock = new FakeClock();
    await createNamespace('one');
    await createNamespace('two');
    await createConfigMap('a', 'one');
    await createConfigMap('b', 'two');
    const forbid = () =>
      server.access.deny({ verbs: ['list', 'watch'], resources: ['configmaps'], namespaces: ['one'] });
    const allow = forbid();
    newFactory({ namespace: ['one', 'two'], clock });
    const informer = factory.for(configMaps).informer();
    factory.start();
    await clock.advance(0);
    expect(informer.store.listKeys()).toEqual(['two/b']);
    expect(informer.state).toMatchObject({ phase: 'forbidden', lastError: { code: 403 } });
    expect(informer.hasSynced()).toBe(false);
    await createConfigMap('c', 'two');
    await clock.advance(0);
    expect(informer.store.listKeys()).toEqual(['two/b', 'two/c']);

    allow();
    await clock.advance(60_000);
    expect(informer.store.listKeys().sort()).toEqual(['one/a', 'two/b', 'two/c']);
    expect(informer.hasSynced()).toBe(true);
    expect(informer.state.phase).toBe('watching');

    forbid();
    server.disconnectWatches();
    await createConfigMap('d', 'one');
    await createConfigMap('e', 'two');
    await clock.advance(60_000);
    expect(informer.store.listKeys().sort()).toEqual(['one/a', 'two/b', 'two/c', 'two/e']);
    expect(informer.state.phase).toBe('forbidden');
  });

  it.each([[0], [3]])('leaves no timer when it stops right after it has synced, with %i objects', async (count) => {
    for (const name of ['a', 'b', 'c'].slice(0, count)) await createConfigMap(name);
    const clock = new FakeClock();
    newFactory({ clock });
    factory.for(configMaps).informer();
    const stop = new AbortController();
    factory.start({ signal: stop.signal });
    await factory.waitForCacheSync();
    stop.abort();
    await factory.shutdown();
    expect(clock.pendingTimers).toBe(0);
    expect(server.openWatches).toBe(0);
  });

  it('passes tweaked options to every list and watch, and transforms what comes', async () => {
    newFactory({
      tweakListOptions: (options) => {
        options.labelSelector = 'app=web';
      },
      transform: (object) => ({ ...object, metadata: { ...object.metadata, annotations: { seen: 'yes' } } }),
    });
    await createPod('a', 'default', { app: 'web' });
    await createPod('b', 'default', { app: 'db' });
    const lister = factory.for(pods).lister();
    factory.start();
    await factory.waitForCacheSync();
    expect(lister.list().map(({ metadata }) => [metadata?.name, metadata?.annotations])).toEqual([
      ['a', { seen: 'yes' }],
    ]);
  });

  it('has a resync period for each resource', () => {
    newFactory({ resyncMs: 60_000, customResyncMs: [[pods, 5_000]] });
    const made: Record<string, number> = {};
    for (const resource of [pods, nodes] as Resource[]) {
      factory.informerFor(resource, (connection, resyncMs) => {
        made[resource.plural] = resyncMs;
        return new SharedIndexInformer({ cluster: connection, resource, resyncMs });
      });
    }
    expect(made).toEqual({ pods: 5_000, nodes: 60_000 });
  });

  it('keeps only metadata when asked to', async () => {
    newFactory();
    await createPod('a', 'default', { app: 'web' });
    const lister = factory.forMetadata(pods).lister();
    factory.for(pods).informer();
    factory.start();
    await factory.waitForCacheSync();
    const [partial] = lister.list('app=web');
    expect(Object.keys(partial ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(partial?.kind).toBe('PartialObjectMetadata');
    expect(factory.for(pods).lister().list()[0]?.spec).toBeDefined();
  });

  it('names what did not sync when the time is up', async () => {
    newFactory();
    factory.for(pods).informer();
    factory.forResource({ group: 'extensions', version: 'v1beta1', resource: 'ingresses' }).informer();
    factory.start();
    await expect(factory.waitForCacheSync({ timeoutMs: 500 })).rejects.toMatchObject({
      kind: 'timeout',
      message: expect.stringMatching(
        /1 of 2 caches did not sync within 500 ms: ingresses.v1beta1.extensions \(gone: .*404/,
      ),
    });
    expect(
      factory.forResource({ group: 'extensions', version: 'v1beta1', resource: 'ingresses' }).informer().state.phase,
    ).toBe('gone');
  });

  it('says false for what did not sync before the signal', async () => {
    newFactory();
    factory.forResource({ group: 'example.com', version: 'v1', resource: 'nothings' }).informer();
    factory.start();
    const synced = await factory.waitForCacheSync({ signal: AbortSignal.timeout(50) });
    expect([...synced.values()]).toEqual([false]);
  });

  it('stops everything on shutdown, idempotently, and stays stopped', async () => {
    newFactory();
    const informer = factory.for(pods).informer();
    factory.start();
    await factory.waitForCacheSync();
    await Promise.all([factory.shutdown(), factory.shutdown()]);
    expect(informer.isStopped()).toBe(true);
    expect(server.openWatches).toBe(0);
    factory.for(deployments).informer();
    factory.start();
    expect(factory.for(deployments).informer().state.phase).toBe('stopped');
  });
});

describe('select', () => {
  it('shares one watch, and makes a delete of what leaves the selection', async () => {
    newFactory();
    await createPod('a', 'default', { app: 'web' }, 'node-1');
    await createPod('b', 'default', { app: 'db' }, 'node-2');
    const all = factory.for(pods);
    const web = all.select({ labelSelector: 'app=web' });
    const onNode = all.select({ fieldSelector: 'spec.nodeName=node-2', namespace: 'default' });
    const heard: string[] = [];
    const registration = web.addEventHandler({
      onAdd: ({ metadata }) => void heard.push(`add ${metadata?.name}`),
      onUpdate: (_old, { metadata }) => void heard.push(`update ${metadata?.name}`),
      onDelete: ({ metadata }) => void heard.push(`delete ${metadata?.name} ${metadata?.labels?.app}`),
    });
    factory.start();
    await factory.waitForCacheSync();
    await registration.synced;
    expect(server.openWatches).toBe(1);
    expect(names(web.lister().list())).toEqual(['a']);
    expect(names(onNode.store.list())).toEqual(['b']);
    expect(onNode.store.getByKey('default/a')).toBeUndefined();
    const client = cluster.client(pods);
    await client.patch('b', { metadata: { labels: { app: 'web' } } });
    await client.patch('a', { metadata: { annotations: { x: 'y' } } });
    const last = await client.patch('a', { metadata: { labels: { app: 'gone' } } });
    await web.waitFor(last);
    while (registration.pending > 0) await new Promise<void>((resolve) => setImmediate(resolve));
    expect(heard).toEqual(['add a', 'add b', 'update a', 'delete a web']);
    expect(names(web.store.list())).toEqual(['b']);
    expect(names(web.indexer.byIndex('namespace', 'default'))).toEqual(['b']);
  });
});

describe('a custom resource that comes and goes', () => {
  const widgets = defineResource({ group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget' });

  it('is gone until it exists', async () => {
    newFactory();
    const informer = factory.for(widgets).informer();
    factory.start();
    while (informer.state.phase !== 'gone') await new Promise((resolve) => setTimeout(resolve, 10));
    expect(informer.hasSynced()).toBe(false);
    expect(informer.state.lastError?.message).toContain('404');
  });
});
