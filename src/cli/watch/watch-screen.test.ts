import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiServer } from '../../apiserver/apiserver.ts';
import { Cluster } from '../../cluster/cluster.ts';
import { configMaps, type Pod, pods } from '../../generated/api/core/v1.ts';
import { Interrupted } from '../cli-io.ts';
import { runCli } from '../run-cli.ts';
import { VirtualTerminal } from '../terminal/virtual-terminal-fixture.ts';

let server: ApiServer;
let cluster: Cluster;
beforeEach(async () => {
  server = await ApiServer.start({ http: true });
  cluster = Cluster.over(server.transport());
});
afterEach(() => server.stop());

class Session {
  readonly terminal: VirtualTerminal;
  readonly modes: boolean[] = [];
  readonly stderr = new PassThrough();
  readonly result: Promise<number>;
  readonly #stdin: PassThrough;
  readonly #stop = new AbortController();

  constructor(
    args: readonly string[],
    size: { columns?: number; rows?: number } = {},
    env: Record<string, string> = {},
  ) {
    this.terminal = new VirtualTerminal(size);
    this.#stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => this.modes.push(raw) });
    this.result = runCli(['watch', ...args, '-s', server.url], {
      stdin: this.#stdin,
      stdout: this.terminal,
      stderr: this.stderr,
      env: { TERM: 'xterm', LANG: 'C.UTF-8', ...env },
      signal: this.#stop.signal,
    });
  }

  type(keys: string): void {
    this.#stdin.write(keys);
  }

  interrupt(): void {
    this.#stop.abort(new Interrupted('SIGINT'));
  }

  /** The screen, once it shows this. */
  async shows(what: string | RegExp): Promise<string> {
    let ended: number | undefined;
    void this.result.then((code) => {
      ended = code;
    });
    for (;;) {
      const text = this.terminal.text();
      if (typeof what === 'string' ? text.includes(what) : what.test(text)) return text;
      if (ended !== undefined) throw new Error(`it ended with ${ended} and showed:\n${text}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

function pod(name: string): Pod {
  return { metadata: { name }, spec: { nodeName: 'node-a', containers: [{ name: 'web', image: 'nginx' }] } };
}

describe('tidewatch watch, in a terminal', () => {
  it('shows a live table, marks what changes, and leaves the terminal as it was', async () => {
    const client = cluster.client(pods);
    await client.create(pod('web-0'));
    await client.create(pod('web-1'));
    const session = new Session(['pods'], { columns: 80, rows: 12 });
    const text = await session.shows('2 objects');
    expect(text.split('\n')[0]).toBe(`pods in default  ${server.url}`);
    expect(text).toMatch(/\n {2}NAME {3}READY {2}STATUS {3}RESTARTS {2}AGE\n {2}web-0 {2}0\/1 {4}Pending {2}0 /);
    expect(text).toMatch(/● watching {2}2 objects {2}0 events\/s {2}version \d+\n/);
    await client.create(pod('web-2'));
    await session.shows(/\n\+ web-2/);
    await client.patch('web-1', { status: { phase: 'Running' } }, { subresource: 'status' });
    await session.shows(/\n~ web-1 {2}0\/1 {4}Running/);
    await client.delete('web-0', { gracePeriodSeconds: 0 });
    await session.shows(/\n- web-0/);
    await session.shows(/watching {2}2 objects[\s\S]*AGE\n[ ~] web-1/);
    session.type('q');
    expect(await session.result).toBe(0);
    expect(session.terminal).toMatchObject({ alternate: false, cursorVisible: true, autoWrap: true });
    expect(session.terminal.text()).toBe('');
    expect(session.modes).toEqual([true, false]);
  });

  it('scrolls, and formats only what can be seen', async () => {
    for (let at = 0; at < 30; at++)
      await cluster.client(configMaps).create({ metadata: { name: `cm-${String(at).padStart(2, '0')}` } });
    const session = new Session(['cm'], { columns: 60, rows: 10 });
    expect(await session.shows('1-5 of 30')).toContain('cm-04');
    session.type('j');
    expect(await session.shows('2-6 of 30')).toContain('cm-05');
    session.type(' ');
    await session.shows('7-11 of 30');
    session.type('G');
    expect(await session.shows('26-30 of 30')).toContain('cm-29');
    session.type('\x1b[5~k');
    await session.shows('20-24 of 30');
    session.type('g\x1b[A');
    await session.shows('1-5 of 30');
    session.type('\x03');
    expect(await session.result).toBe(130);
  });

  it('survives a resize, forty columns, and a window of two lines', async () => {
    await cluster.client(pods).create(pod('a-pod-with-a-rather-long-name-0'));
    const session = new Session(['pods'], { columns: 100, rows: 20 });
    await session.shows('a-pod-with-a-rather-long-name-0');
    session.terminal.resize(40, 10);
    const narrow = await session.shows('…');
    expect(narrow).toMatch(/NAME +READY +STATUS/);
    session.terminal.resize(10, 2);
    await session.shows(/^pods in d/);
    session.terminal.resize(120, 30);
    await session.shows('a-pod-with-a-rather-long-name-0');
    session.interrupt();
    expect(await session.result).toBe(130);
    expect(session.terminal).toMatchObject({ alternate: false, cursorVisible: true });
  });

  it('uses no colour with NO_COLOR, and no Unicode in the C locale', async () => {
    await cluster.client(configMaps).create({ metadata: { name: 'one', labels: { a: 'b' } } });
    const session = new Session(['cm', '--show-labels'], {}, { NO_COLOR: '1', LANG: 'C' });
    expect(await session.shows('* watching')).toMatch(/^[\x20-\x7e\n]*$/);
    expect(session.terminal.cells.flat().every(({ style }) => style === '')).toBe(true);
    session.type('q');
    await session.result;
  });

  it('prints lines in a dumb terminal, with --plain and with --exit-after-sync', async () => {
    await cluster.client(configMaps).create({ metadata: { name: 'one' } });
    const session = new Session(['cm', '--exit-after-sync']);
    expect(await session.result).toBe(0);
    expect(session.terminal.text()).toMatch(/^NAME {3,}DATA {3,}AGE\none/);
    for (const [args, env] of [
      [['--plain'], {}],
      [[], { TERM: 'dumb' }],
    ] as const) {
      const lines = new Session(['cm', ...args], {}, env);
      await lines.shows(/^NAME {3,}DATA {3,}AGE\none/);
      expect(lines.terminal.alternate).toBe(false);
      lines.interrupt();
      expect(await lines.result).toBe(130);
    }
  });

  it('shows a bar while the first list comes in', async () => {
    for (let at = 0; at < 20; at++) await cluster.client(configMaps).create({ metadata: { name: `cm-${at}` } });
    server.faults.add({ resource: 'configmaps', verb: 'watch' }, { kind: 'stall-body', afterBytes: 4_000 });
    const session = new Session(['cm'], { columns: 80 });
    const text = await session.shows(/█░* {2}\d+ of 20/);
    expect(text).toContain('● listing');
    session.type('q');
    expect(await session.result).toBe(0);
  });

  it('tells what it waits for when the server is away, and recovers', async () => {
    await cluster.client(configMaps).create({ metadata: { name: 'one' } });
    const session = new Session(['cm'], { columns: 100 });
    await session.shows('● watching');
    const outage = server.faults.add({}, { kind: 'drop' }, { times: Number.POSITIVE_INFINITY });
    server.disconnectWatches({ abruptly: true });
    expect(await session.shows('● backoff')).toMatch(/next attempt (now|in \d+ s): /);
    outage.remove();
    await session.shows('● watching');
    session.type('q');
    expect(await session.result).toBe(0);
  });

  it('leaves the screen before it explains why it had to end', async () => {
    server.access.deny({ resources: ['configmaps'], verbs: ['watch'] });
    const session = new Session(['cm']);
    expect(await session.result).toBe(1);
    expect(session.terminal.alternate).toBe(false);
    expect(String(session.stderr.read())).toMatch(/^error: .*cannot watch/);
  });

  it('paints at most ten times a second, however much happens', async () => {
    const client = cluster.client(configMaps);
    await client.create({ metadata: { name: 'one' } });
    const session = new Session(['cm', '--show-labels']);
    await session.shows('● watching');
    const writes = session.terminal.writes;
    const startMs = Date.now();
    for (let change = 1; change <= 300; change++)
      await client.patch('one', { metadata: { labels: { n: String(change) } } });
    await session.shows('n=300');
    const seconds = (Date.now() - startMs) / 1_000;
    expect(session.terminal.writes - writes).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 2);
    session.type('q');
    await session.result;
  });
});
