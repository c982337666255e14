import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../observe/logger.ts';
import { type Check, HealthServer, type HealthServerOptions } from './health-server.ts';

describe('HealthServer', () => {
  let checks: Check[];
  let errors: string[];
  const started = new Set<HealthServer>();

  beforeEach(() => {
    checks = [
      { name: 'caches', ok: true },
      { name: 'controller website', ok: true },
    ];
    errors = [];
  });
  afterEach(async () => {
    for (const server of started) await server.stop();
    started.clear();
  });

  async function start(options: Partial<HealthServerOptions> = {}): Promise<HealthServer> {
    const logger = { ...silentLogger, error: (message: string) => void errors.push(message) };
    const server = new HealthServer({ port: 0, healthz: () => [], readyz: () => checks, logger, ...options });
    await server.start();
    started.add(server);
    return server;
  }
  async function ask(server: HealthServer, path: string, method = 'GET'): Promise<[code: number, text: string]> {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return [response.status, await response.text()];
  }

  it('answers ok when all is well, and names the checks when it is asked to', async () => {
    const server = await start();
    expect(await ask(server, '/healthz')).toEqual([200, 'ok']);
    expect(await ask(server, '/readyz')).toEqual([200, 'ok']);
    expect(await ask(server, '/readyz/')).toEqual([200, 'ok']);
    expect(await ask(server, '/healthz?verbose')).toEqual([200, 'healthz check passed\n']);
    expect(await ask(server, '/readyz?verbose=1')).toEqual([
      200,
      '[+]caches ok\n[+]controller website ok\nreadyz check passed\n',
    ]);
  });

  it('answers 500 with all checks when one fails, unless that one is excluded', async () => {
    checks = [
      { name: 'caches', ok: false, message: 'pods\nhave not synced' },
      { name: 'other', ok: true },
    ];
    const server = await start();
    expect(await ask(server, '/readyz')).toEqual([
      500,
      '[-]caches failed: pods have not synced\n[+]other ok\nreadyz check failed\n',
    ]);
    expect(await ask(server, '/readyz?exclude=caches')).toEqual([200, 'ok']);
    expect(await ask(server, '/readyz?exclude=caches&verbose')).toEqual([
      200,
      '[+]caches excluded: ok\n[+]other ok\nreadyz check passed\n',
    ]);
    expect(await ask(server, '/healthz')).toEqual([200, 'ok']);
  });

  it('answers for one check by its name', async () => {
    checks = [...checks, { name: 'sick', ok: false }];
    const server = await start();
    expect(await ask(server, '/readyz/caches')).toEqual([200, 'ok']);
    expect(await ask(server, '/readyz/controller%20website')).toEqual([200, 'ok']);
    expect(await ask(server, '/readyz/sick')).toEqual([500, 'internal server error: no reason given\n']);
    for (const path of ['/readyz/nobody', '/readyz/%zz', '/readyz/a/b', '/', '/other', '/metrics']) {
      expect([path, ...(await ask(server, path))]).toEqual([path, 404, '404 page not found\n']);
    }
  });

  it('serves metrics when it has them', async () => {
    const server = await start({ metrics: async () => 'depth 1\n' });
    const response = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await response.text()).toBe('depth 1\n');
  });

  it('answers GET and HEAD alone', async () => {
    const server = await start();
    expect(await ask(server, '/healthz', 'HEAD')).toEqual([200, '']);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect((await ask(server, '/healthz', method))[0]).toBe(405);
    }
  });

  it('answers 500 without details when a callback throws or rejects, and reports them', async () => {
    const fail = () => {
      throw new RangeError('secret');
    };
    const server = await start({ healthz: fail, metrics: () => Promise.reject(new RangeError('secret')) });
    expect(await ask(server, '/healthz')).toEqual([500, 'internal server error\n']);
    expect(await ask(server, '/metrics')).toEqual([500, 'internal server error\n']);
    expect(errors).toEqual([
      'The health server could not answer /healthz: secret',
      'The health server could not answer /metrics: secret',
    ]);
    expect((await ask(server, '/readyz'))[0]).toBe(200);
  });

  it('stops although clients keep their connections and answers are outstanding, and frees its port', async () => {
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const server = await start({
      metrics: () => {
        asked();
        return new Promise(() => {});
      },
    });
    const { port } = server;
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>((resolve) => {
      request({ port, host: '127.0.0.1', path: '/healthz', agent }, (response) =>
        response.resume().on('end', resolve),
      ).end();
    });
    const hanging = fetch(`http://127.0.0.1:${port}/metrics`).then(
      () => 'answered',
      () => 'ended',
    );
    await isAsked;
    await server.stop();
    await server.stop();
    expect(await hanging).toBe('ended');
    agent.destroy();
    const next = await start({ port });
    expect(next.port).toBe(port);
  });

  it('listens on loopback unless a host is named', async () => {
    const server = await start();
    await expect(reaches('127.0.0.2', server.port)).resolves.toBe(false);
    const open = await start({ host: '0.0.0.0' });
    await expect(reaches('127.0.0.2', open.port)).resolves.toBe(true);
  });

  it('rejects with a message when its port is taken, and can be started later', async () => {
    const first = await start();
    const second = new HealthServer({ port: first.port, healthz: () => [], readyz: () => [] });
    await expect(second.start()).rejects.toMatchObject({
      kind: 'misuse',
      message: expect.stringMatching(/127\.0\.0\.1:\d+.*port is taken/),
    });
    await first.stop();
    await second.start();
    started.add(second);
    await expect(second.start()).rejects.toMatchObject({ kind: 'misuse' });
  });

  it('refuses what cannot be a port', () => {
    for (const port of [-1, 1.5, 65_536, Number.NaN]) {
      expect(() => new HealthServer({ port, healthz: () => [], readyz: () => [] })).toThrow(TypeError);
    }
  });
});

/** Linux answers on all of 127.0.0.0/8; elsewhere nothing does, and the test says so. */
function reaches(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
