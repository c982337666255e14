import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Contestant } from './contestants.ts';
import type { Command } from './programs.ts';
import type { Replay } from './replay.ts';

/** What one run of one contestant gave. Figures that it does not report are absent. */
export interface Result {
  readonly peer: string;
  readonly objects: number;
  readonly round: number;
  readonly syncSeconds: number;
  readonly cpuSeconds: number;
  readonly heapBytesPerObject: number;
  readonly peakRssMb: number;
  readonly eventLoopP99Ms?: number;
  readonly eventLoopMaxMs?: number;
  readonly eventsPerSecond?: number;
  readonly eventsCpuSeconds?: number;
  readonly eventsPeakRssMb?: number;
  readonly eventsEventLoopP99Ms?: number;
  readonly readGetMicros?: number;
  readonly readFirstSpecMicros?: number;
  readonly readSpecAgainMicros?: number;
  readonly readListNamesMs?: number;
  readonly readByIndexMicros?: number;
  readonly readByIndexHits?: number;
}

export type Figure = Exclude<keyof Result, 'peer' | 'objects' | 'round'>;

interface Run {
  readonly contestant: Contestant;
  readonly command: Command;
  readonly replay: Replay;
  readonly events: number;
  readonly round: number;
}

const GIVE_UP_MS = 10 * 60_000;

/** Starts the program, waits for its line after the sync, sends the events, and waits for its line after them. */
export async function measuredRun({ contestant, command, replay, events, round }: Run): Promise<Result> {
  const [program, ...first] = command;
  const args = [
    ...first,
    ...['--server', replay.url, '--encoding', contestant.encoding],
    ...['--events', String(events), '--last-version', replay.lastVersion(events)],
    ...contestant.args,
  ];
  const servedBefore = await replay.served(contestant.encoding);
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: GIVE_UP_MS,
    killSignal: 'SIGKILL',
  });
  const exited = once(child, 'exit');
  let result = { peer: contestant.name, objects: 0, round };
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    result = { ...result, ...JSON.parse(line) };
    lines++;
    if (lines === 1 && events > 0) await replay.sendEvents(events);
  }
  const [code, signal] = await exited;
  if (code !== 0 || lines !== (events > 0 ? 2 : 1)) {
    throw new Error(`${contestant.name} ended early (${signal ?? `exit code ${code}`})`);
  }
  if (result.objects !== replay.pods)
    throw new Error(`${contestant.name} holds ${result.objects} of ${replay.pods} pods`);
  if ((await replay.served(contestant.encoding)) === servedBefore) {
    throw new Error(`${contestant.name} did not ask for ${contestant.encoding}`);
  }
  return result as Result;
}
