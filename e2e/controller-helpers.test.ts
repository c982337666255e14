import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineResource } from '../src/api/resource.ts';
import { Cluster } from '../src/cluster/cluster.ts';
import { setCondition } from '../src/controller/conditions.ts';
import { TestContext } from '../src/controller/context-fixture.ts';
import { EventRecorder } from '../src/controller/event-recorder.ts';
import { withFinalizer } from '../src/controller/finalizer.ts';
import { setControllerReference } from '../src/controller/owner-reference.ts';
import { type RbacDeclaration, rbacRoles } from '../src/controller/rbac.ts';
import { deployments } from '../src/generated/api/apps/v1.ts';
import { type ConfigMap, configMaps, namespaces, secrets } from '../src/generated/api/core/v1.ts';
import { type Event, events } from '../src/generated/api/events/v1.ts';
import { clusterRoleBindings, clusterRoles } from '../src/generated/api/rbac/v1.ts';
import { FakeClock } from '../src/observe/fake-clock.ts';
import { silentLogger } from '../src/observe/logger.ts';
import { runKubectl } from '../src/testing/control-plane/kubectl.ts';
import { makeNamespace, sharedControlPlane } from './shared-control-plane-fixture.ts';

const SOON = { timeout: 30_000, interval: 100 };

describe('the helpers of controllers, on the real server', () => {
  let cluster: Cluster;
  let namespace: string;

  beforeAll(async () => {
    cluster = await Cluster.connect({ kubeconfig: sharedControlPlane().kubeconfigFile, fieldManager: 'helpers' });
    namespace = await makeNamespace('helpers');
  });
  afterAll(() => cluster?.close());

  const eventsOf = async (uid: string | undefined): Promise<Event[]> =>
    (await cluster.client(events).list({ namespace })).items.filter(({ regarding }) => regarding?.uid === uid);

  it('takes events and their series as the recorder writes them, and kubectl shows them', async () => {
    const about = await cluster.client(configMaps).create({ metadata: { name: 'recorded', namespace } });
    const recorder = new EventRecorder({ cluster, controller: 'example.com/website' });
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
    const clumsy = new EventRecorder({ cluster, controller: 'clumsy', logger });
    for (let index = 0; index < 40; index++) {
      recorder.record(about, {
        type: 'Warning',
        reason: 'Failed',
        action: 'Create',
        note: `Attempt ${index} ${'€'.repeat(400)}`,
      });
    }
    recorder.record(about, { type: 'Normal', reason: 'Created', action: 'Create', related: about });
    recorder.record(await cluster.client(namespaces).get(namespace), { type: 'Normal', reason: 'Seen', action: 'See' });
    clumsy.record(about, { type: 'Normal', reason: '', action: 'Create' });
    await expect.poll(() => warnings, SOON).toEqual([expect.stringMatching(/rejected an event .*reason/)]);
    await recorder.stop();
    await clumsy.stop();
    const written = Object.fromEntries((await eventsOf(about.metadata?.uid)).map((event) => [event.reason, event]));
    expect(written.Failed?.series?.count).toBe(40);
    expect(Buffer.byteLength(written.Failed?.note ?? '')).toBeGreaterThan(1021);
    expect(written.Created).not.toHaveProperty('series');
    const inDefault = await cluster.client(events).list({ namespace: 'default' });
    expect(inDefault.items.filter(({ regarding }) => regarding?.name === namespace)).toHaveLength(1);
    const shown = await runKubectl(['get', 'events', '-n', namespace], {
      kubeconfig: sharedControlPlane().kubeconfigFile,
    });
    expect(shown.stdout).toMatch(/Warning +Failed +configmap\/recorded +Attempt 0/);
    expect(shown.stdout).toMatch(/Normal +Created +configmap\/recorded/);
  });

  it('counts 1,000 equal events in memory, and writes their number when it has been quiet', async () => {
    const about = await cluster.client(configMaps).create({ metadata: { name: 'counted', namespace } });
    // Its time alone is fake: the writes go over the network, and are waited for.
    const clock = new FakeClock();
    const recorder = new EventRecorder({ cluster, controller: 'website', clock });
    const count = async () => (await eventsOf(about.metadata?.uid))[0]?.series?.count ?? 1;
    const record = () => recorder.record(about, { type: 'Normal', reason: 'Synced', action: 'Sync' });
    record();
    await expect.poll(async () => (await eventsOf(about.metadata?.uid)).length, SOON).toBe(1);
    record();
    await expect.poll(count, SOON).toBe(2);
    for (let index = 2; index < 1000; index++) {
      record();
      await clock.advance(1000);
    }
    expect(await count()).toBe(2);
    const advanced = clock.advance(7 * 60_000);
    await expect.poll(count, SOON).toBe(1000);
    await advanced;
    await recorder.stop();
  });

  it('lets an object go when its finalizer is removed, with the version that was read', async () => {
    const client = cluster.client(configMaps, { namespace });
    let cleaned = 0;
    const cleanup = () => void cleaned++;
    const reconcile = withFinalizer<ConfigMap>('example.com/helpers', cleanup, () => {}, configMaps);
    const run = (object: ConfigMap) => reconcile(new TestContext(cluster, configMaps, object));
    const created = await client.create({ metadata: { name: 'held', finalizers: ['example.com/other'] } });
    await run(created);
    await expect(run(created)).rejects.toMatchObject({ kind: 'conflict' });
    await client.delete('held');
    await run(await client.get('held'));
    expect(cleaned).toBe(1);
    expect((await client.get('held')).metadata?.finalizers).toEqual(['example.com/other']);
    await client.patch('held', { metadata: { finalizers: null } });
    await expect(client.get('held')).rejects.toMatchObject({ kind: 'not-found' });
  });

  it('takes a patched status, and a list of conditions only on the version that was read', async () => {
    const client = cluster.client(deployments, { namespace });
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } };
    const created = await client.create({
      metadata: { name: 'patched' },
      spec: { selector: { matchLabels: labels }, template },
    });
    const ready = { type: 'Ready', status: 'True', reason: 'Fine' } as const;
    const { conditions } = setCondition(created.status?.conditions, ready);
    const patched = await client.patchStatus(created, { conditions, replicas: 3 });
    expect(setCondition(patched.status?.conditions, ready).conditions).toHaveLength(1);
    expect(await client.patchStatus(patched, { replicas: 3 })).toBe(patched);
    await expect(client.patchStatus(created, { conditions: [] })).rejects.toMatchObject({ kind: 'conflict' });
    const cleared = await client.patchStatus(patched, { replicas: null });
    expect(cleared.status).not.toHaveProperty('replicas');
  });

  it('lets a user with the rights of the declarations do what they say, and no more', async () => {
    const sites = defineResource({ group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment' });
    const declarations: RbacDeclaration[] = [
      { resource: sites, use: 'for' },
      { resource: configMaps, use: 'owns' },
      { resource: secrets, use: 'reads' },
    ];
    const name = `helpers-${namespace}`;
    const [role] = rbacRoles(name, declarations, { events: true });
    await cluster.client(clusterRoles).create(role ?? { rules: [] });
    await cluster.client(clusterRoleBindings).create({
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
    });
    await using user = await Cluster.connect({
      kubeconfig: sharedControlPlane().kubeconfigFile,
      impersonate: { user: name },
      fieldManager: name,
    });
    const client = user.client(sites, { namespace });
    await expect.poll(() => client.list().then(() => 'allowed', String), SOON).toBe('allowed');
    const [owner] = (await client.list()).items;
    expect(owner).toBeDefined();
    if (owner === undefined) return;
    const patched = await client.patch(owner.metadata?.name ?? '', { metadata: { annotations: { a: 'b' } } });
    await client.patchStatus(patched, { replicas: 7 });
    const own = user.client(configMaps, { namespace });
    const child = setControllerReference(patched, sites, { metadata: { name: 'child' } });
    await own.apply(child);
    await own.list();
    await own.delete('child');
    const recorder = new EventRecorder({ cluster: user, controller: 'website' });
    recorder.record(patched, { type: 'Normal', reason: 'Allowed', action: 'Try' });
    recorder.record(patched, { type: 'Normal', reason: 'Allowed', action: 'Try' });
    await recorder.stop();
    expect((await eventsOf(patched.metadata?.uid)).map(({ series }) => series?.count)).toEqual([2]);
    const refused = { kind: 'forbidden' };
    await expect(client.delete(owner.metadata?.name ?? '')).rejects.toMatchObject(refused);
    await expect(own.deleteCollection()).rejects.toMatchObject(refused);
    await expect(user.client(secrets, { namespace }).create({ metadata: { name: 'x' } })).rejects.toMatchObject(
      refused,
    );
    await expect(user.client(events, { namespace }).list()).rejects.toMatchObject(refused);
  });
});
