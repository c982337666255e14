import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cluster } from '../../cluster/cluster.ts';
import { HealthServer } from '../../controller/health-server.ts';
import { leases } from '../../generated/api/coordination/v1.ts';
import { systemClock } from '../../observe/clock.ts';
import { ApiServer } from '../../testing/api-server.ts';
import { Interrupted } from '../cli-io.ts';
import { capabilitiesOf } from '../terminal/capabilities.ts';
import type { Stoppable } from '../terminal/job-control.ts';
import { Painter } from '../terminal/style.ts';
import { VirtualTerminal } from '../terminal/virtual-terminal-fixture.ts';
import type { TopRequest } from './top-request.ts';
import { TopScreen } from './top-screen.ts';

let server: ApiServer;
let cluster: Cluster;
beforeEach(async () => {
  server = await ApiServer.start({ http: true });
  cluster = Cluster.over(server.transport());
});
afterEach(async () => {
  await cluster.close();
  await server.stop();
});

/** A process that is stopped by its signal, and goes on at once, as it seems to itself. */
class Host extends EventEmitter implements Stoppable {
  readonly platform = 'linux';
  readonly signals: string[] = [];
  onStop = () => {};

  kill(pid: number, signal: NodeJS.Signals): void {
    this.signals.push(`${signal} to ${pid}`);
    this.onStop();
    queueMicrotask(() => this.emit('SIGCONT'));
  }
}

class Session {
  readonly terminal: VirtualTerminal;
  readonly host = new Host();
  readonly modes: boolean[] = [];
  readonly result: Promise<number>;
  readonly #stdin: PassThrough;
  readonly #stop = new AbortController();

  constructor(request: Partial<TopRequest> = {}, size: { columns?: number; rows?: number } = {}) {
    this.terminal = new VirtualTerminal(size);
    this.#stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => this.modes.push(raw) });
    const env = { TERM: 'xterm', LANG: 'C.UTF-8' };
    const painter = new Painter(capabilitiesOf(this.terminal, env));
    const io = {
      stdin: this.#stdin,
      stdout: this.terminal,
      stderr: new PassThrough(),
      env,
      cwd: '/',
      clock: systemClock,
      signal: this.#stop.signal,
    };
    const all = { namespace: 'default', name: undefined, health: [], plain: false, ...request };
    this.result = new TopScreen({ cluster, request: all, io, painter, host: this.host }).run();
    this.result.catch(() => {});
  }

  type(keys: string): void {
    this.#stdin.write(keys);
  }

  interrupt(): void {
    this.#stop.abort(new Interrupted('SIGTERM'));
  }

  /** The screen, once it shows this. */
  async shows(what: string | RegExp): Promise<string> {
    for (;;) {
      const text = this.terminal.text();
      if (typeof what === 'string' ? text.includes(what) : what.test(text)) return text;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

function lease(name: string, holderIdentity: string, labels: Record<string, string> = {}) {
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  return { metadata: { name, labels }, spec: { holderIdentity, renewTime, leaseDurationSeconds: 600 } };
}

const client = () => cluster.client(leases, { namespace: 'default' });

describe('tidewatch top, in a terminal', () => {
  it('shows who leads as it changes, and leaves the terminal as it was', async () => {
    await client().create(lease('shop', 'web-1'));
    const session = new Session({}, { columns: 100, rows: 12 });
    expect(await session.shows(/shop +web-1/)).toMatch(/^leases in default {2}.*\n● watching\n\nLEASE +HOLDER +SHARDS/);
    await client().patch('shop', { spec: { holderIdentity: 'web-2' } });
    await session.shows(/shop +web-2/);
    await client().create(lease('mail', 'post-1'));
    await session.shows(/mail +post-1[\s\S]*shop +web-2[\s\S]*1-2 of 2 {2}q quit/);
    await client().delete('shop');
    await session.shows('1-1 of 1');
    session.type('q');
    expect(await session.result).toBe(0);
    expect(session.terminal).toMatchObject({ alternate: false, cursorVisible: true, autoWrap: true });
    expect(session.terminal.text()).toBe('');
    expect(session.modes).toEqual([true, false]);
    expect(session.host.listenerCount('SIGCONT')).toBe(0);
  });

  it('gives the terminal back with Ctrl-Z, and draws everything again with fg', async () => {
    await client().create(lease('shop', 'web-1'));
    const session = new Session();
    await session.shows(/shop +web-1/);
    const { terminal, host, modes } = session;
    const stopped = new Promise((resolve) => {
      host.onStop = () => resolve([terminal.alternate, terminal.cursorVisible, terminal.text(), ...modes]);
    });
    session.type('\x1a');
    expect(await stopped).toEqual([false, true, '', true, false]);
    expect(host.signals).toEqual(['SIGTSTP to 0']);
    await session.shows(/shop +web-1/);
    expect(terminal).toMatchObject({ alternate: true, cursorVisible: false });
    expect(session.modes).toEqual([true, false, true]);
    session.type('\x03');
    await expect(session.result).rejects.toMatchObject({ exitCode: 130 });
    expect(session.terminal.alternate).toBe(false);
  });

  it('scrolls what has no room, and survives a resize', async () => {
    for (let at = 0; at < 12; at++) await client().create(lease(`lease-${String(at).padStart(2, '0')}`, 'me'));
    const session = new Session({}, { columns: 60, rows: 10 });
    expect(await session.shows('1-5 of 12')).toContain('lease-04');
    session.type('j');
    expect(await session.shows('2-6 of 12')).toContain('lease-05');
    session.type('G');
    expect(await session.shows('8-12 of 12')).toContain('lease-11');
    session.type('\x1b[5~k');
    await session.shows('2-6 of 12');
    session.type('g');
    await session.shows('1-5 of 12');
    session.terminal.resize(24, 3);
    await session.shows(/^leases in def/);
    session.terminal.resize(80, 30);
    await session.shows('1-12 of 12');
    session.interrupt();
    await expect(session.result).rejects.toMatchObject({ exitCode: 143 });
    expect(session.terminal.alternate).toBe(false);
  });

  it('asks the health servers again and again, and says which one is silent', async () => {
    await client().create(lease('shop', 'web-1'));
    let waiting = 7;
    const health = new HealthServer({
      port: 0,
      healthz: () => [],
      readyz: () => [],
      status: () => ({
        election: { lease: 'default/shop', identity: 'web-1', holds: true },
        controllers: [{ name: 'a', started: true, waiting, running: 1, failing: 0 }],
      }),
    });
    await health.start();
    const url = `http://127.0.0.1:${health.port}/debug/status`;
    const session = new Session({ name: 'shop', health: [url, 'http://127.0.0.1:1/debug/status'] }, { columns: 120 });
    await session.shows(/shop +web-1 +\d+s +7 +1 +0/);
    await session.shows('http://127.0.0.1:1/debug/status does not answer');
    waiting = 3;
    await session.shows(/shop +web-1 +\d+s +3 +1 +0/);
    session.type('q');
    expect(await session.result).toBe(0);
    await health.stop();
  });

  it('tells what it waits for when the server is away, and recovers', async () => {
    await client().create(lease('shop', 'web-1'));
    const session = new Session({}, { columns: 100 });
    await session.shows('● watching');
    const outage = server.faults.add({}, { kind: 'drop' }, { times: Number.POSITIVE_INFINITY });
    server.disconnectWatches({ abruptly: true });
    expect(await session.shows('● backoff')).toMatch(/next attempt (now|in \d+ s): /);
    outage.remove();
    await session.shows('● watching');
    session.type('q');
    expect(await session.result).toBe(0);
  });
});
