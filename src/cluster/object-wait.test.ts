import { describe, expect, it } from 'vitest';
import { defineResource } from '../api/resource.ts';
import { type ConfigMap, configMaps } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';
import { Cluster } from './cluster.ts';

async function setup() {
  const clock = new FakeClock();
  const server = await ApiServer.start({ listen: false, logger: silentLogger });
  const transport = server.transport();
  const requests: string[] = [];
  const cluster = Cluster.over(
    {
      request: (request) => {
        requests.push(`${request.path}?${request.query ?? ''}`);
        return transport.request(request);
      },
      close: () => transport.close(),
    },
    { logger: silentLogger, clock },
  );
  const admin = server.cluster({ logger: silentLogger });
  return {
    clock,
    server,
    cluster,
    requests,
    client: cluster.client(configMaps),
    admin: admin.client(configMaps),
    async [Symbol.asyncDispose]() {
      await cluster.close();
      await admin.close();
      await server.stop();
    },
  };
}

const isDone = (object: ConfigMap | undefined) => object?.data?.state === 'done';

async function until(condition: () => boolean, step: () => unknown = () => {}): Promise<void> {
  while (!condition()) {
    await step();
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

describe('waitUntil of a client', () => {
  it('follows one name, by one list and one watch, until the object will do', async () => {
    await using scene = await setup();
    const { client, admin, requests, server, clock } = scene;
    await admin.create({ metadata: { name: 'other' }, data: { state: 'done' } });
    const waiting = client.waitUntil('a', isDone);
    await until(() => server.openWatches === 1);
    await admin.create({ metadata: { name: 'a' }, data: { state: 'begun' } });
    await admin.patch('a', { data: { state: 'done' } });
    expect((await waiting)?.data).toEqual({ state: 'done' });
    expect(requests).toHaveLength(2);
    for (const request of requests) {
      expect(request).toContain('/api/v1/namespaces/default/configmaps?');
      expect(request).toContain('fieldSelector=metadata.name%3Da');
    }
    await until(() => server.openWatches === 0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is met at once by what is there, without a watch, and by an absence', async () => {
    await using scene = await setup();
    const { client, admin, requests } = scene;
    await admin.create({ metadata: { name: 'a' }, data: { state: 'done' } });
    expect((await client.waitUntil('a', isDone))?.metadata.name).toBe('a');
    expect(await client.waitUntil('b', (object) => object === undefined)).toBeUndefined();
    expect(requests).toHaveLength(2);
  });

  it('hears of a deletion', async () => {
    await using scene = await setup();
    const { client, admin, server } = scene;
    await admin.create({ metadata: { name: 'a' } });
    const waiting = client.waitUntil('a', (object) => object === undefined);
    await until(() => server.openWatches === 1);
    await admin.delete('a');
    expect(await waiting).toBeUndefined();
  });

  it('goes on when the watch breaks, ends, or has expired', async () => {
    await using scene = await setup();
    const { client, admin, server, clock, requests } = scene;
    const { faults } = server;
    faults.add({ resource: 'configmaps', verb: 'list' }, { kind: 'status', code: 503 }, { times: 1 });
    faults.add({ resource: 'configmaps', verb: 'watch' }, { kind: 'end', afterBytes: 0 }, { times: 2 });
    const waiting = client.waitUntil('a', isDone);
    await until(
      () => requests.length >= 5,
      () => clock.advance(500),
    );
    const before = requests.length;
    faults.add({ resource: 'configmaps', verb: 'watch' }, { kind: 'status', code: 410 }, { times: 1 });
    server.disconnectWatches();
    await until(
      () => requests.length >= before + 3,
      () => clock.advance(500),
    );
    await admin.create({ metadata: { name: 'a' }, data: { state: 'done' } });
    expect((await waiting)?.metadata.name).toBe('a');
  });

  it('lists again after a watch that brought nothing: a server from a backup sends nothing until it has passed the version', async () => {
    await using scene = await setup();
    const { client, admin, server, clock } = scene;
    const backup = server.snapshot();
    for (const name of ['b', 'c', 'd']) await admin.create({ metadata: { name } });
    const waiting = client.waitUntil('a', isDone, { timeoutMs: 20 * 60_000 });
    await until(() => server.openWatches === 1);
    server.restore(backup);
    await admin.create({ metadata: { name: 'a' }, data: { state: 'done' } });
    const met = waiting.then((object) => object?.metadata.name);
    for (let minute = 0; minute < 21; minute++) {
      await clock.advance(60_000);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(await met).toBe('a');
  });

  it('looks at no object of another name, whatever the server sends', async () => {
    const events: object[] = [];
    let wake = () => {};
    const object = (name: string, state: string) => ({
      metadata: { name, resourceVersion: '2', uid: name },
      data: { state },
    });
    const cluster = Cluster.over({
      async request({ query = '' }) {
        const isWatch = query.includes('watch=true');
        const list = { metadata: { resourceVersion: '1' }, items: [object('other', 'done')] };
        const body = (async function* () {
          if (!isWatch) yield Buffer.from(JSON.stringify(list));
          for (; isWatch; ) {
            for (const event of events.splice(0)) yield Buffer.from(`${JSON.stringify(event)}\n`);
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        })();
        return { status: 200, headers: new Map(), body };
      },
      close: async () => {},
    });
    const seen: unknown[] = [];
    const waiting = cluster.client(configMaps).waitUntil('a', (found) => {
      seen.push(found?.metadata.name);
      return isDone(found);
    });
    events.push(
      { type: 'MODIFIED', object: object('other', 'done') },
      { type: 'DELETED', object: object('other', '') },
    );
    events.push({ type: 'ADDED', object: object('a', 'done') });
    wake();
    expect((await waiting)?.metadata.name).toBe('a');
    expect(seen).toEqual([undefined, 'a']);
    await cluster.close();
  });

  it('rejects with a no that no retry can change, with what the predicate throws, and for a wrong name', async () => {
    await using scene = await setup();
    const { client, server, cluster, requests } = scene;
    const allow = server.access.deny({ resources: ['configmaps'] });
    await expect(client.waitUntil('a', isDone)).rejects.toMatchObject({ kind: 'forbidden' });
    allow();
    const widgets = defineResource({ group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget' });
    await expect(cluster.client(widgets).waitUntil('a', () => true)).rejects.toMatchObject({ kind: 'not-found' });
    const broken = () => {
      throw new Error('of the user');
    };
    await expect(client.waitUntil('a', broken)).rejects.toThrow('of the user');
    const late = (async () => true) as unknown as () => boolean;
    await expect(client.waitUntil('a', late)).rejects.toThrow('returned a promise');
    const sent = requests.length;
    await expect(client.waitUntil('a/b', isDone)).rejects.toThrow('cannot be the name of an object');
    await expect(client.waitUntil('a', undefined as never)).rejects.toThrow('needs a predicate');
    expect(requests).toHaveLength(sent);
  });

  it('ends by the signal and by the timeout, which says how things are, and leaves nothing open', async () => {
    await using scene = await setup();
    const { client, admin, server, clock } = scene;
    await admin.create({ metadata: { name: 'a' } });
    const stop = new AbortController();
    const aborted = expect(client.waitUntil('a', isDone, { signal: stop.signal })).rejects.toThrow('enough');
    await until(() => server.openWatches === 1);
    stop.abort(new Error('enough'));
    await aborted;
    await until(() => server.openWatches === 0);
    const late = expect(client.waitUntil('a', isDone, { timeoutMs: 1_000 })).rejects.toMatchObject({
      kind: 'timeout',
      message: expect.stringMatching(/configmaps\/a did not meet isDone within 1000 ms: it is at version \d+/),
    });
    await until(() => server.openWatches === 1);
    await clock.advance(1_000);
    await late;
    await until(() => server.openWatches === 0);
    expect(clock.pendingTimers).toBe(0);
    await expect(client.waitUntil('a', isDone, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    );
  });
});
