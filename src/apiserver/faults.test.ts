import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { ApiServer } from './apiserver.ts';
import { RequestClient } from './request-client-fixture.ts';
import { asArray, getPath } from './values/json.ts';

const OBJECTS = '/api/v1/namespaces/default/configmaps';
const LISTS = { verb: 'list', resource: 'configmaps' };
const WATCHES = { verb: 'watch', resource: 'configmaps' };

describe('faults', () => {
  let clock: FakeClock;
  let server: ApiServer;
  let client: RequestClient;

  beforeEach(async () => {
    clock = new FakeClock();
    server = await ApiServer.start({ listen: false, clock });
    client = new RequestClient(server.transport());
  });

  afterEach(async () => {
    await server.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  const create = (name: string) => client.post(OBJECTS, { metadata: { name } });

  it('meet as many matching requests as they should, after those that they let pass', async () => {
    const fault = server.faults.add(LISTS, { kind: 'status', code: 503 }, { times: 2, skip: 1 });
    const codes: number[] = [];
    for (let count = 0; count < 5; count++) codes.push((await client.get(OBJECTS)).status);
    expect(codes).toEqual([200, 503, 503, 200, 200]);
    expect(fault.hits).toBe(2);
    expect((await client.get('/api/v1/pods')).status).toBe(200);
  });

  it('follow a script', async () => {
    server.faults.script(LISTS, [{ kind: 'status', code: 500 }, undefined, { kind: 'status', code: 410 }]);
    const codes: number[] = [];
    for (let count = 0; count < 4; count++) codes.push((await client.get(OBJECTS)).status);
    expect(codes).toEqual([500, 200, 410, 200]);
  });

  it('answer with a Status, its details and its header', async () => {
    server.faults.add(LISTS, { kind: 'status', code: 429, retryAfterSeconds: 7 });
    const answer = await client.get(OBJECTS);
    expect(answer.body).toMatchObject({ code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 7 } });
    expect(answer.headers.get('retry-after')).toBe('7');
    server.faults.add(LISTS, { kind: 'status', code: 502, body: '<h1>Bad gateway</h1>' });
    expect(await client.get(OBJECTS)).toMatchObject({ status: 502, text: '<h1>Bad gateway</h1>' });
  });

  it('break connections before an answer and in the middle of one', async () => {
    server.faults.add(LISTS, { kind: 'drop' });
    await expect(client.get(OBJECTS)).rejects.toMatchObject({ name: 'TransportError', kind: 'reset' });
    server.faults.add(LISTS, { kind: 'cut', afterBytes: 10 });
    await expect(client.get(OBJECTS)).rejects.toMatchObject({ kind: 'reset' });
    server.faults.add(LISTS, { kind: 'end', afterBytes: 10 });
    expect((await client.get(OBJECTS)).text).toHaveLength(10);
  });

  it('stall a request until the fault is removed', async () => {
    const fault = server.faults.add(LISTS, { kind: 'stall' });
    const waiting = client.get(OBJECTS);
    await fault.met();
    fault.remove();
    expect((await waiting).status).toBe(200);
  });

  it('let a stalled client give up by its own time', async () => {
    server.faults.add(LISTS, { kind: 'stall' });
    const waiting = client.transport.request({ method: 'GET', path: OBJECTS, headersTimeoutMs: 1_000 });
    const failed = expect(waiting).rejects.toMatchObject({ kind: 'timeout' });
    await clock.advance(1_000);
    await failed;
  });

  it('delay by the clock of the server', async () => {
    server.faults.add(LISTS, { kind: 'delay', ms: 60_000 });
    let answered = false;
    const waiting = client.get(OBJECTS).then(() => {
      answered = true;
    });
    await clock.advance(59_999);
    expect(answered).toBe(false);
    await clock.advance(1);
    await waiting;
  });

  it('split a body at any byte', async () => {
    await client.post(OBJECTS, { metadata: { name: 'a' }, data: { text: 'äöü€😀' } });
    server.faults.add(LISTS, { kind: 'split', bytes: [1, 2, 3] });
    const response = await client.transport.request({ method: 'GET', path: OBJECTS });
    const sizes: number[] = [];
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) {
      sizes.push(chunk.length);
      chunks.push(chunk);
    }
    expect(sizes.slice(0, 6)).toEqual([1, 2, 3, 1, 2, 3]);
    const [item] = asArray(JSON.parse(Buffer.concat(chunks).toString()).items);
    expect(getPath(item, 'data', 'text')).toBe('äöü€😀');
  });

  it('answer reads from the past', async () => {
    await create('a');
    const then = server.resourceVersion;
    await create('b');
    server.faults.add({ verb: ['list', 'get'], resource: 'configmaps' }, { kind: 'stale', behind: 1 }, { times: 2 });
    const { body } = await client.get(OBJECTS);
    expect(asArray(body.items)).toHaveLength(1);
    expect(getPath(body, 'metadata', 'resourceVersion')).toBe(then);
    expect((await client.get(`${OBJECTS}/b`)).status).toBe(404);
    expect((await client.get(`${OBJECTS}/b`)).status).toBe(200);
  });

  it('withhold the bookmark that ends a WatchList, or all bookmarks', async () => {
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    server.faults.add(WATCHES, { kind: 'withhold-initial-events-end' });
    const endless = await client.watch(`${OBJECTS}?${query}`);
    await create('a');
    expect(await endless.next()).toMatchObject({ type: 'ADDED' });
    await endless.close();
    server.faults.add(WATCHES, { kind: 'withhold-bookmarks' });
    const quiet = await client.watch(
      `${OBJECTS}?resourceVersion=${server.resourceVersion}&allowWatchBookmarks=true&timeoutSeconds=300`,
    );
    await client.post('/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
    await clock.advance(300_000);
    expect(await quiet.next()).toBeUndefined();
  });

  it('withhold and repeat events', async () => {
    server.faults.add(WATCHES, { kind: 'withhold-events', count: 1 });
    server.faults.add(WATCHES, { kind: 'duplicate-events', count: 1 });
    const watch = await client.watch(`${OBJECTS}?resourceVersion=${server.resourceVersion}`);
    const first = watch.next();
    for (const name of ['a', 'b', 'c']) await create(name);
    const events = [await first, ...(await watch.take(2))];
    expect(events.map((event) => getPath(event?.object, 'metadata', 'name'))).toEqual(['b', 'b', 'c']);
    await watch.close();
  });

  it('delay the events of a watch by the clock of the server, in their order, and drop them when it ends', async () => {
    await create('a');
    server.faults.add(WATCHES, { kind: 'delay-events', ms: 3_000 });
    const watch = await client.watch(OBJECTS);
    expect(await watch.next()).toMatchObject({ type: 'ADDED' });
    await create('b');
    await clock.advance(1_000);
    await create('c');
    const heard: unknown[] = [];
    const reading = (async () => {
      for (const _ of ['b', 'c']) heard.push(getPath((await watch.next())?.object, 'metadata', 'name'));
    })();
    await clock.advance(1_999);
    expect(heard).toEqual([]);
    await clock.advance(1);
    expect(heard).toEqual(['b']);
    await clock.advance(1_000);
    await reading;
    expect(heard).toEqual(['b', 'c']);
    await create('d');
    await watch.close();
  });

  it('send an ERROR event after some events, and end the stream', async () => {
    for (const name of ['a', 'b']) await create(name);
    server.faults.add(WATCHES, { kind: 'error-event', afterEvents: 1 });
    const watch = await client.watch(OBJECTS);
    expect((await watch.take(5)).map((event) => event.type)).toEqual(['ADDED', 'ERROR']);
    server.faults.add(WATCHES, { kind: 'error-event', code: 500, reason: 'InternalError' });
    const broken = await client.watch(OBJECTS);
    expect(await broken.take(5)).toMatchObject([{ type: 'ERROR', object: { code: 500 } }]);
  });

  it('silence a stream that stays open', async () => {
    await create('a');
    const fault = server.faults.add(WATCHES, { kind: 'stall-body', afterBytes: 20 });
    const watch = await client.watch(OBJECTS);
    let heard = false;
    const waiting = watch.next().then(() => {
      heard = true;
    });
    await clock.advance(60_000);
    expect(heard).toBe(false);
    fault.remove();
    await waiting;
    await watch.close();
    expect(server.openWatches).toBe(0);
  });

  it('release a watch whose client leaves while a fault is wrapped around it', async () => {
    server.faults.add(WATCHES, { kind: 'split', bytes: 1 });
    const watch = await client.watch(OBJECTS);
    expect(server.openWatches).toBe(1);
    await watch.close();
    await clock.advance(0);
    expect(server.openWatches).toBe(0);
  });
});
