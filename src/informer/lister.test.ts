import { describe, expect, it } from 'vitest';
import { configMaps, nodes } from '../generated/api/core/v1.ts';
import { clusterFixture } from './cluster-fixture.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

async function setup() {
  const fixture = await clusterFixture();
  await fixture.admin.client(configMaps).create({ metadata: { name: 'web-0', labels: { app: 'web' } } });
  await fixture.admin.client(nodes).create({ metadata: { name: 'node-1' } });
  const factory = new SharedInformerFactory(fixture.cluster);
  const listers = {
    namespaced: factory.for(configMaps).lister(),
    selected: factory.for(configMaps).select({ labelSelector: 'app=web' }).lister(),
    clusterScoped: factory.for(nodes).lister(),
  };
  factory.start();
  await factory.waitForCacheSync();
  return {
    ...listers,
    async [Symbol.asyncDispose]() {
      await factory.shutdown();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

describe('get of a lister', () => {
  it('finds by namespace and name where objects have a namespace, and by name where they have none', async () => {
    await using scene = await setup();
    const { namespaced, selected, clusterScoped } = scene;
    expect(namespaced.get('default/web-0')?.metadata.name).toBe('web-0');
    expect(namespaced.namespace('default').get('web-0')?.metadata.name).toBe('web-0');
    expect(selected.get('default/web-0')?.metadata.name).toBe('web-0');
    expect(clusterScoped.get('node-1')?.metadata.name).toBe('node-1');
    for (const lister of [namespaced, selected]) expect(lister.get('default/nobody')).toBeUndefined();
    expect(clusterScoped.get('nobody')).toBeUndefined();
  });

  it.each(['web-0', '', '/web-0', undefined as unknown as string])(
    'says that the name %o alone can never find an object that has a namespace',
    async (name) => {
      await using scene = await setup();
      const said = `configmaps.v1 never holds "${name}": its objects have a namespace, so the key is namespace/name`;
      for (const lister of [scene.namespaced, scene.selected])
        expect(() => lister.get(name)).toThrow(new TypeError(said));
    },
  );

  it('takes any key where the scope is for the server to say', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    const lister = factory.forResource({ group: 'example.com', version: 'v1', resource: 'widgets' }).lister();
    expect(lister.get('nobody')).toBeUndefined();
  });
});

describe('namespace of a lister', () => {
  it('is never all of them by mistake', async () => {
    await using scene = await setup();
    expect(scene.namespaced.namespace('').list()).toHaveLength(1);
    for (const lister of [scene.namespaced, scene.selected]) {
      expect(() => lister.namespace(undefined as unknown as string)).toThrow(
        new TypeError('namespace of a lister needs a name, and got undefined: list() is for all of them'),
      );
    }
  });
});
