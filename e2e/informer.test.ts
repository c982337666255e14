import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metaNamespaceKey } from '../src/api/key.ts';
import type { KubernetesObject } from '../src/api/metadata.ts';
import { defineResource, type Resource, resourceName } from '../src/api/resource.ts';
import { Cluster } from '../src/cluster/cluster.ts';
import { resourceCodec } from '../src/codec/resource-codec.ts';
import { customResourceDefinitions } from '../src/generated/api/apiextensions/v1.ts';
import { configMaps, events, namespaces, pods, secrets } from '../src/generated/api/core/v1.ts';
import { clusterRoleBindings, clusterRoles } from '../src/generated/api/rbac/v1.ts';
import type { SharedIndexInformer } from '../src/informer/shared-index-informer.ts';
import { SharedInformerFactory } from '../src/informer/shared-informer-factory.ts';
import { silentLogger } from '../src/observe/logger.ts';
import { ResourceListerWatcher } from '../src/reflector/resource-lister-watcher.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';
import { Witness } from './witness-fixture.ts';

/** An informer, and a witness that every handler of it could be. */
interface Followed {
  resource: Resource;
  informer: SharedIndexInformer<KubernetesObject>;
  witness: Witness;
}

let plane: ControlPlane;
let cluster: Cluster;

beforeAll(async () => {
  plane = await ControlPlane.start({ tokens: [{ token: 'reader-token', user: 'reader', uid: 'reader' }] });
  cluster = await Cluster.connect({ kubeconfig: plane.kubeconfigFile(), logger: silentLogger });
});

afterAll(async () => {
  await cluster?.close();
  await plane?.stop();
});

function follow(factory: SharedInformerFactory, resource: Resource): Followed {
  const informer = factory.for(resource).informer();
  const witness = new Witness();
  informer.addEventHandler(witness, { name: 'witness' });
  return { resource, informer, witness };
}

async function eventually(what: string, holds: () => boolean | Promise<boolean>, seconds = 90): Promise<void> {
  for (let tries = 0; tries < seconds * 5; tries++) {
    if (await holds()) return;
    await sleep(200);
  }
  throw new Error(`after ${seconds} s it still does not hold that ${what}`);
}

/** Every store equals a fresh list, and every handler has heard a story that leads there. */
async function expectEqual(followed: readonly Followed[]): Promise<void> {
  for (const { resource, informer, witness } of followed) {
    let difference = '';
    await eventually(`the cache of ${resourceName(resource)} equals the server`, async () => {
      const { items } = await cluster.client(resource).listAll();
      const expected = items.map(withoutManagedFields).map(emptyAsNull).sort(byKey);
      const actual = informer.store.list().map(emptyAsNull).sort(byKey);
      difference = JSON.stringify(expected) === JSON.stringify(actual) ? '' : 'differs';
      try {
        expect(actual).toEqual(expected);
        expect(witness.versions()).toEqual(expected.map(versionOf));
        return true;
      } catch (error) {
        difference = String(error);
        return false;
      }
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${difference.slice(0, 2_000)}`);
    });
    expect(witness.failures, resourceName(resource)).toEqual([]);
  }
}

const keyOf = ({ metadata }: KubernetesObject) => `${metadata?.namespace ?? ''}/${metadata?.name}`;
const byKey = (a: KubernetesObject, b: KubernetesObject) => (keyOf(a) < keyOf(b) ? -1 : 1);
const versionOf = (object: KubernetesObject) => `${keyOf(object)}@${object.metadata?.resourceVersion}`;

/** Protobuf does not tell an empty list from none. */
function emptyAsNull<V>(value: V): V {
  const convert = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.length === 0 ? null : part.map(convert);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, field]) => [key, convert(field)]));
  };
  return convert(value) as V;
}

function withoutManagedFields(object: KubernetesObject): KubernetesObject {
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

const configMap = (name: string, value: string) => ({ metadata: { name, namespace: 'default' }, data: { value } });

/** A burst of changes, some of which cancel each other out. */
async function churn(round: string): Promise<void> {
  const client = cluster.client(configMaps);
  for (let n = 0; n < 20; n++) await client.create(configMap(`churn-${round}-${n}`, '0'));
  for (let n = 0; n < 20; n += 2) await client.update(configMap(`churn-${round}-${n}`, '1'));
  for (let n = 0; n < 20; n += 3) await client.delete(`churn-${round}-${n}`, { namespace: 'default' });
  await client.delete(`churn-${round}-1`, { namespace: 'default' });
  await client.create(configMap(`churn-${round}-1`, 'again'));
}

describe('informers on a real control plane', () => {
  it.each([
    ['packed', 'protobuf'],
    ['packed', 'json'],
    ['plain', 'protobuf'],
    ['plain', 'json'],
  ] as const)('follow every listable built-in kind at once, %s, in %s', async (store, encoding) => {
    await using factory = new SharedInformerFactory(cluster, { logger: silentLogger, store, encoding });
    const served = (await cluster.discovery.resources()).filter(
      ({ verbs }) => verbs.includes('list') && verbs.includes('watch'),
    );
    expect(served.length).toBeGreaterThan(45);
    const followed = served.map((resource) => follow(factory, resource));
    factory.start();
    const synced = await factory.waitForCacheSync({ timeoutMs: 60_000 });
    expect([...synced.values()].every(Boolean)).toBe(true);
    await churn(`${store}-${encoding}`);
    const name = `comes-${store}-${encoding}`;
    await cluster.client(namespaces).create({ metadata: { name } });
    await cluster.client(secrets).create({ metadata: { name, namespace: 'default' }, stringData: { a: 'b' } });
    await expectEqual(followed.filter(({ resource }) => !isVolatile(resource)));
  });

  it('can fetch a single object of every kind by its name', async () => {
    let fetched = 0;
    for (const resource of await cluster.discovery.resources()) {
      if (!resource.verbs.includes('list')) continue;
      const [object] = (await cluster.client(resource).list({ limit: 1 })).items;
      if (object === undefined) continue;
      const { transport } = cluster;
      const source = new ResourceListerWatcher({ transport, resource, codec: resourceCodec({ resource }) });
      const { name = '', namespace = '' } = object.metadata ?? {};
      const { items } = await source.listOne({ name, namespace }, { signal: new AbortController().signal });
      expect(
        items.map(({ key }) => key),
        resourceName(resource),
      ).toEqual([metaNamespaceKey(object)]);
      fetched++;
    }
    expect(fetched).toBeGreaterThan(10);
  });

  it.each(['delta', 'inOrder'] as const)(
    'converge after the server was killed and restarted (%s queue)',
    async (queue) => {
      await using factory = new SharedInformerFactory(cluster, { logger: silentLogger, queue });
      const followed = [configMaps, namespaces, pods].map((resource) => follow(factory, resource as Resource));
      factory.start();
      await factory.waitForCacheSync({ timeoutMs: 60_000 });
      await churn(`before-${queue.toLowerCase()}`);
      await plane.kill('apiserver');
      await sleep(1_500);
      expect(followed[0]?.informer.state.phase).toBe('backoff');
      await plane.restart('apiserver');
      await churn(`after-${queue.toLowerCase()}`);
      await expectEqual(followed);
    },
  );

  it('are right again soon after a server that was away is ready, without a rest of the wait and without a second one', async () => {
    const probesMs: number[] = [];
    const observed = Cluster.over(
      {
        request: (request) => {
          if (request.path === '/readyz') probesMs.push(Date.now());
          return cluster.transport.request(request);
        },
        close: async () => {},
      },
      { logger: silentLogger },
    );
    const failures: { informer: string; atMs: number; retryInMs: number }[] = [];
    await using factory = new SharedInformerFactory(observed, {
      logger: silentLogger,
      watchErrorHandler: (_error, { informer, retryInMs = 0 }) =>
        void failures.push({ informer, atMs: Date.now(), retryInMs }),
    });
    const followed = [configMaps, namespaces, pods, secrets].map((resource) => follow(factory, resource as Resource));
    factory.start();
    await factory.waitForCacheSync({ timeoutMs: 60_000 });
    await plane.kill('apiserver');
    // Until the waits are so long that a rest of one would show.
    await eventually('all wait for long', () =>
      followed.every(({ informer }) => {
        const last = failures.findLast((failure) => failure.informer === informer.name);
        return (last?.retryInMs ?? 0) > 12_000;
      }),
    );
    expect(factory.health({ maxOutageMs: 5_000 }).behind).toHaveLength(followed.length);
    await plane.restart('apiserver');
    const readyMs = Date.now();
    await cluster.client(configMaps).create(configMap('after-a-long-outage', 'x'));
    await expectEqual(followed);
    expect(factory.health().ok).toBe(true);
    // The 410 that a restart gives each watch, and no wait that had grown during the outage.
    for (const { informer } of followed) {
      const later = failures.filter((failure) => failure.informer === informer.name && failure.atMs > readyMs);
      expect(later.every(({ retryInMs }) => retryInMs <= 1_600)).toBe(true);
      expect(later.length).toBeLessThanOrEqual(2);
    }
    expect(probesMs.length).toBeGreaterThan(5);
    for (const [index, atMs] of probesMs.slice(1).entries()) {
      expect(atMs - (probesMs[index] ?? 0)).toBeGreaterThanOrEqual(700);
    }
  });

  it('converge after the history was compacted while the server was stopped', async () => {
    await using factory = new SharedInformerFactory(cluster, { logger: silentLogger });
    const followed = [configMaps, secrets].map((resource) => follow(factory, resource as Resource));
    factory.start();
    await factory.waitForCacheSync({ timeoutMs: 60_000 });
    await plane.pause('apiserver');
    await sleep(500);
    await plane.resume('apiserver');
    await churn('compacted');
    await plane.kill('apiserver');
    await plane.compact();
    await plane.restart('apiserver');
    await cluster.client(configMaps).create(configMap('after-compaction', 'x'));
    await expectEqual(followed);
  });

  it('watch a cluster-scoped custom resource that is known by name alone, in a factory of two namespaces', async () => {
    await using factory = new SharedInformerFactory(cluster, {
      logger: silentLogger,
      namespace: ['default', 'kube-system'],
    });
    const gadgets = { group: 'example.com', version: 'v1', resource: 'gadgets' };
    const informer = factory.forResource(gadgets).informer();
    factory.start();
    await eventually('it is gone', () => informer.state.phase === 'gone');
    await createDefinition('gadgets', 'Gadget', 'Cluster');
    await eventually('it has synced', () => informer.state.phase === 'watching');
    const token = defineResource({ ...gadgets, plural: 'gadgets', kind: 'Gadget', namespaced: false });
    await informer.waitFor(await cluster.client(token).create({ metadata: { name: 'g' } }), { timeoutMs: 30_000 });
    expect(informer.store.listKeys()).toEqual(['g']);
    await cluster.client(customResourceDefinitions).delete('gadgets.example.com');
  });

  it('pick a custom resource up when its definition comes, empty the store when it goes, and pick it up again', async () => {
    const widgets = defineResource({ group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget' });
    await using factory = new SharedInformerFactory(cluster, { logger: silentLogger });
    const followed = follow(factory, widgets);
    const { informer, witness } = followed;
    factory.start();
    await eventually('it is gone', () => informer.state.phase === 'gone');
    for (let round = 0; round < 2; round++) {
      await createDefinition();
      await eventually('it has synced', () => informer.state.phase === 'watching');
      await cluster.client(widgets).create({ metadata: { name: `w${round}`, namespace: 'default' } });
      await expectEqual([followed]);
      await cluster.client(customResourceDefinitions).delete('widgets.example.com');
      await eventually(
        'it is gone again and empty',
        () => informer.state.phase === 'gone' && informer.store.list().length === 0,
      );
      await eventually('the handler knows', () => witness.versions().length === 0);
    }
    expect(witness.failures).toEqual([]);
  });

  it('survive the loss of a permission, leave others alone, and recover when it comes back', async () => {
    const reader = await Cluster.connect({
      kubeconfig: plane.kubeconfigFile(),
      token: 'reader-token',
      logger: silentLogger,
    });
    const binding = async () => {
      await cluster.client(clusterRoleBindings).create({
        metadata: { name: 'reader' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
        subjects: [{ kind: 'User', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' }],
      });
    };
    await cluster.client(clusterRoles).create({
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['list', 'watch'] }],
    });
    await binding();
    {
      await using factory = new SharedInformerFactory(reader, { logger: silentLogger });
      const allowed = follow(factory, configMaps as Resource);
      const forbidden = follow(factory, pods as Resource);
      factory.start();
      await eventually('config maps have synced', () => allowed.informer.hasSynced());
      await eventually('pods are forbidden', () => forbidden.informer.state.phase === 'forbidden');
      expect(forbidden.informer.state.lastError?.message).toMatch(/cannot (list|watch) resource "pods"/);
      await cluster.client(clusterRoleBindings).delete('reader');
      await plane.kill('apiserver');
      await plane.restart('apiserver');
      await eventually('config maps are forbidden', () => allowed.informer.state.phase === 'forbidden');
      await cluster.client(configMaps).create(configMap('while-forbidden', 'x'));
      await binding();
      await expectEqual([allowed]);
    }
    await reader.close();
  });

  it('leave a quiet watch on events alone, though the server sends no bookmarks on it', async () => {
    let requests = 0;
    const counting = Cluster.over({
      request: (request) => {
        if (request.query?.includes('watch')) requests++;
        return cluster.transport.request(request);
      },
      close: async () => {},
    });
    await using factory = new SharedInformerFactory(counting, { logger: silentLogger });
    const { informer } = follow(factory, events as Resource);
    factory.start();
    await factory.waitForCacheSync({ timeoutMs: 30_000 });
    await sleep(20_000);
    expect(requests).toBe(1);
    expect(informer.state.phase).toBe('watching');
  });
});

/** Written by the server itself, all the time. */
function isVolatile({ plural }: Resource): boolean {
  return ['leases', 'events', 'prioritylevelconfigurations', 'flowschemas'].includes(plural);
}

async function createDefinition(plural = 'widgets', kind = 'Widget', scope = 'Namespaced'): Promise<void> {
  await cluster.client(customResourceDefinitions).create({
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope,
      names: { plural, kind },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
}
