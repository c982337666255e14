/**
 * Records what the commands show in a terminal, as pictures for the documentation: the same bytes each time, because
 * everything runs in process, under a fake clock and with a fixed seed.
 *
 *     tsx scripts/record-demo.ts [--check]
 *
 * With `--check` nothing is written; it fails when a picture in docs/images/ is not what would be recorded now. On a very busy machine a module that is
 * loaded late can change a picture: run it again then.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArguments } from '../src/cli/arguments.ts';
import type { CliIo } from '../src/cli/cli-io.ts';
import { DemoScreen } from '../src/cli/demo/demo-screen.ts';
import { DemoWorld } from '../src/cli/demo/demo-world.ts';
import { seededRandom } from '../src/cli/demo/seeded-random.ts';
import { logsOn } from '../src/cli/logs/logs.ts';
import { logsCommand } from '../src/cli/logs/logs-command.ts';
import { run } from '../src/cli/run-cli-fixture.ts';
import { usage } from '../src/cli/serve/serve.ts';
import { type TerminalCell, VirtualTerminal } from '../src/cli/terminal/virtual-terminal-fixture.ts';
import { watchOn } from '../src/cli/watch/watch.ts';
import { watchCommand } from '../src/cli/watch/watch-command.ts';
import { watchRequest } from '../src/cli/watch/watch-request.ts';
import { Cluster } from '../src/cluster/cluster.ts';
import { leases } from '../src/generated/api/coordination/v1.ts';
import { pods } from '../src/generated/api/core/v1.ts';
import { systemClock } from '../src/observe/clock.ts';
import { FakeClock } from '../src/observe/fake-clock.ts';
import { silentLogger } from '../src/observe/logger.ts';
import { ApiServer } from '../src/testing/api-server.ts';

const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url));
const CELL_WIDTH = 8.4;
const LINE_HEIGHT = 18;
const MARGIN = 14;
const STEP_MS = 50;

type Frame = readonly (readonly TerminalCell[])[];

interface Take {
  frame: Frame;
  /** How long it is shown. */
  seconds: number;
}

interface Stage {
  clock: FakeClock;
  world: DemoWorld;
  terminal: VirtualTerminal;
  io: CliIo;
  press(key: string): void;
  close(): Promise<void>;
}

async function stage(columns: number, rows: number): Promise<Stage> {
  const clock = new FakeClock(Date.UTC(2026, 0, 1, 9, 0, 0));
  const world = await DemoWorld.start({ clock, random: seededRandom(2026), jitter: () => 0.5, rate: 3, listen: false });
  const terminal = new VirtualTerminal({ columns, rows });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const stop = new AbortController();
  const io = { stdin, stdout: terminal, stderr: new PassThrough(), env: {}, cwd: '/', clock, signal: stop.signal };
  return {
    clock,
    world,
    terminal,
    io,
    press: (key) => void stdin.write(key),
    async close() {
      stop.abort();
      const stopped = world.stop();
      await clock.advance(60_000);
      await stopped;
    },
  };
}

/** In small steps, and all that each sets off comes to rest before the next: a busy machine must not change the picture. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    await clock.advance(STEP_MS);
    // Modules that are loaded when they are needed come from files, which the clock does not wait for.
    for (let turn = 0; turn < 30; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

async function recordDemo(): Promise<Take[]> {
  const { clock, world, terminal, io, press, close } = await stage(110, 34);
  const running = new DemoScreen({ io, world, capabilities: { live: true, color: true, unicode: true } }).run();
  const takes: Take[] = [];
  const film = async (frames: number, stepMs = 700) => {
    for (let frame = 0; frame < frames; frame++) {
      await pass(clock, stepMs);
      takes.push({ frame: copyOf(terminal), seconds: 0.7 });
    }
  };
  await film(5);
  press('c');
  await film(5);
  press('h');
  await film(9);
  press('s');
  await film(7);
  press('s');
  await film(8, 1_500);
  await close();
  await running;
  return takes;
}

async function recordWatch(): Promise<Take[]> {
  const { clock, world, terminal, io, close } = await stage(84, 18);
  world.begin();
  await pass(clock, 4_000);
  const cluster = Cluster.over(world.server.transport(), {
    clock,
    logger: silentLogger,
    server: 'https://127.0.0.1:6443',
  });
  const request = watchRequest(parseArguments(watchCommand, ['pods', '-L', 'app']));
  const terminalIo = { ...io, env: { TERM: 'xterm', LANG: 'C.UTF-8' } };
  const running = watchOn(cluster, request, terminalIo).catch(() => 0);
  await pass(clock, 7_000);
  const takes = [{ frame: copyOf(terminal), seconds: 1 }];
  await close();
  await running;
  return takes;
}

async function recordLogs(): Promise<Take[]> {
  const lines = ['GET / 200 3 ms', 'GET /cart 200 12 ms', 'POST /cart 201 31 ms', 'GET /health 200 1 ms'];
  const server = await ApiServer.start({
    listen: false,
    kubelet: { log: ({ pod }) => lines.map((line, at) => `${line} ${pod.endsWith('0') ? '' : 'cached '}#${at}\n`) },
  });
  const cluster = server.cluster();
  const client = cluster.client(pods);
  for (const name of ['web-0', 'web-1', 'web-2']) {
    const metadata = { name, labels: { app: 'web' } };
    await client.create({ metadata, spec: { containers: [{ name: 'nginx', image: 'nginx' }] } });
    const status = { name: 'nginx', restartCount: 0, ready: true, image: '', imageID: '', state: { running: {} } };
    await client.patch(name, { status: { containerStatuses: [status] } }, { subresource: 'status' });
  }
  const terminal = new VirtualTerminal({ columns: 84, rows: 14 });
  let text = '';
  const stdout = Object.assign(new PassThrough(), { isTTY: true });
  stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const io = {
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    env: { LANG: 'C.UTF-8' },
    cwd: '/',
    clock: systemClock,
    signal: new AbortController().signal,
  };
  const { flags, positionals } = parseArguments(logsCommand, ['-l', 'app=web', '--since', '5m']);
  await logsOn(cluster, { flags, positionals, io });
  // Which log comes first is a matter of chance.
  const sorted = text
    .trimEnd()
    .split('\n')
    .sort((a, b) => Number(a.split('#')[1]) - Number(b.split('#')[1]) || (a < b ? -1 : 1));
  const clean = sorted.map((line) => line.replace(/ #\d$/, ''));
  writeLines(terminal, ['$ tidewatch logs -l app=web --since 5m', ...clean]);
  await server.stop();
  return [{ frame: copyOf(terminal), seconds: 1 }];
}

function writeLines(terminal: VirtualTerminal, lines: readonly string[]): void {
  terminal.write(lines.map((line, row) => `\x1b[${row + 1};1H${line}`).join(''));
}

/** A command line, and what it prints. */
function recordText(line: string, output: string): Take[] {
  const rows = output.trimEnd().split('\n');
  const terminal = new VirtualTerminal({ columns: 110, rows: rows.length + 1 });
  writeLines(terminal, [`$ ${line}`, ...rows]);
  return [{ frame: copyOf(terminal), seconds: 1 }];
}

async function recordGenerate(): Promise<Take[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tidewatch-record-'));
  try {
    const schema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          required: ['schedule'],
          properties: { schedule: { type: 'string' }, replicas: { type: 'integer' } },
        },
      },
    };
    const spec = {
      group: 'stable.example.com',
      scope: 'Namespaced',
      names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'crontabs.stable.example.com' },
      spec,
    };
    writeFileSync(join(folder, 'crontabs.yaml'), JSON.stringify(definition));
    const { stdout } = await run(['generate', 'crd', 'crontabs.yaml'], { cwd: folder });
    return recordText('tidewatch generate crd crontabs.yaml', stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function recordGenerateApi(): Promise<Take[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tidewatch-record-'));
  await using server = await ApiServer.start();
  try {
    writeFileSync(join(folder, 'config'), server.kubeconfig());
    const argv = ['generate', 'api', 'coordination.k8s.io/v1'];
    const { stdout } = await run(argv, { cwd: folder, env: { KUBECONFIG: join(folder, 'config') } });
    // The beginning shows enough.
    const lines = stdout.split('\n').slice(0, 24);
    return recordText(`tidewatch ${argv.join(' ')} | head -n ${lines.length}`, lines.join('\n'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function recordInit(): Promise<Take[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tidewatch-record-'));
  try {
    const { stdout } = await run(['init', 'operator', 'website'], { cwd: folder });
    return recordText('tidewatch init operator website', stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A leader, and a sharding of two processes. */
async function recordTop(): Promise<Take[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tidewatch-record-'));
  const server = await ApiServer.start();
  try {
    writeFileSync(join(folder, 'config'), server.kubeconfig());
    await using cluster = server.cluster({ fieldManager: 'record' });
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    const hold = (name: string, holderIdentity: string, role?: string) =>
      cluster.client(leases).create({
        metadata: {
          name,
          ...(role && { labels: { 'tidewatch.dev/sharding': 'website', 'tidewatch.dev/role': role } }),
        },
        spec: { holderIdentity, leaseDurationSeconds: 15, renewTime },
      });
    await hold('billing', 'pay-0');
    for (const member of ['web-0', 'web-1']) await hold(`website-member-${member}`, member, 'member');
    for (let shard = 0; shard < 8; shard++)
      await hold(`website-shard-${shard}`, `web-${shard % 3 === 0 ? 1 : 0}`, 'shard');
    const { stdout } = await run(['top'], { env: { KUBECONFIG: join(folder, 'config'), LANG: 'C.UTF-8' } });
    return recordText('tidewatch top', stdout.replace(/\b\d+(m?s)\b/g, '1$1'));
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** What a shell shows when Tab is pressed. */
async function recordCompletion(): Promise<Take[]> {
  const { stdout } = await run(['__complete', '--', '']);
  const candidates = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  const width = Math.max(...candidates.map(([value = '']) => value.length));
  const rows = candidates.map(([value = '', about = '']) => `${value.padEnd(width)}  -- ${about}`);
  return recordText('source <(tidewatch completion zsh)', ['$ tidewatch <Tab>', ...rows].join('\n'));
}

/** The Node that it names is not the one that draws. */
async function recordVersion(): Promise<Take[]> {
  const { stdout } = await run(['version']);
  return recordText('tidewatch version', stdout.replace(/node [^)]+/, 'node 22.18.0'));
}

function copyOf(terminal: VirtualTerminal): Frame {
  return terminal.cells.map((row) => [...row]);
}

/** One picture, or a film of them that begins again when it has ended. A line is drawn once for as long as it stays. */
function svg(takes: readonly Take[], title: string): string {
  const [first] = takes;
  const rows = first?.frame.length ?? 0;
  const columns = first?.frame[0]?.length ?? 0;
  const width = Math.ceil(columns * CELL_WIDTH + 2 * MARGIN);
  const height = rows * LINE_HEIGHT + 2 * MARGIN;
  const scenes = new Map<string, string[]>();
  for (let row = 0; row < rows; row++) {
    for (let from = 0; from < takes.length; ) {
      const text = lineText(takes[from]?.frame[row] ?? [], row).join('\n');
      let to = from + 1;
      while (to < takes.length && lineText(takes[to]?.frame[row] ?? [], row).join('\n') === text) to++;
      const scene = `${from} ${to}`;
      if (text !== '') scenes.set(scene, [...(scenes.get(scene) ?? []), text]);
      from = to;
    }
  }
  const drawn = [...scenes].map(([scene, lines], at) => {
    const [from = 0, to = 0] = scene.split(' ').map(Number);
    const isAlways = from === 0 && to === takes.length;
    return {
      rule: isAlways ? '' : sceneRule(at, from, to, takes),
      group: `<g${isAlways ? '' : ` class="s${at}"`}>\n${lines.join('\n')}\n</g>`,
    };
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d8dee9;white-space:pre}
.b{font-weight:bold;fill:#fff}.d{fill:#7b8494}.r{fill:#ff7b72}.g{fill:#7ee787}.y{fill:#e3b341}.u{fill:#79c0ff}.c{fill:#76e3ea}.i{fill:#0d1117}
${drawn.flatMap(({ rule }) => (rule === '' ? [] : [rule])).join('\n')}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${drawn.map(({ group }) => group).join('\n')}
</svg>
`;
}

function sceneRule(at: number, from: number, to: number, takes: readonly Take[]): string {
  const secondsOf = (part: readonly Take[]) => part.reduce((sum, { seconds }) => sum + seconds, 0);
  const total = secondsOf(takes);
  const percent = (count: number) => `${((secondsOf(takes.slice(0, count)) / total) * 100).toFixed(2)}%`;
  const steps = [
    ...(from === 0 ? [] : ['0%{opacity:0}']),
    `${percent(from)}{opacity:1}`,
    ...(to === takes.length ? [] : [`${percent(to)}{opacity:0}`]),
  ];
  const last = to === takes.length ? 1 : 0;
  return `@keyframes k${at}{${steps.join('')}100%{opacity:${last}}}.s${at}{animation:k${at} ${total.toFixed(1)}s step-end infinite}`;
}

const CLASSES: ReadonlyMap<string, string> = new Map([
  ['1', 'b'],
  ['2', 'd'],
  ['7', 'i'],
  ['31', 'r'],
  ['32', 'g'],
  ['33', 'y'],
  ['34', 'u'],
  ['36', 'c'],
]);

/** A line as runs of one style each, every run stretched to its columns, whatever font the reader has. */
function lineText(cells: readonly TerminalCell[], row: number): string[] {
  const y = MARGIN + row * LINE_HEIGHT + 13;
  const parts: string[] = [];
  for (let from = 0; from < cells.length; ) {
    const style = cells[from]?.style ?? '';
    let to = from;
    while (to < cells.length && cells[to]?.style === style) to++;
    const text = cells
      .slice(from, to)
      .map((cell) => cell.text)
      .join('');
    const trimmed = text.trimEnd();
    const length = to - from - (text.length - trimmed.length);
    const x = MARGIN + from * CELL_WIDTH;
    if (style.split(';').includes('7')) {
      parts.push(
        `<rect x="${fixed(x)}" y="${y - 13}" width="${fixed((to - from) * CELL_WIDTH)}" height="${LINE_HEIGHT - 2}" fill="#d8dee9"/>`,
      );
    }
    if (trimmed !== '') {
      const classes = style
        .split(';')
        .flatMap((code) => CLASSES.get(code) ?? [])
        .join(' ');
      parts.push(
        `<text x="${fixed(x)}" y="${y}" textLength="${fixed(length * CELL_WIDTH)}"${classes === '' ? '' : ` class="${classes}"`} xml:space="preserve">${escaped(trimmed)}</text>`,
      );
    }
    from = to;
  }
  return parts;
}

function fixed(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const pictures = new Map([
  [
    'demo.svg',
    svg(
      await recordDemo(),
      'tidewatch demo: the watch is cut, the history compacted, the server stopped, and the informers recover',
    ),
  ],
  ['watch.svg', svg(await recordWatch(), 'tidewatch watch pods -L app')],
  ['logs.svg', svg(await recordLogs(), 'tidewatch logs -l app=web --since 5m')],
  [
    'serve.svg',
    svg(recordText('tidewatch serve', usage('https://127.0.0.1:6443', 'tidewatch.kubeconfig')), 'tidewatch serve'),
  ],
  ['generate.svg', svg(await recordGenerate(), 'tidewatch generate crd crontabs.yaml')],
  ['generate-api.svg', svg(await recordGenerateApi(), 'tidewatch generate api coordination.k8s.io/v1')],
  ['init.svg', svg(await recordInit(), 'tidewatch init operator website')],
  ['top.svg', svg(await recordTop(), 'tidewatch top')],
  [
    'inspect.svg',
    svg(recordText('tidewatch inspect --help', (await run(['inspect', '--help'])).stdout), 'tidewatch inspect --help'),
  ],
  ['completion.svg', svg(await recordCompletion(), 'tidewatch completion: what Tab shows')],
  ['version.svg', svg(await recordVersion(), 'tidewatch version')],
  ['help.svg', svg(recordText('tidewatch help', (await run(['help'])).stdout), 'tidewatch help')],
]);
const isCheck = process.argv.includes('--check');
for (const [name, text] of pictures) {
  const file = join(IMAGES, name);
  if (!isCheck) {
    mkdirSync(IMAGES, { recursive: true });
    writeFileSync(file, text);
    console.log(`docs/images/${name}: ${Math.round(text.length / 1000)} KB`);
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`docs/images/${name} is not what would be recorded now: run "tsx scripts/record-demo.ts".`);
    process.exitCode = 1;
  }
}
