import { describe, expect, it } from 'vitest';
import type { Transport } from '../api/transport.ts';
import { Cluster } from '../cluster/cluster.ts';
import { configMaps } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { clusterFixture } from './cluster-fixture.ts';
import { listener } from './informer-fixture.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';

/** A server, or a proxy before it, that takes no notice of the namespace while `isBlind`. */
async function setup(namespace: string | string[]) {
  const fixture = await clusterFixture();
  for (const name of ['a', 'b', 'c']) {
    await fixture.createNamespace(name);
    await fixture.createConfigMap(`of-${name}`, name);
  }
  const lie = { isBlind: true };
  const transport: Transport = {
    request: (request) => {
      const path = lie.isBlind ? request.path.replace(/\/namespaces\/[abc]\/configmaps$/, '/configmaps') : request.path;
      return fixture.server.transport().request({ ...request, path });
    },
    close: async () => {},
  };
  const clock = new FakeClock();
  const cluster = Cluster.over(transport, { clock, logger: silentLogger });
  const informer = new SharedIndexInformer({ cluster, resource: configMaps, namespace, clock, logger: silentLogger });
  const handler = listener();
  informer.addEventHandler(handler);
  void informer.run();
  await clock.advance(120_000);
  return {
    ...fixture,
    lie,
    clock,
    informer,
    handler,
    async [Symbol.asyncDispose]() {
      await informer.stop();
      await cluster.close();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

describe('an object of another namespace than was asked for', () => {
  it.each([['a'], [['a', 'b']]])('is left out and reported, by an informer of %o', async (namespace) => {
    await using scene = await setup(namespace);
    const { informer, handler } = scene;
    const wanted = [namespace].flat().map((name) => `${name}/of-${name}`);
    expect(informer.store.listKeys().toSorted()).toEqual(wanted);
    expect(handler.heard).toHaveLength(wanted.length);
    expect(informer.hasSynced()).toBe(true);
    expect(informer.state.leftOut).toContainEqual({
      key: 'c/of-c',
      reason: 'an object of namespace c came where namespace a was asked for',
    });
  });

  it('is not stored when a watch brings it, and nothing of it is left when the server is right again', async () => {
    await using scene = await setup(['a', 'b']);
    const { informer, handler, clock, lie, server } = scene;
    await scene.createConfigMap('later', 'c');
    await scene.createConfigMap('later', 'a');
    await clock.advance(120_000);
    expect(informer.store.listKeys().toSorted()).toEqual(['a/later', 'a/of-a', 'b/of-b']);
    lie.isBlind = false;
    // Each lists again.
    server.faults.add({ verb: 'watch' }, { kind: 'error-event' }, { times: 2 });
    server.disconnectWatches();
    await clock.advance(120_000);
    expect(informer.store.listKeys().toSorted()).toEqual(['a/later', 'a/of-a', 'b/of-b']);
    expect(informer.state.leftOut).toBeUndefined();
    expect(handler.heard.filter((line) => line.startsWith('add'))).toHaveLength(3);
  });
});
