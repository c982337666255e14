/**
 * The queue and the store beside client-go's, in one run: the sides take turns, in many short rounds, so that a busy
 * machine disturbs few of them, and the median counts. Both sides collect garbage before each measurement, so that no
 * operation pays for what another has left behind; it pays for its own, because it runs long enough.
 *
 *   npx tsx benchmarks/stages/run.ts [--rounds 31] [--json] [--only text]
 *
 * `--json` prints one line for each operation instead of the table, the best round of each side included.
 */
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Operation, operations } from './operations.ts';
import { startPeer } from './peer.ts';

interface Result {
  readonly operation: string;
  readonly tidewatchNs: number;
  readonly clientGoNs: number | null;
  readonly ratio: number | null;
  readonly bestTidewatchNs: number;
  readonly bestClientGoNs: number | null;
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

async function main(): Promise<void> {
  const rounds = Number(options.rounds);
  const chosen = operations().filter(({ name }) => name.includes(options.only));
  const peer = startPeer();
  const own = new Map<string, number[]>();
  const theirs = new Map<string, number[]>();
  try {
    // The first rounds do not count: the compiler is still at work.
    for (let round = 1 - WARM_UP; round <= rounds; round++) {
      const measured = new Set<string>();
      for (const operation of chosen) {
        const ns = await measure(operation);
        if (round > 0) own.set(operation.name, [...(own.get(operation.name) ?? []), ns]);
        if (peer === undefined || measured.has(operation.peer)) continue;
        measured.add(operation.peer);
        const peerNs = await peer.measure(operation.peer, operation.times);
        if (round > 0) theirs.set(operation.peer, [...(theirs.get(operation.peer) ?? []), peerNs]);
      }
    }
  } finally {
    peer?.close();
  }
  const results = chosen.map(({ name, peer: peerName, target }): Result => {
    const ownNumbers = own.get(name) ?? [];
    const peerNumbers = theirs.get(peerName);
    const tidewatchNs = median(ownNumbers);
    const clientGoNs = peerNumbers === undefined ? null : median(peerNumbers);
    const ratio = clientGoNs === null ? null : tidewatchNs / clientGoNs;
    return {
      operation: name,
      tidewatchNs,
      clientGoNs,
      ratio,
      bestTidewatchNs: Math.min(...ownNumbers),
      bestClientGoNs: peerNumbers === undefined ? null : Math.min(...peerNumbers),
      target,
      holds: ratio === null ? null : ratio <= target,
    };
  });
  if (options.json) for (const result of results) console.log(JSON.stringify(result));
  else printTable(results);
}

function printTable(results: readonly Result[]): void {
  const whole = (ns: number | null) => (ns === null ? '–' : Math.round(ns).toLocaleString('en'));
  console.log('| operation | tidewatch, ns | client-go, ns | ratio | at most | |');
  console.log('|---|--:|--:|--:|--:|---|');
  for (const { operation, tidewatchNs, clientGoNs, ratio, target, holds } of results) {
    const verdict = holds === null ? '' : holds ? 'holds' : 'MISSED';
    const shown = ratio === null ? '–' : ratio < 0.095 ? ratio.toPrecision(1) : ratio.toFixed(2);
    console.log(`| ${operation} | ${whole(tidewatchNs)} | ${whole(clientGoNs)} | ${shown} | ${target} | ${verdict} |`);
  }
}

await main();
