/**
 * Controllers beside controller-runtime's, by turns, over 20,000 pods that differ, in protobuf over plain HTTP; and what a live change
 * waits behind a backlog, with priorities and without.
 *
 *   npm run bench:controllers -- [--rounds 3] [--only text]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { buildPeers, buildReplayServer, type Command } from '../programs.ts';
import { Replay } from '../replay.ts';
import type { Scene } from '../scene.ts';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, only: { type: 'string', default: '' } },
});
const PODS: Scene = { kind: 'pods', objects: 20_000, tls: false };
const BACKLOG: Scene = { ...PODS, objects: 10_000 };
const EVENTS = 20_000;
const CHANGE_EVERY_MS = 50;
const ENCODINGS = new Set(['protobuf']);

type Figures = Record<string, number>;

interface Promised {
  readonly what: string;
  readonly figure: string;
  readonly limit: number;
  readonly atLeast?: boolean;
}

const PROMISES: readonly Promised[] = [
  { what: 'start to all reconciled', figure: 'syncSeconds', limit: 0.35 },
  { what: 'CPU of it', figure: 'cpuSeconds', limit: 0.35 },
  { what: 'peak RSS', figure: 'peakRssMb', limit: 0.35 },
  { what: 'reconciled events a second', figure: 'eventsPerSecond', limit: 2, atLeast: true },
];
const LONGEST_TURN_MS = 10;

/** Starts a program, calls `began` at its first line, and gives the figures of all lines. */
async function run(command: Command, args: readonly string[], began: () => void | Promise<void>): Promise<Figures> {
  const [program, ...first] = command;
  const child = spawn(program, [...first, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let figures: Figures = {};
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    figures = { ...figures, ...JSON.parse(line) };
    if (++lines === 1) await began();
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  return figures;
}

const server = buildReplayServer();
const commands = await buildPeers(new Set(['controller', 'backlog', 'controller-runtime']));
const rounds = Number(options.rounds);
let kept = true;

function judge(holds: boolean, text: string): void {
  kept &&= holds;
  console.log(`${holds ? 'holds ' : 'MISSED'}  ${text}`);
}

if ('controllers'.includes(options.only)) await raceControllers();
if ('backlog'.includes(options.only)) await compareBacklogs();
if (!kept) process.exitCode = 1;

async function raceControllers(): Promise<void> {
  await using replay = await Replay.start(server, PODS, ENCODINGS);
  const args = [...replay.clientArgs, '--objects', String(PODS.objects), '--events', String(EVENTS)];
  const results = new Map<string, Figures[]>();
  for (let round = 1; round <= rounds; round++) {
    for (const name of ['controller', 'controller-runtime']) {
      const command = commands.get(name);
      if (command === undefined) continue;
      const figures = await run(command, args, () => replay.sendEvents(EVENTS));
      console.error(`round ${round}: ${name} ${JSON.stringify(figures)}`);
      results.set(name, [...(results.get(name) ?? []), figures]);
    }
  }
  const best = (name: string, { figure, atLeast = false }: Pick<Promised, 'figure' | 'atLeast'>) => {
    const found = (results.get(name) ?? []).map((figures) => figures[figure] ?? Number.NaN);
    return atLeast ? Math.max(...found) : Math.min(...found);
  };
  for (const promised of results.has('controller-runtime') ? PROMISES : []) {
    const { what, limit, atLeast = false } = promised;
    const [own, other] = [best('controller', promised), best('controller-runtime', promised)];
    const ratio = own / other;
    const bound = `${atLeast ? 'at least' : 'at most'} ${limit}`;
    judge(
      atLeast ? ratio >= limit : ratio <= limit,
      `${ratio.toFixed(2)} (${bound})  ${what}: ${own.toFixed(2)} / ${other.toFixed(2)}`,
    );
  }
  const longest = best('controller', { figure: 'longestTurnMs' });
  judge(
    longest <= LONGEST_TURN_MS,
    `${longest.toFixed(1)} ms (at most ${LONGEST_TURN_MS} ms)  longest turn of the loop`,
  );
}

/** One change every 50 ms, while the first list is worked off. */
async function compareBacklogs(): Promise<void> {
  const command = commands.get('backlog');
  if (command === undefined) return;
  const p99 = async (...extra: string[]) => {
    await using replay = await Replay.start(server, BACKLOG, ENCODINGS);
    let isWorking = true;
    const args = [...replay.clientArgs, '--objects', String(BACKLOG.objects), ...extra];
    const change = async () => {
      for (; isWorking; await setTimeout(CHANGE_EVERY_MS)) await replay.sendEvents(1);
    };
    let changes: Promise<void> | undefined;
    const figures = await run(command, args, () => {
      changes = change();
      changes.catch(() => {});
    });
    isWorking = false;
    await changes?.catch(() => {});
    console.error(`backlog${extra.map((word) => ` ${word}`).join('')}: ${JSON.stringify(figures)}`);
    return figures.p99Ms ?? Number.NaN;
  };
  const ratio = (await p99()) / (await p99('--fifo'));
  judge(ratio <= 1 / 20, `${ratio.toFixed(4)} (at most 0.05)  p99 from change to run, with priorities / without`);
}
