import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineResource, type Resource } from '../api/resource.ts';
import { deployments } from '../generated/api/apps/v1.ts';
import { configMaps, nodes, pods, secrets } from '../generated/api/core/v1.ts';
import { builtinResources } from '../generated/resources.ts';
import { clusterFixture, names, until, widgets } from './cluster-fixture.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

describe('the tokens of a factory', () => {
  it('are those that the doors of the API export', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    expect(factory.core.v1.pods().resource).toBe(pods);
    expect(factory.apps.v1.deployments().resource).toBe(deployments);
    expect(factory.forResource({ group: '', version: 'v1', resource: 'nodes' }).resource).toBe(nodes);
  });

  it('are the same for each built-in resource', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    for (const { group, version, plural, groupAccessor, accessor } of builtinResources()) {
      const door: Record<string, unknown> = await import(`../generated/api/${groupAccessor}/${version}.ts`);
      expect(factory.forResource({ group, version, resource: plural }).resource).toBe(door[accessor]);
    }
  });
});

describe('what waitForCacheSync returns', () => {
  it('can be asked with every token of a resource', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    factory.core.v1.pods().informer();
    factory.forResource({ group: 'apps', version: 'v1', resource: 'deployments' }).informer();
    factory.for(defineResource({ version: 'v1', plural: 'secrets', kind: 'Secret' })).informer();
    factory.start();
    const synced = await factory.waitForCacheSync();
    expectTypeOf(synced).toExtend<Map<Resource, boolean>>();
    expect([pods, deployments, secrets].map((resource) => synced.get(resource))).toEqual([true, true, true]);
    expect(synced.get(factory.core.v1.pods().resource)).toBe(true);
    expect([synced.has(nodes), synced.size]).toEqual([false, 3]);
    await factory.shutdown();
  });

  it('is true for a resource with two informers only when both have synced', async () => {
    await using fixture = await clusterFixture();
    fixture.server.faults.add(
      { resource: 'secrets', where: ({ headers }) => headers.accept?.includes('PartialObjectMetadata') ?? false },
      { kind: 'stall' },
      { times: Number.POSITIVE_INFINITY },
    );
    const factory = new SharedInformerFactory(fixture.cluster);
    const partial = factory.forMetadata(secrets).informer();
    const whole = factory.for(secrets).informer();
    factory.start();
    const stop = new AbortController();
    const waiting = factory.waitForCacheSync({ signal: stop.signal });
    await whole.waitForSync();
    stop.abort();
    expect((await waiting).get(secrets)).toBe(false);
    fixture.server.faults.clear();
    await until(() => partial.hasSynced());
    expect((await factory.waitForCacheSync()).get(secrets)).toBe(true);
    await factory.shutdown();
  });

  it('says false for an informer that stopped before it had synced, and true for one that stopped later', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    const missing = factory.forResource(widgets);
    const podInformer = factory.for(pods).informer();
    missing.informer();
    factory.start();
    await podInformer.waitForSync();
    await Promise.all([podInformer.stop(), missing.informer().stop()]);
    const synced = await factory.waitForCacheSync();
    expect([synced.get(pods), synced.get(missing.resource)]).toEqual([true, false]);
  });
});

describe('an informer that was stopped', () => {
  it('is let go: the factory makes a new one, which starts with the next start', async () => {
    await using fixture = await clusterFixture();
    await fixture.createConfigMap('a');
    const factory = new SharedInformerFactory(fixture.cluster);
    const first = factory.for(configMaps).informer();
    factory.start();
    await factory.waitForCacheSync();
    await first.stop();
    const second = factory.for(configMaps).informer();
    expect(second).not.toBe(first);
    expect(factory.core.v1.configMaps().informer()).toBe(second);
    expect(second.state.phase).toBe('idle');
    factory.start();
    expect((await factory.waitForCacheSync()).get(configMaps)).toBe(true);
    await second.waitFor(await fixture.createConfigMap('b'));
    expect(names(second.lister().list())).toEqual(['a', 'b']);
    expect(names(first.lister().list())).toEqual(['a']);
    await factory.shutdown();
  });

  it('is let go when the signal of start has stopped it, too, and when it never ran', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    const stop = new AbortController();
    const handle = factory.for(configMaps);
    const first = handle.informer();
    factory.start({ signal: stop.signal });
    await factory.waitForCacheSync();
    stop.abort();
    const second = factory.for(configMaps).informer();
    expect(second).not.toBe(first);
    expect(handle.informer()).toBe(first);
    await second.stop();
    factory.start();
    expect(fixture.logger.lines).toEqual([]);
    expect(factory.for(configMaps).informer()).not.toBe(second);
    await factory.shutdown();
  });

  it('keeps no memory of the factory', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    const made: WeakRef<object>[] = [];
    await (async () => {
      const informer = factory.for(configMaps).informer();
      made.push(new WeakRef(informer));
      factory.start();
      await informer.waitForSync();
      await informer.stop();
    })();
    setFlagsFromString('--expose-gc');
    const gc: () => void = runInNewContext('gc');
    await until(
      () => made[0]?.deref() === undefined,
      async () => {
        // What a WeakRef has shown lives until the next turn.
        await new Promise((resolve) => setImmediate(resolve));
        gc();
      },
    );
    await factory.shutdown();
  });

  it('is what the factory gives after its shutdown: nothing can be waited for in vain', async () => {
    await using fixture = await clusterFixture();
    await fixture.createConfigMap('a');
    const factory = new SharedInformerFactory(fixture.cluster);
    const known = factory.for(configMaps).informer();
    factory.start();
    await factory.waitForCacheSync();
    await factory.shutdown();
    expect(factory.for(configMaps).informer()).toBe(known);
    expect(names(factory.for(configMaps).lister().list())).toEqual(['a']);
    const late = factory.for(pods).informer();
    expect(late.isStopped()).toBe(true);
    expect(await late.waitForSync()).toBe(false);
    await expect(late.waitFor('1')).rejects.toThrow('the informer stopped');
    expect(() => late.addEventHandler({})).toThrow('has stopped');
    expect(await late.events().next()).toEqual({ done: true, value: undefined });
  });
});

describe('informerFor', () => {
  it('refuses what is not an informer, at once, and starts the others', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster);
    factory.for(pods).informer();
    const late = (async () =>
      new SharedIndexInformer({ cluster: fixture.cluster, resource: configMaps })) as unknown as () => never;
    expect(() => factory.informerFor(configMaps, late)).toThrow('informerFor: the function for configmaps.v1');
    const failing = () => {
      throw new Error('no informer today');
    };
    expect(() => factory.informerFor(configMaps, failing)).toThrow('no informer today');
    factory.start();
    expect([...(await factory.waitForCacheSync())]).toEqual([[pods, true]]);
    await factory.shutdown();
  });
});
