import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Cluster, type KubernetesObject, silentLogger } from 'tidewatch';
import { namespaces, pods, serviceAccounts } from 'tidewatch/api/core/v1';
import { ApiServer } from 'tidewatch/testing';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readMarkdown } from '../tools/docs/markdown.ts';
import { Programs } from '../tools/docs/programs.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { fences } = readMarkdown(join(root, 'docs/in-a-pod.md'));
const textOf = (language: string) => fences.find((fence) => fence.language === language)?.lines.join('\n') ?? '';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function createAll(admin: Cluster, manifests: string): Promise<void> {
  for (const document of parseAllDocuments(manifests)) {
    const object = document.toJS() as KubernetesObject;
    const resource = await admin.discovery.find(object.kind ?? '');
    if (resource === undefined) throw new Error(`there is no ${object.kind}`);
    await admin.client(resource).create(object);
  }
}

/** The login that the service account of the page has. */
async function kubeconfigOf(server: ApiServer, admin: Cluster): Promise<string> {
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const options = { subresource: 'token', name: 'pod-watcher', namespace: 'shop' };
  const answer = await admin
    .client(serviceAccounts)
    .create<KubernetesObject & { status?: { token?: string } }>(asked, options);
  return JSON.stringify({
    'current-context': 'pod',
    contexts: [{ name: 'pod', context: { cluster: 'own', user: 'pod-watcher', namespace: 'shop' } }],
    clusters: [
      {
        name: 'own',
        cluster: { server: server.url, 'certificate-authority-data': Buffer.from(server.ca ?? '').toString('base64') },
      },
    ],
    users: [{ name: 'pod-watcher', user: { token: answer.status?.token } }],
  });
}

it('the program of the page works with the rights of its Role, answers its probes, and ends on SIGTERM', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidewatch-in-a-pod-'));
  const port = await freePort();
  await using server = await ApiServer.start({ access: 'rbac', newCluster: true, logger: silentLogger });
  await using admin = server.cluster({ logger: silentLogger });
  await admin.client(namespaces).create({ metadata: { name: 'shop' } });
  await createAll(admin, textOf('yaml'));
  const KUBECONFIG = join(folder, 'kubeconfig');
  writeFileSync(KUBECONFIG, await kubeconfigOf(server, admin));
  expect(textOf('ts')).toContain('.listen(8080)');
  const text = `${textOf('ts').replace('8080', String(port))}\nexport {};\n`;
  const programs = await Programs.build(root, [{ name: 'program', text }]);
  const answers: Record<string, number> = {};
  const probe = async (path: string) => {
    answers[path] = await fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ status }) => status,
      () => 0,
    );
  };
  let hasProbed = false;
  const probing = (async () => {
    while (answers['/readyz'] !== 200 && !hasProbed) {
      await probe('/readyz');
      await sleep(50);
    }
    await probe('/livez');
    await admin.client(pods).create({
      metadata: { name: 'web-0', namespace: 'shop' },
      spec: { serviceAccountName: 'pod-watcher', containers: [{ name: 'web', image: 'web' }] },
    });
  })();
  try {
    const run = await programs.run('program', {
      env: { KUBECONFIG },
      signal: 'SIGTERM',
      interruptWhen: (lines) => lines.length > 0,
    });
    hasProbed = true;
    expect(run, run.complaints).toMatchObject({ lines: ['add web-0'], hasEnded: true, hasExited: true, exitCode: 0 });
    expect(answers).toEqual({ '/readyz': 200, '/livez': 200 });
    // A missing right is reported, and waited for.
    expect(run.complaints).not.toContain('orbidden');
  } finally {
    hasProbed = true;
    await probing.catch(() => {});
    programs[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  }
});
