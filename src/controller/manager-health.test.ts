import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { ScriptedServer } from '../http/scripted-server-fixture.ts';
import { controllerFixture, sites } from './controller-fixture.ts';

type ControllerFixture = Awaited<ReturnType<typeof controllerFixture>>;

async function isOpen(port: number, host = '127.0.0.1'): Promise<boolean> {
  const socket = connect(port, host);
  const opened = await Promise.race([
    once(socket, 'connect').then(
      () => true,
      () => false,
    ),
    once(socket, 'close').then(() => false),
  ]);
  socket.destroy();
  return opened;
}

function addController({ manager }: ControllerFixture): void {
  manager
    .controller('site')
    .for(sites)
    .reconcile(async () => {});
}

/** Real sockets have no part in the clock of the test. */
async function startAndListen(fixture: ControllerFixture, port: number, host?: string): Promise<void> {
  await fixture.start();
  while (!(await isOpen(port, host))) await new Promise((resolve) => setImmediate(resolve));
  await fixture.clock.advance(0);
}

async function ask(port: number, path: string): Promise<[code: number, text: string]> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return [response.status, await response.text()];
}

it('answers /healthz and /readyz with a check for each controller, and frees the port when it stops', async () => {
  const port = await ScriptedServer.unusedPort();
  await using fixture = await controllerFixture({ health: { port } });
  addController(fixture);
  await startAndListen(fixture, port);
  // The definition of the kind is missing, so its cache cannot sync.
  expect(await ask(port, '/readyz')).toEqual([500, expect.stringContaining('[-]caches-of-site failed')]);
  expect(await ask(port, '/healthz')).toEqual([200, 'ok']);
  await fixture.defineSites();
  await fixture.clock.advance(120_000);
  expect(await ask(port, '/readyz')).toEqual([200, 'ok']);
  expect(await ask(port, '/readyz/caches-of-site')).toEqual([200, 'ok']);
  expect(await ask(port, '/healthz?verbose')).toEqual([200, expect.stringContaining('[+]controller-site ok')]);
  await fixture.stop();
  expect(await isOpen(port)).toBe(false);
});

it('fails /healthz, and names the key, when a run is stuck for longer than stuckMs', async () => {
  const port = await ScriptedServer.unusedPort();
  await using fixture = await controllerFixture({ health: { port } });
  await fixture.defineSites();
  await fixture.createSite('a');
  let release = () => {};
  fixture.manager
    .controller('site')
    .for(sites)
    .reconcile(() => new Promise<undefined>((resolve) => (release = () => resolve(undefined))), {
      timeoutMs: 1_000,
      stuckMs: 60_000,
    });
  await startAndListen(fixture, port);
  await fixture.clock.advance(59_000);
  expect(await ask(port, '/healthz')).toEqual([200, 'ok']);
  await fixture.clock.advance(10_000);
  expect(await ask(port, '/healthz')).toEqual([
    500,
    expect.stringContaining('[-]controller-site failed: stuck: default/a'),
  ]);
  expect(await ask(port, '/readyz')).toEqual([200, 'ok']);
  release();
  await fixture.clock.advance(0);
  expect(await ask(port, '/healthz')).toEqual([200, 'ok']);
});

it('has /metrics only when it is given the text', async () => {
  const ports = [await ScriptedServer.unusedPort(), await ScriptedServer.unusedPort()] as const;
  await using without = await controllerFixture({ health: { port: ports[0] } });
  await using having = await controllerFixture({ health: { port: ports[1], metrics: () => 'runs_total 3\n' } });
  for (const fixture of [without, having]) addController(fixture);
  await startAndListen(without, ports[0]);
  await startAndListen(having, ports[1]);
  expect((await ask(ports[0], '/metrics'))[0]).toBe(404);
  expect(await ask(ports[1], '/metrics')).toEqual([200, 'runs_total 3\n']);
});

const elsewhere = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

it.runIf(elsewhere !== undefined)('listens on loopback alone, unless a host is named', async () => {
  const ports = [await ScriptedServer.unusedPort(), await ScriptedServer.unusedPort()] as const;
  await using loopback = await controllerFixture({ health: { port: ports[0] } });
  await using named = await controllerFixture({ health: { port: ports[1], host: '0.0.0.0' } });
  for (const fixture of [loopback, named]) addController(fixture);
  await startAndListen(loopback, ports[0]);
  await startAndListen(named, ports[1]);
  expect(await isOpen(ports[0], elsewhere)).toBe(false);
  expect(await isOpen(ports[1], elsewhere)).toBe(true);
});

it('rejects the run when the port is taken, naming it, and starts no controller', async () => {
  await using taken = await ScriptedServer.raw();
  await using fixture = await controllerFixture({ health: { port: taken.port } });
  await fixture.defineSites();
  await fixture.createSite('a');
  let runs = 0;
  fixture.manager
    .controller('site')
    .for(sites)
    .reconcile(async () => void runs++);
  await fixture.start();
  await expect(fixture.running).rejects.toThrow(String(taken.port));
  await fixture.clock.advance(1_000);
  expect(runs).toBe(0);
});

it('opens no port unless it is asked to', async () => {
  const ports = () => process.getActiveResourcesInfo().filter((resource) => resource === 'TCPServerWrap').length;
  // Those of the tests before are closed a turn later.
  while (ports() > 0) await new Promise((resolve) => setImmediate(resolve));
  await using fixture = await controllerFixture();
  addController(fixture);
  await fixture.start();
  expect(ports()).toBe(0);
});
