import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configMaps } from '../src/generated/api/core/v1.ts';
import { runKubectl } from '../src/testing/control-plane/kubectl.ts';
import { Cluster } from '../src/transport/cluster.ts';
import { makeNamespace, sharedControlPlane } from './shared-control-plane-fixture.ts';

const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tidewatch-cli-'));
let cluster: Cluster;
let namespace: string;

beforeAll(async () => {
  cluster = await Cluster.connect({ kubeconfig: sharedControlPlane().kubeconfigFile });
  namespace = await makeNamespace('cli');
  for (const name of ['a', 'b']) await cluster.client(configMaps).create({ metadata: { name, namespace } });
});

afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](), stderr: () => stderr };
}

async function run(...args: string[]): Promise<{ code: number | null; lines: string[]; stderr: string }> {
  const { child, lines, stderr } = start(...args);
  const exited = once(child, 'exit');
  const heard: string[] = [];
  for (let line = await lines.next(); !line.done; line = await lines.next()) heard.push(line.value);
  const [code] = (await exited) as [number | null];
  return { code, lines: heard, stderr: stderr() };
}

const onPlane = () => ['--kubeconfig', sharedControlPlane().kubeconfigFile, '-n', namespace];

describe('the command, on a real control plane', () => {
  it('writes what is there as events and ends after the sync', async () => {
    const { code, lines } = await run('watch', 'cm', ...onPlane(), '-o', 'events', '--exit-after-sync');
    expect(code).toBe(0);
    expect(lines.map((line) => line.replace(/\d+$/, 'N')).sort()).toEqual([
      `ADD ${namespace}/a N`,
      `ADD ${namespace}/b N`,
    ]);
  });

  it('follows changes, one JSON object a line, until it is interrupted', async () => {
    const { child, lines } = start('watch', 'configmaps', ...onPlane(), '-o', 'json');
    const next = async () => JSON.parse((await lines.next()).value);
    expect([(await next()).key, (await next()).key].sort()).toEqual([`${namespace}/a`, `${namespace}/b`]);
    const written = await cluster.client(configMaps).patch('a', { data: { x: 'y' } }, { namespace });
    expect(await next()).toMatchObject({
      type: 'UPDATE',
      key: `${namespace}/a`,
      resourceVersion: written.metadata?.resourceVersion,
      object: { data: { x: 'y' } },
    });
    child.kill('SIGINT');
    await once(child, 'exit');
  });

  it.each([
    ['an unknown resource', ['watch', 'configmapz'], /did you mean/i],
    ['a bad selector', ['watch', 'pods', '-l', 'a in'], /label selector/],
    ['a bad flag', ['watch', 'pods', '--nonsense'], /nonsense/],
  ])('says what is wrong with %s in one line, with a code', async (_what, args, message) => {
    const { code, lines, stderr } = await run(...args, '--kubeconfig', sharedControlPlane().kubeconfigFile);
    expect(code).toBeGreaterThan(0);
    expect(lines).toEqual([]);
    expect(stderr).toMatch(message);
  });
});

describe('tidewatch serve', () => {
  it('writes a kubeconfig that kubectl can use, and ends when interrupted', async () => {
    const kubeconfig = join(folder, 'kubeconfig');
    const { child, lines } = start('serve', '--kubeconfig', kubeconfig);
    for (let line = await lines.next(); !line.done && !/kubectl/.test(line.value); ) line = await lines.next();
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
    const { code, stdout } = await runKubectl(['get', 'namespaces', '-o', 'name'], { kubeconfig });
    expect(code).toBe(0);
    expect(stdout).toContain('namespace/kube-system');
    const exited = once(child, 'exit');
    child.kill('SIGINT');
    await exited;
  });
});
