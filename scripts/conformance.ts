/**
 * Runs Kubernetes' own end-to-end suite on the embedded server with the real kube-controller-manager and one node, and demands that
 * every spec passes that passes on the real server in the same setting.
 *
 *   npm run test:conformance -- [--alone | --real] [--focus REGEXP] [--procs 6] [--write]
 *
 * `--alone`  without kube-controller-manager, on the controllers of the embedded server
 * `--real`   on kube-apiserver and etcd: what the others are measured by
 * `--focus`  only specs whose name matches
 * `--write`  records the results, and writes docs/conformance.md from what is recorded
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withSection } from '../benchmarks/marked-section.ts';
import { CONTROL_PLANE_VERSION } from '../src/testing/control-plane/assets.ts';
import { compareResults } from '../tools/conformance/comparison.ts';
import { resultSection } from '../tools/conformance/document.ts';
import { REASONS, REASONS_ALONE } from '../tools/conformance/reasons.ts';
import { FOCUS, NEEDS_CONTAINERS } from '../tools/conformance/selection.ts';
import { SETTINGS, type SettingName, startSetting } from '../tools/conformance/setting.ts';
import { runSuite, type SpecResult } from '../tools/conformance/suite-run.ts';

const TIMEOUT_MINUTES = 15;
const REAL_TIMEOUT_MINUTES = 45;
const SLOWEST = 10;

const { values: options } = parseArgs({
  options: {
    alone: { type: 'boolean', default: false },
    real: { type: 'boolean', default: false },
    focus: { type: 'string' },
    procs: { type: 'string', default: '6' },
    write: { type: 'boolean', default: false },
  },
});

const setting: SettingName = options.real ? 'real' : options.alone ? 'embedded-alone' : 'embedded';
const reasons = setting === 'embedded-alone' ? REASONS_ALONE : REASONS;
const document = new URL('../docs/conformance.md', import.meta.url);

function recordFile(name: SettingName): URL {
  return new URL(`../tools/conformance/results/${name}.json`, import.meta.url);
}

function recorded(name: SettingName): SpecResult[] {
  if (!existsSync(recordFile(name))) return [];
  const { kubernetes, specs } = JSON.parse(readFileSync(recordFile(name), 'utf8')) as Recorded;
  if (kubernetes !== CONTROL_PLANE_VERSION) {
    throw new Error(
      `${recordFile(name).pathname} is of ${kubernetes}: run \`npm run test:conformance -- --real --write\``,
    );
  }
  return specs;
}

interface Recorded {
  kubernetes: string;
  specs: SpecResult[];
}

/** What does not pass on the real server, or has a reason not to pass here, is not worth waiting for. */
function focusOf(onReal: readonly SpecResult[]): { focus: string[]; skip: string[] } {
  if (setting === 'real') return { focus: [...FOCUS], skip: Object.keys(NEEDS_CONTAINERS) };
  const isKnownToFail = (name: string) => Object.keys(reasons).some((part) => name.includes(part));
  const passed = onReal.filter(({ name, state }) => state === 'passed' && isAskedFor(name) && !isKnownToFail(name));
  if (passed.length === 0) throw new Error('Nothing to run: no spec that passes on the real server has such a name.');
  return { focus: passed.map(({ name }) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')), skip: [] };
}

function isAskedFor(name: string): boolean {
  return options.focus === undefined || new RegExp(options.focus).test(name);
}

function report(results: readonly SpecResult[], onReal: readonly SpecResult[]): boolean {
  const wanted = onReal.filter(({ name }) => isAskedFor(name));
  const { specs, unexplained, outdated } = compareResults(results, wanted, reasons);
  const passed = specs.filter(({ here, onReal: real }) => here === 'passed' && real === 'passed').length;
  console.log(
    `${passed} of the ${wanted.filter(({ state }) => state === 'passed').length} that pass on the real server.`,
  );
  for (const { name } of unexplained) {
    const result = results.find((one) => one.name === name);
    console.log(`\n${result?.state ?? 'not run'}: ${name}\n  ${result?.message.replaceAll('\n', '\n  ') ?? ''}`);
  }
  if (options.focus !== undefined) return unexplained.length === 0;
  for (const part of outdated)
    console.log(`\nHas a reason not to pass, and passes: ${part} (tools/conformance/reasons.ts)`);
  return unexplained.length + outdated.length === 0;
}

/** With `--focus`, the results of the others stay as they were recorded. */
function record(results: readonly SpecResult[]): void {
  const before = options.focus === undefined ? [] : recorded(setting);
  const byName = new Map([...before, ...results].map((result) => [result.name, result]));
  const specs = [...byName.values()]
    .map(({ name, state, seconds }) => ({ name, state, seconds, message: '' }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  writeFileSync(recordFile(setting), `${JSON.stringify({ kubernetes: CONTROL_PLANE_VERSION, specs }, null, 2)}\n`);
}

function writeDocument(): void {
  const [onReal, here, alone] = [recorded('real'), recorded('embedded'), recorded('embedded-alone')];
  const section = resultSection({
    kubernetes: CONTROL_PLANE_VERSION,
    withManager: compareResults(here, onReal, REASONS),
    alone: alone.length === 0 ? undefined : alone,
    aloneReasons: REASONS_ALONE,
    onReal,
  });
  writeFileSync(document, withSection(readFileSync(document, 'utf8'), 'result', section));
}

function reportSlowest(results: readonly SpecResult[]): void {
  const slowest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  console.log('What took longest:');
  for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(8)} s  ${name}`);
}

async function main(signal: AbortSignal): Promise<boolean> {
  const onReal = recorded('real');
  const logFile = join(tmpdir(), `tidewatch-conformance-${process.pid}.log`);
  const { focus, skip } = focusOf(onReal);
  await using cluster = await startSetting(setting);
  console.log(`Kubernetes' suite on ${SETTINGS[setting]}; it writes to ${logFile}.`);
  const started = performance.now();
  const results = await runSuite({
    kubeconfig: cluster.kubeconfig,
    focus,
    skip,
    processes: Number(options.procs),
    timeoutMinutes: setting === 'real' ? REAL_TIMEOUT_MINUTES : TIMEOUT_MINUTES,
    logFile,
    signal,
    stillRunning: (seconds) => console.log(`  the suite: ${seconds} s so far`),
  });
  console.log(`${results.length} specs in ${Math.round((performance.now() - started) / 1000)} s.`);
  reportSlowest(results);
  if (options.write) {
    record(results);
    writeDocument();
  }
  const isGood = setting === 'real' || report(results, onReal);
  if (isGood) rmSync(logFile);
  return isGood;
}

// Whoever is told to end ends the suite and the servers first.
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => stopping.abort(new Error(`ended by ${name}`)));
}
try {
  if (!(await main(stopping.signal))) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
