import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TransportRequest } from '../api/transport.ts';
import { Cluster } from '../cluster/cluster.ts';
import { type ConfigMap, configMaps, namespaces } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';
import type { Transform } from './transform.ts';

let clock: FakeClock;
let server: ApiServer;
let cluster: Cluster;
/** When each request for ConfigMaps began, and of which namespace. */
let requests: { namespace: string; atMs: number }[];

beforeEach(async () => {
  clock = new FakeClock();
  requests = [];
  server = await ApiServer.start({ listen: false, logger: silentLogger });
  const transport = server.transport();
  const noting = {
    request: (request: TransportRequest) => {
      const namespace = /namespaces\/([^/]+)\/configmaps$/.exec(request.path)?.[1];
      if (namespace !== undefined && request.method === 'GET') requests.push({ namespace, atMs: clock.now() });
      return transport.request(request);
    },
    close: () => transport.close(),
  };
  cluster = Cluster.over(noting, { server: 'the embedded API server' });
});

afterEach(async () => {
  await cluster.close();
  await server.stop();
});

async function namespacesOf(count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, i) => `n-${i}`);
  for (const name of names) {
    await cluster.client(namespaces).create({ metadata: { name } });
    await cluster.client(configMaps).create({ metadata: { name: 'a', namespace: name } });
  }
  requests.length = 0;
  return names;
}

function informerOf(
  namespace: readonly string[],
  options: { watchList?: boolean; transform?: Transform<ConfigMap> } = {},
) {
  return new SharedIndexInformer({
    cluster,
    resource: configMaps,
    namespace,
    clock,
    logger: silentLogger,
    random: () => 0,
    ...options,
  });
}

function busiest2s(): number {
  const times = requests.map(({ atMs }) => atMs);
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 2_000).length));
}

describe('an informer of several namespaces', () => {
  it('is at version "" until each of them has been listed, and then at the oldest of theirs', async () => {
    const names = await namespacesOf(3);
    const allow = server.access.deny({ verbs: ['list', 'watch'], namespaces: ['n-1'], resources: ['configmaps'] });
    const informer = informerOf(names);
    const running = informer.run();
    await clock.advance(0);
    expect(informer.store.listKeys()).toHaveLength(2);
    expect(informer.lastSyncResourceVersion()).toBe('');
    expect(informer.store.lastStoreSyncResourceVersion()).toBe('');
    const listedAt = server.resourceVersion;
    await cluster.client(configMaps).create({ metadata: { name: 'b', namespace: 'n-0' } });
    allow();
    await clock.advance(60_000);
    // n-2 has heard of nothing since its list.
    expect(informer.lastSyncResourceVersion()).toBe(listedAt);
    expect(informer.store.lastStoreSyncResourceVersion()).toBe(listedAt);
    await informer.stop();
    await running;
  });

  it.each([
    [3, 5],
    [8, 8],
  ])('begins, with %i of them, at most %i requests in any 2 s, whatever the server does', async (count, most) => {
    const names = await namespacesOf(count);
    server.faults.add(
      { resource: 'configmaps', verb: ['list', 'watch'] },
      { kind: 'end', afterBytes: 0 },
      { times: Number.POSITIVE_INFINITY },
    );
    const informer = informerOf(names);
    const running = informer.run();
    await clock.advance(60_000);
    expect(busiest2s()).toBeLessThanOrEqual(most);
    for (const name of names) {
      const share = requests.filter(({ namespace }) => namespace === name).length / requests.length;
      expect(share, name).toBeGreaterThan(0.5 / count);
    }
    await informer.stop();
    await running;
  });

  it('begins with a request for each of them at once, and the rest is only later', async () => {
    const names = await namespacesOf(12);
    const informer = informerOf(names, { watchList: false });
    const running = informer.run();
    await clock.advance(0);
    expect(new Set(requests.map(({ namespace }) => namespace)).size).toBe(12);
    expect(requests).toHaveLength(12);
    expect(informer.hasSynced()).toBe(true);
    await clock.advance(10_000);
    expect(requests).toHaveLength(24);
    expect(informer.state.phase).toBe('watching');
    expect(busiest2s()).toBe(12);
    await informer.stop();
    await running;
  });

  it('names a hundred objects that it had to leave out, of all namespaces together, and counts them all', async () => {
    const names = await namespacesOf(2);
    for (const namespace of names) {
      for (let i = 0; i < 70; i++) await cluster.client(configMaps).create({ metadata: { name: `b-${i}`, namespace } });
    }
    const informer = informerOf(names, {
      transform: () => {
        throw new Error('not one of them');
      },
    });
    const running = informer.run();
    await clock.advance(10_000);
    expect(informer.state.leftOut).toHaveLength(100);
    expect(informer.state.leftOutCount).toBe(142);
    await informer.stop();
    await running;
  });
});
