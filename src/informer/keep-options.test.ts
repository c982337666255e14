import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineResource } from '../api/resource.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { customResourceDefinitions } from '../generated/api/apiextensions/v1.ts';
import { configMaps, namespaces, nodes, type Pod, pods } from '../generated/api/core/v1.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';
import { DerivedInformer } from './derived-informer.ts';
import { SharedInformerFactory, type SharedInformerFactoryOptions } from './shared-informer-factory.ts';
import { wireFixture } from './wire-fixture.ts';

const encodings = ['protobuf', 'json'] as const;
const POLL = { timeout: 50_000, interval: 5 };
const web = {
  name: 'web',
  nodeName: 'node-1',
  labels: { app: 'web' },
  annotations: { note: 'n', 'example.com/size': '1' },
};

describe.each(encodings)('the objects of an informer, from a server that sends %s', (encoding) => {
  it('are asked for in protobuf first, and in JSON alone when that is wanted', async () => {
    const { server, informer, start } = wireFixture(encoding);
    await start();
    expect([...server.accepts]).toEqual([
      'application/vnd.kubernetes.protobuf,application/json',
      'application/vnd.kubernetes.protobuf;stream=watch,application/json',
    ]);
    await informer.stop();
    const plain = wireFixture(encoding, { encoding: 'json' });
    await plain.start();
    expect([...plain.server.accepts].join()).not.toContain('protobuf');
    await plain.informer.stop();
  });

  it('belong to their reader: what one read changes, no other read sees', async () => {
    const { server, informer, start } = wireFixture(encoding);
    server.set(web);
    await start();
    const lister = informer.lister();
    const [first, second] = [lister.get('default/web'), lister.get('default/web')];
    expect(first).toEqual(second);
    if (first?.metadata?.labels) first.metadata.labels.app = 'changed';
    if (first?.spec) first.spec.nodeName = 'changed';
    for (const read of [
      second,
      lister.get('default/web'),
      lister.list('app=web')[0],
      informer.store.list()[0],
      informer.indexer.getByKey('default/web'),
    ]) {
      expect([read?.metadata?.labels, read?.spec?.nodeName]).toEqual([{ app: 'web' }, 'node-1']);
    }
    await informer.stop();
  });

  it('are one object for the handlers of one event', async () => {
    const { server, informer, start } = wireFixture(encoding);
    const heard: Pod[] = [];
    for (let n = 0; n < 2; n++) informer.addEventHandler({ onAdd: (pod) => void heard.push(pod) });
    server.set(web);
    await start();
    expect(heard[0]?.metadata?.name).toBe('web');
    expect(heard[1]).toBe(heard[0]);
    expect(informer.lister().get('default/web')).not.toBe(heard[0]);
    await informer.stop();
  });

  it('are one object for all in a plain store', async () => {
    const { server, informer, start } = wireFixture(encoding, { store: 'plain' });
    const heard: Pod[] = [];
    informer.addEventHandler({ onAdd: (pod) => void heard.push(pod) });
    server.set(web);
    await start();
    expect(informer.lister().get('default/web')).toBe(heard[0]);
    expect(heard[0]).toMatchObject({ kind: 'Pod', apiVersion: 'v1', spec: { nodeName: 'node-1' } });
    expect(informer.memory).toEqual({ objects: 1 });
    await informer.stop();
  });

  it.each(['packed', 'shared', 'plain'] as const)('are kept as far as the options of a %s store say', async (store) => {
    const kept = async (options: Parameters<typeof wireFixture>[1]) => {
      const { server, informer, start, settle } = wireFixture(encoding, { store, ...options });
      server.set(web);
      await start();
      const listed = informer.lister().get('default/web');
      server.set(web);
      await settle();
      const watched = informer.lister().get('default/web');
      await informer.stop();
      expect({ ...watched?.metadata, resourceVersion: '1' }).toEqual({ ...listed?.metadata });
      return watched;
    };
    expect((await kept({}))?.metadata?.managedFields).toBeUndefined();
    expect((await kept({ managedFields: 'keep' }))?.metadata?.managedFields?.[0]?.manager).toBe('kubectl');
    const dropped = await kept({
      drop: ['metadata.annotations.note', 'spec.containers.*.image', 'spec.overhead'],
    });
    expect(dropped?.metadata?.annotations).toEqual({ 'example.com/size': '1' });
    expect(dropped?.spec).toMatchObject({ nodeName: 'node-1', containers: [{ name: 'main' }] });
    expect(dropped?.spec?.containers[0]).not.toHaveProperty('image', 'web:1');
    const some = await kept({ keep: ['spec', 'metadata.labels'], drop: ['spec.containers'] });
    expect(some).toMatchObject({ kind: 'Pod', metadata: { name: 'web', uid: 'uid-web', labels: { app: 'web' } } });
    expect(some?.spec?.nodeName).toBe('node-1');
    expect(some?.metadata).not.toHaveProperty('annotations');
    expect(some?.status?.phase).toBeUndefined();
  });

  it('fail their list when one is larger than allowed, and the error says so', async () => {
    const { server, informer, reports, start } = wireFixture(encoding, { maxObjectBytes: 1_000 });
    server.set({ ...web, annotations: { note: 'n'.repeat(2_000) } });
    await start();
    expect(informer.state.phase).toBe('backoff');
    expect(reports[0]?.error).toMatchObject({ name: 'DecodeError', kind: 'tooLarge' });
    await informer.stop();
  });

  it('are counted, with the memory that they take', async () => {
    const gauges = new Map<string, number>();
    const nothing = { add: () => {}, observe: () => {} };
    const { server, informer, start } = wireFixture(encoding, {
      metrics: {
        counter: () => nothing,
        histogram: () => nothing,
        gauge: ({ name }) => ({ set: (value, labels) => void gauges.set(`${name} ${labels?.name}`, value) }),
      },
    });
    expect(informer.memory).toEqual({ objects: 0, heldBytes: 0, liveBytes: 0, wholeBytes: 0 });
    for (let n = 0; n < 50; n++) server.set({ ...web, name: `web-${n}` });
    await start();
    // The gauges move when the queue has run dry, however many turns that takes.
    const shown = () => gauges.get('tidewatch_store_objects pods.v1');
    await expect.poll(shown, POLL).toBe(50);
    const { objects, heldBytes = 0, liveBytes = 0 } = informer.memory;
    expect(objects).toBe(50);
    expect(liveBytes).toBeGreaterThan(50 * 40);
    expect(heldBytes).toBeGreaterThanOrEqual(liveBytes);
    expect(Object.fromEntries(gauges)).toMatchObject({
      'tidewatch_store_objects pods.v1': 50,
      'tidewatch_store_held_bytes pods.v1': heldBytes,
      'tidewatch_store_live_bytes pods.v1': liveBytes,
    });
    for (let n = 0; n < 50; n++) server.remove({ name: `web-${n}` });
    await expect.poll(shown, POLL).toBe(0);
    expect(informer.memory).toMatchObject({ objects: 0, liveBytes: 0 });
    await informer.stop();
  });

  it('are found by index functions, index paths, labels and fields', async () => {
    const { server, informer, start, settle } = wireFixture(encoding, {
      indexers: { image: (pod) => pod.spec?.containers.map(({ image = '' }) => image) ?? [], node: 'spec.nodeName' },
    });
    server.set(web);
    server.set({ ...web, name: 'db', nodeName: 'node-2', labels: { app: 'db' } });
    await start();
    const { indexer } = informer;
    expect(indexer.indexKeys('image', 'db:1')).toEqual(['default/db']);
    expect(indexer.indexKeys('node', 'node-1')).toEqual(['default/web']);
    expect(informer.lister().list('app in (db)')).toMatchObject([{ metadata: { name: 'db' } }]);
    const onNode = new DerivedInformer(informer, { fieldSelector: 'spec.nodeName=node-2,status.phase=Running' });
    const heard: string[] = [];
    onNode.addEventHandler({
      onAdd: ({ metadata }) => void heard.push(`add ${metadata?.name}`),
      onDelete: ({ metadata }) => void heard.push(`delete ${metadata?.name}`),
    });
    expect(onNode.store.listKeys()).toEqual(['default/db']);
    server.set({ ...web, nodeName: 'node-2' });
    server.set({ ...web, name: 'db', nodeName: 'node-1' });
    await settle();
    expect(heard).toEqual(['add db', 'add web', 'delete db']);
    expect(indexer.indexKeys('node', 'node-2')).toEqual(['default/web']);
    expect(onNode.lister().list()).toMatchObject([{ metadata: { name: 'web' }, spec: { nodeName: 'node-2' } }]);
    await informer.stop();
  });

  it('are not decoded for index paths and field selectors', async () => {
    const { server, informer, reports, start } = wireFixture(encoding, { indexers: { node: 'spec.nodeName' } });
    server.set({ ...web, hasDamagedContainer: true });
    await start();
    expect(informer.indexer.indexKeys('node', 'node-1')).toEqual(['default/web']);
    const onNode = new DerivedInformer(informer, { fieldSelector: 'spec.nodeName=node-1' });
    expect(onNode.lister().list()).toMatchObject([{ metadata: { name: 'web' } }]);
    expect(onNode.store.listKeys()).toEqual(['default/web']);
    expect(reports).toEqual([]);
    expect(() => onNode.lister().list()[0]?.spec).toThrow('default/web');
    await informer.stop();
  });
});

describe.each(encodings)('a transform in a packed store, from a server that sends %s', (encoding) => {
  it('has what it returns packed again, with the identity kept', async () => {
    const seen: unknown[] = [];
    const { server, informer, start, settle } = wireFixture(encoding, {
      indexers: { size: 'metadata.annotations.size' },
      transform: (pod) => {
        seen.push(pod.spec?.nodeName);
        return {
          spec: pod.spec,
          metadata: { name: 'other', labels: { kept: 'yes' }, annotations: { size: '3' } },
        } as Pod;
      },
    });
    server.set(web);
    await start();
    const view = informer.lister().get('default/web');
    expect(view).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: {
        name: 'web',
        namespace: 'default',
        uid: 'uid-web',
        resourceVersion: '1',
        labels: { kept: 'yes' },
        annotations: { size: '3' },
      },
      spec: expect.objectContaining({ nodeName: 'node-1' }),
    });
    expect(informer.lister().list('kept=yes')).toHaveLength(1);
    expect(informer.indexer.indexKeys('size', '3')).toEqual(['default/web']);
    expect(informer.memory.liveBytes).toBeGreaterThan(0);
    if (view?.spec) view.spec.nodeName = 'changed';
    expect(informer.lister().get('default/web')?.spec?.nodeName).toBe('node-1');
    server.set({ ...web, nodeName: 'node-2' });
    await settle();
    expect(informer.lister().get('default/web')?.spec?.nodeName).toBe('node-2');
    expect(seen).toEqual(['node-1', 'node-2']);
    server.remove(web);
    await settle();
    expect(informer.memory).toMatchObject({ objects: 0, liveBytes: 0 });
    await informer.stop();
  });

  it('may change its argument', async () => {
    const { server, informer, start } = wireFixture(encoding, {
      transform: (pod) => {
        delete pod.metadata?.annotations;
        if (pod.spec) pod.spec.nodeName = 'secret';
        return pod;
      },
    });
    server.set(web);
    await start();
    const view = informer.lister().get('default/web');
    expect(view?.metadata).not.toHaveProperty('annotations');
    expect(view?.spec).toMatchObject({ nodeName: 'secret', containers: [{ image: 'web:1' }] });
    await informer.stop();
  });

  it('leaves out what cannot be written as JSON', async () => {
    const { server, informer, start, settle } = wireFixture(encoding, {
      transform: (pod) => (pod.metadata?.name === 'web' ? ({ ...pod, spec: { size: 1n } } as unknown as Pod) : pod),
    });
    server.set(web);
    server.set({ name: 'db' });
    await start();
    await settle(10_000);
    expect(informer.store.listKeys()).toEqual(['default/db']);
    expect(informer.state.leftOut).toMatchObject([
      {
        key: 'default/web',
        reason: expect.stringContaining('what the transform returned for default/web cannot be kept'),
      },
    ]);
    await informer.stop();
  });
});

describe('detectMutations with a packed store', () => {
  it('reports what a handler changes, for others share it, and not what a reader changes of its own', async () => {
    const { server, informer, logger, start, settle } = wireFixture('protobuf', { detectMutations: true });
    informer.addEventHandler({
      onAdd: (pod) => {
        if (pod.metadata?.name === 'db' && pod.spec) pod.spec.nodeName = 'changed';
      },
    });
    server.set(web);
    server.set({ name: 'db', nodeName: 'node-2' });
    await start();
    const read = informer.lister().get('default/web');
    if (read?.spec) read.spec.nodeName = 'changed';
    await settle(3_000);
    expect(logger.lines).toEqual([expect.stringContaining('default/db was changed by a reader at spec.nodeName')]);
    await informer.stop();
  });
});

describe('the options of a factory', () => {
  let server: ApiServer;
  let cluster: Cluster;
  let factory: SharedInformerFactory;

  beforeEach(async () => {
    server = await ApiServer.start({ listen: false, logger: silentLogger });
    cluster = server.cluster();
    await cluster.client(pods).create({
      metadata: { name: 'web', labels: { app: 'web' }, annotations: { note: 'n' } },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
    });
    await cluster.client(configMaps).create({
      metadata: { name: 'settings', annotations: { note: 'n' } },
      data: { color: 'red', size: '1' },
    });
    await cluster.client(nodes).create({ metadata: { name: 'node-1' } });
  });

  afterEach(async () => {
    await factory.shutdown();
    await cluster.close();
    await server.stop();
  });

  async function started(options: SharedInformerFactoryOptions) {
    factory = new SharedInformerFactory(cluster, { logger: silentLogger, ...options });
    const listers = {
      pods: factory.for(pods).lister(),
      configMaps: factory.for(configMaps).lister(),
      nodes: factory.for(nodes).lister(),
      metadata: factory.forMetadata(pods).lister(),
    };
    factory.start();
    await factory.waitForCacheSync({ timeoutMs: 10_000 });
    return listers;
  }

  it.each(['packed', 'shared', 'plain'] as const)(
    'hold for every resource, whatever its kind has, in a %s store',
    async (store) => {
      const listers = await started({
        store,
        drop: ['metadata.annotations', 'spec.containers.*.image', 'data.color'],
        managedFields: 'keep',
      });
      const [pod, configMap] = [listers.pods.get('default/web'), listers.configMaps.get('default/settings')];
      expect(pod?.metadata).not.toHaveProperty('annotations');
      expect(pod?.metadata?.managedFields).toBeDefined();
      expect(pod?.spec?.containers[0]).toMatchObject({ name: 'main' });
      expect(pod?.spec?.containers[0]).not.toHaveProperty('image');
      expect(configMap?.data).toEqual({ size: '1' });
      expect(listers.nodes.get('node-1')?.kind).toBe('Node');
      expect(listers.metadata.get('default/web')).toMatchObject({ kind: 'PartialObjectMetadata' });
      expect(listers.metadata.get('default/web')?.metadata).not.toHaveProperty('annotations');
      expect(Object.is(pod, listers.pods.get('default/web'))).toBe(store === 'plain');
      const { heldBytes } = factory.for(pods).informer().memory;
      expect(heldBytes === undefined).toBe(store === 'plain');
    },
  );

  it('hold for each of several namespaces, whose memory is counted together', async () => {
    for (const namespace of ['one', 'two']) {
      await cluster.client(namespaces).create({ metadata: { name: namespace } });
      await cluster
        .client(configMaps)
        .create({ metadata: { name: 'settings', namespace }, data: { color: 'red', size: '1' } });
    }
    const liveBytes = async (namespace: string | readonly string[]) => {
      await factory?.shutdown();
      factory = new SharedInformerFactory(cluster, { logger: silentLogger, namespace, drop: ['data.color'] });
      const informer = factory.for(configMaps).informer();
      factory.start();
      await factory.waitForCacheSync({ timeoutMs: 10_000 });
      for (const { data } of informer.store.list()) expect(data).toEqual({ size: '1' });
      return informer.memory.liveBytes ?? 0;
    };
    const [both, one, two] = [await liveBytes(['one', 'two']), await liveBytes('one'), await liveBytes('two')];
    expect(one).toBeGreaterThan(0);
    expect(both).toBe(one + two);
  });

  it('refuse a path that cannot be followed, when the factory is made', () => {
    expect(() => new SharedInformerFactory(cluster, { drop: ['spec..image'] })).toThrow('spec..image');
  });

  it('hold for custom resources, which are packed as JSON', async () => {
    const widgets = defineResource<{ metadata?: object; spec?: { size: number; note?: string } }>({
      group: 'example.com',
      version: 'v1',
      plural: 'widgets',
      kind: 'Widget',
    });
    await cluster.client(customResourceDefinitions).create({
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    });
    const created = await cluster.client(widgets).create({ metadata: { name: 'a' }, spec: { size: 1, note: 'n' } });
    factory = new SharedInformerFactory(cluster, { logger: silentLogger, drop: ['spec.note'] });
    const informer = factory.for(widgets).informer();
    factory.start();
    await factory.waitForCacheSync({ timeoutMs: 10_000 });
    await informer.waitFor(created);
    const widget = informer.store.getByKey('default/a');
    expect(widget).toMatchObject({ kind: 'Widget', apiVersion: 'example.com/v1', spec: { size: 1 } });
    expect(widget?.spec).toEqual({ size: 1 });
    expect(informer.memory.liveBytes).toBeGreaterThan(0);
  });
});
