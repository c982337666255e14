import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RequestClient } from '../src/apiserver/request-client-fixture.ts';
import { asArray, asString, getPath, type JsonObject } from '../src/apiserver/values/json.ts';
import { ApiServer } from '../src/testing/api-server.ts';
import { type HelmResult, helmProgram, run } from './helm-fixture.ts';

const GROUP = '/apis/example.com/v1/namespaces/default/widgets';
const MAPS = '/api/v1/namespaces/default/configmaps';
const JOBS = '/apis/batch/v1/namespaces/default/jobs';

const CHART: Record<string, string> = {
  'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 0.1.0\n',
  'values.yaml': 'color: red\nreplicas: 1\n',
  'crds/widgets.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { color: { type: string } } } }
`,
  'templates/all.yaml': `apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }}-settings }
data: { color: {{ .Values.color | quote }}, revision: {{ .Release.Revision | quote }} }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ .Release.Name }} }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: web }] }
---
apiVersion: v1
kind: Service
metadata: { name: {{ .Release.Name }} }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: example.com/v1
kind: Widget
metadata: { name: {{ .Release.Name }} }
spec: { color: {{ .Values.color }} }
`,
  'templates/hooks.yaml': `apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-migrate-{{ .Release.Revision }}
  annotations: { helm.sh/hook: "pre-install,pre-upgrade,pre-rollback" }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: c, image: i }] } } }
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-bye
  annotations: { helm.sh/hook: "post-delete" }
`,
};

describe('helm on the embedded server', () => {
  let folder: string;
  let server: ApiServer;
  let client: RequestClient;
  let program: string;
  /** Completes the jobs of hooks, as a controller would. */
  let finishing: Promise<void>;
  const stopped = new AbortController();

  beforeAll(async () => {
    program = await helmProgram();
    folder = mkdtempSync(join(tmpdir(), 'tidewatch-helm-'));
    for (const [path, text] of Object.entries(CHART)) {
      mkdirSync(join(folder, 'web', path, '..'), { recursive: true });
      writeFileSync(join(folder, 'web', path), text);
    }
    server = await ApiServer.start({ newCluster: true });
    writeFileSync(join(folder, 'kubeconfig'), server.kubeconfig(), { mode: 0o600 });
    client = new RequestClient(server.transport());
    finishing = finishJobs();
  }, 900_000);

  afterAll(async () => {
    stopped.abort();
    await finishing;
    await server?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  async function finishJobs(): Promise<void> {
    while (!stopped.signal.aborted) {
      for (const job of asArray((await client.get(JOBS)).body.items)) {
        if (asArray(getPath(job, 'status', 'conditions')).length > 0) continue;
        const now = new Date().toISOString().replace(/\.\d+/, '');
        const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: now, lastProbeTime: now });
        const conditions = [condition('SuccessCriteriaMet'), condition('Complete')];
        const status = { startTime: now, completionTime: now, succeeded: 1, conditions };
        await client.patch(`${JOBS}/${asString(getPath(job, 'metadata', 'name'))}/status`, { status });
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async function helm(...args: string[]): Promise<HelmResult> {
    const home = { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
    const env = { ...process.env, ...home, KUBECONFIG: join(folder, 'kubeconfig'), KUBECACHEDIR: folder };
    const result = await run(program, [...args, '--timeout', '60s'], { env });
    expect(result.code, result.stderr + result.stdout).toBe(0);
    return result;
  }

  const data = async () => (await client.get(`${MAPS}/shop-settings`)).body.data as JsonObject | undefined;
  const color = async () => getPath((await client.get(`${GROUP}/shop`)).body, 'spec', 'color');
  const names = async (path: string) =>
    asArray((await client.get(path)).body.items).map((item) => asString(getPath(item, 'metadata', 'name')));

  it('installs a chart with definitions and hooks', async () => {
    const { stdout } = await helm('install', 'shop', join(folder, 'web'));
    expect(stdout).toContain('STATUS: deployed');
    expect(await data()).toEqual({ color: 'red', revision: '1' });
    expect(await color()).toBe('red');
    expect(await names(JOBS)).toEqual(['shop-migrate-1']);
  });

  it('upgrades it, and shows its history', async () => {
    await helm('upgrade', 'shop', join(folder, 'web'), '--set', 'color=blue,replicas=3');
    expect(await data()).toEqual({ color: 'blue', revision: '2' });
    expect(await color()).toBe('blue');
    const deployment = await client.get('/apis/apps/v1/namespaces/default/deployments/shop');
    expect(getPath(deployment.body, 'spec', 'replicas')).toBe(3);
    const list = await run(program, ['history', 'shop', '-o', 'json'], {
      env: { ...process.env, KUBECONFIG: join(folder, 'kubeconfig') },
    });
    expect(JSON.parse(list.stdout)).toMatchObject([
      { revision: 1, status: 'superseded' },
      { revision: 2, status: 'deployed' },
    ]);
  });

  it('rolls it back', async () => {
    await helm('rollback', 'shop', '1');
    expect(await data()).toEqual({ color: 'red', revision: '1' });
    expect(await color()).toBe('red');
  });

  it('uninstalls it, and leaves the definition', async () => {
    await helm('uninstall', 'shop', '--wait');
    expect(await data()).toBeUndefined();
    expect(await names(GROUP)).toEqual([]);
    expect(await names(MAPS)).toContain('shop-bye');
    expect(await names('/apis/apps/v1/deployments')).toEqual([]);
    expect(await names('/apis/apiextensions.k8s.io/v1/customresourcedefinitions')).toEqual(['widgets.example.com']);
  });
});
