import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/metadata.ts';
import { type ConfigMap, configMaps } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { clusterFixture, names, until } from './cluster-fixture.ts';
import type { InformerSettings } from './informer-options.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';
import { SharedInformerFactory, type SharedInformerFactoryOptions } from './shared-informer-factory.ts';

/** What a user may hand in, whatever the types say. */
const untyped = <T>(callback: (...args: never[]) => unknown): T => callback as T;

function started(fixture: Awaited<ReturnType<typeof clusterFixture>>, options: SharedInformerFactoryOptions) {
  const errors: Error[] = [];
  const clock = new FakeClock();
  const factory = new SharedInformerFactory(fixture.cluster, {
    ...options,
    clock,
    watchErrorHandler: (error) => void errors.push(error),
  });
  const informer = factory.for(configMaps).informer();
  factory.start();
  return { factory, informer, errors, tick: () => clock.advance(200) };
}

const thrown = () => {
  throw new Error('of the user');
};
const rejected = () => Promise.reject(new Error('of the user'));

describe('tweakListOptions of a factory', () => {
  it.each([
    ['throws', thrown, 'of the user'],
    ['returns a promise', async () => ({ labelSelector: 'app=web' }), 'tweakListOptions returned a promise'],
    ['returns a promise that rejects', rejected, 'tweakListOptions returned a promise'],
  ])('that %s fails the list, is reported, and nothing is listed without it', async (_, tweak, message) => {
    await using fixture = await clusterFixture();
    const { factory, informer, errors } = started(fixture, { tweakListOptions: untyped(tweak) });
    await until(() => informer.state.phase === 'backoff');
    expect(informer.state.lastError?.message).toContain(message);
    expect(errors[0]?.message).toContain(message);
    expect(fixture.requests).toEqual([]);
    expect(informer.hasSynced()).toBe(false);
    await factory.shutdown();
  });
});

describe('transform of a factory', () => {
  it.each([
    ['throws', thrown, 'of the user'],
    ['returns a promise', async (object: KubernetesObject) => object, 'returned a promise'],
    ['returns a promise that rejects', rejected, 'returned a promise'],
    ['returns nothing', () => undefined, 'returned undefined'],
  ])('that %s leaves out that object, names it, and keeps the others', async (_, transform, message) => {
    await using fixture = await clusterFixture();
    await fixture.createConfigMap('bad');
    await fixture.createConfigMap('good');
    for (const store of ['packed', 'plain'] as const) {
      const change = (object: KubernetesObject) =>
        object.metadata?.name === 'bad' ? untyped<(o: KubernetesObject) => unknown>(transform)(object) : object;
      const { factory, informer, tick } = started(fixture, { store, namespace: 'default', transform: untyped(change) });
      await until(() => informer.state.phase === 'watching' && informer.state.leftOut !== undefined, tick);
      expect(informer.state.leftOut).toEqual([{ key: 'default/bad', reason: expect.stringContaining(message) }]);
      expect(names(informer.lister().list())).toEqual(['good']);
      await factory.shutdown();
    }
  });
});

describe('an index function', () => {
  it.each([
    ['throws', thrown, 'of the user'],
    ['returns a promise', async () => ['x'], 'returned a promise'],
    ['returns a promise that rejects', rejected, 'returned a promise'],
  ])('that %s leaves out that object, names it, and keeps the others', async (_, index, message) => {
    await using fixture = await clusterFixture();
    await fixture.createConfigMap('bad');
    await fixture.createConfigMap('good');
    const byData = (object: ConfigMap) => (object.metadata?.name === 'bad' ? index() : ['x']);
    const clock = new FakeClock();
    const settings: InformerSettings<ConfigMap> = {
      clock,
      indexers: { byData: untyped(byData) },
      watchErrorHandler: () => {},
    };
    const { cluster } = fixture;
    const informer = new SharedIndexInformer({ cluster, resource: configMaps, namespace: 'default', ...settings });
    void informer.run();
    await until(
      () => informer.state.phase === 'watching' && informer.state.leftOut !== undefined,
      () => clock.advance(200),
    );
    expect(informer.state.leftOut).toEqual([{ key: 'default/bad', reason: expect.stringContaining(message) }]);
    expect(names(informer.indexer.byIndex('byData', 'x'))).toEqual(['good']);
    await informer.stop();
  });
});
