import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLogger } from '../src/observe/logger.ts';
import { ApiServer } from '../src/testing/api-server.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'node_modules/.cache/tidewatch-kube-rs');
const folder = mkdtempSync(join(tmpdir(), 'tidewatch-kube-rs-'));

beforeAll(() => {
  const cwd = join(root, 'tools/kube-rs-client');
  execFileSync('cargo', ['build', '--quiet', '--target-dir', target], { cwd, stdio: 'inherit' });
}, 1_200_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a program with kube-rs sees of the server; rejects with what it printed when something does not work. */
async function seenByKubeRs(kubeconfig: string): Promise<string[]> {
  const { stdout } = await run(join(target, 'debug/kube-rs-client'), ['default'], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  return stdout.split('\n');
}

it('kube-rs discovers, follows, writes and controls on the embedded server as on a real one', {
  timeout: 300_000,
}, async () => {
  await using server = await ApiServer.start({ logger: silentLogger });
  await using plane = await ControlPlane.start();
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 });
  const onEmbedded = await seenByKubeRs(kubeconfig);
  expect(onEmbedded).toContain('  all are gone');
  expect(onEmbedded).toEqual(await seenByKubeRs(plane.kubeconfigFile()));
});
