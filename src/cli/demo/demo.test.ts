import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import type { CliIo } from '../cli-io.ts';
import { runCli } from '../run-cli.ts';
import { run } from '../run-cli-fixture.ts';
import { VirtualTerminal } from '../terminal/virtual-terminal-fixture.ts';
import { differences } from './cache-check.ts';
import { DemoScreen } from './demo-screen.ts';
import { DemoWorld } from './demo-world.ts';
import { seededRandom } from './seeded-random.ts';

describe('the story', () => {
  it('goes from the first list to the last deletion, and ends well', async () => {
    const { code, stdout, stderr } = await run(['demo']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const told = stdout.split('\n');
    const chapters = [
      /^server +has three pods/,
      /^ADD +default\/web-0 .*there at the start/,
      /^UPDATE +default\/web-0 at version \d+ \(from version \d+\)/,
      /^UPDATE +default\/web-\d .*by resync/,
      /^server +cuts the connection/,
      /^informer +watches the pods from version \d+/,
      /^UPDATE +default\/web-1 /,
      /^server +.*compacts its history/,
      /^informer +410 Expired: /,
      /^informer +lists and watches the pods/,
      /^server +deletes web-2/,
      /^DELETE +default\/web-2 .*it is gone/,
      /^check +the cache equals the server: web-1 and web-3$/,
    ];
    let from = 0;
    for (const chapter of chapters) {
      const at = told.findIndex((line, index) => index >= from && chapter.test(line));
      expect(at, `${chapter} after line ${from} of\n${stdout}`).toBeGreaterThanOrEqual(0);
      from = at + 1;
    }
    expect(stdout).toMatch(/\nDELETE +default\/web-0 .*found missing by the new list/);
  });

  it('notices when a cache differs from the server', () => {
    const object = (name: string, resourceVersion: string) => ({ metadata: { name, resourceVersion } });
    expect(differences([object('a', '1')], [object('a', '1')])).toEqual([]);
    expect(differences([object('a', '1'), object('b', '2')], [object('a', '3'), object('c', '4')])).toEqual([
      'a is at version 3 on the server and at 1 in the cache',
      'c is missing from the cache',
      'b is in the cache, and gone from the server',
    ]);
  });
});

describe('the demo in a terminal', () => {
  let end: (() => Promise<unknown>) | undefined;
  afterEach(() => end?.());

  /** Everything in process and under a clock that the test moves. */
  async function started({ columns = 110, rows = 40, seed = 7, unicode = true, rate = 4 } = {}) {
    const clock = new FakeClock();
    const world = await DemoWorld.start({ clock, random: seededRandom(seed), jitter: () => 0.5, rate, listen: false });
    const terminal = new VirtualTerminal({ columns, rows });
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
    const stop = new AbortController();
    const io: CliIo = {
      stdin,
      stdout: terminal,
      stderr: new PassThrough(),
      env: {},
      cwd: '/',
      clock,
      signal: stop.signal,
    };
    const result = new DemoScreen({ io, world, capabilities: { live: true, color: false, unicode } }).run();
    end = async () => {
      stop.abort();
      await result;
      const stopped = world.stop();
      await clock.advance(60_000);
      await stopped;
      expect(clock.pendingTimers).toBe(0);
    };
    return { clock, world, terminal, result, press: (key: string) => stdin.write(key) };
  }

  it('shows the informers, the pods, the wire and the events', async () => {
    const { clock, terminal } = await started();
    await clock.advance(5_000);
    const text = terminal.text();
    for (const title of ['pods', 'replicasets', 'deployments', 'nodes']) {
      expect(text).toMatch(new RegExp(`\\n${title} +● watching +\\d+ +[\\d.]+ +[\\d.]+ K?B +\\d+`));
    }
    expect(text).toMatch(/\nweb-\w+-\w+ +1\/1 +Running +0 +node-[abc] +\d+s/);
    expect(text).toMatch(/\nWIRE\n[\d:]+ list and watch pods, replicasets, deployments, nodes in one stream/);
    expect(text).toMatch(/\n[\d:]+ UPDATE \w+ default\//);
    expect(terminal.lines().at(-1)).toMatch(/^c cut the watches .* q quit$/);
  });

  it('is the same for the same seed', async () => {
    const texts: string[] = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      const { clock, terminal } = await started({ seed: 42 });
      await clock.advance(8_000);
      texts.push(terminal.text());
      await end?.();
    }
    end = undefined;
    expect(texts[0]).toBe(texts[1]);
  });

  it('resumes the watches after a cut, and lists again after a compaction', async () => {
    const { clock, terminal, press, world } = await started();
    await clock.advance(3_000);
    press('c');
    await clock.advance(3_000);
    expect(terminal.text()).toMatch(
      /connections of all watches are cut[\s\S]*pods.* go on at once[\s\S]*watch pods from \d+, /,
    );
    press('h');
    await clock.advance(8_000);
    expect(terminal.text()).toMatch(
      /pods.* try again in about \d s: 410 Expired: [\s\S]*list and watch .*pods.* in one stream/,
    );
    await clock.advance(5_000);
    const cached = world.pods.informer.lister().list();
    expect(cached.length).toBeGreaterThan(0);
    expect(terminal.text()).toMatch(/pods +● watching/);
  });

  it('backs off while the server is stopped, and recovers when it is back', async () => {
    const { clock, terminal, press } = await started();
    await clock.advance(3_000);
    press('s');
    await clock.advance(10_000);
    expect(terminal.text()).toMatch(/the server is stopped[\s\S]*pods +● backoff .*next attempt/);
    expect(terminal.text()).toContain('start the server');
    press('s');
    await clock.advance(40_000);
    expect(terminal.text()).toMatch(/changes\/s[\s\S]*pods +● watching/);
  });

  it('lets a slow handler fall behind alone', async () => {
    const { clock, terminal, press, world } = await started({ rate: 10 });
    await clock.advance(2_000);
    press('w');
    await clock.advance(10_000);
    expect(terminal.text()).toMatch(/handlers of pods: screen 0 waiting {2}slow \d\d+ waiting, \d+ s behind/);
    press('w');
    await clock.advance(3_000);
    expect(world.slowHandler).toBeUndefined();
    expect(terminal.text()).not.toMatch(/slow \d+ waiting/);
  });

  it('changes its pace', async () => {
    const { clock, press, world } = await started();
    press('++-');
    await clock.advance(100);
    expect(world.simulation.rate).toBe(8);
  });

  it.each([
    [40, 20],
    [80, 24],
    [20, 5],
    [1, 1],
    [200, 60],
  ])('fits a window of %i columns and %i lines, with and without Unicode', async (columns, rows) => {
    const { clock, terminal } = await started({ columns, rows, unicode: columns !== 80 });
    await clock.advance(2_000);
    if (columns === 80) expect(terminal.text()).toMatch(/^[\x20-\x7e\n]*$/);
    if (rows >= 20) expect(terminal.text()).toContain('INFORMER');
    terminal.resize(columns + 7, rows + 3);
    await clock.advance(1_000);
    expect(terminal.lines().at(-1)).toMatch(/q/);
  });

  it('ends with q, and puts the terminal back', async () => {
    const { clock, terminal, press, result } = await started();
    await clock.advance(1_000);
    press('q');
    expect(await result).toBe(0);
    expect(terminal).toMatchObject({ alternate: false, cursorVisible: true });
  });
});

describe('tidewatch demo in a terminal', () => {
  it('runs on a server with a socket, until Ctrl-C', async () => {
    const terminal = new VirtualTerminal({ columns: 100, rows: 30 });
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
    const env = { TERM: 'xterm', LANG: 'C.UTF-8' };
    const result = runCli(['demo', '--rate', '20', '--seed', '1'], {
      stdin,
      stdout: terminal,
      stderr: new PassThrough(),
      env,
    });
    await expect
      .poll(() => terminal.text(), { timeout: 15_000 })
      .toMatch(/https:\/\/127\.0\.0\.1:\d+[\s\S]*pods +● watching/);
    stdin.write('\x03');
    expect(await result).toBe(0);
    expect(terminal.alternate).toBe(false);
  });
});
