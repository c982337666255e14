import { connect as connectPlain, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Agent, request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../observe/logger.ts';
import { ApiServer } from '../apiserver.ts';
import { asArray, type JsonObject } from '../values/json.ts';

const OBJECTS = '/api/v1/namespaces/default/configmaps';

describe('the server on a socket', () => {
  let server: ApiServer;
  let agent: Agent;

  beforeEach(async () => {
    server = await ApiServer.start({ logger: silentLogger, watchQueueLimit: 100 });
    agent = new Agent({ connect: { ca: server.ca ?? '' } });
  });

  afterEach(async () => {
    await agent.destroy();
    await server.stop();
  });

  const send = (path: string, options: { method?: string; body?: string; headers?: Record<string, string> } = {}) =>
    request(`${server.url}${path}`, {
      dispatcher: agent,
      method: (options.method ?? 'GET') as 'GET',
      headers: {
        authorization: `Bearer ${server.token}`,
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      body: options.body ?? null,
    });

  const create = async (name: string, text: string) => {
    const body = JSON.stringify({ metadata: { name }, data: { text } });
    const response = await send(OBJECTS, { method: 'POST', body });
    await response.body.dump();
    return response.statusCode;
  };

  it('is trusted by a client that trusts its authority, under each of its names', async () => {
    const port = new URL(server.url).port;
    for (const host of ['127.0.0.1', 'localhost']) {
      const response = await request(`https://${host}:${port}/version`, { dispatcher: agent });
      expect(await response.body.json()).toMatchObject({ major: '1', gitVersion: expect.stringMatching(/^v1\./) });
    }
    const stranger = new Agent();
    await expect(request(`${server.url}/version`, { dispatcher: stranger })).rejects.toThrow(/certificate/);
    await stranger.destroy();
  });

  it('wants a token for everything but probes', async () => {
    const open = await request(`${server.url}/readyz`, { dispatcher: agent });
    expect([open.statusCode, await open.body.text()]).toEqual([200, 'ok']);
    const closed = await request(`${server.url}/api/v1/pods`, { dispatcher: agent });
    expect([closed.statusCode, await closed.body.json()]).toMatchObject([401, { reason: 'Unauthorized' }]);
  });

  it('streams a watch, and releases it when the client goes', async () => {
    const response = await send(`${OBJECTS}?watch=1&resourceVersion=${server.resourceVersion}`);
    expect(response.headers['content-type']).toBe('application/json');
    await create('a', 'x');
    for await (const chunk of response.body) {
      expect(JSON.parse(String(chunk))).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
      break;
    }
    await expect.poll(() => server.openWatches).toBe(0);
  });

  it('compresses long answers for those who take them compressed, and no watches', async () => {
    for (let count = 0; count < 40; count++) await create(`c${count}`, 'x'.repeat(10_000));
    const packed = await send(OBJECTS, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers['content-encoding']).toBe('gzip');
    await packed.body.dump();
    const plain = await send(OBJECTS);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(asArray(((await plain.body.json()) as JsonObject).items)).toHaveLength(40);
    const short = await send(`${OBJECTS}/c1`, { headers: { 'accept-encoding': 'gzip' } });
    expect(short.headers['content-encoding']).toBeUndefined();
    await short.body.dump();
    const watch = await send(`${OBJECTS}?watch=1&timeoutSeconds=1`, { headers: { 'accept-encoding': 'gzip' } });
    expect(watch.headers['content-encoding']).toBeUndefined();
    watch.body.destroy();
  });

  it('refuses a body of 20 MB and lives on', async () => {
    const body = JSON.stringify({ metadata: { name: 'a' }, data: { text: 'x'.repeat(20 * 1024 * 1024) } });
    const refused = await send(OBJECTS, { method: 'POST', body });
    expect(refused.statusCode).toBe(413);
    expect(await refused.body.json()).toMatchObject({ reason: 'RequestEntityTooLarge' });
    expect(await create('b', 'x')).toBe(201);
  });

  it('breaks the socket where a fault says so', async () => {
    server.faults.add({ verb: 'list' }, { kind: 'drop' });
    await expect(send(OBJECTS)).rejects.toThrow();
    server.faults.add({ verb: 'list' }, { kind: 'cut', afterBytes: 20 });
    const cut = await send(OBJECTS);
    await expect(cut.body.text()).rejects.toThrow();
    expect((await send(OBJECTS)).statusCode).toBe(200);
  });

  it('cuts off a watcher that does not read', async () => {
    await using plain = await ApiServer.start({ http: true, logger: silentLogger, watchQueueLimit: 20 });
    const socket = await openSocket(Number(new URL(plain.url).port));
    socket.pause();
    socket.write(`GET ${OBJECTS}?watch=1&resourceVersion=${plain.resourceVersion} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    await expect.poll(() => plain.openWatches).toBe(1);
    const transport = plain.transport();
    const text = 'x'.repeat(500_000);
    for (let count = 0; plain.openWatches > 0 && count < 500; count++) {
      const body = JSON.stringify({ metadata: { name: `c${count}` }, data: { text } });
      await transport.request({ method: 'POST', path: OBJECTS, headers: { 'content-type': 'application/json' }, body });
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(plain.openWatches).toBe(0);
    socket.destroy();
  });

  it('answers what is not HTTP with a 400, and closes the connection', async () => {
    await using plain = await ApiServer.start({ http: true, logger: silentLogger });
    const socket = await openSocket(Number(new URL(plain.url).port));
    socket.write('\x16\x03\x01garbage\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect((await request(`${plain.url}/healthz`, { dispatcher: agent })).statusCode).toBe(200);
  });

  describe('without TLS', () => {
    /** The status of an answer to a request with exactly these headers. */
    const statusOf = async (url: string, headers: readonly string[], method = 'GET') => {
      const socket = await openSocket(Number(new URL(url).port));
      const chunks: Buffer[] = [];
      const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      const lines = [`${method} /api/v1/namespaces HTTP/1.1`, 'connection: close', 'content-length: 0', ...headers];
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      await closed;
      return Number(/^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(chunks).toString())?.[1]);
    };

    it('answers under the names of loopback and under those that it was given, and no other', async () => {
      await using plain = await ApiServer.start({ http: true, allowedHosts: ['tests.internal'] });
      const { port } = new URL(plain.url);
      for (const host of [
        '127.0.0.1',
        '127.1.2.3',
        'localhost',
        'LocalHost',
        'a.localhost',
        '[::1]',
        'tests.internal',
      ]) {
        expect([host, await statusOf(plain.url, [`host: ${host}:${port}`])]).toEqual([host, 200]);
        expect([host, await statusOf(plain.url, [`host: ${host}`])]).toEqual([host, 200]);
      }
      const foreign = [
        'evil.example',
        'localhost.evil.example',
        '127.0.0.1.evil.example',
        '10.0.0.1',
        '[::2]',
        '127.evil',
      ];
      for (const host of foreign) {
        expect([host, await statusOf(plain.url, [`host: ${host}:${port}`])]).toEqual([host, 403]);
      }
    });

    it('refuses what a page of another origin sends, before it looks at the request', async () => {
      await using plain = await ApiServer.start({ http: true });
      const { port } = new URL(plain.url);
      const host = `host: localhost:${port}`;
      expect(await statusOf(plain.url, [host, `origin: http://localhost:${port}`])).toBe(200);
      for (const origin of ['http://evil.example', `https://localhost:${port}`, 'http://localhost:1', 'null']) {
        for (const method of ['GET', 'POST', 'OPTIONS']) {
          expect([origin, await statusOf(plain.url, [host, `origin: ${origin}`], method)]).toEqual([origin, 403]);
        }
      }
    });

    it('says why it refuses', async () => {
      await using plain = await ApiServer.start({ http: true });
      const refused = await request(`${plain.url}/api/v1/pods`, {
        headers: { host: 'evil.example' },
        dispatcher: agent,
      });
      expect(await refused.body.json()).toMatchObject({
        kind: 'Status',
        reason: 'Forbidden',
        code: 403,
        message: expect.stringContaining('the Host header names "evil.example"'),
      });
    });
  });

  it('answers pages of any origin with TLS, where the token is what counts', async () => {
    const answer = await send('/version', { headers: { origin: 'http://evil.example' } });
    expect(answer.statusCode).toBe(200);
    await answer.body.dump();
  });

  it('lets nobody without a token speak for somebody else', async () => {
    const headers = { 'impersonate-user': 'kubernetes-admin' };
    const probe = await request(`${server.url}/version`, { dispatcher: agent, headers });
    expect(await probe.body.json()).toMatchObject({ code: 403, reason: 'Forbidden' });
    const list = await request(`${server.url}/api/v1/pods`, { dispatcher: agent, headers });
    expect(await list.body.json()).toMatchObject({ code: 401 });
  });

  it('writes a kubeconfig with its authority and its token', () => {
    const text = server.kubeconfig();
    expect(text).toContain(server.url);
    expect(text).toContain(server.token);
    expect(text).toContain(Buffer.from(server.ca ?? '').toString('base64'));
  });
});

function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectPlain(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });
}
