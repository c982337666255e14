/**
 * Checks what `tidewatch init operator` writes, as its users get it: packs the package, writes a project that depends on the tarball, installs
 * it, compiles it, runs its tests, writes its RBAC rules again, and runs it until Ctrl-C: on its embedded server, and on that of a kubeconfig.
 * Needs a fresh `npm run build`, npm's registry for the tools of the project, and the door `tidewatch/controller`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { KubernetesObject } from '../src/api/metadata.ts';
import { defineResource } from '../src/api/resource.ts';
import { customResourceDefinitions } from '../src/generated/api/apiextensions/v1.ts';
import { ApiServer } from '../src/testing/api-server.ts';

interface Website extends KubernetesObject {
  status?: { conditions?: { type: string; status: string }[] };
}

const START_MS = 60_000;
const STOP_MS = 30_000;

const repository = fileURLToPath(new URL('..', import.meta.url));
const failures: string[] = [];

function report(ok: boolean, sentence: string): void {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${sentence}`);
  if (!ok) failures.push(sentence);
}

function run(command: string, args: readonly string[], cwd: string) {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (result.error) throw result.error;
  return { code: result.status, output: `${result.stdout}${result.stderr}`.trim(), stdout: result.stdout };
}

/** What must work for anything further to make sense. */
function need(command: string, args: readonly string[], cwd: string): string {
  const { code, output, stdout } = run(command, args, cwd);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with code ${code}:\n${output}`);
  return stdout;
}

function checkScript(project: string, script: string, what: string): void {
  const { code, output } = run('npm', ['run', '--silent', script], project);
  report(code === 0, `${what}: npm run ${script}${code === 0 ? '' : ` ended with code ${code}:\n${output}`}`);
}

/** Runs a script until it is ready, or has had its time; then Ctrl-C, which reaches every process of the command as in a terminal. */
async function checkStart(
  project: string,
  script: string,
  isReady: (output: string) => boolean | Promise<boolean>,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const child = spawn('npm', ['run', script], {
    cwd: project,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let output = '';
  let how: string | undefined;
  const signal = (name: 'SIGINT' | 'SIGKILL') => child.pid !== undefined && process.kill(-child.pid, name);
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const exited = new Promise<void>((resolve) => {
    child.on('exit', (code, killedBy) => {
      how = killedBy ?? `code ${code}`;
      resolve();
    });
  });
  let ready = false;
  for (const endMs = Date.now() + START_MS; !ready && how === undefined && Date.now() < endMs; await sleep(100)) {
    ready = await isReady(output);
  }
  report(ready, `npm run ${script} makes the sample object ready${ready ? '' : `:\n${output}`}`);
  const timer = setTimeout(() => signal('SIGKILL'), STOP_MS);
  if (how === undefined) signal('SIGINT');
  await exited;
  clearTimeout(timer);
  report(ready && how !== 'SIGKILL', `npm run ${script} ends after Ctrl-C, with ${how}`);
}

/** On the cluster of the kubeconfig: a server in this process, with the manifests of the project. */
async function checkStartOnCluster(project: string): Promise<void> {
  await using server = await ApiServer.start();
  await using cluster = server.cluster();
  const manifest = (file: string) => parse(readFileSync(join(project, 'config', file), 'utf8'));
  await cluster.client(customResourceDefinitions).create(manifest('crd.yaml'));
  const websites = defineResource<Website>({
    group: 'example.com',
    version: 'v1',
    plural: 'websites',
    kind: 'Website',
  });
  const sample = await cluster.client(websites).create(manifest('sample.yaml'));
  const kubeconfig = join(project, '..', 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig());
  // Whatever else runs on this machine: any port will do for its probes.
  const main = join(project, 'src', 'main.ts');
  const source = readFileSync(main, 'utf8');
  report(source.includes('port: 8080'), 'its probes have the port of the Deployment');
  writeFileSync(main, source.replace('port: 8080', 'port: 0'));
  const isReady = async () => {
    const { status } = await cluster.client(websites).get(sample.metadata.name);
    return status?.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') ?? false;
  };
  await checkStart(project, 'start:cluster', isReady, { KUBECONFIG: kubeconfig });
}

async function main(folder: string): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  if (!('./controller' in manifest.exports)) {
    throw new Error('The package has no door tidewatch/controller, which the project imports.');
  }
  const command = join(repository, 'dist/cli/main.js');
  if (!existsSync(command)) throw new Error('There is no dist/cli/main.js: run `npm run build` first.');
  const [packed] = JSON.parse(
    need('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], repository),
  );
  need(process.execPath, [command, 'init', 'operator', 'website', '--tidewatch', packed.filename], folder);
  const project = join(folder, 'website');
  need('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], project);
  checkScript(project, 'check', 'the project compiles');
  checkScript(project, 'test', 'its tests pass');
  const rbac = () => readFileSync(join(project, 'config/rbac.yaml'), 'utf8');
  const before = rbac();
  checkScript(project, 'rbac', 'its rules can be written again');
  report(rbac() === before, 'its rules are those that the controller declares');
  checkScript(project, 'build', 'its JavaScript is built');
  report(existsSync(join(project, 'dist/src/main.js')), 'the Dockerfile finds dist/src/main.js');
  await checkStart(project, 'start', (output) => output.includes('Ready True'));
  report(!existsSync(join(project, 'kubeconfig')), 'npm start leaves no kubeconfig behind');
  await checkStartOnCluster(project);
}

const folder = mkdtempSync(join(tmpdir(), 'tidewatch-operator-'));
try {
  await main(folder);
  if (failures.length > 0) throw new Error(`${failures.length} checks of the operator project failed.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
