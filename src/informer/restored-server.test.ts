import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Cluster } from '../cluster/cluster.ts';
import { configMaps, secrets } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';

const MINUTE = 60_000;

let clock: FakeClock;
let server: ApiServer;
let cluster: Cluster;

beforeEach(async () => {
  clock = new FakeClock();
  server = await ApiServer.start({ listen: false, logger: silentLogger, clock });
  cluster = server.cluster();
});

afterEach(async () => {
  await cluster.close();
  await server.stop();
  expect(clock.pendingTimers).toBe(0);
});

const create = (name: string) => cluster.client(configMaps).create({ metadata: { name } });

async function stored(): Promise<Record<string, string>> {
  const { items } = await cluster.client(configMaps).list();
  return versions(items);
}

function versions(
  items: readonly { metadata?: { name?: string; resourceVersion?: string } }[],
): Record<string, string> {
  return Object.fromEntries(
    items.map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']).sort(),
  );
}

describe.each([
  ['WatchList', {}],
  ['LIST', { watchList: false }],
  ['LIST and a queue in order', { watchList: false, queue: 'inOrder' }],
] as const)('an informer that fills itself by %s, on a server that was restored from a backup', (_, mode) => {
  function follow() {
    const heard: string[] = [];
    const informer = new SharedIndexInformer({
      cluster,
      resource: configMaps,
      namespace: 'default',
      clock,
      logger: silentLogger,
      ...mode,
    });
    informer.addEventHandler({
      onAdd: ({ metadata }) => void heard.push(`add ${metadata?.name}`),
      onUpdate: (_old, { metadata }) => void heard.push(`update ${metadata?.name}`),
      onDelete: ({ metadata }, unknown) => void heard.push(`delete ${metadata?.name}${unknown ? '!' : ''}`),
    });
    return { informer, heard };
  }

  it('finds out that its watch is silent, lists, and goes back in time with the server', async () => {
    await create('a');
    await create('b');
    const backup = server.snapshot();
    const { informer, heard } = follow();
    const running = informer.run();
    await clock.advance(0);
    await cluster.client(configMaps).patch('a', { data: { changed: 'yes' } });
    await cluster.client(configMaps).delete('b');
    await create('c');
    await clock.advance(MINUTE + 5_000); // a bookmark has come
    expect(heard.splice(0)).toEqual(['add a', 'add b', 'update a', 'delete b', 'add c']);

    server.restore(backup);
    await clock.advance(2 * 150_000 + 10_000);
    expect(versions(informer.store.list())).toEqual(await stored());
    expect(informer.state.phase).toBe('watching');
    expect(heard.splice(0).sort()).toEqual(['add b', 'delete c!', 'update a']);
    expect(informer.lastSyncResourceVersion()).toBe(backup.resourceVersion);

    const d = await create('d'); // under a version that was used before
    await cluster.client(configMaps).patch('a', { data: { changed: 'again' } });
    await clock.advance(0);
    expect(Number(d.metadata?.resourceVersion)).toBe(Number(backup.resourceVersion) + 1);
    expect(versions(informer.store.list())).toEqual(await stored());
    expect(heard).toEqual(['add d', 'update a']);
    await informer.stop();
    await running;
  });

  it('finds out within twice the time of a watch when it has never seen a bookmark', async () => {
    await create('a');
    const backup = server.snapshot();
    const { informer } = follow();
    const running = informer.run();
    await clock.advance(0);
    await create('b');
    await clock.advance(0);
    server.restore(backup);
    await clock.advance(25 * MINUTE);
    expect(versions(informer.store.list())).toEqual(await stored());
    await informer.stop();
    await running;
  });
});

describe('an informer on a healthy server', () => {
  it('does not list again while bookmarks come, however quiet its objects are and however often its watch is cut', async () => {
    await create('a');
    const errors: Error[] = [];
    let lists = 0;
    const informer = new SharedIndexInformer({
      cluster,
      resource: configMaps,
      clock,
      random: () => 0.5, // watches of 450 s: none ends in the very second of a cut
      logger: silentLogger,
      watchErrorHandler: (error) => void errors.push(error),
      tweakListOptions: (options) => {
        if (options.sendInitialEvents || options.resourceVersion === undefined) lists++;
      },
    });
    const running = informer.run();
    for (let minute = 0; minute < 60; minute++) {
      await cluster.client(secrets).create({ metadata: { name: `s-${minute}` } });
      while (server.openWatches === 0 || informer.state.behindSince !== undefined) await clock.advance(0);
      await clock.advance(MINUTE);
      if (minute % 5 === 4) server.disconnectWatches();
    }
    expect(lists).toBe(1);
    expect(errors).toEqual([]);
    await informer.stop();
    await running;
  });
});
