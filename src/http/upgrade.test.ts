import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { rejection, startRaw } from './request-fixture.ts';

const request = { path: '/exec', query: 'a=b', protocol: 'websocket', headers: { 'sec-websocket-version': '13' } };

describe('an upgrade', () => {
  it('hands the connection over, with what came after the head', async () => {
    let asked = '';
    await using world = await startRaw((socket, _, head) => {
      asked = head;
      socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nX: a\r\nX: b\r\n\r\nhello');
    });
    const { status, headers, connection } = await world.transport.upgrade(request);
    expect(status).toBe(101);
    expect(headers.get('x')).toBe('a, b');
    const chunks: Buffer[] = [];
    for await (const chunk of connection as AsyncIterable<Buffer>) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('hello');
    expect(asked).toMatch(/^GET \/exec\?a=b HTTP\/1\.1\r\n/);
    expect(asked).toContain('connection: Upgrade\r\nupgrade: websocket\r\n');
  });

  it.each([
    ['with a length', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno'],
    ['in chunks', 'HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n'],
    ['until the end', 'HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nno'],
  ])('that is refused gives the explanation, %s', async (_, answer) => {
    await using world = await startRaw((socket) => socket.end(answer));
    const { status, connection, body } = await world.transport.upgrade(request);
    expect([status, connection]).toEqual([403, undefined]);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('no');
  });

  it.each([
    ['no answer', (socket: Socket) => socket.destroy(), 'reset'],
    ['half a head', (socket: Socket) => socket.end('HTTP/1.1 101 Swi'), 'reset'],
    ['no HTTP', (socket: Socket) => socket.end('SSH-2.0\r\n\r\n'), 'protocol'],
    [
      'a head without an end',
      (socket: Socket) => socket.write(`HTTP/1.1 101 x\r\n${'a: b\r\n'.repeat(20_000)}`),
      'protocol',
    ],
  ])('fails after %s', async (_, answer, kind) => {
    await using world = await startRaw(answer);
    expect(await rejection(world.transport.upgrade(request))).toMatchObject({ name: 'TransportError', kind });
  });

  it('fails when nothing answers in time', async () => {
    const clock = new FakeClock();
    let asked: () => void = () => {};
    const arrived = new Promise<void>((resolve) => {
      asked = resolve;
    });
    await using world = await startRaw(() => asked(), { clock, headersTimeoutMs: 1_000 });
    const failure = rejection(world.transport.upgrade(request));
    await arrived;
    await clock.advance(1_000);
    expect(await failure).toMatchObject({ kind: 'timeout' });
  });

  it('ends with the reason of its signal: before, while it waits, and after', async () => {
    const reason = new Error('enough');
    const stop = new AbortController();
    let asked: () => void = () => {};
    const arrived = new Promise<void>((resolve) => {
      asked = resolve;
    });
    await using waiting = await startRaw(() => asked());
    const failure = rejection(waiting.transport.upgrade({ ...request, signal: stop.signal }));
    await arrived;
    stop.abort(reason);
    expect(await failure).toBe(reason);
    expect(await rejection(waiting.transport.upgrade({ ...request, signal: stop.signal }))).toBe(reason);
    const later = new AbortController();
    await using open = await startRaw((socket) => socket.write('HTTP/1.1 101 x\r\n\r\n'));
    const { connection } = await open.transport.upgrade({ ...request, signal: later.signal });
    const ended = new Promise((resolve) => connection?.once('error', resolve));
    later.abort(reason);
    expect(await ended).toBe(reason);
  });

  it('ends when the transport is closed', async () => {
    await using world = await startRaw((socket) => socket.write('HTTP/1.1 101 x\r\n\r\n'));
    const { connection } = await world.transport.upgrade(request);
    const ended = new Promise((resolve) => connection?.once('error', resolve));
    await world.transport.close();
    expect(await ended).toMatchObject({ kind: 'closed' });
    expect(await rejection(world.transport.upgrade(request))).toMatchObject({ kind: 'closed' });
  });
});
