import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type Finished, lines, manifest, report, repository, run } from './package-report.ts';

const MAX_ERROR_LINES = 20;

/** Starts an embedded server, and runs a program in a process of its own that finds it by $KUBECONFIG. */
const RUN_ON_SERVER = `import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { ApiServer } from '${manifest.name}/testing';
const server = await ApiServer.start();
writeFileSync('kubeconfig', server.kubeconfig());
const child = spawn(process.execPath, process.argv.slice(2), { stdio: 'inherit', env: { ...process.env, KUBECONFIG: 'kubeconfig' } });
child.once('close', async (code, signal) => {
  await server.stop();
  if (signal !== null) console.error('ended by', signal);
  process.exitCode = code ?? 1;
});
`;

export function runOnServer(project: string, ...args: string[]): Finished {
  writeFileSync(join(project, 'run-on-server.mjs'), RUN_ON_SERVER);
  return run(process.execPath, ['run-on-server.mjs', ...args], project, { timeout: 60_000 });
}

export function reportFirstProgram(how: string, { code, stdout, output }: Finished): void {
  const ok = code === 0 && stdout.includes('0 web pods');
  report(
    ok,
    `${how}: the first program of the README runs and ${ok ? 'ends by itself' : `does not end well:\n${output}`}`,
  );
}

function readmeProgram(): string {
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(repository, 'README.md'), 'utf8')) ?? [];
  return program;
}

/** The README's program in a function, for formats that have no await outside of one. */
export function wrappedProgram(): string {
  const all = readmeProgram().split('\n');
  const imports = all.filter((line) => line.startsWith('import '));
  const body = all.filter((line) => !line.startsWith('import '));
  return `${imports.join('\n')}\nasync function main() {\n${body.join('\n')}\n}\nmain();\n`;
}

/** As ES module by the strictest compiler settings, and as CommonJS. */
export function checkFirstProgram(project: string): void {
  writeFileSync(join(project, 'first.ts'), readmeProgram());
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
  reportFirstProgram('ES module', runOnServer(project, 'first.js'));
  const required = wrappedProgram().replace(/^import (.*) from (.*);$/gm, 'const $1 = require($2);');
  writeFileSync(join(project, 'first.cjs'), required);
  reportFirstProgram('CommonJS', runOnServer(project, 'first.cjs'));
}

/** What a user sees of an error that nobody catches: the message, the name of its class, a few lines. */
export function checkUncaughtError(project: string): void {
  const program = `import { Cluster } from '${manifest.name}';
import { pods } from '${manifest.name}/api/core/v1';
const cluster = await Cluster.connect();
await cluster.client(pods).get('nobody', { namespace: 'default' }).catch((error) => {
  console.log(error.name, error.constructor.name);
  throw error;
});
`;
  writeFileSync(join(project, 'uncaught.js'), program);
  const { stdout, stderr, code } = runOnServer(project, 'uncaught.js');
  const count = stderr.trimEnd().split('\n').length;
  const longest = Math.max(...stderr.split('\n').map((line) => line.length));
  const ok = code === 1 && stdout.trim() === 'ApiError ApiError' && stderr.includes('ApiError: ') && longest < 500;
  report(
    ok && stderr.includes('pods "nobody" not found') && count <= MAX_ERROR_LINES,
    `an error that nobody catches is an ApiError, in ${count} lines, at most ${MAX_ERROR_LINES}${ok && count <= MAX_ERROR_LINES ? '' : `:\n${stdout}${stderr}`}`,
  );
}

/** What it shows is how to leave client-node, which it needs for that. */
const WITH_CLIENT_NODE = '10-from-client-node.ts';

/** The examples of the package import it by its name alone: copied out of it, they compile and run. */
export function checkExamples(project: string): void {
  const tsx = join(repository, 'node_modules', 'tsx', 'dist', 'cli.mjs');
  const folder = join(project, 'examples');
  cpSync(join(project, 'node_modules', manifest.name, 'examples'), folder, { recursive: true });
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const foreign = files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const specifiers = [...text.matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(([, specifier = '']) => specifier);
    return specifiers.filter((specifier) => !isOwnOrNode(file, specifier)).map((specifier) => `${file}: ${specifier}`);
  });
  report(
    foreign.length === 0,
    `${files.length} examples import ${manifest.name} by its name, and Node${lines(foreign)}`,
  );
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [resolve(repository, 'node_modules', '@types')],
  };
  const compiled = files.filter((file) => file !== WITH_CLIENT_NODE);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: compiled }));
  const tsc = run(
    process.execPath,
    [join(repository, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder],
    project,
  );
  report(tsc.code === 0, `the examples compile outside of the package ${tsc.output}`.trimEnd());
  const { code, output } = run(process.execPath, [tsx, join(folder, '01-first-informer.ts')], project);
  report(code === 0, `the first example of the package runs${code === 0 ? '' : `:\n${output}`}`);
}

function isOwnOrNode(file: string, specifier: string): boolean {
  if (specifier.startsWith('.')) return !relative('.', join(dirname(file), specifier)).startsWith('..');
  if (file === WITH_CLIENT_NODE && specifier === '@kubernetes/client-node') return true;
  return specifier.startsWith('node:') || specifier === manifest.name || specifier.startsWith(`${manifest.name}/`);
}
