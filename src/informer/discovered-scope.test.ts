import { describe, expect, it } from 'vitest';
import { defineResource } from '../api/resource.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { clusterFixture, names, until, widgets } from './cluster-fixture.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

/** A factory whose informer of widgets runs, under a clock that the test moves. */
function started(fixture: Awaited<ReturnType<typeof clusterFixture>>, namespace: string | string[]) {
  const clock = new FakeClock();
  const factory = new SharedInformerFactory(fixture.cluster, { namespace, clock, random: () => 0 });
  const informer = factory.forResource(widgets).informer();
  factory.start();
  return {
    factory,
    informer,
    clock,
    untilPhase: (phase: string) =>
      until(
        () => informer.state.phase === phase,
        () => clock.advance(200),
      ),
    untilHeld: (wanted: string[]) =>
      until(
        () => names(informer.lister().list()).join() === wanted.join(),
        () => clock.advance(200),
      ),
  };
}

describe('forResource of a custom resource in a factory with a namespace', () => {
  it('watches a cluster-scoped one as a whole', async () => {
    await using fixture = await clusterFixture();
    await fixture.defineWidgets('Cluster');
    await fixture.createWidget('a');
    const { factory, informer, untilHeld, untilPhase } = started(fixture, 'default');
    await untilHeld(['a']);
    await untilPhase('watching');
    expect(informer.hasSynced()).toBe(true);
    const b = await fixture.createWidget('b');
    await informer.waitFor(b);
    expect(names(informer.lister().list())).toEqual(['a', 'b']);
    expect(fixture.requests.filter((line) => line.includes('namespaces'))).toEqual([]);
    await factory.shutdown();
  });

  it('watches a namespaced one in that namespace alone', async () => {
    await using fixture = await clusterFixture();
    await fixture.createNamespace('other');
    await fixture.defineWidgets('Namespaced');
    await fixture.createWidget('a', 'default');
    await fixture.createWidget('b', 'other');
    const { factory, informer, untilPhase } = started(fixture, 'default');
    await untilPhase('watching');
    expect(names(informer.lister().list())).toEqual(['a']);
    await factory.shutdown();
  });

  it('watches a cluster-scoped one once, when the factory has several namespaces', async () => {
    await using fixture = await clusterFixture();
    await fixture.defineWidgets('Cluster');
    await fixture.createWidget('a');
    const { factory, informer, untilPhase } = started(fixture, ['default', 'one', 'two']);
    const anyVersion = informer.waitFor('1');
    await untilPhase('watching');
    await anyVersion;
    expect(fixture.server.openWatches).toBe(1);
    expect(await informer.waitForSync()).toBe(true);
    expect(informer.lastSyncResourceVersion()).not.toBe('');
    await informer.waitFor(await fixture.createWidget('b'));
    expect(names(informer.lister().list())).toEqual(['a', 'b']);
    await factory.shutdown();
    expect(informer.state.phase).toBe('stopped');
  });

  it('says how far the store is with a cluster-scoped one, when the factory has several namespaces', async () => {
    await using fixture = await clusterFixture();
    await fixture.defineWidgets('Cluster');
    const { factory, informer, untilPhase } = started(fixture, ['default', 'one', 'two']);
    await untilPhase('watching');
    const a = await fixture.createWidget('a');
    await informer.waitFor(a);
    expect(informer.indexer.lastStoreSyncResourceVersion()).toBe(a.metadata?.resourceVersion);
    await factory.shutdown();
  });

  it('watches a namespaced one in each of several namespaces, and sends nothing elsewhere', async () => {
    await using fixture = await clusterFixture();
    await fixture.defineWidgets('Namespaced');
    for (const name of ['one', 'two', 'three']) {
      await fixture.createNamespace(name);
      await fixture.createWidget(`in-${name}`, name);
    }
    const { factory, informer, untilPhase } = started(fixture, ['one', 'two']);
    await untilPhase('watching');
    expect(names(informer.lister().list())).toEqual(['in-one', 'in-two']);
    expect(fixture.server.openWatches).toBe(2);
    await factory.shutdown();
  });

  it('is gone until the type is defined, and works then', async () => {
    await using fixture = await clusterFixture();
    const { factory, informer, untilPhase } = started(fixture, ['default', 'one']);
    await untilPhase('gone');
    expect(informer.state.lastError?.message).toContain('does not serve widgets.v1.example.com');
    expect(informer.hasSynced()).toBe(false);
    await fixture.defineWidgets('Cluster');
    await fixture.createWidget('a');
    await untilPhase('watching');
    expect(names(informer.lister().list())).toEqual(['a']);
    await factory.shutdown();
  });

  it('waits while the server cannot tell, and says so', async () => {
    await using fixture = await clusterFixture();
    await fixture.defineWidgets('Cluster');
    await fixture.createWidget('a');
    const fault = fixture.server.faults.add(
      { path: '/apis/example.com/v1' },
      { kind: 'status', code: 503, message: 'not now' },
      { times: Number.POSITIVE_INFINITY },
    );
    const { factory, informer, untilPhase } = started(fixture, 'default');
    await untilPhase('backoff');
    expect(informer.state.lastError?.message).toContain('GET /apis/example.com/v1: 503');
    expect(fixture.requests.filter((line) => line.includes('widgets'))).toEqual([]);
    fault.remove();
    await untilPhase('watching');
    expect(names(informer.lister().list())).toEqual(['a']);
    await factory.shutdown();
  });

  it('is gone for good when the type comes back with another scope, and a new informer finds that', async () => {
    await using fixture = await clusterFixture();
    await fixture.defineWidgets('Cluster');
    await fixture.createWidget('a');
    const { factory, informer, clock, untilPhase, untilHeld } = started(fixture, 'default');
    await untilHeld(['a']);
    await fixture.dropWidgets();
    await untilPhase('gone');
    await fixture.createNamespace('other');
    await fixture.defineWidgets('Namespaced');
    await fixture.createWidget('b', 'default');
    await fixture.createWidget('c', 'other');
    const asked = fixture.requests.length;
    await until(
      () => fixture.requests.length >= asked + 3,
      () => clock.advance(200),
    );
    expect(new Set(fixture.requests.slice(asked))).toEqual(new Set(['GET /apis/example.com/v1']));
    expect([informer.state.phase, informer.lister().list()]).toEqual(['gone', []]);
    await informer.stop();
    const next = factory.forResource(widgets).informer();
    factory.start();
    await next.waitForSync();
    expect(names(next.lister().list())).toEqual(['b']);
    await factory.shutdown();
  });

  it('takes the scope of a built-in type from the table, without asking', async () => {
    await using fixture = await clusterFixture();
    const factory = new SharedInformerFactory(fixture.cluster, { namespace: 'default' });
    const nodes = factory.forResource({ group: '', version: 'v1', resource: 'nodes' });
    nodes.informer();
    factory.start();
    expect((await factory.waitForCacheSync()).get(nodes.resource)).toBe(true);
    expect(new Set(fixture.requests)).toEqual(new Set(['GET /api/v1/nodes']));
    await factory.shutdown();
  });
});

describe('a token with the wrong scope', () => {
  it('is named in the log when the server serves the type to no namespace', async () => {
    await using fixture = await clusterFixture();
    await fixture.defineWidgets('Cluster');
    const token = defineResource({ group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget' });
    const clock = new FakeClock();
    const factory = new SharedInformerFactory(fixture.cluster, { namespace: 'default', clock });
    const informer = factory.for(token).informer();
    factory.start();
    const told = () => fixture.logger.lines.filter((line) => line.includes('Define it with namespaced: false'));
    await until(
      () => told().length > 0,
      () => clock.advance(200),
    );
    await clock.advance(20_000);
    expect(told()).toHaveLength(1);
    expect(informer.state.phase).toBe('gone');
    await factory.shutdown();
  });
});
