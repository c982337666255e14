/**
 * How long the first steps take, by the clock on the wall: a fresh clone to the first line of the demo, and `npm install` of the packed
 * package to the first event in a program of 12 lines. Writes docs/stopwatch.md.
 *
 *     npm run build && tsx scripts/stopwatch.ts
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const PROGRAM = `import { SharedInformerFactory } from 'tidewatch';
import { configMaps } from 'tidewatch/api/core/v1';
import { ApiServer } from 'tidewatch/testing';
const server = await ApiServer.start();
const cluster = server.cluster();
await cluster.client(configMaps).create({ metadata: { name: 'first' } });
const factory = new SharedInformerFactory(cluster);
const informer = factory.for(configMaps).informer();
const handler = informer.addEventHandler({ onAdd: (object) => console.log('add', object.metadata.name) });
factory.start();
await handler.synced; // it has seen the initial list
await Promise.all([factory.shutdown(), server.stop()]);
`;

function need(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

/** Seconds until the program prints a line that matches; then it is ended. */
function firstLine(command: string, args: readonly string[], cwd: string, wanted: RegExp): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    let text = '';
    let seconds: number | undefined;
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (seconds !== undefined || !wanted.test(text)) return;
      seconds = (performance.now() - started) / 1000;
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    });
    child.once('error', reject);
    child.once('close', () =>
      seconds === undefined ? reject(new Error(`${command} printed:\n${text}`)) : resolve(seconds),
    );
  });
}

function timed(act: () => void): number {
  const started = performance.now();
  act();
  return (performance.now() - started) / 1000;
}

const folder = mkdtempSync(join(tmpdir(), 'tidewatch-stopwatch-'));
try {
  const clone = join(folder, 'clone');
  const cloned = timed(() => need('git', ['clone', '--quiet', '--no-hardlinks', root, clone], folder));
  const installed = timed(() => need('npm', ['ci'], clone));
  const demo = await firstLine('npm', ['start', '--silent'], clone, /^ADD /m);

  const [packed] = JSON.parse(need('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root));
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  const added = timed(() => need('npm', ['install', join(folder, packed.filename)], project));
  writeFileSync(join(project, 'first.js'), PROGRAM);
  const event = await firstLine(process.execPath, ['first.js'], project, /^add first$/m);

  const total = (...parts: number[]) => parts.reduce((sum, part) => sum + part, 0).toFixed(1);
  const row = (what: string, seconds: number) => `| ${what} | ${seconds.toFixed(1)} |`;
  const [load = 0] = loadavg();
  writeFileSync(
    join(root, 'docs', 'stopwatch.md'),
    `# How long the first steps take

\`npx tsx scripts/stopwatch.ts\` writes this page. Measured on Node ${process.versions.node}, ${cpus().length} processors with a load of ${load.toFixed(1)}, with
packages from npm's cache where it has them.

| a fresh clone to the first event of the demo | seconds |
|---|--:|
${row('`git clone`', cloned)}
${row('`npm ci`', installed)}
${row('`npm start`, until the first ADD', demo)}
| together | ${total(cloned, installed, demo)} |

| \`npm install\` to the first event in a program of ${PROGRAM.trimEnd().split('\n').length} lines | seconds |
|---|--:|
${row('`npm install` of the packed package into an empty project', added)}
${row('`node first.js`, until the first event', event)}
| together | ${total(added, event)} |

The program, on the embedded server:

\`\`\`ts alone
${PROGRAM}\`\`\`
`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
