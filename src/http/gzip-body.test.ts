import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../observe/logger.ts';
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts';
import { get, rejection, textOf, until } from './request-fixture.ts';
import { ScriptedServer } from './scripted-server-fixture.ts';

function transportTo(server: string, options: Partial<HttpTransportOptions> = {}): HttpTransport & AsyncDisposable {
  const transport = new HttpTransport({ server, logger: silentLogger, ...options });
  return Object.assign(transport, { [Symbol.asyncDispose]: () => transport.close() });
}

describe('HttpTransport and gzip', () => {
  it('asks for gzip unless told not to, and decodes it', async () => {
    await using server = await ScriptedServer.http((request, response) => {
      const accepted = request.headers['accept-encoding'];
      if (accepted !== 'gzip') return response.end(`plain ${accepted}`);
      return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'));
    });
    await using transport = transportTo(server.url);
    const response = await transport.request({ method: 'GET', path: '/' });
    expect(response.headers.has('content-encoding')).toBe(false);
    expect(await textOf(response)).toBe('packed');
    await using plain = transportTo(server.url, { disableCompression: true });
    expect((await get(plain)).text).toBe('plain undefined');
  });

  it('delivers each member of a sequence as it arrives', async () => {
    let send = (_text: string) => {};
    await using server = await ScriptedServer.http((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.flushHeaders();
      send = (text) => response.write(gzipSync(text));
    });
    await using transport = transportTo(server.url);
    const response = await transport.request({ method: 'GET', path: '/' });
    const iterator = response.body[Symbol.asyncIterator]();
    for (const text of ['one\n', 'two\n', 'three\n']) {
      send(text);
      expect(Buffer.from((await iterator.next()).value ?? []).toString()).toBe(text);
    }
    await iterator.return?.();
    await until(() => server.sockets.size === 0);
  });

  it('decodes members that are cut anywhere and an empty body', async () => {
    const bytes = Buffer.concat(['one', 'two', 'three'.repeat(10_000)].map((text) => gzipSync(text)));
    await using server = await ScriptedServer.http(async (request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      if (request.url === '/cut') {
        for (let at = 0; at < bytes.length; at += 7) {
          response.write(bytes.subarray(at, at + 7));
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      response.end();
    });
    await using transport = transportTo(server.url);
    expect((await get(transport, '/cut')).text).toBe(`onetwo${'three'.repeat(10_000)}`);
    expect((await get(transport, '/empty')).text).toBe('');
  });

  it('throws for a damaged or cut member and for an encoding that it does not know', async () => {
    const whole = gzipSync('something long enough to be cut'.repeat(100));
    const bodies: Record<string, [string, Buffer]> = {
      '/damaged': ['gzip', Buffer.from('this is not gzip')],
      '/short': ['gzip', whole.subarray(0, whole.length - 10)],
      '/br': ['br', Buffer.from('x')],
    };
    await using server = await ScriptedServer.http((request, response) => {
      const [encoding, body] = bodies[request.url ?? ''] ?? ['', Buffer.alloc(0)];
      response.writeHead(200, { 'content-encoding': encoding }).end(body);
    });
    await using transport = transportTo(server.url);
    for (const path of Object.keys(bodies)) {
      expect(await rejection(get(transport, path)), path).toMatchObject({ kind: 'protocol' });
    }
  });

  it('rejects the read that waits inside a compressed body when the signal aborts', async () => {
    await using server = await ScriptedServer.http((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('x'));
    });
    await using transport = transportTo(server.url);
    const controller = new AbortController();
    const response = await transport.request({ method: 'GET', path: '/', signal: controller.signal });
    const iterator = response.body[Symbol.asyncIterator]();
    await iterator.next();
    const read = rejection(iterator.next());
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await read).toBe(reason);
  });

  it('ends a read that waits inside a compressed body when it is returned from beside it', async () => {
    await using server = await ScriptedServer.http((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('x'));
    });
    await using transport = transportTo(server.url);
    const response = await transport.request({ method: 'GET', path: '/' });
    const iterator = response.body[Symbol.asyncIterator]();
    await iterator.next();
    const read = iterator.next();
    await iterator.return?.();
    expect((await read).done).toBe(true);
    await until(() => server.sockets.size === 0);
  });
});
