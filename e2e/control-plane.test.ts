import { existsSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startControllerManager } from '../src/testing/control-plane/controller-manager.ts';
import { runKubectl } from '../src/testing/control-plane/kubectl.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';
import { makeNamespace, sharedControlPlane } from './shared-control-plane-fixture.ts';

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The status and the first line of an answer; of a watch that is its first event. */
function firstLine(plane: Pick<ControlPlane, 'server' | 'ca' | 'token'>, path: string, timeoutMs = 30_000) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const outgoing = request(
      plane.server + path,
      { agent: false, ca: plane.ca, headers: { authorization: `Bearer ${plane.token}` } },
      (answer) => {
        let text = '';
        const done = () => {
          resolve({ status: answer.statusCode ?? 0, text: text.split('\n', 1).join() });
          outgoing.destroy();
        };
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          if (chunk.includes('\n')) done();
        });
        answer.once('end', done);
        answer.on('error', () => {});
      },
    );
    outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error('timeout')));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

async function makeConfigMap(plane: ControlPlane, name: string): Promise<string> {
  const result = await plane.kubectl(['create', 'configmap', name, '-o', 'jsonpath={.metadata.resourceVersion}']);
  expect(result).toMatchObject({ code: 0, stderr: '' });
  return result.stdout;
}

describe('a control plane of its own', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await ControlPlane.start({
      clientCertificates: true,
      tokens: [{ token: 'a-token', user: 'reader', groups: ['readers', 'guests'] }],
      // Old versions then come from etcd and nowhere else.
      flags: { apiserver: ['--watch-cache=false'] },
    });
  });
  afterAll(() => plane?.stop());

  it('is ready when start resolves, with TLS verified', async () => {
    expect(await firstLine(plane, '/readyz')).toEqual({ status: 200, text: 'ok' });
  });

  it('hands out a kubeconfig that nobody else can read', () => {
    expect(statSync(plane.kubeconfigFile()).mode & 0o777).toBe(0o600);
  });

  it('answers kubectl', async () => {
    const version = await plane.kubectl(['version']);
    expect(version).toMatchObject({ code: 0, stderr: '' });
    expect(version.stdout).toMatch(/^Server Version: v1\./m);
    const namespaces = await plane.kubectl(['get', 'namespaces', '-o', 'name']);
    expect(namespaces.stdout.split('\n')).toContain('namespace/kube-system');
    const unknown = await plane.kubectl(['get', 'nonsense']);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('nonsense');
  });

  it('logs users in by token and by client certificate, and lets them do nothing until RBAC says so', async () => {
    const certificate = await plane.clientCertificate('someone/else', ['dev+ops']);
    const users = [
      { user: certificate, name: 'someone/else', group: 'dev+ops' },
      { user: { token: 'a-token' }, name: 'reader', group: 'guests' },
    ];
    for (const { user, name, group } of users) {
      const kubeconfig = join(dirname(plane.kubeconfigFile()), 'kubeconfig-of-user');
      writeFileSync(kubeconfig, plane.kubeconfig({ user }));
      const whoami = await runKubectl(['auth', 'whoami', '-o', 'json'], { kubeconfig });
      const { userInfo } = JSON.parse(whoami.stdout).status;
      expect(userInfo).toMatchObject({ username: name });
      expect(userInfo.groups).toContain(group);
      const forbidden = await runKubectl(['get', 'secrets'], { kubeconfig });
      expect(forbidden.stderr).toContain('forbidden');
    }
  });

  it('answers a watch from before a compaction with 410, and did not before', async () => {
    const old = await makeConfigMap(plane, 'before-compaction');
    await makeConfigMap(plane, 'after');
    await makeConfigMap(plane, 'later');
    const watch = `/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=${old}`;
    expect(JSON.parse((await firstLine(plane, watch)).text)).toMatchObject({
      type: 'ADDED',
      object: { metadata: { name: 'after' } },
    });
    const revision = await plane.compact();
    expect(Number(revision)).toBeGreaterThan(Number(old));
    expect(JSON.parse((await firstLine(plane, watch)).text)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });

  it.each(['apiserver', 'etcd'] as const)('keeps its data when %s is killed and restarted', async (program) => {
    const { server } = plane;
    await makeConfigMap(plane, `survivor-${program}`);
    const pid = plane.processId(program);
    await plane.kill(program);
    expect(isAlive(pid)).toBe(false);
    expect(plane.processId(program)).toBeUndefined();
    await plane.restart(program);
    expect(plane.server).toBe(server);
    expect(await plane.kubectl(['get', 'configmap', `survivor-${program}`])).toMatchObject({ code: 0 });
  });

  it('restarts an API server that is running', async () => {
    const pid = plane.processId('apiserver');
    await plane.restart('apiserver');
    expect(plane.processId('apiserver')).not.toBe(pid);
    expect(isAlive(pid)).toBe(false);
    expect(await plane.kubectl(['get', 'namespaces'])).toMatchObject({ code: 0 });
  });

  it('accepts connections and answers nothing while the API server is paused, and goes on when resumed', async () => {
    plane.pause('apiserver');
    await expect(firstLine(plane, '/readyz', 500)).rejects.toThrow('timeout');
    plane.resume('apiserver');
    expect(await firstLine(plane, '/readyz')).toMatchObject({ status: 200 });
  });

  it('says what is wrong when a program cannot be paused', async () => {
    await plane.kill('apiserver');
    expect(() => plane.pause('apiserver')).toThrow('Cannot pause kube-apiserver: it is not running.');
    await plane.restart('apiserver');
  });
});

describe('the end of a control plane', () => {
  it('leaves no process and no folder, also when a program was paused, and can be asked for twice', async () => {
    const plane = await ControlPlane.start();
    const folder = dirname(plane.kubeconfigFile());
    const pids = [plane.processId('apiserver'), plane.processId('etcd')];
    expect(pids.every(isAlive)).toBe(true);
    plane.pause('etcd');
    await Promise.all([plane.stop(), plane.stop()]);
    expect(pids.some(isAlive)).toBe(false);
    expect(existsSync(folder)).toBe(false);
    await expect(plane.compact()).rejects.toThrow('The control plane has been stopped.');
  });

  it('comes when its signal aborts, during the start and after it', async () => {
    const early = new AbortController();
    const starting = ControlPlane.start({ signal: early.signal });
    starting.catch(() => {});
    await sleep(300);
    early.abort(new Error('changed my mind'));
    await expect(starting).rejects.toThrow('changed my mind');

    const late = new AbortController();
    const plane = await ControlPlane.start({ signal: late.signal });
    const pid = plane.processId('apiserver');
    late.abort();
    await plane.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('comes with the last log lines when a program refuses its flags', async () => {
    const starting = ControlPlane.start({ flags: { apiserver: ['--no-such-flag'] } });
    await expect(starting).rejects.toThrow(
      /kube-apiserver ended before it was ready[\s\S]*unknown flag: --no-such-flag/,
    );
  });
});

describe('the shared control plane', () => {
  it('serves every file, each in its own namespace', async () => {
    const plane = sharedControlPlane();
    const namespace = await makeNamespace('control-plane');
    expect(await firstLine(plane, `/api/v1/namespaces/${namespace}`)).toMatchObject({ status: 200 });
  });

  it('is one that kube-controller-manager works on', async () => {
    const plane = sharedControlPlane();
    const namespace = await makeNamespace('controller-manager');
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
    expect(await firstLine(plane, path)).toMatchObject({ status: 404 });
    await using manager = await startControllerManager({
      kubeconfig: plane.kubeconfigFile,
      flags: ['--controllers=serviceaccount-controller'],
    });
    await expect.poll(() => firstLine(plane, path), { timeout: 30_000 }).toMatchObject({ status: 200 });
    const { pid } = manager;
    await manager.stop();
    expect(isAlive(pid)).toBe(false);
  });
});
