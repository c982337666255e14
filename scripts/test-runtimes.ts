/**
 * Runs the checks of tools/runtimes on Node, Bun and Deno, from a project into which `dist/` is installed as a user has it, each
 * check in a process of its own, which has to end by itself. Fails when a check fails that is not listed in
 * tools/runtimes/known-differences.ts, and when one that is listed passes. Needs a fresh `npm run build`.
 *
 *     tsx scripts/test-runtimes.ts [node] [bun] [deno] [--only <part of a name>]
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import type { Outcome } from '../tools/runtimes/check.ts';
import { checks } from '../tools/runtimes/checks.ts';
import { knownDifferences } from '../tools/runtimes/known-differences.ts';
import { type Runtime, runtimes } from '../tools/runtimes/runtimes.ts';
import { verdict } from '../tools/runtimes/verdict.ts';
import { npmBinary } from './npm-binary.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
/** For one check, with the start and the end of its process. */
const TIME_LIMIT_MS = 60_000;

/** A project with the package as npm installs it, and the checks as one script without it. Returns the script's path. */
async function makeProject(folder: string): Promise<string> {
  const installed = join(folder, 'node_modules', 'tidewatch');
  mkdirSync(installed, { recursive: true });
  for (const part of ['package.json', 'dist'])
    cpSync(join(repository, part), join(installed, part), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const script = join(folder, 'check.mjs');
  await build({
    absWorkingDir: repository,
    entryPoints: ['tools/runtimes/program.ts'],
    outfile: script,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: ['tidewatch', 'tidewatch/*'],
    // Without the paths of tsconfig.json, which lead to the sources.
    tsconfigRaw: {},
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return script;
}

async function binaryOf({ name, version, package: carrier }: Runtime): Promise<string> {
  if (carrier === undefined) return process.execPath;
  const { name: packageName, binary } = carrier;
  return npmBinary({ folder: `${name}/${version}`, packageName, version, binary });
}

function runCheck(binary: string, args: readonly string[], check: string, cwd: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, [...args, check], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const output: Buffer[] = [];
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, TIME_LIMIT_MS);
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const text = Buffer.concat(output).toString().trim();
      const how = isLate
        ? `the process did not end within ${TIME_LIMIT_MS} ms`
        : `it ended with ${signal ?? `code ${code}`}`;
      resolve(code === 0 ? { check } : { check, failure: `${how}\n${text}` });
    });
  });
}

/** As many at a time as there are processors; the results in the order of the items. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const worker = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return results;
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
  if (!existsSync(join(repository, 'dist', 'index.js'))) {
    throw new Error('There is no dist/index.js: run `npm run build` first.');
  }
  const names = checks.map(({ name }) => name).filter((name) => name.includes(values.only ?? ''));
  if (names.length === 0) throw new Error(`No check has "${values.only}" in its name.`);
  const unknown = positionals.find((name) => !runtimes.some((runtime) => runtime.name === name));
  if (unknown !== undefined) throw new Error(`There is no runtime "${unknown}" in tools/runtimes/runtimes.ts.`);
  const known = knownDifferences.filter(({ check }) => values.only === undefined || names.includes(check));
  const problems: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'tidewatch-runtimes-'));
  try {
    const script = await makeProject(folder);
    for (const runtime of runtimes) {
      if (positionals.length > 0 && !positionals.includes(runtime.name)) continue;
      const binary = await binaryOf(runtime);
      const outcomes = await inTurns(names, (name) => runCheck(binary, [...runtime.args, script], name, folder));
      const found = verdict(runtime.name, outcomes, known);
      console.log(`\n${runtime.name} ${runtime.version}\n${found.lines.map((line) => `  ${line}`).join('\n')}`);
      problems.push(...found.problems);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (problems.length > 0) throw new Error(`\n${problems.join('\n\n')}`);
  console.log('\nEvery runtime does what is expected of it.');
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
