/**
 * tidewatch beside the informers of client-go, kube-rs and @kubernetes/client-node, on the same bytes, by turns.
 *
 *   npm run bench -- [--sizes 1000,20000] [--rounds 3] [--events 20000] [--only text] [--json] [--write] [--check]
 *
 * `--json` prints a line for each run of each client; `--write` writes the tables and the chart into docs/; `--check` is
 * short and fails when a ratio that is promised is missed by more than the allowance of `ratios.ts`.
 */
import { parseArgs } from 'node:util';
import { type Contestant, contestants } from './contestants.ts';
import { writeDocument } from './document.ts';
import { measuredRun, type Result } from './measured-run.ts';
import { buildPeers, buildReplayServer } from './programs.ts';
import { describeRatio, isPromised, ratios, unmeasured } from './ratios.ts';
import { Replay } from './replay.ts';
import { Summary } from './summary.ts';
import { readTable, resultTable } from './tables.ts';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string' },
    rounds: { type: 'string' },
    events: { type: 'string' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});

const CHECK = { sizes: '20000', rounds: '2', events: '5000' };
const FULL = { sizes: '1000,20000', rounds: '3', events: '20000' };

async function main(): Promise<void> {
  const { sizes, rounds, events } = { ...(options.check ? CHECK : FULL), ...options };
  const chosen = contestants.filter(takesPart);
  const server = buildReplayServer();
  const commands = await buildPeers(new Set(chosen.map((contestant) => contestant.program)));
  const results: Result[] = [];
  for (const objects of sizes.split(',').map(Number)) {
    await using replay = await Replay.start(server, objects);
    const able = new Set(chosen.filter(({ maxObjects, program }) => objects <= maxObjects && commands.has(program)));
    for (let round = 1; round <= Number(rounds); round++) {
      for (const contestant of able) {
        const command = commands.get(contestant.program);
        if (command === undefined) continue;
        try {
          const result = await measuredRun({ contestant, command, replay, events: Number(events), round });
          results.push(result);
          tell(result);
        } catch (error) {
          if (!replay.alive) throw new Error('the replay server has ended', { cause: error });
          able.delete(contestant);
          console.error(`${contestant.name} is left out: ${error instanceof Error ? error.message : error}`);
        }
      }
    }
  }
  conclude(new Summary(results), new Set(chosen.map((contestant) => contestant.name)));
}

function takesPart({ name, program, onlyInFull }: Contestant): boolean {
  if (options.check && (onlyInFull || (program !== 'tidewatch' && program !== 'client-go'))) return false;
  return name.includes(options.only);
}

function tell(result: Result): void {
  if (options.json) console.log(JSON.stringify(result));
  else
    console.error(
      `${result.objects} pods, round ${result.round}: ${result.peer} synced in ${result.syncSeconds.toFixed(2)} s`,
    );
}

function conclude(summary: Summary, chosen: ReadonlySet<string>): void {
  const kept = summary.sizes.filter(isPromised).flatMap((objects) => ratios(summary, objects));
  const print = options.json ? console.error : console.log;
  for (const objects of summary.sizes) {
    if (!options.json) print(`\n${resultTable(summary, objects)}\n\n${readTable(summary, objects)}`);
  }
  print();
  for (const ratio of kept) print(describeRatio(ratio));
  if (options.write) writeDocument(summary);
  if (!options.check) return;
  const lost = kept.filter((ratio) => !ratio.nearlyHolds).map(describeRatio);
  const missing = unmeasured(kept, chosen).map((ratio) => `not measured: ${ratio}`);
  if (lost.length + missing.length === 0) return;
  console.error(['\nThe check has failed:', ...lost, ...missing].join('\n'));
  process.exitCode = 1;
}

await main();
