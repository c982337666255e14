import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import { defineResource } from '../api/resource.ts';
import type { Transport } from '../api/transport.ts';
import { Cluster } from '../cluster/cluster.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import type { Credentials, Login } from './http.ts';
import { get, type RawServer, rejection, startRaw, textOf, until } from './request-fixture.ts';
import { Secret } from './secret.ts';

const configMaps = defineResource({ group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' });
const HOUR_MS = 3_600_000;

const head = (status: string, ...headers: string[]) =>
  [`HTTP/1.1 ${status}`, 'content-type: application/json', 'content-length: 100000', ...headers, '', ''].join('\r\n');

/** A cluster over the server, and how many heads of responses have come. */
function clusterOver(server: RawServer, clock: FakeClock): { cluster: Cluster; heads: () => number } {
  let heads = 0;
  const counted: Transport = {
    async request(request) {
      const response = await server.transport.request(request);
      heads += 1;
      return response;
    },
    close: () => server.transport.close(),
  };
  return { cluster: Cluster.over(counted, { clock, logger: silentLogger }), heads: () => heads };
}

describe('a body that stalls', () => {
  it('fails the read that waits for it, and closes its connection', async () => {
    const clock = new FakeClock();
    await using server = await startRaw((socket) => socket.write(`${head('200 OK')}{"a"`), { clock });
    const response = await server.transport.request({ method: 'GET', path: '/x' });
    const body = response.body[Symbol.asyncIterator]();
    expect(Buffer.from((await body.next()).value ?? []).toString()).toBe('{"a"');
    const read = rejection(body.next());
    await clock.advance(60_000);
    expect(await read).toMatchObject({
      name: 'TransportError',
      kind: 'timeout',
      message: expect.stringContaining(`${server.url} to GET /x has brought nothing for 60000 ms`),
    });
    await until(() => server.sockets.size === 0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is not one that goes on in time, however long it takes as a whole, with one timer for all of it', async () => {
    const clock = new FakeClock();
    await using server = await startRaw((socket) => socket.write(`${head('200 OK')}a`), { clock });
    const response = await server.transport.request({ method: 'GET', path: '/' });
    const body = response.body[Symbol.asyncIterator]();
    for (let i = 0; i < 10; i++) {
      await body.next();
      const next = body.next();
      await clock.advance(59_000);
      expect(clock.pendingTimers).toBe(1);
      for (const socket of server.sockets) socket.write('b');
      await next;
      for (const socket of server.sockets) socket.write('c');
    }
  });

  it('is not one whose reader takes its time', async () => {
    const clock = new FakeClock();
    await using server = await startRaw((socket) => socket.write(`${head('200 OK')}a`), { clock });
    const response = await server.transport.request({ method: 'GET', path: '/' });
    await clock.advance(HOUR_MS);
    const body = response.body[Symbol.asyncIterator]();
    await body.next();
    for (const text of ['b', 'c']) {
      await clock.advance(HOUR_MS);
      const read = body.next();
      for (const socket of server.sockets) socket.write(text);
      expect(Buffer.from((await read).value ?? []).toString()).toBe(text);
    }
  });

  it('leaves no timer once it has come to its end', async () => {
    const clock = new FakeClock();
    const whole = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\na';
    await using server = await startRaw((socket) => socket.write(whole), { clock });
    const response = await server.transport.request({ method: 'GET', path: '/' });
    const text = textOf(response);
    await until(() => clock.pendingTimers === 1);
    for (const socket of server.sockets) socket.write('b');
    expect(await text).toBe('ab');
    expect(clock.pendingTimers).toBe(0);
  });

  it.each(['watch=true', 'watch=1', 'follow=true&x=y'])('is not an answer to %s', async (query) => {
    const clock = new FakeClock();
    await using server = await startRaw((socket) => socket.write(head('200 OK')), { clock });
    const response = await server.transport.request({ method: 'GET', path: '/', query });
    const read = response.body[Symbol.asyncIterator]().next();
    await clock.advance(HOUR_MS);
    for (const socket of server.sockets) socket.write('late');
    expect(Buffer.from((await read).value ?? []).toString()).toBe('late');
  });

  it('goes by the clock of the request', async () => {
    const clock = new FakeClock();
    await using server = await startRaw((socket) => socket.write(head('200 OK')), { clock: new FakeClock() });
    const response = await server.transport.request({ method: 'GET', path: '/', query: 'watch=false', clock });
    const read = rejection(textOf(response));
    await clock.advance(60_000);
    expect(await read).toMatchObject({ kind: 'timeout' });
  });
});

describe('the body of a refusal', () => {
  it.each([
    ['a list', 'watch=0'],
    ['a watch', 'watch=true'],
  ])('ends when it stalls, for %s too', async (_what, query) => {
    const clock = new FakeClock();
    await using server = await startRaw((socket) => socket.write(`${head('503 Unavailable')}{"ki`), { clock });
    const response = await server.transport.request({ method: 'GET', path: '/', query });
    const text = textOf(response);
    await clock.advance(10_000);
    expect(response.status).toBe(503);
    expect(await text).toBe('{"ki');
    await until(() => server.sockets.size === 0);
  });

  it('ends when it takes too long as a whole, drop by drop', async () => {
    const clock = new FakeClock();
    await using server = await startRaw((socket) => socket.write(`${head('503 Unavailable')}a`), { clock });
    const response = await server.transport.request({ method: 'GET', path: '/' });
    const text = textOf(response);
    for (let i = 0; i < 4; i++) {
      for (const socket of server.sockets) socket.write('b');
      await clock.advance(4_000);
    }
    expect(await text).toMatch(/^ab*$/);
  });

  it.each([
    ['breaks off', `${head('503 Unavailable')}part`, 'part'],
    ['is malformed', 'HTTP/1.1 503 Unavailable\r\ntransfer-encoding: chunked\r\n\r\n4\r\npart\r\nzz\r\n', 'part'],
    ['has an unknown encoding', `${head('503 Unavailable', 'content-encoding: br')}part`, ''],
  ])('ends when it %s', async (_what, bytes, expected) => {
    await using server = await startRaw((socket) => socket.end(bytes));
    expect(await get(server.transport)).toEqual({ status: 503, text: expected });
  });

  it('ends when its gzip breaks off', async () => {
    const zipped = gzipSync('x'.repeat(1000));
    await using server = await startRaw((socket) => {
      socket.write(head('503 Unavailable', 'content-encoding: gzip'));
      socket.end(zipped.subarray(0, -6));
    });
    expect((await get(server.transport)).status).toBe(503);
  });

  it('is still ended by an abort with its reason', async () => {
    await using server = await startRaw((socket) => socket.write(`${head('503 Unavailable')}part`));
    const stop = new AbortController();
    const response = await server.transport.request({ method: 'GET', path: '/', signal: stop.signal });
    const read = rejection(textOf(response));
    const reason = new Error('stopped');
    stop.abort(reason);
    expect(await read).toBe(reason);
  });
});

/** Gives another token after each 401. */
class Renewing implements Credentials {
  #login: Login = { headers: new Secret({ authorization: 'Bearer old' }) };

  async login(): Promise<Login> {
    return this.#login;
  }

  async renew(): Promise<boolean> {
    this.#login = { headers: new Secret({ authorization: 'Bearer new' }) };
    return true;
  }
}

describe('a server that stalls', () => {
  it('cannot hold up the second try after a 401', async () => {
    await using server = await startRaw(
      (socket, request) =>
        socket.write(
          request.startsWith('1 ') ? head('401 Unauthorized') : 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
        ),
      { credentials: new Renewing(), clock: new FakeClock() },
    );
    expect(await get(server.transport)).toEqual({ status: 200, text: 'ok' });
    await until(() => server.sockets.size === 1);
  });

  it('fails a get with the status that it sent', async () => {
    const clock = new FakeClock();
    await using server = await startRaw((socket) => socket.write(head('503 Unavailable')));
    const { cluster, heads } = clusterOver(server, clock);
    const got = rejection(cluster.client(configMaps).get('a'));
    await until(() => heads() === 1);
    await clock.advance(10_000);
    const error = await got;
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 503 });
  });

  it('fails a get whose answer does not come, by the clock of the cluster', async () => {
    const clock = new FakeClock();
    await using server = await startRaw((socket) => socket.write(head('200 OK')));
    const { cluster, heads } = clusterOver(server, clock);
    const got = rejection(cluster.client(configMaps).get('a'));
    await until(() => heads() === 1);
    await clock.advance(60_000);
    expect(await got).toMatchObject({ kind: 'timeout' });
  });

  it('fails discovery, which asks again the next time', async () => {
    const clock = new FakeClock();
    await using server = await startRaw((socket) => socket.write(head('200 OK')));
    const { cluster, heads } = clusterOver(server, clock);
    for (const seen of [2, 4]) {
      const found = rejection(cluster.discovery.find('pods'));
      await until(() => heads() === seen);
      await clock.advance(60_000);
      expect(await found).toMatchObject({ kind: 'timeout' });
    }
  });
});

describe('discovery and AbortSignal', () => {
  it('stops waiting at once and closes its connections', async () => {
    await using server = await startRaw((socket) => socket.write(head('200 OK')));
    const { cluster, heads } = clusterOver(server, new FakeClock());
    const stop = new AbortController();
    const { signal } = stop;
    const reason = new Error('stopped');
    const calls = [
      cluster.discovery.find('pods', { signal }),
      cluster.discovery.resources({ signal }),
      cluster.discovery.preferredResources({ signal }),
      cluster.discovery.failures({ signal }),
    ].map(rejection);
    await until(() => heads() === 2);
    stop.abort(reason);
    expect(await Promise.all(calls)).toEqual([reason, reason, reason, reason]);
    await until(() => server.sockets.size === 0);
    expect(await rejection(cluster.discovery.find('pods', { signal }))).toBe(reason);
  });

  it('goes on for the others when one of those who wait has left', async () => {
    const clock = new FakeClock();
    await using server = await startRaw((socket) => socket.write(head('200 OK')));
    const { cluster, heads } = clusterOver(server, clock);
    const stop = new AbortController();
    const leaving = rejection(cluster.discovery.find('pods', { signal: stop.signal }));
    const staying = cluster.discovery.resources();
    await until(() => heads() === 2);
    stop.abort(new Error('stopped'));
    await leaving;
    const answer = JSON.stringify({ kind: 'APIGroupDiscoveryList', items: [] }).padEnd(100_000);
    for (const socket of server.sockets) socket.write(answer);
    expect(await staying).toEqual([]);
  });

  it('starts again for whoever asks after all have left', async () => {
    await using server = await startRaw((socket) => socket.write(head('200 OK')));
    const { cluster, heads } = clusterOver(server, new FakeClock());
    const stop = new AbortController();
    const leaving = rejection(cluster.discovery.find('pods', { signal: stop.signal }));
    await until(() => heads() === 2);
    stop.abort(new Error('stopped'));
    const asked = cluster.discovery.resources();
    await leaving;
    await until(() => heads() === 4);
    const answer = JSON.stringify({ kind: 'APIGroupDiscoveryList', items: [] }).padEnd(100_000);
    await until(() => server.sockets.size === 2);
    for (const socket of server.sockets) socket.write(answer);
    expect(await asked).toEqual([]);
  });
});
