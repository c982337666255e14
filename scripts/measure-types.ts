/**
 * What type-checking a program costs that imports the root and three API groups: processor time and memory of the compiler, the
 * least of several runs, which other work on the machine disturbs least. With the folder of another build (its `dist` and `package.json`) it measures both by turns and fails when this one
 * costs more than 1.2 times as much. Needs a fresh `npm run build`.
 *
 *     tsx scripts/measure-types.ts [folder of another build] [--runs N]
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { TYPE_COST_PROGRAM } from '../tools/package/type-cost-program.ts';

const MAX_RATIO = 1.2;
const repository = fileURLToPath(new URL('..', import.meta.url));

interface Cost {
  readonly seconds: number;
  readonly megabytes: number;
  readonly types: number;
}

function project(folder: string, name: string, build: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, 'node_modules'), { recursive: true });
  symlinkSync(resolve(build), join(path, 'node_modules', 'tidewatch'));
  symlinkSync(join(repository, 'node_modules', '@types'), join(path, 'node_modules', '@types'));
  writeFileSync(join(path, 'package.json'), '{ "private": true, "type": "module" }\n');
  writeFileSync(join(path, 'program.ts'), TYPE_COST_PROGRAM);
  // Processor time, since what else runs on the machine changes how long a run takes.
  const tell = "const { user, system } = process.cpuUsage(); console.log('\\nCPU time: ' + (user + system) / 1e6);";
  writeFileSync(join(path, 'cpu-time.cjs'), `process.on('exit', () => { ${tell} });\n`);
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    preserveSymlinks: true,
    types: ['node'],
  };
  writeFileSync(join(path, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  return path;
}

function compile(path: string): Cost {
  const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(
    process.execPath,
    ['-r', './cpu-time.cjs', tsc, '-p', '.', '--extendedDiagnostics'],
    {
      cwd: path,
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`the program does not compile in ${path}:\n${stdout}`);
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(stdout)?.[1]);
  return { seconds: figure('CPU time'), megabytes: figure('Memory used') / 1000, types: figure('Types') };
}

function least(costs: readonly Cost[]): Cost {
  const smallest = (read: (cost: Cost) => number) => Math.min(...costs.map(read));
  return {
    seconds: smallest((c) => c.seconds),
    megabytes: smallest((c) => c.megabytes),
    types: smallest((c) => c.types),
  };
}

function sentence(what: string, { seconds, megabytes, types }: Cost): string {
  return `${what}: ${seconds.toFixed(2)} s, ${megabytes.toFixed(0)} MB, ${types} types`;
}

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '5' } },
  allowPositionals: true,
});
const folder = mkdtempSync(join(tmpdir(), 'tidewatch-types-'));
try {
  const ours = project(folder, 'now', repository);
  const other = positionals[0] === undefined ? undefined : project(folder, 'before', positionals[0]);
  const now: Cost[] = [];
  const before: Cost[] = [];
  for (let run = 0; run < Number(values.runs); run++) {
    if (other !== undefined) before.push(compile(other));
    now.push(compile(ours));
  }
  if (other !== undefined) console.log(sentence('before', least(before)));
  console.log(sentence('now', least(now)));
  if (other !== undefined) {
    const [a, b] = [least(before), least(now)];
    const [time, memory] = [b.seconds / a.seconds, b.megabytes / a.megabytes];
    console.log(`ratio: ${time.toFixed(2)} of the time, ${memory.toFixed(2)} of the memory, at most ${MAX_RATIO}`);
    if (time > MAX_RATIO || memory > MAX_RATIO) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
