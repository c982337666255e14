import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { manifest, need, note, report, repository, run, tool } from './package-report.ts';
import { reportFirstProgram, runOnServer, wrappedProgram } from './user-programs.ts';

const source = join(repository, 'tools', 'package', 'consumers');

/**
 * The folder in which the bundlers and test runners are installed, once a machine, in the versions that consumers/package.json names.
 * There is no lock file: it would have to name the binaries of every platform.
 */
function installConsumers(): string {
  const wanted = readFileSync(join(source, 'package.json'));
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tidewatch', 'consumers');
  const folder = join(cache, createHash('sha256').update(wanted).digest('hex').slice(0, 12));
  const done = join(folder, 'installed');
  if (existsSync(done)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), wanted);
  note('     installing the bundlers and test runners; later runs find them in the cache folder');
  need('npm', ['install', '--no-package-lock', '--prefer-offline', '--no-audit', '--no-fund'], folder);
  writeFileSync(done, '');
  return folder;
}

/** The README's program, bundled by what users bundle with; and the package under the test runners. */
export function checkConsumers(project: string): void {
  const consumers = installConsumers();
  // Below the tools, so that they are found; with a package folder of its own, so that tidewatch is, too.
  const folder = mkdtempSync(join(consumers, 'project-'));
  try {
    cpSync(join(project, 'node_modules'), join(folder, 'node_modules'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    writeFileSync(join(folder, 'main.js'), wrappedProgram());
    checkBundlers(folder);
    checkTestRunners(folder, consumers);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const BUNDLERS: ReadonlyArray<[name: string, output: string, script: string]> = [
  [
    'esbuild, ES module',
    'out/esbuild.mjs',
    `import { build } from 'esbuild';
await build({ entryPoints: ['main.js'], bundle: true, platform: 'node', format: 'esm', outfile: 'out/esbuild.mjs', logLevel: 'error' });`,
  ],
  [
    'esbuild, CommonJS',
    'out/esbuild.cjs',
    `import { build } from 'esbuild';
await build({ entryPoints: ['main.js'], bundle: true, platform: 'node', format: 'cjs', outfile: 'out/esbuild.cjs', logLevel: 'error' });`,
  ],
  [
    'esbuild, minified',
    'out/esbuild.min.mjs',
    `import { build } from 'esbuild';
await build({ entryPoints: ['main.js'], bundle: true, minify: true, platform: 'node', format: 'esm', outfile: 'out/esbuild.min.mjs', logLevel: 'error' });`,
  ],
  [
    'rollup',
    'out/rollup/main.js',
    `import { rollup } from 'rollup';
import nodeResolve from '@rollup/plugin-node-resolve';
const bundle = await rollup({ input: 'main.js', plugins: [nodeResolve({ preferBuiltins: true })], external: /^node:/ });
await bundle.write({ dir: 'out/rollup', format: 'es' });`,
  ],
  [
    'webpack',
    'out/webpack/main.cjs',
    `import webpack from 'webpack';
const output = { path: process.cwd() + '/out/webpack', filename: 'main.cjs' };
webpack({ entry: './main.js', mode: 'production', target: 'node20', output }, (error, stats) => {
  if (error || stats.hasErrors() || stats.hasWarnings()) throw error ?? new Error(stats.toString());
});`,
  ],
  [
    'vite',
    'out/vite/main.js',
    `import { build } from 'vite';
await build({ logLevel: 'error', ssr: { noExternal: true }, build: { ssr: 'main.js', outDir: 'out/vite', target: 'node20' } });`,
  ],
];

function checkBundlers(folder: string): void {
  for (const [name, output, script] of BUNDLERS) {
    writeFileSync(join(folder, 'bundle.mjs'), script);
    const bundled = run(process.execPath, ['bundle.mjs'], folder);
    if (bundled.code === 0 && existsSync(join(folder, output))) reportFirstProgram(name, runOnServer(folder, output));
    else report(false, `${name} does not bundle the first program of the README:\n${bundled.output}`);
  }
}

/** `globals` says where test and expect come from. */
const testFile = (globals: string) => `${globals}
import { SharedInformerFactory } from '${manifest.name}';
import { pods } from '${manifest.name}/api/core/v1';
import { ApiServer } from '${manifest.name}/testing';

test('an informer syncs on the embedded server', async () => {
  const server = await ApiServer.start({ listen: false });
  const factory = new SharedInformerFactory(server.cluster());
  const lister = factory.for(pods).lister();
  factory.start();
  await factory.waitForCacheSync();
  expect(lister.list()).toEqual([]);
  await factory.shutdown();
  await server.stop();
});
`;

function checkTestRunners(folder: string, consumers: string): void {
  writeFileSync(join(folder, 'vitest.test.js'), testFile("import { expect, test } from 'vitest';"));
  const vitest = run(process.execPath, [tool('vitest', 'vitest', consumers), 'run', 'vitest.test.js'], folder);
  report(vitest.code === 0, `vitest runs a test on the package${vitest.code === 0 ? '' : `:\n${vitest.output}`}`);
  writeFileSync(join(folder, 'jest.test.js'), testFile("import { expect, test } from '@jest/globals';"));
  writeFileSync(join(folder, 'jest.config.mjs'), "export default { testEnvironment: 'node', transform: {} };\n");
  const jest = run(
    process.execPath,
    ['--experimental-vm-modules', tool('jest', 'jest', consumers), '--rootDir', '.', 'jest.test.js'],
    folder,
  );
  report(jest.code === 0, `Jest runs a test on the package${jest.code === 0 ? '' : `:\n${jest.output}`}`);
}
