import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cluster } from '../src/cluster/cluster.ts';
import { configMaps } from '../src/generated/api/core/v1.ts';
import { SharedIndexInformer } from '../src/informer/shared-index-informer.ts';
import { silentLogger } from '../src/observe/logger.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';

let folder: string;
let plane: ControlPlane;
let cluster: Cluster;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidewatch-restored-etcd-'));
  plane = await ControlPlane.start({ flags: { etcd: [`--data-dir=${join(folder, 'data')}`] } });
  cluster = await Cluster.connect({ kubeconfig: plane.kubeconfigFile(), logger: silentLogger });
});

afterAll(async () => {
  await cluster?.close();
  await plane?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await holds()) return;
    await sleep(200);
  }
  throw new Error(`it still does not hold that ${what}`);
}

async function stored(): Promise<Record<string, string>> {
  const { items } = await cluster.client(configMaps).list({ namespace: 'default' });
  return versions(items);
}

function versions(items: readonly { metadata?: { name?: string; resourceVersion?: string } }[]) {
  return Object.fromEntries(items.map(({ metadata }) => [metadata?.name, metadata?.resourceVersion]).sort());
}

/** As an administrator does who restores a backup: everything is down meanwhile. */
async function withEtcdDown(act: () => void): Promise<void> {
  await plane.kill('apiserver');
  await plane.kill('etcd');
  act();
  await plane.restart('etcd');
  await plane.restart('apiserver');
}

it('an informer goes back in time with a server whose etcd was restored from a backup', {
  timeout: 600_000,
}, async () => {
  const [data, backup] = [join(folder, 'data'), join(folder, 'backup')];
  const create = (name: string, namespace = 'default') =>
    cluster.client(configMaps).create({ metadata: { name, namespace } });
  await create('a');
  await create('b');
  await withEtcdDown(() => cpSync(data, backup, { recursive: true }));

  const silences: string[] = [];
  const informer = new SharedIndexInformer({
    cluster,
    resource: configMaps,
    namespace: 'default',
    logger: silentLogger,
    silenceTimeoutMs: 10_000,
    // The server sends a bookmark two seconds before the end of a watch, so that nobody has to wait a minute for one.
    tweakListOptions: (options) => {
      if (options.timeoutSeconds !== undefined) options.timeoutSeconds = 6;
    },
    watchErrorHandler: (error) => void silences.push(error.message),
  });
  const running = informer.run();
  await informer.waitForSync({ timeoutMs: 60_000 });
  await cluster.client(configMaps).patch('a', { data: { changed: 'yes' } });
  await cluster.client(configMaps).delete('b');
  await informer.waitFor(await create('c'));
  const bookmarked = await create('elsewhere', 'kube-system');
  for (let i = 0; i < 300; i++) await create(`later-${i}`, 'kube-system');
  await informer.waitFor(bookmarked.metadata?.resourceVersion ?? '', { timeoutMs: 60_000 }); // a bookmark tells of it
  const ahead = informer.lastSyncResourceVersion();

  await withEtcdDown(() => {
    rmSync(data, { recursive: true });
    cpSync(backup, data, { recursive: true });
  });
  const restored = await stored();
  expect(Object.keys(restored).filter((name) => name !== 'kube-root-ca.crt')).toEqual(['a', 'b']);
  const { metadata } = await cluster.client(configMaps).list();
  expect(BigInt(metadata?.resourceVersion ?? '0')).toBeLessThan(BigInt(ahead));

  await eventually('the cache equals the restored server', async () => {
    return JSON.stringify(versions(informer.store.list())) === JSON.stringify(await stored());
  });
  await eventually('it watches', () => informer.state.phase === 'watching');
  const d = await create('d');
  await informer.waitFor(d, { timeoutMs: 60_000 });
  expect(versions(informer.store.list())).toEqual(await stored());
  expect(silences.join('\n')).toContain('it may have been restored to an older state');
  await informer.stop();
  await running;
});
