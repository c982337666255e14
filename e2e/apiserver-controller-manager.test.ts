import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer } from '../src/apiserver/apiserver.ts';
import type { FaultMatch } from '../src/apiserver/request/fault-plan.ts';
import { type ControllerManager, startControllerManager } from '../src/testing/control-plane/controller-manager.ts';
import { runKubectl } from '../src/testing/control-plane/kubectl.ts';

const SOON = { timeout: 120_000, interval: 200 };
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
  /** What the manager has asked: the path of each request, what it accepts and what it sends. */
  const asked: { path: string; accept: string; type: string }[] = [];

  beforeAll(async () => {
    server = await ApiServer.start({ controllers: false });
    const where: FaultMatch['where'] = ({ path, headers }) => {
      const isManager = headers['user-agent']?.startsWith('kube-controller-manager') ?? false;
      if (isManager) asked.push({ path, accept: headers.accept ?? '', type: headers['content-type'] ?? '' });
      return false;
    };
    // It meets no request: it only sees them all.
    server.faults.add({ where }, { kind: 'drop' }, { times: Number.POSITIVE_INFINITY });
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

  it('speaks protobuf, which is its default', () => {
    const of = (path: string) => asked.filter((one) => one.path === path);
    for (const path of ['/apis/apps/v1/deployments', '/apis/apps/v1/replicasets', '/api/v1/pods']) {
      const accepted = of(path).map(({ accept }) => accept);
      expect(accepted.length, path).toBeGreaterThan(0);
      expect(accepted.filter((accept) => !accept.startsWith('application/vnd.kubernetes.protobuf'))).toEqual([]);
    }
    const sent = of('/api/v1/namespaces/work/pods').map(({ type }) => type);
    expect(new Set(sent)).toEqual(new Set(['application/vnd.kubernetes.protobuf']));
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
