/**
 * Plants each bug of `tools/mutants/` in a copy of the sources, and demands that a unit test finds it:
 *
 *     tsx scripts/check-mutants.ts [--new] [--write] [--workshops N] [text]
 *
 * `text` selects the bugs whose file or description contains it, `--new` those of which docs/mutants.md says nothing yet. `--write` puts
 * the result into that page, where bugs that were not selected keep what it says of them. A bug is found when a test fails, or
 * when the tests hang; a file that does not load proves nothing, and is an error. `--workshops` says how many are judged at a time.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { transformSync } from 'esbuild';
import { withSection } from '../benchmarks/marked-section.ts';
import { MUTANTS } from '../tools/mutants/catalogue.ts';
import { type Mutant, planted, stageOf } from '../tools/mutants/mutant.ts';
import { ProcessGroups } from '../tools/mutants/process-groups.ts';

/** What the tests read, besides `node_modules`. */
const COPIED = [
  'src',
  'docs',
  'examples',
  'benchmarks',
  'scripts',
  'tools',
  'README.md',
  'package.json',
  'tsconfig.json',
];
const CONFIG = 'vitest.config.ts';
/** Far longer than any of the test files takes on a busy machine. */
const HUNG_MS = 300_000;
/** Many a bug makes a test wait forever: longer than any of these tests takes, and shorter than `npm test` waits. */
const TEST_TIMEOUT_MS = 20_000;
/** They wait more than they compute. */
const WORKSHOPS = availableParallelism() + 1;
const RESULT_PAGE = 'docs/mutants.md';
const GROUPS = new ProcessGroups();

const VERDICTS = ['found', 'hung', 'survived', 'did not load', 'tests fail without it', 'not run'] as const;
type Verdict = (typeof VERDICTS)[number];

interface Outcome {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
}

interface Report {
  readonly numFailedTests: number;
  readonly numPassedTests: number;
}

/** A copy of the project in which a bug may be planted. */
class Workshop {
  readonly #folder: string;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'tidewatch-mutants-'));
    process.once('exit', () => this.close());
    for (const path of [...COPIED, CONFIG]) cpSync(path, join(this.#folder, path), { recursive: true });
    symlinkSync(resolve('node_modules'), join(this.#folder, 'node_modules'), 'dir');
  }

  /** Undefined when the tests hang. */
  async run(tests: readonly string[]): Promise<Report | undefined> {
    const output = join(this.#folder, 'report.json');
    rmSync(output, { force: true });
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    const limits = ['--bail', '1', '--testTimeout', String(TEST_TIMEOUT_MS)];
    const args = [vitest, 'run', '--project', 'unit', ...limits, '--reporter', 'json', '--outputFile', output];
    const child = GROUPS.spawn(process.execPath, [...args, ...tests], { cwd: this.#folder, stdio: 'ignore' });
    let hung = false;
    const limit = setTimeout(() => {
      hung = true;
      GROUPS.kill(child);
    }, HUNG_MS);
    await new Promise<void>((settle, reject) => {
      child.once('error', reject);
      child.once('exit', () => settle());
    });
    clearTimeout(limit);
    if (hung) return undefined;
    try {
      return JSON.parse(readFileSync(output, 'utf8')) as Report;
    } catch {
      return { numFailedTests: 0, numPassedTests: 0 };
    }
  }

  async judge(mutant: Mutant): Promise<Outcome> {
    const path = join(this.#folder, mutant.file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(path, planted(source, mutant));
    try {
      const report = await this.run(mutant.tests);
      if (report === undefined) return { mutant, verdict: 'hung' };
      if (report.numFailedTests > 0) return { mutant, verdict: 'found' };
      return { mutant, verdict: report.numPassedTests > 0 ? 'survived' : 'did not load' };
    } finally {
      writeFileSync(path, source);
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** One sentence for each entry of the catalogue that cannot be judged. */
function faultsOf(mutants: readonly Mutant[]): string[] {
  const faults: string[] = [];
  const bugs = new Set<string>();
  for (const mutant of mutants) {
    if (bugs.has(mutant.bug)) faults.push(`two mutants are called "${mutant.bug}"`);
    bugs.add(mutant.bug);
    try {
      transformSync(planted(readFileSync(mutant.file, 'utf8'), mutant), { loader: 'ts' });
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
  }
  return faults;
}

/** Tests that do not run at all find nothing. */
function isSound(report: Report | undefined): boolean {
  return report !== undefined && report.numFailedTests === 0 && report.numPassedTests > 0;
}

function isSurvivor({ verdict }: Outcome): boolean {
  return verdict !== 'found' && verdict !== 'hung';
}

/** What the page says of every bug, but for those that were judged now. */
function withPageResults(page: string, judged: readonly Outcome[]): Outcome[] {
  const lines = new Set(page.split('\n'));
  const now = new Map(judged.map((outcome) => [outcome.mutant, outcome]));
  return MUTANTS.map((mutant) => {
    const last = VERDICTS.find((verdict) => lines.has(`- ${mutant.bug}: ${verdict}`));
    return now.get(mutant) ?? { mutant, verdict: last ?? 'not run' };
  });
}

function resultTable(outcomes: readonly Outcome[]): string {
  const stages = [...new Set(outcomes.map(({ mutant }) => stageOf(mutant)))].sort();
  const rows = stages.map((stage) => {
    const own = outcomes.filter(({ mutant }) => stageOf(mutant) === stage);
    return `| ${stage} | ${own.length} | ${own.filter((outcome) => !isSurvivor(outcome)).length} |`;
  });
  const found = outcomes.filter((outcome) => !isSurvivor(outcome)).length;
  const bugs = stages.flatMap((stage) => [
    `\n**${stage}**\n`,
    ...outcomes
      .filter(({ mutant }) => stageOf(mutant) === stage)
      .map(({ mutant, verdict }) => `- ${mutant.bug}: ${verdict}`),
  ]);
  const head = ['| stage | planted | found |', '| --- | ---: | ---: |'];
  return [...head, ...rows, `| all | ${outcomes.length} | ${found} |`, ...bugs].join('\n');
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      new: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      workshops: { type: 'string' },
    },
    allowPositionals: true,
  });
  const { write } = values;
  const [text] = positionals;
  const told = withPageResults(readFileSync(RESULT_PAGE, 'utf8'), []);
  const mutants = told
    .filter(({ verdict }) => !values.new || verdict === 'not run')
    .map(({ mutant }) => mutant)
    .filter(({ bug, file }) => text === undefined || bug.includes(text) || file.includes(text));
  const faults = faultsOf(MUTANTS);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    process.exitCode = 1;
    return;
  }
  const waiting = [...mutants];
  const outcomes: Outcome[] = [];
  const work = async () => {
    const workshop = new Workshop();
    const sound = new Map<string, boolean>();
    try {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const tests = mutant.tests.join(' ');
        if (!sound.has(tests)) sound.set(tests, isSound(await workshop.run(mutant.tests)));
        const outcome: Outcome = sound.get(tests)
          ? await workshop.judge(mutant)
          : { mutant, verdict: 'tests fail without it' };
        outcomes.push(outcome);
        console.log(`${outcomes.length}/${mutants.length} ${outcome.verdict}: ${mutant.file}: ${mutant.bug}`);
      }
    } finally {
      workshop.close();
    }
  };
  await Promise.all(Array.from({ length: Number(values.workshops ?? WORKSHOPS) }, work));
  outcomes.sort((a, b) => mutants.indexOf(a.mutant) - mutants.indexOf(b.mutant));
  const survivors = outcomes.filter(isSurvivor);
  if (write) {
    const page = readFileSync(RESULT_PAGE, 'utf8');
    writeFileSync(RESULT_PAGE, withSection(page, 'result', resultTable(withPageResults(page, outcomes))));
  }
  for (const { mutant, verdict } of survivors) console.error(`${verdict}: ${mutant.file}: ${mutant.bug}`);
  console.log(`${outcomes.length - survivors.length} of ${outcomes.length} planted bugs were found.`);
  if (survivors.length > 0) process.exitCode = 1;
}

await main();
