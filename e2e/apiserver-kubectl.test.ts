import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer } from '../src/apiserver/apiserver.ts';
import { findProgram, isExecutable } from '../src/testing/control-plane/assets.ts';
import { runKubectl } from '../src/testing/control-plane/kubectl.ts';

/** Every kubectl that this machine has: the one built with the control plane, and its own. */
const KUBECTLS = [...new Set([dirname(findProgram('kubectl')), ...machineKubectl()])];

function machineKubectl(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => isExecutable(join(folder, 'kubectl')));
  return folders.slice(0, 1);
}

const SOON = { timeout: 120_000 };

const deployment = (image: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image, ports: [{ containerPort: 80 }] }] },
    },
  },
});

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crontabs.stable.example.com' },
  spec: {
    group: 'stable.example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', shortNames: ['ct'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Cron', type: 'string', jsonPath: '.spec.cronSpec' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { cronSpec: { type: 'string' }, replicas: { type: 'integer', minimum: 1 } },
              },
            },
          },
        },
      },
    ],
  },
};

describe.each(KUBECTLS)('kubectl in %s', (assets) => {
  let folder: string;
  let kubeconfig: string;
  let server: ApiServer;

  beforeAll(async () => {
    server = await ApiServer.start();
    folder = mkdtempSync(join(tmpdir(), 'tidewatch-kubectl-'));
    kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 });
  });

  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const kubectl = async (command: string, input?: unknown) => {
    const text = input === undefined ? undefined : JSON.stringify(input);
    return runKubectl(command.split(' '), { kubeconfig, assets, input: text });
  };
  /** The output of a command that must succeed. */
  const ok = async (command: string, input?: unknown): Promise<string> => {
    const { stdout, stderr, code } = await kubectl(command, input);
    expect({ command, code, stderr: code === 0 ? '' : stderr }).toEqual({ command, code: 0, stderr: '' });
    return stdout;
  };
  const fails = async (command: string, input?: unknown): Promise<string> => {
    const { stderr, code } = await kubectl(command, input);
    expect({ command, code }).toEqual({ command, code: 1 });
    return stderr;
  };

  it('creates and reads in every form', async () => {
    expect(await ok('create configmap settings --from-literal=a=b')).toBe('configmap/settings created\n');
    expect(await fails('create configmap settings')).toContain('already exists');
    expect(await ok('get configmaps')).toMatch(/^NAME +DATA +AGE\nsettings +1 +\d+s\n$/);
    expect(await ok('get cm settings -o yaml')).toContain('a: b');
    expect(await ok('get cm settings -o jsonpath={.data.a}')).toBe('b');
    expect(await ok('get cm -o name -l nothing=here')).toBe('');
    expect(await ok('get cm --field-selector metadata.name=settings -o name')).toBe('configmap/settings\n');
    expect(await ok('get namespaces -o name')).toContain('namespace/kube-system');
    expect(await ok('get all -A')).not.toContain('error');
    expect(await fails('get cm nothing')).toContain('configmaps "nothing" not found');
    expect(await ok('describe cm settings')).toMatch(/Name: +settings/);
  });

  it('applies on the client side, and the second time changes nothing', async () => {
    expect(await ok('apply -f -', deployment('nginx:1'))).toBe('deployment.apps/web created\n');
    expect(await ok('apply -f -', deployment('nginx:1'))).toBe('deployment.apps/web unchanged\n');
    expect(await ok('apply -f -', deployment('nginx:2'))).toBe('deployment.apps/web configured\n');
    expect(await ok('get deployment web -o wide')).toMatch(/web +0\/2 .* nginx:2 +app=web/);
    expect(await ok('describe deployment web')).toContain('Replicas:               2 desired');
    expect(await ok('diff -f -', deployment('nginx:2'))).toBe('');
  });

  it('applies on the server side, and meets conflicts', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data: { x: '1' } };
    expect(await ok('apply --server-side -f -', object)).toBe('configmap/shared serverside-applied\n');
    const before = await ok('get cm shared -o jsonpath={.metadata.resourceVersion}');
    await ok('apply --server-side -f -', object);
    expect(await ok('get cm shared -o jsonpath={.metadata.resourceVersion}')).toBe(before);
    const other = { ...object, data: { x: '2' } };
    expect(await fails('apply --server-side --field-manager=other -f -', other)).toContain('conflict with "kubectl"');
    await ok('apply --server-side --field-manager=other --force-conflicts -f -', other);
    expect(await ok('get cm shared -o jsonpath={.data.x}')).toBe('2');
  });

  it('refuses what the schema does not know', async () => {
    const wrong = { ...deployment('nginx:1'), spec: { ...deployment('nginx:1').spec, replica: 3 } };
    expect(await fails('apply -f -', wrong)).toContain('unknown field "spec.replica"');
    const invalid = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [] } };
    expect(await fails('create -f -', invalid)).toContain('spec.containers: Required value');
  });

  it('patches, labels, annotates, scales and restarts', async () => {
    await ok('apply -f -', deployment('nginx:1'));
    expect(await ok('patch deployment web --type=merge -p {"spec":{"replicas":4}}')).toContain('patched');
    expect(
      await ok('patch deployment web --type=json -p [{"op":"replace","path":"/spec/replicas","value":5}]'),
    ).toContain('patched');
    const containers = '{"spec":{"template":{"spec":{"containers":[{"name":"d","image":"redis"}]}}}}';
    expect(await ok(`patch deployment web -p ${containers}`)).toContain('patched');
    expect(await ok('get deployment web -o jsonpath={.spec.template.spec.containers[*].name}')).toBe('d c');
    expect(await ok(`patch deployment web -p ${containers}`)).toContain('patched (no change)');
    expect(await ok('label deployment web tier=front')).toContain('labeled');
    expect(await ok('label deployment web tier-')).toContain('unlabeled');
    expect(await ok('annotate deployment web note=x')).toContain('annotated');
    expect(await ok('scale deployment web --replicas=7')).toContain('scaled');
    expect(await ok('get deployment web -o jsonpath={.spec.replicas}')).toBe('7');
    expect(await ok('rollout restart deployment web')).toContain('restarted');
    expect(await ok('set image deployment/web c=nginx:9')).toContain('image updated');
  });

  it('watches', async () => {
    const watching = kubectl('get configmaps -w --output-watch-events -l watched=yes --request-timeout=8s');
    await expect.poll(() => server.openWatches, SOON).toBe(1);
    await ok('create configmap w --from-literal=a=b');
    await ok('label cm w watched=yes');
    await ok('label cm w watched-');
    const { stdout } = await watching;
    expect(stdout).toMatch(/^EVENT +NAME +DATA +AGE\nADDED +w +1 +\S+\nDELETED +w +1 +\S+\n$/);
  });

  it('waits, and deletes with and without waiting', async () => {
    await ok('create configmap gone');
    expect(await ok('delete configmap gone')).toContain('deleted');
    await ok('create -f -', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'held', finalizers: ['example.com/hold'] },
    });
    await ok('delete cm held --wait=false');
    const waiting = ok('wait --for=delete cm/held --timeout=60s');
    await expect.poll(() => server.openWatches, SOON).toBe(1);
    await ok('patch cm held --type=merge -p {"metadata":{"finalizers":null}}');
    expect(await waiting).toContain('condition met');
    await ok('create deployment short --image=nginx');
    expect(await ok('delete deployment short --cascade=foreground')).toContain('deleted');
    await ok('create namespace leaving');
    await ok('create configmap inside -n leaving');
    expect(await ok('delete namespace leaving')).toContain('deleted');
    expect(await fails('get namespace leaving')).toContain('not found');
    await ok('delete configmaps --all');
    expect(await ok('get configmaps -o name')).toBe('');
  });

  it('knows the API', async () => {
    expect(await ok('api-resources --namespaced=true -o name')).toContain('deployments.apps');
    expect(await ok('api-versions')).toContain('autoscaling/v2');
    expect(await ok('explain deployment.spec.strategy.rollingUpdate')).toContain('maxSurge');
    expect(await ok('explain pods --output=plaintext-openapiv2')).toContain('spec');
    expect(await ok('version')).toContain('Server Version: v1.36');
    expect(await ok('get --raw /readyz')).toBe('ok');
  });

  it('may do everything, until it may not', async () => {
    expect(await ok('auth can-i create deployments')).toBe('yes\n');
    const allow = server.access.deny({ verbs: ['delete'], resources: ['secrets'] });
    const answer = await kubectl('auth can-i delete secrets');
    expect([answer.stdout, answer.code]).toEqual(['no\n', 1]);
    await ok('create secret generic s');
    expect(await fails('delete secret s')).toContain('cannot delete resource "secrets"');
    allow();
    expect(await ok('auth can-i --list')).toContain('*.*');
  });

  it('creates a CustomResourceDefinition and objects of it, and a bad one is refused', async () => {
    expect(await ok('create -f -', definition)).toContain('created');
    await ok('wait --for=condition=Established crd/crontabs.stable.example.com');
    const tab = (spec: object) => ({
      apiVersion: 'stable.example.com/v1',
      kind: 'CronTab',
      metadata: { name: 'mine' },
      spec,
    });
    expect(await fails('apply -f -', tab({ cronSpec: 5 }))).toContain('cronSpec');
    expect(await ok('apply -f -', tab({ cronSpec: '* * * * *', replicas: 3 }))).toBe(
      'crontab.stable.example.com/mine created\n',
    );
    expect(await ok('apply -f -', tab({ cronSpec: '* * * * *', replicas: 3 }))).toContain('unchanged');
    expect(await ok('get ct')).toMatch(/^NAME +CRON\nmine +\* \* \* \* \*\n$/);
    expect(await fails('patch ct mine --type=merge -p {"spec":{"replicas":0}}')).toContain('spec.replicas');
    expect(await ok('explain crontab.spec')).toContain('cronSpec');
    expect(await ok('delete crd crontabs.stable.example.com')).toContain('deleted');
    // kubectl may still remember the resource type.
    expect(await fails('get crontabs')).toMatch(/could not find the requested resource|doesn't have a resource type/);
  });
});
