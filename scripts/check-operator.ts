/**
 * Checks what `tidewatch init operator` writes, as its users get it: packs the package, writes a project that depends on the tarball, installs
 * it, compiles it, runs its tests, writes its RBAC rules again, and runs it on its embedded server until Ctrl-C.
 * Needs a fresh `npm run build`, npm's registry for the tools of the project, and the door `tidewatch/controller`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

/** As in a terminal: Ctrl-C reaches every process of the command. */
async function checkStart(project: string): Promise<void> {
  const child = spawn('npm', ['start'], { cwd: project, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let isReady = false;
  const signal = (name: 'SIGINT' | 'SIGKILL') => child.pid !== undefined && process.kill(-child.pid, name);
  const timer = setTimeout(() => signal('SIGKILL'), START_MS + STOP_MS);
  const onOutput = (chunk: Buffer) => {
    output += chunk;
    if (isReady || !output.includes('Ready True')) return;
    isReady = true;
    signal('SIGINT');
  };
  child.stdout.on('data', onOutput);
  child.stderr.on('data', onOutput);
  const how = await new Promise<string>((resolve) => {
    child.on('exit', (code, killedBy) => resolve(killedBy ?? `code ${code}`));
  });
  clearTimeout(timer);
  report(isReady, `npm start makes the sample object ready${isReady ? '' : `:\n${output}`}`);
  report(how !== 'SIGKILL', `npm start ends after Ctrl-C, with ${how}`);
  report(!existsSync(join(project, 'kubeconfig')), 'npm start leaves no kubeconfig behind');
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
  await checkStart(project);
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
