import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import type { Transport } from '../api/transport.ts';
import { Cluster } from '../cluster/cluster.ts';
import { configMaps } from '../generated/api/core/v1.ts';
import { startRaw, until } from '../http/request-fixture.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';

const stalling = (status: string) => `HTTP/1.1 ${status}\r\ncontent-length: 1000\r\n\r\n`;

describe('an informer whose server sends the head of an answer and then nothing', () => {
  it.each([
    ['a refused list', false, '503 Service Unavailable', { name: 'ApiError', code: 503 }],
    ['a refused watch', true, '503 Service Unavailable', { name: 'ApiError', code: 503 }],
    ['a list', false, '200 OK', { name: 'TransportError', kind: 'timeout' }],
  ])('reports %s by its own clock, and asks again', async (_what, watchList, status, expected) => {
    const clock = new FakeClock();
    await using server = await startRaw((socket) => socket.write(stalling(status)));
    let heads = 0;
    const transport: Transport = {
      async request(request) {
        const response = await server.transport.request(request);
        heads += 1;
        return response;
      },
      close: async () => {},
    };
    const errors: unknown[] = [];
    const informer = new SharedIndexInformer({
      cluster: Cluster.over(transport),
      resource: configMaps,
      clock,
      watchList,
      logger: silentLogger,
      watchErrorHandler: (error) => void errors.push(error),
    });
    const running = informer.run();
    await until(() => heads === 1);
    await clock.advance(status.startsWith('503') ? 10_000 : 60_000);
    await until(() => errors.length > 0);
    expect(errors[0]).toMatchObject(expected);
    if (status.startsWith('503')) expect(errors[0]).toBeInstanceOf(ApiError);
    await clock.advance(60_000);
    await until(() => heads > 1);
    await informer.stop();
    await running;
    expect(clock.pendingTimers).toBe(0);
    await until(() => server.sockets.size === 0);
  });

  it.each([
    ['its list', stalling('200 OK')],
    ['its refused list', stalling('503 Service Unavailable')],
    ['the question whether the type exists', 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'],
  ])('does not hold the process after a stop, with %s under way', async (what, answer) => {
    await using server = await startRaw((socket, request) =>
      socket.write(request.endsWith('GET /api/v1') ? stalling('200 OK') : answer),
    );
    const source = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
    const script = `
      const { Cluster } = await import(${source('../cluster/cluster.ts')});
      const { SharedIndexInformer } = await import(${source('./shared-index-informer.ts')});
      const { configMaps } = await import(${source('../generated/api/core/v1.ts')});
      const { silentLogger } = await import(${source('../observe/logger.ts')});
      const cluster = await Cluster.connect({ server: ${JSON.stringify(server.url)}, env: {}, logger: silentLogger });
      const informer = new SharedIndexInformer({ cluster, resource: configMaps, watchList: false });
      const running = informer.run();
      process.stdin.once('data', async () => {
        await informer.stop();
        await running;
        process.stdin.destroy();
        process.stdout.write('stopped');
      });
    `;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    try {
      const awaited = what.startsWith('the question') ? /GET \/api\/v1$/ : /configmaps/;
      await until(() => server.requests.some((line) => awaited.test(line)));
      child.stdin.write('stop');
      expect(await ended).toBe(0);
      expect(output).toBe('stopped');
    } finally {
      child.kill();
    }
  });
});
