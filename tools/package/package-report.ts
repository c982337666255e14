import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Manifest {
  name: string;
  version: string;
  exports: Record<string, string | Record<string, string>>;
  bin?: Record<string, string>;
}

export const repository = fileURLToPath(new URL('../..', import.meta.url));
export const manifest: Manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));

const failures: string[] = [];

export function note(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** One line for each thing that was looked at. */
export function report(ok: boolean, sentence: string): void {
  note(`${ok ? 'ok  ' : 'FAIL'} ${sentence}`);
  if (!ok) failures.push(sentence);
}

export function failureCount(): number {
  return failures.length;
}

/** A line each, after a sentence. */
export function lines(problems: readonly string[]): string {
  return problems.map((line) => `\n     ${line}`).join('');
}

export interface Finished {
  code: number | null;
  output: string;
  stdout: string;
  stderr: string;
}

export function run(command: string, args: readonly string[], cwd: string, options: SpawnSyncOptions = {}): Finished {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28, timeout: 300_000, ...options });
  if (result.error) throw result.error;
  const [stdout, stderr] = [String(result.stdout), String(result.stderr)];
  return { code: result.status, output: `${stdout}${stderr}`.trim(), stdout, stderr };
}

/** What must work for anything further to make sense. */
export function need(command: string, args: readonly string[], cwd: string): string {
  const { code, output, stdout } = run(command, args, cwd);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with code ${code}:\n${output}`);
  return stdout;
}

/** The script behind a command of a package that is installed in a folder; run with this very Node, not through a shell. */
export function tool(packageName: string, command: string, installedIn = repository): string {
  const folder = join(installedIn, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}
