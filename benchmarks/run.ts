/**
 * tidewatch beside the informers of client-go, kube-rs and @kubernetes/client-node, on the same bytes, by turns.
 *
 *   npm run bench -- [--sizes 1000,20000] [--rounds 3,5] [--events 20000] [--only text] [--any-size] [--json] [--write]
 *   npm run bench -- --check
 *
 * Without options: the sizes of `plan.ts`. `--json` prints a line for each run of each client; `--write` writes the tables and
 * the chart into docs/ and README.md; `--check` is short and fails when a ratio that is promised is missed by more than the
 * allowance of `promise.ts`, also after more rounds of the two concerned.
 */
import { parseArgs } from 'node:util';
import { type Contestant, contestants, LARGE } from './contestants.ts';
import { writeDocument } from './document.ts';
import type { Result } from './measured-run.ts';
import { type Outcome, rows } from './outcome.ts';
import { type Leg, plan } from './plan.ts';
import { buildPeers, buildReplayServer, podSizes } from './programs.ts';
import { describe, type Shown } from './promise.ts';
import { type Failure, Race } from './race.ts';
import { ratios, unmeasured } from './ratios.ts';
import { Replay } from './replay.ts';
import { Summary } from './summary.ts';
import { readTables, resultTable } from './tables.ts';
import { targets } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string' },
    rounds: { type: 'string' },
    events: { type: 'string' },
    only: { type: 'string', default: '' },
    'any-size': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});

/** Rounds that `--check` adds for the contestants of a ratio that is missed, before it believes it. */
const MORE_ROUNDS = 3;

async function main(): Promise<void> {
  const legs = plan(options);
  const chosen = contestants.filter(takesPart);
  const server = buildReplayServer();
  const commands = await buildPeers(new Set(chosen.map((contestant) => contestant.program)));
  const race = new Race({ commands, heard: tell, failed: tellFailure });
  for (const leg of legs) {
    await using replay = await Replay.start(server, leg.objects);
    const able = chosen.filter(({ maxObjects }) => options['any-size'] || leg.objects <= maxObjects);
    for (let round = 1; round <= leg.rounds; round++) {
      await race.round(
        replay,
        able.filter((contestant) => round <= roundsOf(contestant, leg)),
        leg,
        round,
      );
    }
    if (options.check) await repeatMissed(race, replay, able, leg);
  }
  const built = chosen.filter(({ program }) => commands.has(program));
  const outcome = { summary: new Summary(race.results), contestants: built, failures: race.failures };
  print(outcome);
  if (options.write) writeDocument(outcome, podSizes(server));
  if (options.check) judge(outcome, new Set(chosen.map(({ name }) => name)));
}

function takesPart({ name, roundsOfCheck }: Contestant): boolean {
  return name.includes(options.only) && (!options.check || roundsOfCheck !== undefined);
}

function roundsOf({ roundsOfCheck, slow = false }: Contestant, { objects, rounds }: Leg): number {
  if (options.rounds !== undefined) return rounds;
  if (options.check) return Math.min(rounds, roundsOfCheck ?? 0);
  return slow && objects >= LARGE ? 1 : rounds;
}

/** A busy moment of the machine can spoil every round of one side: so the two concerned run again. */
async function repeatMissed(race: Race, replay: Replay, able: readonly Contestant[], leg: Leg): Promise<void> {
  for (let round = leg.rounds + 1; round <= leg.rounds + MORE_ROUNDS; round++) {
    const missed = promises(new Summary(race.results)).filter((it) => it.objects === leg.objects && !it.nearlyHolds);
    if (missed.length === 0) return;
    console.error(['Once more, because of:', ...missed.map(describe)].join('\n'));
    const concerned = new Set(missed.flatMap((it) => it.concerned));
    await race.round(
      replay,
      able.filter(({ name }) => concerned.has(name)),
      leg,
      round,
    );
  }
}

function promises(summary: Summary): Shown[] {
  return [...summary.sizes.flatMap((objects) => ratios(summary, objects)), ...targets(summary)];
}

function tell(result: Result): void {
  if (options.json) console.log(JSON.stringify(result));
  else
    console.error(
      `${result.objects} pods, round ${result.round}: ${result.peer} synced in ${result.syncSeconds.toFixed(2)} s`,
    );
}

function tellFailure({ peer, objects, message }: Failure): void {
  console.error(`${peer} is left out from here on, with ${objects} pods: ${message}`);
}

/** With `--json`, standard output is for the results alone. */
function print(outcome: Outcome): void {
  const { summary } = outcome;
  if (!options.json) {
    for (const objects of summary.sizes) {
      const shown = rows(outcome, objects);
      console.log(['', resultTable(summary, objects, shown), ...readTables(summary, objects, shown)].join('\n\n'));
    }
  }
  const out = options.json ? console.error : console.log;
  out(['', ...promises(summary).map(describe)].join('\n'));
}

function judge({ summary, failures }: Outcome, names: ReadonlySet<string>): void {
  const lost = promises(summary).filter((it) => !it.nearlyHolds);
  const problems = [
    ...lost.map(describe),
    ...summary.sizes.flatMap((objects) => unmeasured(summary, objects, names)).map((ratio) => `not measured: ${ratio}`),
    ...failures.map(({ peer, message }) => `${peer} failed: ${message}`),
  ];
  if (summary.sizes.length === 0) problems.push('nothing was measured');
  if (problems.length === 0) return;
  console.error(['\nThe check has failed:', ...problems].join('\n'));
  process.exitCode = 1;
}

await main();
