import { describe, expect, it } from 'vitest';
import { configMaps, nodes } from '../generated/api/core/v1.ts';
import { clusterFixture, until } from './cluster-fixture.ts';
import { ScriptedSource } from './informer-fixture.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

const leaveOut = 'leave namespace out';

describe('the namespaces of a factory, an informer and a selection', () => {
  it.each([
    [[], leaveOut],
    ['', leaveOut],
    [['default', ''], leaveOut],
    ['..', 'cannot be the name of a namespace'],
    ['.', 'cannot be the name of a namespace'],
    ['a/../../nodes', 'cannot be the name of a namespace'],
    ['a%2f..', 'cannot be the name of a namespace'],
    ['a?watch=1', 'cannot be the name of a namespace'],
    ['Default', 'cannot be the name of a namespace'],
    ['-a', 'cannot be the name of a namespace'],
    ['a-', 'cannot be the name of a namespace'],
    ['a.b', 'cannot be the name of a namespace'],
    ['a'.repeat(64), 'cannot be the name of a namespace'],
    [['default', '..'], 'cannot be the name of a namespace'],
    [null as unknown as string, 'cannot be the name of a namespace'],
    [[undefined as unknown as string], 'cannot be the name of a namespace'],
  ])('refuse %j before any request', async (namespace, message) => {
    await using fixture = await clusterFixture();
    const { cluster } = fixture;
    const attempts = [
      () => new SharedInformerFactory(cluster, { namespace }),
      () => new SharedIndexInformer({ cluster, resource: configMaps, namespace }),
      () => new SharedIndexInformer({ cluster, resource: nodes, namespace }),
    ];
    if (!Array.isArray(namespace)) {
      const all = new SharedInformerFactory(cluster).for(configMaps);
      attempts.push(() => all.select({ namespace }) as never);
    }
    for (const attempt of attempts) {
      expect(attempt).toThrow(TypeError);
      expect(attempt).toThrow(message);
    }
    expect(fixture.requests).toEqual([]);
  });

  it('are refused beside a listWatch, which they could not limit', () => {
    const listWatch = new ScriptedSource().listWatch;
    for (const namespace of ['default', '', []]) {
      expect(() => new SharedIndexInformer({ listWatch, namespace })).toThrow(/namespace has no effect/);
    }
  });

  it('are all of them when unset', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    factory.for(configMaps).informer();
    factory.start();
    await factory.waitForCacheSync();
    expect(fixture.requests).toContain('GET /api/v1/configmaps');
    await factory.shutdown();
  });
});

describe('waitFor an object outside of the namespaces that are watched', () => {
  it('is a TypeError at once, also when the informer is far behind or was never started', async () => {
    await using fixture = await clusterFixture();
    await fixture.createNamespace('other');
    const elsewhere = await fixture.createConfigMap('a', 'other');
    const nowhere = { metadata: { name: 'node-1', resourceVersion: '1' } };
    for (const namespace of ['default', ['default', 'third']]) {
      const factory = new SharedInformerFactory(fixture.cluster, { namespace });
      const informer = factory.for(configMaps).informer();
      const message = 'configmaps.v1 never holds a, which is in namespace other: it watches default';
      await expect(informer.waitFor(elsewhere)).rejects.toThrow(TypeError);
      factory.start();
      await factory.waitForCacheSync();
      await expect(informer.waitFor(elsewhere)).rejects.toThrow(message);
      await expect(informer.waitFor(nowhere)).rejects.toThrow('which has no namespace');
      await informer.waitFor(await fixture.createConfigMap(`inside-${namespace.length}`));
      await factory.shutdown();
    }
  });

  it('is a TypeError for a selection by namespace, too', async () => {
    await using fixture = await clusterFixture();
    await fixture.createNamespace('other');
    const factory = new SharedInformerFactory(fixture.cluster);
    const selection = factory.for(configMaps).select({ namespace: 'default' });
    factory.start();
    await until(() => selection.hasSynced());
    await expect(selection.waitFor(await fixture.createConfigMap('a', 'other'))).rejects.toThrow(TypeError);
    const inside = await fixture.createConfigMap('b');
    await selection.waitFor(inside);
    await selection.waitFor(inside.metadata?.resourceVersion ?? '');
    expect(selection.store.listKeys()).toContain('default/b');
    await factory.shutdown();
  });
});
