import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { ApiServer } from '../apiserver.ts';
import { RequestClient, type WatchLine } from '../request-client-fixture.ts';
import { getPath } from '../values/json.ts';

const OBJECTS = '/api/v1/namespaces/default/configmaps';

const nameOf = (event: WatchLine | undefined) => getPath(event?.object, 'metadata', 'name');
const versionOf = (event: WatchLine | undefined) => getPath(event?.object, 'metadata', 'resourceVersion');
const brief = (events: readonly WatchLine[]) => events.map((event) => `${event.type} ${nameOf(event)}`);

describe('a watch', () => {
  let clock: FakeClock;
  let server: ApiServer;
  let client: RequestClient;

  beforeEach(async () => {
    clock = new FakeClock();
    server = await ApiServer.start({ listen: false, clock, random: () => 0.5, watchQueueLimit: 50 });
    client = new RequestClient(server.transport());
  });

  afterEach(async () => {
    await server.stop();
    expect(server.openWatches).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  const create = (name: string, labels: Record<string, string> = {}) =>
    client.post(OBJECTS, { metadata: { name, labels } });
  const relabel = (name: string, labels: Record<string, string | null>) =>
    client.patch(`${OBJECTS}/${name}`, { metadata: { labels } });

  it.each(['', 'resourceVersion=0'])('without a revision begins with the present state (%s)', async (query) => {
    await create('b');
    await create('a');
    const watch = await client.watch(`${OBJECTS}?${query}`);
    await create('c');
    expect(brief(await watch.take(3))).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    await watch.close();
  });

  it('sees what enters and leaves its selection as additions and deletions', async () => {
    await create('a', { color: 'red' });
    const watch = await client.watch(`${OBJECTS}?resourceVersion=${server.resourceVersion}&labelSelector=color%3Dred`);
    await create('b', { color: 'blue' });
    await relabel('b', { color: 'red' });
    await relabel('b', { size: 'xl' });
    await relabel('b', { color: 'blue' });
    const left = server.resourceVersion;
    await client.delete(`${OBJECTS}/b`);
    await client.delete(`${OBJECTS}/a`);
    const events = await watch.take(4);
    expect(brief(events)).toEqual(['ADDED b', 'MODIFIED b', 'DELETED b', 'DELETED a']);
    expect(versionOf(events[2])).toBe(left);
    expect(getPath(events[2]?.object, 'metadata', 'labels', 'color')).toBe('red');
    await watch.close();
  });

  it('of one namespace or one object sees nothing else', async () => {
    await client.post('/api/v1/namespaces', { metadata: { name: 'other' } });
    const one = await client.watch(
      `/api/v1/watch/namespaces/default/configmaps/b?resourceVersion=${server.resourceVersion}`,
    );
    const all = await client.watch(`/api/v1/configmaps?resourceVersion=${server.resourceVersion}`);
    await client.post('/api/v1/namespaces/other/configmaps', { metadata: { name: 'b' } });
    await create('a');
    await create('b');
    expect(await one.next()).toMatchObject({
      type: 'ADDED',
      object: { metadata: { name: 'b', namespace: 'default' } },
    });
    expect(brief(await all.take(3))).toEqual(['ADDED b', 'ADDED a', 'ADDED b']);
    await one.close();
    await all.close();
  });

  it('from a forgotten revision gets 410 as an event of an open stream', async () => {
    const old = server.resourceVersion;
    await create('a');
    server.compact();
    const watch = await client.watch(`${OBJECTS}?resourceVersion=${old}`);
    expect(watch.status).toBe(200);
    expect(await watch.take(5)).toMatchObject([
      {
        type: 'ERROR',
        object: {
          kind: 'Status',
          code: 410,
          reason: 'Expired',
          message: `too old resource version: ${old} (${server.resourceVersion})`,
        },
      },
    ]);
  });

  it('from a revision that is yet to come hears nothing before it', async () => {
    const future = Number(server.resourceVersion) + 2;
    const watch = await client.watch(`${OBJECTS}?resourceVersion=${future}`);
    for (const name of ['a', 'b', 'c']) await create(name);
    expect(await watch.next()).toMatchObject({ object: { metadata: { name: 'c' } } });
    await watch.close();
  });

  it('ends after timeoutSeconds, or after half an hour to an hour', async () => {
    const short = await client.watch(`${OBJECTS}?timeoutSeconds=5`);
    const long = await client.watch(OBJECTS);
    await clock.advance(5_000);
    expect(await short.next()).toBeUndefined();
    expect(server.openWatches).toBe(1);
    await clock.advance(45 * 60_000);
    expect(await long.next()).toBeUndefined();
  });

  describe('with bookmarks', () => {
    it('gets one a minute, once there is something new to tell', async () => {
      const watch = await client.watch(`${OBJECTS}?resourceVersion=${server.resourceVersion}&allowWatchBookmarks=true`);
      await clock.advance(60_000);
      await client.post('/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
      await clock.advance(60_000);
      expect(await watch.next()).toEqual({
        type: 'BOOKMARK',
        object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: server.resourceVersion } },
      });
      await watch.close();
    });

    it('gets one two seconds before the timeout', async () => {
      const watch = await client.watch(
        `${OBJECTS}?resourceVersion=${server.resourceVersion}&allowWatchBookmarks=true&timeoutSeconds=10`,
      );
      await client.post('/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
      await clock.advance(8_000);
      expect(await watch.next()).toMatchObject({ type: 'BOOKMARK' });
      await clock.advance(2_000);
      expect(await watch.next()).toBeUndefined();
    });

    it.each([3_600_000, -3_600_000])('gets it then though the wall clock jumps by %d ms', async (byMs) => {
      const options = 'allowWatchBookmarks=true&timeoutSeconds=70';
      const watch = await client.watch(`${OBJECTS}?resourceVersion=${server.resourceVersion}&${options}`);
      clock.jump(byMs);
      await clock.advance(60_000);
      await client.post('/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
      await clock.advance(8_000);
      expect(await watch.next()).toMatchObject({ type: 'BOOKMARK' });
      await clock.advance(2_000);
      expect(await watch.next()).toBeUndefined();
    });

    it('gets none of events, which the real server does not cache', async () => {
      const watch = await client.watch(
        `/api/v1/events?resourceVersion=${server.resourceVersion}&allowWatchBookmarks=true&timeoutSeconds=300`,
      );
      await create('a');
      await clock.advance(300_000);
      expect(await watch.next()).toBeUndefined();
    });
  });

  describe('as a WatchList', () => {
    const WATCH_LIST = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

    it('marks the end of the present state with a bookmark', async () => {
      await create('a');
      const revision = server.resourceVersion;
      const watch = await client.watch(`${OBJECTS}?${WATCH_LIST}`);
      await create('b');
      const [added, end, live] = await watch.take(3);
      expect(added).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
      expect(end).toMatchObject({
        type: 'BOOKMARK',
        object: { metadata: { resourceVersion: revision, annotations: { 'k8s.io/initial-events-end': 'true' } } },
      });
      expect(live).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } });
      await watch.close();
    });

    it('waits three seconds for a revision, then sends the error as an event', async () => {
      const opening = client.watch(`${OBJECTS}?${WATCH_LIST}&resourceVersion=9999`);
      await clock.advance(3_000);
      const watch = await opening;
      expect(await watch.next()).toMatchObject({
        type: 'ERROR',
        object: {
          code: 504,
          reason: 'Timeout',
          details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
        },
      });
    });
  });

  it('that is not read is cut off, and the others go on', async () => {
    const lazy = await client.watch(`${OBJECTS}?resourceVersion=${server.resourceVersion}`);
    const eager = await client.watch(`${OBJECTS}?resourceVersion=${server.resourceVersion}`);
    for (let count = 0; count < 60; count++) {
      await create(`c${count}`);
      expect(nameOf(await eager.next())).toBe(`c${count}`);
    }
    expect(server.openWatches).toBe(1);
    expect(await lazy.next()).toBeUndefined();
    await eager.close();
  });

  it('shows metadata alone, or rows of a table, when asked to', async () => {
    await client.post(OBJECTS, { metadata: { name: 'a' }, data: { x: 'y' } });
    const metadata = await client.watch(OBJECTS, {
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    });
    const partial = await metadata.next();
    expect(partial?.object).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a' },
    });
    expect(partial?.object).not.toHaveProperty('data');
    const table = await client.watch(OBJECTS, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
    await create('b');
    const rows = await table.take(2);
    expect(rows[0]?.object).toMatchObject({ kind: 'Table', rows: [{ cells: ['a', 1, expect.any(String)] }] });
    expect(rows[0]?.object.columnDefinitions).toHaveLength(3);
    expect(rows[1]?.object).toMatchObject({ columnDefinitions: null });
    await metadata.close();
    await table.close();
  });

  it('ends cleanly or breaks when the server says so', async () => {
    const first = await client.watch(OBJECTS);
    server.disconnectWatches();
    expect(await first.next()).toBeUndefined();
    const second = await client.watch(OBJECTS);
    server.disconnectWatches({ abruptly: true });
    await expect(second.next()).rejects.toMatchObject({ name: 'TransportError', kind: 'reset' });
  });
});
