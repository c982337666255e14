import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../src/testing/control-plane/assets.ts';
import { suiteProgram } from './suite-programs.ts';

/** What became of one spec. */
export interface SpecResult {
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped' | 'not run';
  readonly seconds: number;
  /** Why it failed or was skipped; the first lines. */
  readonly message: string;
}

export interface SuiteRunOptions {
  readonly kubeconfig: string;
  /** Regular expressions; all specs that match one of `focus` and none of `skip` are run. */
  readonly focus: readonly string[];
  readonly skip: readonly string[];
  /** How many specs run at the same time; those marked Serial run alone, afterwards. */
  readonly processes: number;
  readonly timeoutMinutes: number;
  /** Where everything that the suite says is written. */
  readonly logFile: string;
  /** Ends the suite before its time, and all its processes. */
  readonly signal: AbortSignal;
  /** Called every half minute, with the seconds since the suite was started. */
  stillRunning(seconds: number): void;
}

const SIGN_OF_LIFE_MS = 30_000;
/** What ginkgo gets to end its processes after its own time limit, or after it was told to end. */
const ENDING_MS = 60_000;

/** Parts of ginkgo's JSON report. */
interface Report {
  readonly SpecReports: readonly {
    readonly ContainerHierarchyTexts: readonly string[] | null;
    readonly LeafNodeType: string;
    readonly LeafNodeText: string;
    readonly State: string;
    readonly RunTime: number;
    readonly Failure?: { readonly Message: string };
  }[];
}

/** Runs the suite, and gives the results of what was selected, by name. A suite that does not begin is an error. */
export async function runSuite(options: SuiteRunOptions): Promise<SpecResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tidewatch-suite-'));
  const log = openSync(options.logFile, 'w');
  try {
    const args = [
      `--procs=${options.processes}`,
      '--no-color',
      `--timeout=${options.timeoutMinutes}m`,
      '--json-report=report.json',
      `--output-dir=${folder}`,
      `--focus=${options.focus.join('|')}`,
      ...(options.skip.length === 0 ? [] : [`--skip=${options.skip.join('|')}`]),
      suiteProgram('e2e.test'),
      '--',
      `--kubeconfig=${options.kubeconfig}`,
      '--provider=skeleton',
      // Nothing runs pods: no node must be ready for them, and none of the system's has to run.
      '--allowed-not-ready-nodes=-1',
      '--minStartupPods=-1',
      '--node-schedulable-timeout=1s',
      `--kubectl-path=${findProgram('kubectl')}`,
      '--disable-log-dump',
      '--dump-logs-on-failure=false',
    ];
    await runGinkgo(args, folder, log, options);
    options.signal.throwIfAborted();
    return resultsOf(readReport(join(folder, 'report.json'), options.logFile));
  } finally {
    closeSync(log);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In a process group of its own, of which nothing is left when this returns. Failed specs are in the report, not in the exit code. */
async function runGinkgo(args: readonly string[], cwd: string, log: number, options: SuiteRunOptions): Promise<void> {
  const started = performance.now();
  const child = spawn(suiteProgram('ginkgo'), args, { cwd, stdio: ['ignore', log, log], detached: true });
  const kill = (signal: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // The group has ended.
    }
  };
  const timers = [
    setInterval(() => options.stillRunning(Math.round((performance.now() - started) / 1000)), SIGN_OF_LIFE_MS),
    setTimeout(() => kill('SIGKILL'), options.timeoutMinutes * 60_000 + ENDING_MS),
  ];
  const abort = () => {
    kill('SIGTERM');
    timers.push(setTimeout(() => kill('SIGKILL'), ENDING_MS));
  };
  options.signal.addEventListener('abort', abort, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => resolve());
    });
  } finally {
    options.signal.removeEventListener('abort', abort);
    for (const timer of timers) clearTimeout(timer);
    kill('SIGKILL');
  }
}

function readReport(path: string, logFile: string): Report {
  if (!existsSync(path)) {
    const end = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
    throw new Error(`The suite has ended without a report. The end of ${logFile}:\n${end}`);
  }
  const [report] = JSON.parse(readFileSync(path, 'utf8')) as [Report];
  return report;
}

function resultsOf({ SpecReports: specs }: Report): SpecResult[] {
  const broken = specs.find((spec) => spec.LeafNodeType !== 'It' && spec.State === 'failed');
  if (broken) throw new Error(`The suite failed in ${broken.LeafNodeType}: ${broken.Failure?.Message ?? ''}`);
  return (
    specs
      .filter((spec) => spec.LeafNodeType === 'It')
      .map((spec) => ({
        name: [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' '),
        state: stateOf(spec),
        seconds: Math.round(spec.RunTime / 1e8) / 10,
        message: (spec.Failure?.Message ?? '').split('\n').slice(0, 6).join('\n').slice(0, 600),
      }))
      // What the focus leaves out is in the report, too, as skipped without a reason.
      .filter(({ state, message }) => state !== 'skipped' || message !== '')
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  );
}

function stateOf({ State: state }: Report['SpecReports'][number]): SpecResult['state'] {
  if (state === 'passed' || state === 'skipped') return state;
  return state === 'pending' ? 'not run' : 'failed';
}
