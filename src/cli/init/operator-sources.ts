import { systemNamespace } from './operator-manifests.ts';
import type { OperatorNames } from './operator-names.ts';

export interface SourceNames extends OperatorNames {
  /** The exported resource token: `websites`. */
  readonly token: string;
  /** Where it is, from src: `./crds/example.com/v1/websites.ts`. */
  readonly crdModule: string;
}

export function controllerSource({ name, kind, token, crdModule }: SourceNames): string {
  return `import { configMaps } from 'tidewatch/api/core/v1';
import { type Manager, setCondition } from 'tidewatch/controller';
import { ${token} } from '${crdModule}';

/** Gives each ${kind} a ConfigMap with its message, and says in its status when that is done. */
export function addController(manager: Manager): void {
  manager
    .controller('${name}')
    .for(${token})
    .owns(configMaps)
    .reconcile(async ({ object, own, client, record }) => {
      // It is gone, and what it owns goes with it.
      if (!object) return;

      const settings = own({
        metadata: { name: \`\${object.metadata.name}-settings\` },
        data: { message: object.spec.message },
      });
      await client(configMaps).apply(settings, { force: true });

      const { conditions, changed } = setCondition(object.status?.conditions, {
        type: 'Ready',
        status: 'True',
        reason: 'Applied',
        message: \`The ConfigMap \${settings.metadata.name} is up to date.\`,
        observedGeneration: object.metadata.generation,
      });
      if (!changed) return;
      await client(${token}).patchStatus(object, { conditions });
      record(object, { type: 'Normal', reason: 'Applied', action: 'Apply', note: 'The ConfigMap is up to date.' });
    });
}
`;
}

export function mainSource(): string {
  return `/** Runs the controller on the cluster of the kubeconfig, or of the pod that this runs in, until it is told to stop. */
import { Cluster } from 'tidewatch';
import { Manager } from 'tidewatch/controller';
import { addController } from './controller.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

const cluster = await Cluster.connect();
// In a pod the kubelet asks from outside.
const host = process.env['KUBERNETES_SERVICE_HOST'] ? '0.0.0.0' : '127.0.0.1';
const manager = new Manager(cluster, { health: { port: 8080, host } });
addController(manager);
console.log(\`The controller runs on \${cluster.server}.\`);
await manager.run({ signal: stop.signal });
await cluster.close();
`;
}

export function localSource({ kind, token, plural, crdModule }: SourceNames): string {
  return `/** Runs the controller on an embedded API server with a sample object, until Ctrl-C. */
import { rm, writeFile } from 'node:fs/promises';
import { Manager } from 'tidewatch/controller';
import { addController } from './controller.ts';
import { ${token} } from '${crdModule}';
import { createSample, startLocalCluster } from './local-cluster.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

const { server, cluster } = await startLocalCluster();
await writeFile('kubeconfig', server.kubeconfig(), { mode: 0o600 });
console.log('An embedded API server runs; in another terminal, try');
console.log('    kubectl --kubeconfig kubeconfig get ${plural},configmaps,events');

const manager = new Manager(cluster);
addController(manager);
const running = manager.run({ signal: stop.signal });

await createSample(cluster);
for await (const { type, object } of cluster.client(${token}).watch({ signal: stop.signal })) {
  if (type === 'BOOKMARK' || type === 'ERROR') continue;
  const ready = object.status?.conditions?.find((condition) => condition.type === 'Ready');
  console.log(\`\${type} ${kind} \${object.metadata?.name}: Ready \${ready?.status ?? 'Unknown'}\`);
}

await running;
await cluster.close();
await server.stop();
await rm('kubeconfig', { force: true });
`;
}

export function localClusterSource(): string {
  return `import { readFile } from 'node:fs/promises';
import { type Cluster, defineResource, type KubernetesObject } from 'tidewatch';
import { type CustomResourceDefinition, customResourceDefinitions } from 'tidewatch/api/apiextensions/v1';
import { ApiServer } from 'tidewatch/testing';
import { parse } from 'yaml';

/** An API server in this process that knows the custom resource. Stop the server when you are done. */
export async function startLocalCluster(): Promise<{ server: ApiServer; cluster: Cluster }> {
  const server = await ApiServer.start();
  const cluster = server.cluster();
  await cluster.client(customResourceDefinitions).create(await manifest<CustomResourceDefinition>('crd.yaml'));
  return { server, cluster };
}

/** Creates what config/sample.yaml says. */
export async function createSample(cluster: Cluster): Promise<KubernetesObject> {
  const { spec } = await manifest<CustomResourceDefinition>('crd.yaml');
  const { group, names } = spec;
  const version = spec.versions[0]?.name ?? 'v1';
  const resource = defineResource({ group, version, plural: names.plural, kind: names.kind });
  return cluster.client(resource).create(await manifest<KubernetesObject>('sample.yaml'));
}

/** A file of the folder config. */
async function manifest<T>(file: string): Promise<T> {
  return parse(await readFile(\`config/\${file}\`, 'utf8')) as T;
}
`;
}

export function rbacSource({ name }: OperatorNames): string {
  return `/** Writes config/rbac.yaml: the rights that follow from what the controller declares. */
import { readFile, writeFile } from 'node:fs/promises';
import { Manager } from 'tidewatch/controller';
import { ApiServer } from 'tidewatch/testing';
import { parseAllDocuments, stringify } from 'yaml';
import { addController } from './controller.ts';

const FILE = 'config/rbac.yaml';

await using server = await ApiServer.start({ listen: false });
const manager = new Manager(server.cluster());
addController(manager);
const rules = manager.rbac();

const manifests = parseAllDocuments(await readFile(FILE, 'utf8')).map((document) => document.toJS() as { kind?: string });
const written = manifests.map((one) => (one.kind === 'ClusterRole' ? { ...one, rules } : one));
await writeFile(FILE, written.map((one) => stringify(one, { aliasDuplicateObjects: false })).join('---\\n'));
console.log(\`\${FILE}: \${rules.length} rules for ${name} in ${systemNamespace(name)}\`);
`;
}

export function testSource({ kind, token, crdModule }: SourceNames): string {
  return `import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { configMaps } from 'tidewatch/api/core/v1';
import { Manager } from 'tidewatch/controller';
import { parseAllDocuments } from 'yaml';
import { addController } from '../src/controller.ts';
import { ${token} } from '../src/${crdModule.slice(2)}';
import { createSample, startLocalCluster } from '../src/local-cluster.ts';

const PATIENCE_MS = 20_000;

/** Waits until it gives something. */
async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const endMs = Date.now() + PATIENCE_MS; ; await sleep(20)) {
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    if (Date.now() > endMs) throw new Error('it did not happen in time');
  }
}

test('a ${kind} gets its ConfigMap, which follows its message, and becomes Ready', async () => {
  const { server, cluster } = await startLocalCluster();
  const stop = new AbortController();
  const manager = new Manager(cluster);
  addController(manager);
  const running = manager.run({ signal: stop.signal });
  try {
    const { metadata } = await createSample(cluster);
    const name = metadata?.name ?? '';
    const message = async () => (await cluster.client(configMaps).get(\`\${name}-settings\`)).data?.['message'];
    assert.equal(await eventually(message), 'Hello from tidewatch');
    await eventually(async () => {
      const { status } = await cluster.client(${token}).get(name);
      return status?.conditions?.find((condition) => condition.type === 'Ready' && condition.status === 'True');
    });
    await cluster.client(${token}).patch(name, { spec: { message: 'Changed' } });
    await eventually(async () => ((await message()) === 'Changed' ? true : undefined));
  } finally {
    stop.abort();
    await running;
    await cluster.close();
    await server.stop();
  }
});

test('config/rbac.yaml has the rights that the controller declares; if not, run "npm run rbac"', async () => {
  const { server, cluster } = await startLocalCluster();
  const manager = new Manager(cluster);
  addController(manager);
  const manifests = parseAllDocuments(await readFile('config/rbac.yaml', 'utf8')).map((document) => document.toJS());
  const role = manifests.find((one) => one.kind === 'ClusterRole');
  assert.deepEqual(role.rules, manager.rbac());
  await cluster.close();
  await server.stop();
});
`;
}
