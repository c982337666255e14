/**
 * tidewatch beside the informers of client-go, kube-rs and @kubernetes/client-node, on the same bytes, by turns.
 *
 *   npm run bench -- [--sizes 1000,20000] [--scenes text] [--rounds 3,5] [--events 20000] [--only text] [--any-size] [--json] [--write]
 *   npm run bench -- --check
 *
 * Without options: the scenes of `plan.ts`. `--sizes` are of pods that differ, over TLS; `--scenes` takes those of the plan whose title
 * contains the text. `--json` prints a line for each run of each client; `--write` writes the tables and
 * the chart into docs/ and README.md; `--check` is short and fails when a ratio that is promised is missed by more than the
 * allowance of `promise.ts`, also after more rounds of the two concerned.
 */
import { parseArgs } from 'node:util';
import { type Contestant, contestants, LARGE, takesPartIn } from './contestants.ts';
import { writeDocument } from './document.ts';
import type { Result } from './measured-run.ts';
import { type Outcome, rows } from './outcome.ts';
import { type Leg, plan } from './plan.ts';
import { buildPeers, buildReplayServer, podSizes } from './programs.ts';
import { describe, type Shown } from './promise.ts';
import { type Failure, Race } from './race.ts';
import { ratios, unmeasured } from './ratios.ts';
import { Replay } from './replay.ts';
import { type Scene, titleOf } from './scene.ts';
import { Summary } from './summary.ts';
import { readTables, resultTable } from './tables.ts';
import { targets } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string' },
    scenes: { type: 'string', default: '' },
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
  const legs = plan(options).filter((leg) => titleOf(leg).includes(options.scenes));
  const chosen = contestants.filter(takesPart);
  const server = buildReplayServer();
  const commands = await buildPeers(new Set(chosen.map((contestant) => contestant.program)));
  const race = new Race({ commands, heard: tell, failed: tellFailure, again: tellAgain });
  for (const leg of legs) {
    const able = chosen.filter((contestant) => isAble(contestant, leg));
    if (able.length === 0) continue;
    await using replay = await Replay.start(server, leg, new Set(able.map(({ encoding }) => encoding)));
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
  const scenes = legs.filter((leg) => race.results.some(({ scene }) => scene === titleOf(leg)));
  const outcome = { summary: new Summary(race.results), scenes, contestants: built, failures: race.failures };
  print(outcome);
  if (options.write) writeDocument(outcome, podSizes(server));
  if (options.check) judge(outcome, new Set(chosen.map(({ name }) => name)));
}

function takesPart({ name, roundsOfCheck }: Contestant): boolean {
  return name.includes(options.only) && (!options.check || roundsOfCheck !== undefined);
}

function isAble(contestant: Contestant, scene: Scene): boolean {
  return takesPartIn(contestant, scene) && (options['any-size'] || scene.objects <= contestant.maxObjects);
}

function roundsOf({ roundsOfCheck, slow = false }: Contestant, { kind, objects, rounds }: Leg): number {
  if (options.rounds !== undefined) return rounds;
  if (options.check) return slow && kind !== 'pods' ? 0 : Math.min(rounds, roundsOfCheck ?? 0);
  if (slow && objects >= LARGE) return 1;
  return slow && kind === 'pods' ? Math.min(2, rounds) : rounds;
}

/** A busy moment of the machine can spoil every round of one side: so the two concerned run again. */
async function repeatMissed(race: Race, replay: Replay, able: readonly Contestant[], leg: Leg): Promise<void> {
  for (let round = leg.rounds + 1; round <= leg.rounds + MORE_ROUNDS; round++) {
    const missed = promises(new Summary(race.results)).filter((it) => it.scene === titleOf(leg) && !it.nearlyHolds);
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
  return [...ratios(summary), ...targets(summary)];
}

function tell(result: Result): void {
  if (options.json) console.log(JSON.stringify(result));
  else
    console.error(
      `${result.scene}, round ${result.round}: ${result.peer} synced in ${result.syncSeconds.toFixed(2)} s`,
    );
}

function tellFailure({ peer, scene, message }: Failure): void {
  console.error(`${peer} is left out from here on, with ${scene}: ${message}`);
}

function tellAgain(peer: string, error: unknown): void {
  console.error(`${peer} is run once more: ${String(error)}`);
}

/** With `--json`, standard output is for the results alone. */
function print(outcome: Outcome): void {
  const { summary } = outcome;
  if (!options.json) {
    for (const scene of outcome.scenes) {
      const [title, shown] = [titleOf(scene), rows(outcome, scene)];
      console.log(['', resultTable(summary, title, shown), ...readTables(summary, title, shown)].join('\n\n'));
    }
  }
  const out = options.json ? console.error : console.log;
  out(['', ...promises(summary).map(describe)].join('\n'));
}

function judge({ summary, failures }: Outcome, names: ReadonlySet<string>): void {
  const lost = promises(summary).filter((it) => !it.nearlyHolds);
  const problems = [
    ...lost.map(describe),
    ...unmeasured(summary, names).map((ratio) => `not measured: ${ratio}`),
    ...failures.map(({ peer, message }) => `${peer} failed: ${message}`),
  ];
  if (summary.scenes.length === 0) problems.push('nothing was measured');
  if (problems.length === 0) return;
  console.error(['\nThe check has failed:', ...problems].join('\n'));
  process.exitCode = 1;
}

await main();
