import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Contestant } from './contestants.ts';
import type { Command } from './programs.ts';
import type { Replay } from './replay.ts';
import { resourceOf, titleOf } from './scene.ts';

/** What one run of one contestant gave. Figures that it does not report are absent. */
export interface Result {
  readonly peer: string;
  /** The title of the scene. */
  readonly scene: string;
  readonly objects: number;
  readonly round: number;
  readonly syncSeconds: number;
  readonly cpuSeconds: number;
  /** After the events; the other one before them. */
  readonly heapBytesPerObject: number;
  readonly heapBytesAtSync?: number;
  /** The part of it that is on the heap of V8. */
  readonly v8BytesPerObject?: number;
  readonly peakRssMb: number;
  readonly eventLoopP99Ms?: number;
  readonly eventLoopMaxMs?: number;
  readonly eventsPerSecond?: number;
  readonly eventsCpuSeconds?: number;
  readonly eventsPeakRssMb?: number;
  readonly eventsEventLoopP99Ms?: number;
  readonly readGetMicros?: number;
  readonly readFirstImageMicros?: number;
  readonly readImageAgainMicros?: number;
  readonly readListNamesMs?: number;
  readonly readTwoFieldsMs?: number;
  readonly readProjectMs?: number;
  readonly readByIndexMicros?: number;
  readonly readByIndexHits?: number;
  readonly readsDuringSync?: number;
  readonly readsDuringSyncWithObjects?: number;
  readonly readDuringSyncWorstMs?: number;
}

export type Figure = Exclude<keyof Result, 'peer' | 'scene' | 'objects' | 'round'>;

interface Run {
  readonly contestant: Contestant;
  readonly command: Command;
  /** Arguments beside those of the contestant. */
  readonly extra: readonly string[];
  readonly replay: Replay;
  readonly events: number;
  readonly round: number;
}

/** Several times what the slowest contestant takes, with any number of objects. */
const GIVE_UP_MS = 3 * 60_000;
const GIVE_UP_MS_AN_OBJECT = 0.6;
const LAST_LINES = 12;

/** Starts the program, waits for its line after the sync, sends the events, and waits for its line after them. */
export async function measuredRun({ contestant, command, extra, replay, events, round }: Run): Promise<Result> {
  const [program, ...first] = command;
  const args = [
    ...first,
    ...replay.clientArgs,
    ...['--kind', resourceOf(replay.scene), '--encoding', contestant.encoding],
    ...['--events', String(events), '--last-version', replay.lastVersion(events)],
    ...contestant.args,
    ...extra,
  ];
  await replay.deserted();
  const servedBefore = await replay.served(contestant.encoding);
  const timeout = GIVE_UP_MS + GIVE_UP_MS_AN_OBJECT * replay.scene.objects;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout, killSignal: 'SIGKILL' });
  const ended = once(child, 'close');
  const errors = lastLines(child.stderr);
  let result = { peer: contestant.name, scene: titleOf(replay.scene), objects: 0, round };
  let lines = 0;
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      result = { ...result, ...JSON.parse(line) };
      lines++;
      if (lines === 1) await replay.sendEvents(events);
    }
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw error;
  }
  const [code, signal] = await ended;
  if (code !== 0 || lines !== 2) {
    throw new Error([`it ended early (${signal ?? `exit code ${code}`})`, ...errors].join('\n  '));
  }
  const { objects } = replay.scene;
  if (result.objects !== objects) throw new Error(`it holds ${result.objects} of ${objects} objects`);
  if ((await replay.served(contestant.encoding)) === servedBefore) {
    throw new Error(`it did not ask for ${contestant.encoding}`);
  }
  return result as Result;
}

/** Grows and shrinks while the stream is read. */
function lastLines(stream: NodeJS.ReadableStream): readonly string[] {
  const lines: string[] = [];
  createInterface({ input: stream }).on('line', (line) => {
    if (line.trim() === '') return;
    lines.push(line.slice(0, 300));
    if (lines.length > LAST_LINES) lines.shift();
  });
  return lines;
}
