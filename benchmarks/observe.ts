/**
 * What it costs to be seen: events a second of CPU of an informer of 20,000 pods with a subscriber on every channel and with metrics into a registry of
 * prom-client, beside the same without. By turns, in processes of their own; the best of the rounds counts, for a busy machine only adds to a time.
 * With `--write` the result goes into docs/metrics.md; it fails when the ratio is below what was promised.
 *
 *     npm run bench:observe [-- --write --rounds N]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { withSection } from './marked-section.ts';
import { buildReplayServer, bundle } from './programs.ts';
import { Replay } from './replay.ts';
import { STANDARD } from './scene.ts';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, write: { type: 'boolean', default: false } },
});
const ROUNDS = Number(options.rounds);
const WARM_UP = 50_000;
const EVENTS = 150_000;
const PROMISED = 0.9;

const [program, ...first] = await bundle('observe', 'observe-subject.ts');
await using replay = await Replay.start(buildReplayServer(), STANDARD, new Set(['protobuf']));

/** Events a second of CPU. */
async function measure(isAttached: boolean): Promise<number> {
  const [warm, done] = [WARM_UP, WARM_UP + EVENTS].map((events) => replay.lastVersion(events));
  const args = [...first, ...replay.clientArgs, ...(isAttached ? ['--attach'] : [])];
  const child = spawn(program, [...args, '--until', warm ?? '', '--until', done ?? ''], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const seconds: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    seconds.push(Number(line));
    if (seconds.length < 3) await replay.sendEvents(seconds.length === 1 ? WARM_UP : EVENTS);
  }
  const [code] = await exited;
  const [, before, after] = seconds;
  if (code !== 0 || before === undefined || after === undefined) throw new Error('a run ended early');
  return EVENTS / (after - before);
}

const best = { without: 0, attached: 0 };
for (let round = 1; round <= ROUNDS; round++) {
  const without = await measure(false);
  const attached = await measure(true);
  best.without = Math.max(best.without, without);
  best.attached = Math.max(best.attached, attached);
  console.log(`round ${round}: ${Math.round(without)} without, ${Math.round(attached)} attached`);
}
const ratio = best.attached / best.without;
const figure = (rate: number) => (Math.round(rate / 1_000) * 1_000).toLocaleString('en-US');
const table = [
  '| 20,000 pods | events a second of CPU | of without |',
  '| --- | ---: | ---: |',
  `| without | ${figure(best.without)} | |`,
  `| a subscriber on every channel, and metrics into prom-client | ${figure(best.attached)} | ${ratio.toFixed(2)} |`,
  '',
  `The best of ${ROUNDS === 1 ? 'one round' : `${ROUNDS} rounds`} of ${EVENTS.toLocaleString('en-US')} events each, on ${cpus().length} cores, Node ${process.versions.node}; \`npm run bench:observe\` measures it. Promised: at least ${PROMISED}.`,
].join('\n');
console.log(table);
if (options.write) {
  const page = fileURLToPath(new URL('../docs/metrics.md', import.meta.url));
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), 'observe', table));
}
if (ratio < PROMISED) {
  console.error(`The ratio is ${ratio.toFixed(2)}, and was to be ${PROMISED} at least.`);
  process.exitCode = 1;
}
