/**
 * Checks the lock file, and the package as its users get it: packs it, installs the tarball into an empty project, and looks
 * at its size, its doors, its types, what importing it costs, and whether the first program of the README runs and ends.
 * Needs a fresh `npm run build`, and npm's registry for the dependencies.
 */
import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LockFile, lockFileProblems, WITHOUT_INTEGRITY } from '../tools/package/lock-file.ts';

/** Below it, types that the declarations are made of (`NoInfer`) do not exist. The README names it. */
const TYPESCRIPT_FLOOR = '5.4';
const MAX_PACKAGES = 5;
const MAX_MEGABYTES = 10;
const MAX_IMPORT_RATIO = 0.1;
const IMPORT_RUNS = 9;

interface Manifest {
  name: string;
  version: string;
  exports: Record<string, string | Record<string, string>>;
  bin?: Record<string, string>;
}

const repository = fileURLToPath(new URL('..', import.meta.url));
const manifest: Manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
const failures: string[] = [];

function report(ok: boolean, sentence: string): void {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${sentence}`);
  if (!ok) failures.push(sentence);
}

function run(command: string, args: readonly string[], cwd: string, options: SpawnSyncOptions = {}) {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  if (result.error) throw result.error;
  return { code: result.status, output: `${result.stdout}${result.stderr}`.trim(), stdout: String(result.stdout) };
}

/** What must work for anything further to make sense. */
function need(command: string, args: readonly string[], cwd: string): string {
  const result = run(command, args, cwd);
  if (result.code !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with code ${result.code}:\n${result.output}`);
  return result.stdout;
}

/** The script behind a command of a devDependency; run with this very Node, not through a shell. */
function tool(packageName: string, command: string): string {
  const folder = join(repository, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}

function pack(into: string): string {
  const [packed] = JSON.parse(
    need('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', into], repository),
  );
  const files: { path: string }[] = packed.files;
  const strays = files.filter(({ path }) => /\.test\.|\.tsbuildinfo$|(^|\/)testdata\//.test(path));
  report(strays.length === 0, `the tarball holds no test files${strays.map(({ path }) => ` ${path}`).join(',')}`);
  console.log(
    `     ${packed.filename}: ${files.length} files, ${megabytes(packed.size)} packed, ${megabytes(packed.unpackedSize)} unpacked`,
  );
  return join(into, packed.filename);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}

/** What `du` counts: whole blocks, not file lengths. */
function diskUsage(path: string): number {
  const stat = lstatSync(path);
  const own = stat.blocks * 512;
  return stat.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + diskUsage(join(path, name)), own) : own;
}

function checkLockFile(): void {
  const lock: LockFile = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'));
  const problems = lockFileProblems(lock, WITHOUT_INTEGRITY);
  report(
    problems.length === 0,
    `package-lock.json names no registry, and nothing but listed binaries of other platforms lacks an integrity${problems.map((line) => `\n     ${line}`).join('')}`,
  );
}

function checkFootprint(project: string): void {
  const lock = JSON.parse(readFileSync(join(project, 'node_modules', '.package-lock.json'), 'utf8'));
  const packages = Object.keys(lock.packages);
  const names = packages
    .map((path) => `${path.slice(path.lastIndexOf('node_modules/') + 13)} ${megabytes(diskUsage(join(project, path)))}`)
    .join(', ');
  report(packages.length <= MAX_PACKAGES, `installs ${packages.length} packages, at most ${MAX_PACKAGES}: ${names}`);
  const bytes = diskUsage(join(project, 'node_modules'));
  report(bytes <= MAX_MEGABYTES * 1e6, `installs ${megabytes(bytes)}, at most ${MAX_MEGABYTES} MB`);
}

function checkLinters(tarball: string): void {
  const publint = run(process.execPath, [tool('publint', 'publint'), 'run', tarball, '--strict'], repository);
  report(publint.code === 0, `publint: ${publint.output}`);
  const attw = run(
    process.execPath,
    [tool('@arethetypeswrong/cli', 'attw'), tarball, '--profile', 'esm-only', '--no-emoji'],
    repository,
  );
  report(attw.code === 0, `are-the-types-wrong --profile esm-only${attw.code === 0 ? '' : `:\n${attw.output}`}`);
}

interface Doors {
  code: string[];
  data: string[];
  /** Those of a pattern; one that has types alone exports nothing at run time. */
  mayBeEmpty: Set<string>;
}

/** Every specifier that the exports of the installed package allow; a `*` stands for each file that it matches. */
function doorsOf(project: string): Doors {
  const folder = join(project, 'node_modules', manifest.name);
  const code: string[] = [];
  const data: string[] = [];
  const mayBeEmpty = new Set<string>();
  for (const [door, targets] of Object.entries(manifest.exports)) {
    const target = typeof targets === 'string' ? targets : (targets.default ?? '');
    const [before = '', after] = target.split('*');
    const names = after === undefined ? [''] : filesUnder(join(folder, before), after);
    report(names.length > 0, `${door} leads to ${names.length} ${names.length === 1 ? 'file' : 'files'}`);
    for (const name of names) {
      const specifier = manifest.name + door.slice(1).replace('*', name);
      (target.endsWith('.json') ? data : code).push(specifier);
      if (after !== undefined) mayBeEmpty.add(specifier);
      const types = typeof targets === 'string' ? undefined : targets.types?.replace('*', name);
      if (types !== undefined && !existsSync(join(folder, types)))
        report(false, `${specifier} has no types at ${types}`);
    }
  }
  return { code, data, mayBeEmpty };
}

function filesUnder(folder: string, suffix: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(suffix))
    .map((path) => path.slice(0, -suffix.length).replaceAll('\\', '/'))
    .sort();
}

function checkDoors(project: string): void {
  const { code, data, mayBeEmpty } = doorsOf(project);
  const all = JSON.stringify(code.map((door) => [door, mayBeEmpty.has(door)]));
  const load = (source: string) => run(process.execPath, ['--input-type=module', '-e', source], project);
  const empty = "if (!mayBeEmpty && Object.keys(m).length === 0) throw new Error('no exports')";
  const wrap = (load: string) =>
    `for (const [d, mayBeEmpty] of ${all}) { try { const m = ${load}; ${empty}; } catch (e) { console.log(d + ': ' + e.message); process.exitCode = 1; } }`;
  const imported = load(wrap('await import(d)'));
  report(imported.code === 0, `import() of each of ${code.length} doors ${imported.output}`.trimEnd());
  const required =
    load(`import { createRequire } from 'node:module'; const require = createRequire(process.cwd() + '/');
    for (const d of ${JSON.stringify(data)}) require(d); ${wrap('require(d)')}`);
  // Up to 20.18 and 22.11 this was an experiment that says so on the screen.
  report(required.code === 0, `require() of each of ${code.length} doors ${required.output}`.trimEnd());
  for (const [command, path] of Object.entries(manifest.bin ?? {})) {
    const target = join(project, 'node_modules', manifest.name, path);
    const hasShebang = existsSync(target) && readFileSync(target, 'utf8').startsWith('#!/usr/bin/env node\n');
    report(hasShebang, `the command ${command} is at ${path} and starts with #!/usr/bin/env node`);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Alternating, each in a process of its own, so that both meet the same weather. */
function checkImportTime(project: string): void {
  const importMs = (specifier: string, cwd: string) => {
    const source = `const t = performance.now(); await import('${specifier}'); console.log(performance.now() - t);`;
    return Number(need(process.execPath, ['--input-type=module', '-e', source], cwd));
  };
  const other = '@kubernetes/client-node';
  const { version } = createRequire(import.meta.url)(`${repository}/node_modules/${other}/package.json`);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let index = 0; index < IMPORT_RUNS; index++) {
    ours.push(importMs(manifest.name, project));
    theirs.push(importMs(other, repository));
  }
  const ratio = median(ours) / median(theirs);
  report(
    ratio <= MAX_IMPORT_RATIO,
    `importing takes ${median(ours).toFixed(1)} ms, ${ratio.toFixed(3)} of the ${median(theirs).toFixed(0)} ms of ${other} ` +
      `${version}, at most ${MAX_IMPORT_RATIO}`,
  );
}

function checkTypes(project: string): void {
  const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
  writeFileSync(
    join(project, 'user.ts'),
    `import * as tidewatch from '${manifest.name}';\nexport const doors = Object.keys(tidewatch);\n`,
  );
  const check = (skipLibCheck: boolean) => {
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      module: 'nodenext',
      strict: true,
      noEmit: true,
      skipLibCheck,
      types: ['node'],
      typeRoots: [resolve(repository, 'node_modules', '@types')],
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['user.ts'] }));
    return run(process.execPath, [tsc, '-p', '.', '--extendedDiagnostics'], project);
  };
  const strict = check(false);
  const ownErrors = strict.output
    .split('\n')
    .filter((line) => line.includes(`node_modules/${manifest.name}/`) || line.startsWith('user.ts'));
  report(
    ownErrors.length === 0,
    `the declarations type-check without skipLibCheck${ownErrors.map((line) => `\n     ${line}`).join('')}`,
  );
  const usual = check(true);
  const figure = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(usual.output)?.[1] ?? '?';
  report(
    usual.code === 0,
    `type-checking a file that imports the root: ${figure('Total time')} in all, ${figure('Check time')} of it checking, ` +
      `${figure('Files')} files, ${figure('Types')} types, ${figure('Memory used')}${usual.code === 0 ? '' : `\n${usual.output}`}`,
  );
}

/** The first program of the README: it compiles as it stands, runs on an embedded server over sockets, and ends by itself. */
function checkFirstProgram(project: string): void {
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(repository, 'README.md'), 'utf8')) ?? [];
  writeFileSync(join(project, 'first.ts'), program);
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [resolve(repository, 'node_modules', '@types')],
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['first.ts'] }));
  const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
  const compiled = run(process.execPath, [tsc, '-p', '.'], project);
  report(compiled.code === 0, `the first program of the README compiles ${compiled.output}`.trimEnd());
  writeFileSync(
    join(project, 'run-first.js'),
    `import { writeFileSync } from 'node:fs';
import { ApiServer } from '${manifest.name}/testing';
const server = await ApiServer.start();
writeFileSync('kubeconfig', server.kubeconfig());
process.env.KUBECONFIG = 'kubeconfig';
await import('./first.js');
await server.stop();
`,
  );
  const ran = spawnSync(process.execPath, ['run-first.js'], { cwd: project, encoding: 'utf8', timeout: 60_000 });
  const how = ran.status === 0 ? 'ends by itself' : `does not end well: ${ran.signal ?? ran.status} ${ran.stderr}`;
  report(ran.status === 0 && ran.stdout.includes('0 web pods'), `the first program of the README runs and ${how}`);
}

/** Compiles at the floor and at the newest version only if the types hold what they promise. */
const STRICT_PROGRAM = `
import { Cluster, SharedIndexInformer, type Stored } from '${manifest.name}';
import { deployments } from '${manifest.name}/api/apps/v1';
import { type Pod, pods } from '${manifest.name}/api/core/v1';

const cluster = await Cluster.connect();
const informer = new SharedIndexInformer({ cluster, resource: pods, indexers: { node: 'spec.nodeName' } });
informer.addEventHandler({ onAdd: (pod) => console.log(pod.metadata.name.length, pod.metadata.uid.length, pod.kind.length) });
const list: Stored<Pod>[] = informer.lister().list();
const applied = await cluster.client(deployments).apply({ metadata: { name: 'web' }, spec: { replicas: 3 } });
// @ts-expect-error: spce
await cluster.client(deployments).apply({ metadata: { name: 'web' }, spce: { replicas: 3 } });
// @ts-expect-error: nodName
informer.addIndexers({ node: 'spec.nodName' });
export const names: string[] = [applied.metadata.name, ...list.map((pod) => pod.metadata.name)];
`;

/** With the compilers themselves, from the registry, in a project beside the one whose size was measured. */
function checkTypeScriptVersions(project: string, folder: string): void {
  const readme = readFileSync(join(repository, 'README.md'), 'utf8');
  report(readme.includes(`TypeScript ${TYPESCRIPT_FLOOR} or newer`), `the README names TypeScript ${TYPESCRIPT_FLOOR}`);
  const compilers = join(folder, 'compilers');
  mkdirSync(compilers);
  writeFileSync(join(compilers, 'package.json'), '{ "private": true }\n');
  const versions = [`floor@npm:typescript@~${TYPESCRIPT_FLOOR}.0`, 'newest@npm:typescript@latest'];
  need('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...versions], compilers);
  writeFileSync(join(project, 'strict.ts'), STRICT_PROGRAM);
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [resolve(repository, 'node_modules', '@types')],
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['strict.ts', 'first.ts'] }));
  for (const name of ['floor', 'newest']) {
    const compiler = join(compilers, 'node_modules', name);
    const { version } = JSON.parse(readFileSync(join(compiler, 'package.json'), 'utf8'));
    const compiled = run(process.execPath, [join(compiler, 'bin', 'tsc'), '-p', '.'], project);
    report(compiled.code === 0, `a strict program compiles with TypeScript ${version} ${compiled.output}`.trimEnd());
  }
}

function main(folder: string): void {
  if (!existsSync(join(repository, 'dist', 'index.js')))
    throw new Error('There is no dist/index.js: run `npm run build` first.');
  checkLockFile();
  const tarball = pack(folder);
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  need('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], project);
  checkFootprint(project);
  checkLinters(tarball);
  checkDoors(project);
  checkImportTime(project);
  checkTypes(project);
  checkFirstProgram(project);
  checkTypeScriptVersions(project, folder);
}

const folder = mkdtempSync(join(tmpdir(), 'tidewatch-package-'));
try {
  main(folder);
  if (failures.length > 0) throw new Error(`${failures.length} checks of the package failed.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
