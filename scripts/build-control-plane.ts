/**
 * Builds etcd, kube-apiserver, kubectl and kube-controller-manager from their Go modules (tools/control-plane) into the
 * cache folder, once a machine. What KUBEBUILDER_ASSETS or the cache folder holds already is left alone.
 *
 *   npx tsx scripts/build-control-plane.ts [--suite]
 *
 * `--suite` also builds Kubernetes' own end-to-end suite and the program that runs it in parallel.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  CONTROL_PLANE_VERSION,
  controlPlaneCacheFolder,
  isExecutable,
  PROGRAM_NAMES,
  type ProgramName,
} from '../src/testing/control-plane/assets.ts';
import { SUITE_PROGRAM_NAMES, type SuiteProgramName } from '../tools/conformance/suite-programs.ts';

interface Recipe {
  /** The Go module in which it is built. */
  module: string;
  /** Files of the module that decide what comes out. */
  sources: readonly string[];
  goPackage: string;
  linkerFlags: string;
  /** Set when it is the tests of the package that are built. */
  isTest?: true;
}

type BuiltName = ProgramName | SuiteProgramName;

const [major, minor] = CONTROL_PLANE_VERSION.slice(1).split('.');
const VERSION_PACKAGE = 'k8s.io/component-base/version';
// Without these kubectl cannot read the server's version.
const KUBERNETES_LINKER_FLAGS = [
  '-s -w',
  `-X ${VERSION_PACKAGE}.gitVersion=${CONTROL_PLANE_VERSION}`,
  `-X ${VERSION_PACKAGE}.gitMajor=${major}`,
  `-X ${VERSION_PACKAGE}.gitMinor=${minor}`,
].join(' ');

const folder = controlPlaneCacheFolder();
const extension = process.platform === 'win32' ? '.exe' : '';

function recipeOf(name: BuiltName): Recipe {
  const inModule = (leaf: string, goPackage: string, linkerFlags: string, sources = ['go.mod', 'go.sum']): Recipe => ({
    module: fileURLToPath(new URL(`../tools/control-plane/${leaf}`, import.meta.url)),
    sources,
    goPackage,
    linkerFlags,
  });
  switch (name) {
    case 'etcd':
      return inModule('etcd', '.', '-s -w', ['go.mod', 'go.sum', 'main.go']);
    case 'e2e.test':
      return { ...inModule('conformance', 'k8s.io/kubernetes/test/e2e', KUBERNETES_LINKER_FLAGS), isTest: true };
    case 'ginkgo':
      return inModule('conformance', 'github.com/onsi/ginkgo/v2/ginkgo', '-s -w');
    default:
      return inModule('kubernetes', `k8s.io/kubernetes/cmd/${name}`, KUBERNETES_LINKER_FLAGS);
  }
}

/** Changes whenever the same command would build something else. */
function fingerprintOf(recipe: Recipe): string {
  const hash = createHash('sha256').update(`${recipe.goPackage}\n${recipe.linkerFlags}\n`);
  for (const source of recipe.sources) hash.update(readFileSync(join(recipe.module, source)));
  return hash.digest('hex');
}

/** Where a usable program is, or undefined when it has to be built. */
function whereIs(name: BuiltName): string | undefined {
  const given = process.env.KUBEBUILDER_ASSETS;
  if (given && isExecutable(join(given, name + extension))) return `${given} (KUBEBUILDER_ASSETS)`;
  try {
    const marker = readFileSync(join(folder, `${name}.fingerprint`), 'utf8');
    if (marker === fingerprintOf(recipeOf(name)) && isExecutable(join(folder, name + extension))) return folder;
  } catch {
    // No marker: never built, or by an interrupted run.
  }
  return undefined;
}

/** Runs a command with its output on the screen, and a sign of life every half minute. */
function run(command: string, args: readonly string[], cwd: string, what: string): Promise<void> {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  const ticker = setInterval(() => console.log(`  ${what}: ${seconds()} s so far`), 30_000);
  return new Promise<void>((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      code === 0
        ? resolve()
        : reject(new Error(`${what}: ${command} ${args[0]} ended with ${signal ?? `code ${code}`}`)),
    );
  }).finally(() => clearInterval(ticker));
}

async function build(name: BuiltName, label: string): Promise<void> {
  const recipe = recipeOf(name);
  const startedAt = performance.now();
  const temporary = join(folder, `${name}.building-${process.pid}${extension}`);
  try {
    console.log(`${label} ${name}: building`);
    const command = recipe.isTest ? ['test', '-c', '-vet=off'] : ['build'];
    const args = ['-trimpath', '-ldflags', recipe.linkerFlags, '-o', temporary, recipe.goPackage];
    await run('go', [...command, ...args], recipe.module, name);
    renameSync(temporary, join(folder, name + extension));
    writeFileSync(join(folder, `${name}.fingerprint`), fingerprintOf(recipe));
    console.log(`${label} ${name}: built in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The version is written down in three places, twice for Go and once for us. */
function ensureOneVersion(): void {
  for (const name of ['kube-apiserver', 'e2e.test'] as const) {
    const path = join(recipeOf(name).module, 'go.mod');
    const required = /k8s\.io\/kubernetes (v\S+)/.exec(readFileSync(path, 'utf8'))?.[1];
    if (required === CONTROL_PLANE_VERSION) continue;
    throw new Error(`${path} requires ${required}, but CONTROL_PLANE_VERSION is ${CONTROL_PLANE_VERSION}.`);
  }
}

async function main(): Promise<void> {
  ensureOneVersion();
  const { values } = parseArgs({ options: { suite: { type: 'boolean', default: false } } });
  const wanted: BuiltName[] = [...PROGRAM_NAMES, ...(values.suite ? SUITE_PROGRAM_NAMES : [])];
  const missing = wanted.filter((name) => {
    const place = whereIs(name);
    if (place !== undefined) console.log(`${name}: found in ${place}`);
    return place === undefined;
  });
  if (missing.length === 0) return;
  console.log(`Building ${missing.join(', ')} ${CONTROL_PLANE_VERSION} into ${folder}.`);
  const minutes = missing.includes('e2e.test')
    ? 'about twenty minutes, or thirty with the others,'
    : 'about ten minutes';
  console.log(`This happens once and takes ${minutes} on two cores when the Go caches are empty.`);
  mkdirSync(folder, { recursive: true });
  await run('go', ['version'], folder, 'go').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(
      'Go is not on the PATH. Install Go 1.26 or later, or set KUBEBUILDER_ASSETS to a folder with ' +
        `${PROGRAM_NAMES.join(', ')}.`,
    );
  });
  for (const [index, name] of missing.entries()) await build(name, `[${index + 1}/${missing.length}]`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
