import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseProxyUrl } from '../../login/proxy-url.ts';
import { systemClock } from '../../observe/clock.ts';
import { FakeClock } from '../../observe/fake-clock.ts';
import { silentLogger } from '../../observe/logger.ts';
import { makeCertificate } from '../certificate-fixture.ts';
import { FileContent } from '../file-content.ts';
import { HttpTransport, type HttpTransportOptions } from '../http-transport.ts';
import { get, rejection, until } from '../request-fixture.ts';
import { type RawScript, ScriptedServer } from '../scripted-server-fixture.ts';
import { Secret } from '../secret.ts';

const ca = makeCertificate({ name: 'CA', ca: true });
const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

function through(proxyUrl: string, options: Partial<HttpTransportOptions> = {}): HttpTransport {
  return new HttpTransport({
    server: 'https://cluster.test:6443',
    proxy: parseProxyUrl(new Secret(proxyUrl), 'test'),
    tls: { ca: ca.certificate },
    logger: silentLogger,
    ...options,
  });
}

describe('a proxy that fails', () => {
  const ways: [string, (socket: Socket) => unknown][] = [
    ['resets', (socket) => socket.resetAndDestroy()],
    ['closes', (socket) => socket.end()],
    ['destroys', (socket) => socket.destroy()],
  ];
  const moments: [string, (act: (socket: Socket) => unknown) => RawScript][] = [
    ['instead of an answer', (act) => (socket) => act(socket)],
    ['in the middle of its answer', (act) => (socket) => socket.write(ESTABLISHED.slice(0, 20), () => act(socket))],
    ['as soon as the tunnel stands', (act) => (socket) => socket.write(ESTABLISHED, () => act(socket))],
    [
      'a turn after the tunnel stands',
      (act) => (socket) => socket.write(ESTABLISHED, () => setImmediate(() => act(socket))),
    ],
    [
      'when TLS begins',
      (act) =>
        (socket, _, { read }) =>
          read === 1 ? socket.write(ESTABLISHED) : act(socket),
    ],
  ];
  const cases = ways.flatMap(([way, act]) => moments.map(([moment, when]) => [way, moment, when(act)] as const));

  it.each(cases)(
    'and %s the connection %s fails the request at once, and nothing else',
    async (_way, _moment, answer) => {
      const folder = await mkdtemp(join(tmpdir(), 'tidewatch-proxy-'));
      try {
        await writeFile(join(folder, 'ca'), ca.certificate);
        await using proxy = await ScriptedServer.raw(answer);
        for (let i = 0; i < 5; i++) {
          // No time passes: it is the proxy's end that is noticed, and not the limit. And the CA is read from a file each time.
          const caFile = new FileContent(join(folder, 'ca'), {
            purpose: 'CA',
            clock: systemClock,
            logger: silentLogger,
          });
          const transport = through(`http://127.0.0.1:${proxy.port}`, { clock: new FakeClock(), tls: { ca: caFile } });
          const error = await rejection(get(transport));
          expect(error).toMatchObject({ name: 'TransportError', retryable: true });
          expect((error as { kind: string }).kind).not.toBe('timeout');
          await transport.close();
        }
        await until(() => proxy.sockets.size === 0);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  );

  const steps: [string, string, RawScript][] = [
    ['the answer to CONNECT', 'http', () => {}],
    ['the rest of the answer', 'http', (socket) => socket.write('HTTP/1.1 200 OK\r\nx: ')],
    ['TLS in the tunnel', 'http', (socket, _, { read }) => read === 1 && socket.write(ESTABLISHED)],
    ['the choice of a method', 'socks5', () => {}],
    [
      'the reply of SOCKS5',
      'socks5',
      (socket, _, { read }) => socket.write(Buffer.from(read === 1 ? [5, 0] : [5, 0, 0])),
    ],
    ['TLS with the proxy itself', 'https', () => {}],
  ];

  it.each(steps)('holds up a request no longer than the limit, while it owes %s', async (_step, scheme, answer) => {
    const clock = new FakeClock();
    await using proxy = await ScriptedServer.raw(answer);
    const transport = through(`${scheme}://127.0.0.1:${proxy.port}`, { clock, connectTimeoutMs: 5_000 });
    const pending = rejection(get(transport));
    await until(() => proxy.sockets.size === 1);
    await clock.advance(5_000);
    expect(await pending).toMatchObject({ kind: 'timeout', message: expect.stringContaining('5000 ms') });
    await until(() => proxy.sockets.size === 0);
    expect(clock.pendingTimers).toBe(0);
    await transport.close();
  });

  it.each(steps)('is left at once when the request is aborted, while it owes %s', async (_step, scheme, answer) => {
    const clock = new FakeClock();
    await using proxy = await ScriptedServer.raw(answer);
    const transport = through(`${scheme}://127.0.0.1:${proxy.port}`, { clock });
    const stop = new AbortController();
    const reason = new Error('stopped');
    const pending = rejection(get(transport, '/', { signal: stop.signal }));
    await until(() => proxy.sockets.size === 1);
    stop.abort(reason);
    expect(await pending).toBe(reason);
    await until(() => proxy.sockets.size === 0);
    expect(clock.pendingTimers).toBe(0);
    await transport.close();
  });
});

describe('what a proxy says', () => {
  const failure = async (url: string) => {
    const transport = through(url);
    const error = await rejection(get(transport));
    await transport.close();
    return error as Error;
  };

  it('reaches no message with its control characters', async () => {
    await using proxy = await ScriptedServer.raw((socket) =>
      socket.end('HTTP/1.1 407 \x1b[31mno\x07\x9b2J\r\n\r\n', 'latin1'),
    );
    const error = await failure(`http://127.0.0.1:${proxy.port}`);
    expect(error).toMatchObject({ kind: 'proxy', message: expect.stringContaining('407 U+001B[31mnoU+0007U+009B2J') });
  });

  it('may not hold anything of the server before TLS', async () => {
    await using proxy = await ScriptedServer.raw((socket) => socket.write(`${ESTABLISHED}surprise`));
    expect((await failure(`http://127.0.0.1:${proxy.port}`)).message).toContain('more than its answer');
  });

  it.each([
    ['the version of its choice', [[4, 0]]],
    [
      'the version of its reply',
      [
        [5, 0],
        [4, 0, 0, 1, 0, 0, 0, 0, 0, 0],
      ],
    ],
    [
      'the kind of its address',
      [
        [5, 0],
        [5, 0, 0, 9, 0, 0, 0, 0, 0, 0],
      ],
    ],
  ])('is not SOCKS5 when %s is wrong', async (_what, answers) => {
    await using proxy = await ScriptedServer.raw((socket, _, { read }) =>
      socket.write(Buffer.from(answers[read - 1] ?? [])),
    );
    expect(await failure(`socks5://127.0.0.1:${proxy.port}`)).toMatchObject({
      kind: 'proxy',
      message: expect.stringContaining('does not speak SOCKS5'),
    });
  });

  it('about a password counts only in the version of passwords', async () => {
    await using proxy = await ScriptedServer.raw((socket, _, { read }) =>
      socket.write(Buffer.from(read === 1 ? [5, 2] : [5, 0])),
    );
    expect((await failure(`socks5://u:p@127.0.0.1:${proxy.port}`)).message).toContain('refused user name and password');
  });
});

describe('SOCKS5', () => {
  it.each([
    ['https://[2001:db8::1]:6443', [4, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x19, 0x2b]],
    ['https://[::ffff:10.1.2.3]', [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 1, 2, 3, 1, 0xbb]],
    ['https://10.1.2.3', [1, 10, 1, 2, 3, 1, 0xbb]],
    ['https://ab', [3, 2, 0x61, 0x62, 1, 0xbb]],
  ])('is asked for %s in its own kind of address', async (server, expected) => {
    let asked: number[] = [];
    await using proxy = await ScriptedServer.raw((socket, data, { read }) => {
      if (read === 1) return socket.write(Buffer.from([5, 0]));
      asked = [...data];
      return socket.end(Buffer.from([5, 1, 0, 1]));
    });
    const transport = through(`socks5://127.0.0.1:${proxy.port}`, { server });
    expect(await rejection(get(transport))).toMatchObject({ message: expect.stringContaining('general failure') });
    expect(asked).toEqual([5, 1, 0, ...expected]);
    await transport.close();
  });
});

describe('a proxy that is reached with TLS', () => {
  it('is verified, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
    const self = makeCertificate({ name: 'proxy', hosts: ['127.0.0.1'] });
    let heard = 0;
    await using proxy = await ScriptedServer.raw(
      (socket) => {
        heard += 1;
        socket.destroy();
      },
      { cert: self.certificate, key: self.key },
    );
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      const transport = through(`https://127.0.0.1:${proxy.port}`);
      expect(await rejection(get(transport))).toMatchObject({
        kind: 'proxy',
        message: expect.stringContaining('self-signed certificate'),
      });
      await transport.close();
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
    expect(heard).toBe(0);
  });
});
