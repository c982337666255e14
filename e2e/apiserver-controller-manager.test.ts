import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer } from '../src/apiserver/apiserver.ts';
import { type ControllerManager, startControllerManager } from '../src/testing/control-plane/controller-manager.ts';
import { runKubectl } from '../src/testing/control-plane/kubectl.ts';

const SOON = { timeout: 60_000, interval: 200 };
const CONTROLLERS = [
  'deployment-controller',
  'replicaset-controller',
  'namespace-controller',
  'garbage-collector-controller',
];

describe('the real kube-controller-manager on the embedded server', () => {
  let folder: string;
  let kubeconfig: string;
  let server: ApiServer;
  let manager: ControllerManager;

  beforeAll(async () => {
    server = await ApiServer.start({ controllers: false });
    folder = mkdtempSync(join(tmpdir(), 'tidewatch-manager-'));
    kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 });
    manager = await startControllerManager({ kubeconfig, flags: [`--controllers=${CONTROLLERS.join(',')}`] });
  });

  afterAll(async () => {
    await manager?.stop();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const kubectl = async (command: string): Promise<string> => {
    const { stdout, stderr, code } = await runKubectl(command.split(' '), { kubeconfig });
    expect({ command, code, stderr: code === 0 ? '' : stderr }).toEqual({ command, code: 0, stderr: '' });
    return stdout;
  };
  const names = async (what: string) =>
    (await kubectl(`get ${what} -n work -o name`)).split('\n').filter((line) => line !== '');

  it('makes the pods of a Deployment, scales them, and collects them', async () => {
    await kubectl('create namespace work');
    await kubectl('create deployment web --image=nginx -n work');
    await kubectl('scale deployment web --replicas=3 -n work');
    await expect.poll(() => names('pods'), SOON).toHaveLength(3);
    expect(await names('replicasets')).toHaveLength(1);
    await expect
      .poll(
        () => kubectl('get deployment web -n work -o jsonpath={.status.replicas}/{.status.observedGeneration}'),
        SOON,
      )
      .toBe('3/2');

    await kubectl('scale deployment web --replicas=1 -n work');
    await expect.poll(() => names('pods'), SOON).toHaveLength(1);

    await kubectl('delete deployment web -n work');
    await expect.poll(() => names('replicasets,pods'), SOON).toEqual([]);
  });

  it('empties a deleted namespace, which then disappears', async () => {
    await kubectl('create deployment web --image=nginx -n work');
    await kubectl('create configmap settings -n work');
    await expect.poll(() => names('pods'), SOON).toHaveLength(1);
    await kubectl('delete namespace work --timeout=120s');
    expect(await kubectl('get namespaces -o name')).not.toContain('namespace/work');
    expect(await kubectl('get configmaps,deployments,replicasets,pods -A -o name')).toBe('');
  });
});
