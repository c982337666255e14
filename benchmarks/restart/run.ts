/**
 * A start from a snapshot beside a start with a list, by turns: pods that differ, over TLS.
 *
 *   npm run bench:restart -- [--objects 100000] [--rounds 3] [--write]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { publish } from '../last-result.ts';
import { buildPeers, buildReplayServer, type Command } from '../programs.ts';
import { show } from '../promise.ts';
import { Replay } from '../replay.ts';
import { pods, titleOf } from '../scene.ts';

const { values: options } = parseArgs({
  options: {
    objects: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
  },
});

interface Figures {
  readonly objects: number;
  /** From the start of the informer until its cache can be read, and the CPU time of the process until then. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakRssMb: number;
  /** To write the snapshot at the end. */
  readonly writeSeconds: number;
  readonly writeCpuSeconds: number;
  /** Of lists and watches, by the server. */
  readonly sentBytes: number;
}

const scene = pods(Number(options.objects));
const server = buildReplayServer();
const command = (await buildPeers(new Set(['restart']))).get('restart');
if (command === undefined) throw new Error('the program cannot be built');
const folder = mkdtempSync(join(tmpdir(), 'tidewatch-restart-'));
const file = join(folder, 'caches');
const starts: Record<'list' | 'snapshot', Figures[]> = { list: [], snapshot: [] };
try {
  await using replay = await Replay.start(server, scene, new Set(['protobuf']));
  for (let round = 1; round <= Number(options.rounds); round++) {
    rmSync(file, { force: true });
    for (const from of ['list', 'snapshot'] as const) {
      const figures = await run(command, replay);
      console.error(`round ${round}, from a ${from}: ${JSON.stringify(figures)}`);
      starts[from].push(figures);
    }
  }
  print(statSync(file).size);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run([program, ...first]: Command, replay: Replay): Promise<Figures> {
  const before = await replay.sentBytes();
  const args = [...first, ...replay.clientArgs, '--file', file];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let figures = {};
  for await (const line of createInterface({ input: child.stdout })) figures = { ...figures, ...JSON.parse(line) };
  const [code] = await ended;
  if (code !== 0) throw new Error(`the program ended with ${code}`);
  const result = { ...figures, sentBytes: (await replay.sentBytes()) - before } as Figures;
  if (result.objects !== scene.objects) throw new Error(`it holds ${result.objects} of ${scene.objects} objects`);
  return result;
}

function best(from: 'list' | 'snapshot', figure: keyof Figures): number {
  return Math.min(...starts[from].map((figures) => figures[figure]));
}

function print(fileBytes: number): void {
  const lines = [
    `| ${titleOf(scene)}, start from | ready, s | CPU, s | peak RSS, MB | sent, MB |`,
    '|---|--:|--:|--:|--:|',
  ];
  for (const from of ['list', 'snapshot'] as const) {
    const [seconds, cpu, rss] = [best(from, 'seconds'), best(from, 'cpuSeconds'), best(from, 'peakRssMb')];
    const sent = (best(from, 'sentBytes') / 1e6).toFixed(2);
    lines.push(`| a ${from} | ${seconds.toFixed(2)} | ${cpu.toFixed(2)} | ${rss.toFixed(0)} | ${sent} |`);
  }
  const [writes, writeCpu] = [best('list', 'writeSeconds'), best('list', 'writeCpuSeconds')];
  const size = (fileBytes / 1e6).toFixed(0);
  lines.push(
    '',
    `The snapshot of ${size} MB is written in ${writes.toFixed(2)} s, with ${writeCpu.toFixed(2)} s of CPU time.`,
  );
  const ratio = (what: string, figure: keyof Figures, limit: number) =>
    show({
      what,
      scene: titleOf(scene),
      concerned: ['from a snapshot', 'from a list'],
      value: best('snapshot', figure) / best('list', figure),
      unit: '',
      limit,
      guarded: limit,
      atLeast: false,
    });
  const promises = [
    ratio('time until it can be read, in that of a list', 'seconds', 0.25),
    ratio('CPU until then, in that of a list', 'cpuSeconds', 0.25),
    ratio('bytes that the server sends, in those of a list', 'sentBytes', 0.02),
  ];
  publish({ section: 'restart', figures: lines.join('\n'), promises, write: options.write });
}
