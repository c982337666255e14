import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/metadata.ts';
import { defineResource } from '../api/resource.ts';
import type { Manager } from '../controller/manager.ts';
import { TerminalError } from '../controller/terminal-error.ts';
import { configMaps } from '../generated/api/core/v1.ts';
import { silentLogger } from '../observe/logger.ts';
import { ControllerTest } from './controller-test.ts';
import { reconcileOnce } from './reconcile-once.ts';

interface Site extends KubernetesObject {
  spec?: { color?: string };
  status?: { ready?: boolean };
}

const sites = defineResource<Site>({ group: 'example.com', version: 'v1', plural: 'sites', kind: 'Site' });
const site = (name: string, rest: Partial<Site> = {}): Site => ({
  apiVersion: 'example.com/v1',
  kind: 'Site',
  metadata: { name, namespace: 'default' },
  ...rest,
});

function addSites(manager: Manager): void {
  manager
    .controller('site')
    .for(sites)
    .owns(configMaps)
    .reconcile(async ({ object, own, client, lister }) => {
      if (!object) return undefined;
      const { name } = object.metadata;
      if (object.spec?.color === 'none') throw new TerminalError('there is no such color');
      const child = lister(configMaps).get(name);
      if (child?.data?.color !== object.spec?.color) {
        await client(configMaps).apply(own({ metadata: { name }, data: { color: object.spec?.color ?? '' } }));
      }
      if (!object.status?.ready)
        await client(sites).patch(name, { status: { ready: true } }, { subresource: 'status' });
      return { requeueAfterMs: 60_000 };
    });
}

describe('reconcileOnce', () => {
  it('runs a controller once on the objects that it is given', async () => {
    const { result, cluster } = await reconcileOnce(addSites, [site('a', { spec: { color: 'red' } })]);
    expect(result).toEqual({ requeueAfterMs: 60_000 });
    expect(await cluster.client(configMaps).get('a')).toMatchObject({ data: { color: 'red' } });
    expect((await cluster.client(sites).get('a')).status).toEqual({ ready: true });
  });

  it('gives objects their status, and owner references the uid of the owner before', async () => {
    const owner = { apiVersion: 'example.com/v1', kind: 'Site', name: 'a', uid: '', controller: true };
    const child = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default', ownerReferences: [owner] },
      data: { color: 'red' },
    };
    const given = [site('a', { spec: { color: 'red' }, status: { ready: true } }), child];
    const { cluster } = await reconcileOnce(addSites, given);
    const [a] = (await cluster.client(sites).list()).items;
    const [c] = (await cluster.client(configMaps).list({ namespace: 'default' })).items;
    expect(c?.metadata?.ownerReferences?.[0]?.uid).toBe(a?.metadata?.uid);
    expect(a?.metadata?.managedFields?.map(({ manager }) => manager)).not.toContain('site');
  });

  it('rejects with what the run throws', async () => {
    await expect(reconcileOnce(addSites, [site('a', { spec: { color: 'none' } })])).rejects.toThrow(TerminalError);
  });

  it('runs a key without an object, and says what is missing', async () => {
    expect((await reconcileOnce(addSites, [], { key: 'default/gone' })).result).toBeUndefined();
    await expect(reconcileOnce(addSites, [])).rejects.toThrow(/none of the controllers \(site\)/);
    await expect(reconcileOnce(addSites, [{ metadata: { name: 'a' } }])).rejects.toThrow(/needs kind and apiVersion/);
    await expect(
      reconcileOnce(addSites, [{ apiVersion: 'a.example/v1', kind: 'Other', metadata: { name: 'a' } }]),
    ).rejects.toThrow(/no controller declares Other of a\.example\/v1/);
  });
});

describe('a ControllerTest', () => {
  it('settles when nothing is left to do, however late events are and however often something fails', async () => {
    await using test = await ControllerTest.start(addSites, {
      objects: [site('a', { spec: { color: 'red' } })],
      logger: silentLogger,
    });
    test.server.faults.add({ verb: 'watch' }, { kind: 'delay-events', ms: 2_000 }, { times: Number.POSITIVE_INFINITY });
    test.server.faults.add({ verb: 'patch', resource: 'configmaps' }, { kind: 'status', code: 500 }, { times: 5 });
    await test.settle();
    expect(await test.cluster.client(configMaps).get('a')).toMatchObject({ data: { color: 'red' } });
    await test.cluster.client(sites).patch('a', { spec: { color: 'blue' } });
    await test.clock.advance(2_000);
    await test.settle();
    expect(await test.cluster.client(configMaps).get('a')).toMatchObject({ data: { color: 'blue' } });
    // It did not wait for what asked to run later.
    expect(test.clock.monotonicMs()).toBeLessThan(60_000);
  });

  it('says what is left when it does not settle', async () => {
    const setup = (manager: Manager) =>
      manager
        .controller('site')
        .for(sites)
        .reconcile(() => {
          throw new Error('never works');
        });
    await using test = await ControllerTest.start(setup, { objects: [site('a')], logger: silentLogger });
    await expect(test.settle({ maxMs: 60_000 })).rejects.toThrow(
      'the controllers have not settled after 60000 ms: site waits with default/a, which failed: never works',
    );
  });

  it('does not wait for what a pause holds back: keys that are new, and keys that failed', async () => {
    const runs: string[] = [];
    let works = false;
    const setup = (manager: Manager) =>
      manager
        .controller('site')
        .for(sites)
        .reconcile(({ name }) => {
          runs.push(name);
          if (works) return;
          controller.pause();
          throw new Error('not yet');
        });
    let controller!: ReturnType<typeof setup>;
    const objects = [site('a'), site('b')];
    await using test = await ControllerTest.start((manager) => (controller = setup(manager)), {
      objects,
      logger: silentLogger,
    });
    await test.settle();
    expect(runs).toEqual(['a']);
    works = true;
    controller.resume();
    await test.settle();
    expect(runs.toSorted()).toEqual(['a', 'a', 'b']);
  });

  it('rejects when the manager fails', async () => {
    const setup = (manager: Manager) =>
      manager
        .controller('site')
        .for(sites)
        .reconcile(() => {}, { syncTimeoutMs: 10_000 });
    await using test = await ControllerTest.start(setup, { logger: silentLogger });
    test.server.faults.add({ resource: 'sites' }, { kind: 'status', code: 403 }, { times: Number.POSITIVE_INFINITY });
    await expect(test.settle()).rejects.toMatchObject({ kind: 'timeout' });
  });
});
