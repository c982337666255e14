/**
 * This tree beside an earlier commit: the programs and the server of this tree measure both, by turns, so that whatever else the machine
 * does falls on both. Of times and rates the best round counts, of memory the median.
 *
 *   npm run bench:compare -- COMMIT [--rounds 7] [--events 60000] [--scenes text] [--only text] [--limit 1.05]
 *
 * Fails when a figure is worse than before by more than the limit. Ratios are after/before; above 1 is worse for all but events.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Result } from './measured-run.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '7' },
    events: { type: 'string', default: '60000' },
    // Those that say nothing of TLS: earlier commits take a certificate in another form.
    scenes: { type: 'string', default: 'plain HTTP' },
    only: { type: 'string', default: 'tidewatch, packed' },
    limit: { type: 'string', default: '1.05' },
  },
});

type Figure = 'syncSeconds' | 'cpuSeconds' | 'heapBytesPerObject' | 'peakRssMb' | 'eventsPerSecond' | 'readGetMicros';

interface Judged {
  readonly figure: Figure;
  readonly title: string;
  best(values: readonly number[]): number;
  /** Of the limit; a read in microseconds has its target in targets.ts. */
  readonly isLimited: boolean;
}

const smallest = (values: readonly number[]) => Math.min(...values);
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const FIGURES: readonly Judged[] = [
  { figure: 'syncSeconds', title: 'sync', best: smallest, isLimited: true },
  { figure: 'cpuSeconds', title: 'CPU', best: smallest, isLimited: true },
  { figure: 'heapBytesPerObject', title: 'bytes a pod', best: median, isLimited: true },
  { figure: 'peakRssMb', title: 'peak RSS', best: median, isLimited: true },
  { figure: 'eventsPerSecond', title: 'events/s', best: (values) => Math.max(...values), isLimited: true },
  { figure: 'readGetMicros', title: 'get and metadata', best: smallest, isLimited: false },
];

/** One of the two builds, and what its rounds gave. */
class Side {
  readonly results: Result[] = [];
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  run(): void {
    const scenes = ['--scenes', options.scenes, '--rounds', '1', '--events', options.events];
    const args = ['benchmarks/run.ts', ...scenes, '--only', options.only, '--json'];
    const output = execFileSync(resolve('node_modules/.bin/tsx'), args, {
      cwd: this.#folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    for (const line of output.split('\n')) if (line.startsWith('{')) this.results.push(JSON.parse(line));
  }

  best(peer: string, scene: string, { figure, best }: Judged): number | undefined {
    const values = this.results
      .filter((result) => result.peer === peer && result.scene === scene)
      .map((result) => result[figure]);
    const known = values.filter((value) => typeof value === 'number');
    return known.length === 0 ? undefined : best(known);
  }
}

function main(commit: string): void {
  const rounds = Number(options.rounds);
  const parent = mkdtempSync(join(tmpdir(), 'tidewatch-before-'));
  const folder = join(parent, 'tree');
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', folder, commit]);
  try {
    execFileSync('npm', ['ci', '--prefer-offline', '--no-audit'], { cwd: folder, stdio: 'ignore' });
    rmSync(join(folder, 'benchmarks'), { recursive: true });
    cpSync('benchmarks', join(folder, 'benchmarks'), { recursive: true });
    const before = new Side(folder);
    const after = new Side('.');
    for (let round = 1; round <= rounds; round++) {
      console.error(`round ${round} of ${rounds}`);
      for (const side of round % 2 ? [before, after] : [after, before]) side.run();
    }
    report(before, after);
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', folder]);
    rmSync(parent, { recursive: true, force: true });
  }
}

function report(before: Side, after: Side): void {
  const limit = Number(options.limit);
  const rows = new Map(after.results.map(({ peer, scene }) => [`${scene}: ${peer}`, { peer, scene }]));
  for (const [title, { peer, scene }] of rows) {
    console.log(title);
    for (const judged of FIGURES) {
      const [old, now] = [before.best(peer, scene, judged), after.best(peer, scene, judged)];
      if (old === undefined || now === undefined) continue;
      const ratio = now / old;
      const worse = judged.figure === 'eventsPerSecond' ? 1 / ratio : ratio;
      const isMissed = judged.isLimited && worse > limit;
      if (isMissed) process.exitCode = 1;
      const text = `  ${judged.title.padEnd(16)} ${format(old)} -> ${format(now)}`;
      console.log(`${text.padEnd(46)} ${ratio.toFixed(3)}${isMissed ? '  missed' : ''}`);
    }
  }
}

function format(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
}

const [commit] = positionals;
if (commit === undefined) throw new TypeError('name the commit to compare with, such as HEAD~1 or a tag');
main(commit);
