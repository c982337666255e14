import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Cluster } from '../src/cluster/cluster.ts';
import { configMaps } from '../src/generated/api/core/v1.ts';
import { SharedInformerFactory } from '../src/informer/shared-informer-factory.ts';
import { silentLogger } from '../src/observe/logger.ts';
import { ApiServer } from '../src/testing/api-server.ts';

type Versions = Record<string, string>;

const folder = mkdtempSync(join(tmpdir(), 'tidewatch-clients-'));
const program = join(folder, 'client-go-informer');
let server: ApiServer;
let cluster: Cluster;
let kubeconfig: string;

beforeAll(() => {
  const cwd = fileURLToPath(new URL('../tools/client-go-informer', import.meta.url));
  execFileSync('go', ['build', '-o', program, '.'], { cwd, stdio: 'inherit' });
}, 600_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(async () => {
  server = await ApiServer.start({ logger: silentLogger });
  cluster = server.cluster();
  kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 });
  await cluster.client(configMaps).create({ metadata: { name: 'there-from-the-start' } });
});

afterEach(async () => {
  await cluster.close();
  await server.stop();
});

/** 1,000 changes that depend on the seed alone: creations, updates and deletions, now and then a cut connection. */
async function changeAtRandom(seed: number): Promise<void> {
  let state = seed;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  const client = cluster.client(configMaps);
  const present = new Set<string>();
  for (let change = 0; change < 1_000; change++) {
    const name = `random-${random(40)}`;
    if (!present.has(name)) {
      await client.create({ metadata: { name }, data: { change: String(change) } });
      present.add(name);
    } else if (random(3) === 0) {
      await client.delete(name);
      present.delete(name);
    } else await client.patch(name, { data: { change: String(change) } });
    if (change === 500) server.disconnectWatches();
  }
}

async function onServer(): Promise<Versions> {
  const { items } = await cluster.client(configMaps).list();
  return Object.fromEntries(items.map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']));
}

async function becomesEqual(read: () => Promise<Versions> | Versions): Promise<void> {
  const expected = await onServer();
  for (let tries = 0; tries < 150; tries++) {
    if (JSON.stringify(sorted(await read())) === JSON.stringify(sorted(expected))) break;
    await sleep(200);
  }
  expect(await read()).toEqual(expected);
}

const sorted = (versions: Versions) => Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1));

describe('the embedded server, seen by other clients', () => {
  it.each([
    ['with WatchList', 'true', 'application/vnd.kubernetes.protobuf'],
    ['without WatchList', 'false', 'application/vnd.kubernetes.protobuf'],
    ['with WatchList', 'true', 'application/json'],
  ])('is followed by a client-go shared informer %s (%s) in %s', async (_how, watchList, contentType) => {
    const child = spawn(program, ['-kubeconfig', kubeconfig, '-content-type', contentType], {
      env: { ...process.env, KUBE_FEATURE_WatchListClient: watchList },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      expect((await lines.next()).value).toBe('synced');
      await changeAtRandom(watchList === 'true' ? 7 : 8);
      const ask = async (): Promise<{ cached: Versions; told: Versions }> => {
        child.stdin.write('\n');
        return JSON.parse((await lines.next()).value);
      };
      await becomesEqual(async () => (await ask()).cached);
      await becomesEqual(async () => (await ask()).told);
    } finally {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    }
  });

  it('is followed by an informer of @kubernetes/client-node', async () => {
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const api = config.makeApiClient(CoreV1Api);
    const informer = makeInformer(config, '/api/v1/namespaces/default/configmaps', () =>
      api.listNamespacedConfigMap({ namespace: 'default' }),
    );
    informer.on('error', () => setTimeout(() => void informer.start(), 100));
    await informer.start();
    await changeAtRandom(9);
    await becomesEqual(() =>
      Object.fromEntries(
        informer.list().map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']),
      ),
    );
    informer.off('error', () => {});
    await informer.stop();
  });

  it('is followed by an informer of ours', async () => {
    await using factory = new SharedInformerFactory(cluster, { logger: silentLogger });
    const lister = factory.for(configMaps).lister();
    factory.start();
    await factory.waitForCacheSync();
    await changeAtRandom(10);
    await becomesEqual(() =>
      Object.fromEntries(lister.list().map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? ''])),
    );
  });
});
