import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../observe/logger.ts';
import { makeCertificate } from '../certificate-fixture.ts';
import { Http1Dispatch } from '../exchange.ts';
import { HttpTransport } from '../http-transport.ts';
import { get, rejection, startRaw, textOf, until } from '../request-fixture.ts';
import { ScriptedServer } from '../scripted-server-fixture.ts';
import { SocketPool } from '../socket/socket-pool.ts';
import { encodeRequest } from './http1-request.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const REQUEST = encodeRequest({ method: 'GET', target: '/', host: 'x', headers: {} });

function poolOf(port: number): SocketPool {
  return new SocketPool({
    connector: {
      connect: async () => {
        const socket = connect(port, '127.0.0.1');
        await new Promise((resolve) => socket.once('connect', resolve));
        return socket;
      },
    },
    idleMs: 30,
  });
}

describe('a request on a connection that breaks', () => {
  for (const [how, breakOff] of [
    ['closes', (socket: Socket) => socket.end()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ] as const) {
    it(`is sent again when the server ${how} a used one and it changes nothing`, async () => {
      await using server = await startRaw((socket, request) =>
        request === '1 GET /second' ? breakOff(socket) : socket.write(OK),
      );
      await get(server.transport, '/first');
      expect(await get(server.transport, '/second')).toEqual({ status: 200, text: 'ok' });
      expect(server.requests).toEqual(['1 GET /first', '1 GET /second', '2 GET /second']);
    });

    it.each(['POST', 'PATCH', 'PUT', 'DELETE'] as const)(
      `is not sent again when the server ${how} a used one, %s`,
      async (method) => {
        await using server = await startRaw((socket, request) =>
          request.endsWith('/second') ? breakOff(socket) : socket.write(OK),
        );
        await get(server.transport, '/first');
        const failed = await rejection(get(server.transport, '/second', { method, body: '{}' }));
        expect(failed).toMatchObject({ name: 'TransportError', kind: 'reset' });
        expect(server.requests).toEqual(['1 GET /first', `1 ${method} /second`]);
      },
    );
  }

  it('is sent again once only', async () => {
    await using server = await startRaw((socket, request) =>
      request.endsWith('/second') ? socket.end() : socket.write(OK),
    );
    await get(server.transport, '/first');
    expect(await rejection(get(server.transport, '/second'))).toMatchObject({ kind: 'reset' });
    expect(server.requests).toEqual(['1 GET /first', '1 GET /second', '2 GET /second']);
  });

  it('is not sent again on a new connection, nor when a byte of the response has come', async () => {
    await using server = await startRaw((socket, request) => {
      if (request === '1 GET /new') socket.end();
      else if (request.endsWith('/part')) socket.end('H');
      else socket.write(OK);
    });
    expect(await rejection(get(server.transport, '/new'))).toMatchObject({
      kind: 'reset',
      message: `http://127.0.0.1:${server.port}: the connection was closed before the response was whole (other side closed; if it speaks TLS, its address begins with https://)`,
    });
    await get(server.transport, '/first');
    expect(await rejection(get(server.transport, '/part'))).toMatchObject({ kind: 'reset' });
    expect(server.requests).toEqual(['1 GET /new', '2 GET /first', '2 GET /part']);
  });
});

describe('an idle connection', () => {
  it('that the server has closed is not used, whatever the method', async () => {
    await using server = await startRaw((socket) => socket.write(OK));
    for (let round = 1; round <= 20; round++) {
      await get(server.transport, '/', { method: 'POST', body: 'x' });
      for (const socket of server.sockets) socket.end();
      if (round % 2 === 0) await until(() => server.sockets.size === 0);
    }
    expect(server.requests).toEqual(Array.from({ length: 20 }, (_, index) => `${index + 1} POST /`));
  });

  it.each([
    ['a whole response', OK],
    ['an empty line', '\r\n'],
  ])('on which the server says something is closed: %s, with the response or later', async (_what, said) => {
    let later = false;
    await using server = await startRaw((socket, request) => {
      if (!request.endsWith('/first')) socket.write(OK);
      else if (!later) socket.write(OK + said);
      else socket.write(OK, () => setTimeout(() => socket.write(said), 5));
    });
    await get(server.transport, '/first');
    await until(() => server.sockets.size === 0);
    await get(server.transport, '/second');
    expect(server.requests.at(-1)).toBe('2 GET /second');
    later = true;
    await get(server.transport, '/first');
    await until(() => server.sockets.size === 0);
    await get(server.transport, '/second');
    expect(server.requests.at(-1)).toBe('3 GET /second');
  });

  it.each([
    ['Connection: close', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['less patience than a request takes', `HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok`],
  ])('is none after a response with %s', async (_what, response) => {
    await using server = await startRaw((socket) => socket.write(response));
    expect((await get(server.transport)).text).toBe('ok');
    await until(() => server.sockets.size === 0);
    expect((await get(server.transport)).text).toBe('ok');
    expect(server.requests).toEqual(['1 GET /', '2 GET /']);
  });

  it('is kept when the server says that it is patient', async () => {
    await using server = await startRaw((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=60, max=100\r\ncontent-length: 0\r\n\r\n'),
    );
    await get(server.transport);
    await get(server.transport);
    expect(server.requests).toEqual(['1 GET /', '1 GET /']);
  });

  it('stays one when the request that was to use it is aborted before it is sent', async () => {
    await using server = await startRaw((socket) => socket.write(OK));
    await get(server.transport);
    const controller = new AbortController();
    const aborted = rejection(get(server.transport, '/aborted', { signal: controller.signal }));
    // Far enough for the connection to have been chosen, and within the turn of the event loop in which it is looked at.
    for (let step = 0; step < 50; step++) await Promise.resolve();
    controller.abort('enough');
    expect(await aborted).toBe('enough');
    await new Promise((resolve) => setTimeout(resolve, 5));
    await get(server.transport, '/after');
    expect(server.requests).toEqual(['1 GET /', '1 GET /after']);
  });

  it('can be used also when the last byte of the response before it paused the socket', async () => {
    const body = 'x'.repeat(3_000);
    await using server = await startRaw((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
    );
    const first = await server.transport.request({ method: 'GET', path: '/first' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await get(server.transport, '/second')).text).toBe(body);
    expect(await textOf(first)).toBe(body);
    expect(server.requests).toEqual(['1 GET /first', '1 GET /second']);
  });

  it('is closed after a while', async () => {
    await using server = await startRaw((socket) => socket.write(OK));
    const pool = poolOf(server.port);
    await new Promise<void>((resolve, reject) => {
      new Http1Dispatch(pool, REQUEST, { onHead() {}, onData() {}, onEnd: resolve, onFailure: reject });
    });
    expect(server.sockets.size).toBe(1);
    await until(() => server.sockets.size === 0);
    expect(await pool.takeIdle(1)).toBeUndefined();
  });
});

describe('a response', () => {
  it('that nobody wants any more is not handed on, also not what came in one piece with the rest', async () => {
    await using server = await startRaw((socket) => socket.write(OK));
    const heard: string[] = [];
    const dispatch = new Http1Dispatch(poolOf(server.port), REQUEST, {
      onHead: () => {
        heard.push('head');
        dispatch.abort();
      },
      onData: () => void heard.push('data'),
      onEnd: () => void heard.push('end'),
      onFailure: () => void heard.push('failure'),
    });
    await until(() => heard.length > 0 && server.sockets.size === 0);
    expect(heard).toEqual(['head']);
  });

  it('that ends with the connection is whole', async () => {
    await using server = await startRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nbody'));
    expect(await get(server.transport)).toEqual({ status: 200, text: 'body' });
    await until(() => server.sockets.size === 0);
  });

  it.each([
    ['in its head', 'HTTP/1.1 200 OK\r\nx:'],
    ['in a body with a length', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nbody'],
    [
      'in a body with a length, before a close that was announced',
      'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 5\r\n\r\nbody',
    ],
    ['in a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nbody'],
    ['between two chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nbody\r\n'],
    [
      'before the last line',
      'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n',
    ],
  ])('that is cut off %s fails', async (_where, part) => {
    await using server = await startRaw((socket) => socket.end(part));
    expect(await rejection(get(server.transport))).toMatchObject({ name: 'TransportError', kind: 'reset' });
  });

  it.each([
    ['has a head without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`, 'larger than 65536 bytes'],
    ['has a malformed header', 'HTTP/1.1 200 OK\r\nsecret\r\n\r\n', 'a header line is malformed'],
    [
      'has a malformed chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nsecret\r\n',
      'a chunk of the body is malformed',
    ],
    ['switches protocols', 'HTTP/1.1 101 secret\r\n\r\n', 'switches to another protocol'],
    ['is TLS', '\x15\x03\x03\x00\x02\x02\x46', 'does not begin with a status line'],
  ])('that %s fails, quotes nothing, and closes the connection', async (_what, text, said) => {
    await using server = await startRaw((socket) => socket.write(text, 'latin1'));
    const error = await rejection(get(server.transport));
    expect(error).toMatchObject({ name: 'TransportError', kind: 'protocol', message: expect.stringContaining(said) });
    expect(String(error)).toContain('the answer is not valid HTTP');
    expect(String(error) + String((error as Error).cause)).not.toContain('secret');
    await until(() => server.sockets.size === 0);
  });

  it('may come after interim ones', async () => {
    await using server = await startRaw((socket) =>
      socket.write(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}`),
    );
    expect((await get(server.transport)).text).toBe('ok');
    await get(server.transport);
    expect(server.requests).toEqual(['1 GET /', '1 GET /']);
  });

  it('may come before the request has been read, and its connection is not used again', async () => {
    await using server = await startRaw((socket) => {
      socket.pause();
      socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig');
    });
    const body = new Uint8Array(32 * 1024 * 1024);
    expect(await get(server.transport, '/', { method: 'POST', body })).toEqual({ status: 413, text: 'big' });
    for (const socket of server.sockets) socket.resume();
    await until(() => server.sockets.size === 0);
  });

  it('may come byte by byte', async () => {
    const text = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n';
    await using server = await startRaw(async (socket) => {
      for (const byte of text) {
        socket.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    expect((await get(server.transport)).text).toBe('abcd');
    expect((await get(server.transport)).text).toBe('abcd');
    expect(server.requests).toEqual(['1 GET /', '1 GET /']);
  });

  it('that is not read pauses the socket, and the connection is used again once it was read', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    await using server = await startRaw((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(200)}0\r\n\r\n`),
    );
    for (let round = 0; round < 2; round++) {
      const response = await server.transport.request({ method: 'GET', path: '/' });
      await new Promise((resolve) => setTimeout(resolve, 50));
      const [socket] = server.sockets;
      expect(socket?.writableLength).toBeGreaterThan(0);
      expect(await textOf(response)).toHaveLength(200 * 65_536);
    }
    expect(server.requests).toEqual(['1 GET /', '1 GET /']);
  });
});

describe('a request', () => {
  it.each(['http', 'https'])(
    'carries large bodies both ways over %s, again and again on one connection',
    async (scheme) => {
      const { certificate, key } = makeCertificate({ name: 'server', hosts: ['127.0.0.1'] });
      await using server = await ScriptedServer.http(
        (request, response) => void request.pipe(response),
        scheme === 'https' ? { cert: certificate, key } : undefined,
      );
      const transport = new HttpTransport({ server: server.url, logger: silentLogger, tls: { insecure: true } });
      const body = Buffer.alloc(4 * 1024 * 1024, 'some words of no great length. ');
      for (let round = 0; round < 4; round++) {
        const response = await transport.request({ method: 'POST', path: '/', body });
        const chunks: Uint8Array[] = [];
        for await (const chunk of response.body) {
          chunks.push(chunk);
          if (chunks.length % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        }
        expect(Buffer.concat(chunks).equals(body)).toBe(true);
      }
      expect(server.connections).toBe(1);
      await transport.close();
    },
  );

  it('with a line break in a header is refused before anything is sent, without the value', async () => {
    await using server = await startRaw((socket) => socket.write(OK));
    const error = await rejection(get(server.transport, '/', { headers: { 'x-a': 'secret\r\nx-b: 1' } }));
    expect(error).toMatchObject({ name: 'TransportError', kind: 'other', message: expect.stringContaining('x-a') });
    expect(String(error)).not.toContain('secret');
    expect(server.requests).toEqual([]);
  });
});
