/**
 * Operations beside a Go program's, in one run: the sides take turns, in many short rounds, so that a busy machine disturbs few of
 * them, and the median counts. Both sides collect garbage before each measurement, so that no operation pays for what another has
 * left behind; it pays for its own, because it runs long enough.
 */
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startPeer } from './peer-program.ts';

export interface Operation {
  readonly name: string;
  /** The operation of the Go program that it is held against. */
  readonly peer: string;
  /** At most this much of the peer's time. */
  readonly target: number;
  /** How often it runs. Writes run often enough that each object changes several times and the young generation fills up. */
  readonly times: number;
  /** Takes part in each round by this number; for what takes seconds. Default 1. */
  readonly every?: number;
  run(times: number): void | Promise<void>;
}

export interface OperationRace {
  readonly operations: readonly Operation[];
  /** The folder of the Go program. */
  readonly peer: URL;
  /** Whose operations they are, for the table. */
  readonly peerName: string;
}

interface Result {
  readonly operation: string;
  readonly tidewatchNs: number;
  readonly peerNs: number | null;
  readonly ratio: number | null;
  readonly bestTidewatchNs: number;
  readonly bestPeerNs: number | null;
  readonly target: number;
  readonly holds: boolean | null;
}

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '31' },
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});

const WARM_UP = 10;

setFlagsFromString('--expose-gc');
const collectGarbage: (options: { type: 'minor' }) => void = runInNewContext('gc');

/** A full collection could also shrink the young generation, and then the operation pays for its growing again. */
function emptyYoungGeneration(): void {
  // What survives the first is moved out by the second.
  for (let i = 0; i < 2; i++) collectGarbage({ type: 'minor' });
}

async function measure({ run, times }: Operation): Promise<number> {
  emptyYoungGeneration();
  await run(times / 4);
  const start = process.hrtime.bigint();
  await run(times);
  return Number(process.hrtime.bigint() - start) / times;
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Reads `--rounds 31`, `--json` and `--only text` from the command line, and prints a table or, with `--json`, a line each. */
export async function raceOperations({ operations, peer: folder, peerName }: OperationRace): Promise<void> {
  const rounds = Number(options.rounds);
  const chosen = operations.filter(({ name }) => name.includes(options.only));
  const peer = startPeer(folder);
  const own = new Map<string, number[]>();
  const theirs = new Map<string, number[]>();
  try {
    // The first rounds do not count: the compiler is still at work.
    for (let round = 1 - WARM_UP; round <= rounds; round++) {
      const measured = new Set<string>();
      for (const operation of chosen) {
        if (round % (operation.every ?? 1) !== 0) continue;
        const ns = await measure(operation);
        if (round > 0) own.set(operation.name, [...(own.get(operation.name) ?? []), ns]);
        if (peer === undefined || measured.has(operation.peer)) continue;
        measured.add(operation.peer);
        const measuredNs = await peer.measure(operation.peer, operation.times);
        if (round > 0) theirs.set(operation.peer, [...(theirs.get(operation.peer) ?? []), measuredNs]);
      }
    }
  } finally {
    peer?.close();
  }
  const results = chosen.map(({ name, peer: peerOperation, target }): Result => {
    const ownNumbers = own.get(name) ?? [];
    const peerNumbers = theirs.get(peerOperation);
    const tidewatchNs = median(ownNumbers);
    const peerNs = peerNumbers === undefined ? null : median(peerNumbers);
    const ratio = peerNs === null ? null : tidewatchNs / peerNs;
    return {
      operation: name,
      tidewatchNs,
      peerNs,
      ratio,
      bestTidewatchNs: Math.min(...ownNumbers),
      bestPeerNs: peerNumbers === undefined ? null : Math.min(...peerNumbers),
      target,
      holds: ratio === null ? null : ratio <= target,
    };
  });
  if (options.json) for (const result of results) console.log(JSON.stringify(result));
  else printTable(results, peerName);
}

function printTable(results: readonly Result[], peerName: string): void {
  const whole = (ns: number | null) => (ns === null ? '–' : Math.round(ns).toLocaleString('en'));
  console.log(`| operation | tidewatch, ns | ${peerName}, ns | ratio | at most | |`);
  console.log('|---|--:|--:|--:|--:|---|');
  for (const { operation, tidewatchNs, peerNs, ratio, target, holds } of results) {
    const verdict = holds === null ? '' : holds ? 'holds' : 'MISSED';
    const shown = ratio === null ? '–' : ratio < 0.095 ? ratio.toPrecision(1) : ratio.toFixed(2);
    console.log(`| ${operation} | ${whole(tidewatchNs)} | ${whole(peerNs)} | ${shown} | ${target} | ${verdict} |`);
  }
}
