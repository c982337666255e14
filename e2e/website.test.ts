import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Manager } from 'tidewatch/controller';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addWebsiteController } from '../examples/website/controller.ts';
import { websiteDefinition, websites } from '../examples/website/website.ts';
import { TransportError } from '../src/api/transport-error.ts';
import { Cluster } from '../src/cluster/cluster.ts';
import { customResourceDefinitions } from '../src/generated/api/apiextensions/v1.ts';
import { deployments } from '../src/generated/api/apps/v1.ts';
import { leases } from '../src/generated/api/coordination/v1.ts';
import { configMaps, namespaces, services } from '../src/generated/api/core/v1.ts';
import { events } from '../src/generated/api/events/v1.ts';
import { silentLogger } from '../src/observe/logger.ts';
import { ApiServer } from '../src/testing/api-server.ts';
import { type ControllerManager, startControllerManager } from '../src/testing/control-plane/controller-manager.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';
import { TestKubelet } from './kubelet-fixture.ts';
import { endState, eventually, type Kill, site, TestRollouts, WebsiteProgram } from './website-fixture.ts';
import { WriteCounter } from './write-counter-fixture.ts';

/** What runs of the same program need more or less of, by the order in which events come. */
const QUIET_MS = 2_000;
const KILLS: readonly Kill['when'][] = ['before', 'after'];
/** On a real control plane each kill takes some seconds: `npm run test:kills` goes through all writes, `npm run test:e2e` through every fourth. */
const REAL_STEP = process.env.TIDEWATCH_ALL_KILLS ? 1 : 4;

interface World {
  readonly cluster: Cluster;
  readonly kubeconfig: string;
  /** A namespace in which Deployments are rolled out. */
  makeNamespace(): Promise<string>;
}

/** What holds on any cluster. */
function websiteTests(world: () => World, step: number): void {
  const createSite = async () => {
    const { cluster, makeNamespace } = world();
    const namespace = await makeNamespace();
    await cluster.client(websites).create({ ...site, metadata: { ...site.metadata, namespace } });
    return namespace;
  };
  const makeNamespaceOnly = () => world().makeNamespace();
  const whenReady = (namespace: string) =>
    eventually(`the website in ${namespace} is ready`, () => endState(world().cluster, namespace));

  it('becomes a ConfigMap, a Deployment and a Service, with conditions and an event, and follows its spec', async () => {
    const { cluster } = world();
    const namespace = await createSite();
    const stop = new AbortController();
    const manager = new Manager(cluster, { namespace });
    addWebsiteController(manager);
    const running = manager.run({ signal: stop.signal });
    expect(await whenReady(namespace)).toMatchObject({
      website: { status: { readyReplicas: 2, conditions: [{ reason: 'Serving', observedGeneration: 1 }] } },
      owned: [
        { kind: 'ConfigMap', name: 'shop', data: { 'index.html': '<h1>Shop</h1>' }, owner: { kind: 'Website' } },
        { kind: 'Service', name: 'shop', owner: { kind: 'Website', name: 'shop', controller: true } },
        { kind: 'Deployment', name: 'shop', spec: { replicas: 2 }, managers: ['website'] },
      ],
    });
    await eventually('its event is written', async () => {
      const { items } = await cluster.client(events).list({ namespace });
      return items.find(({ reason, regarding }) => reason === 'Serving' && regarding?.kind === 'Website');
    });
    const patch = { spec: { html: '<h1>Closed</h1>', replicas: 1 } };
    await cluster.client(websites).patch('shop', patch, { namespace });
    expect(await whenReady(namespace)).toMatchObject({
      website: { status: { readyReplicas: 1 } },
      owned: [{ data: { 'index.html': '<h1>Closed</h1>' } }, {}, { spec: { replicas: 1 } }],
    });
    await cluster.client(websites).delete('shop', { namespace });
    await eventually('all that it owned is gone', async () => {
      const left = await cluster.client(websites).list({ namespace });
      const owned = await countOwned(cluster, namespace);
      return (left.items.length === 0 && owned === 0) || undefined;
    });
    stop.abort();
    await running;
  });

  it('ends the same when the controller is killed with -9 before or after any of its writes', {
    timeout: 1_800_000,
  }, async () => {
    const { cluster, kubeconfig } = world();
    using program = await WebsiteProgram.build();
    const unharmed = await createSite();
    const first = program.start(kubeconfig, unharmed);
    const expected = await whenReady(unharmed);
    await sleep(QUIET_MS);
    const { writes } = first;
    expect(await first.stop()).toBe(0);
    expect(writes).toBeGreaterThan(4);
    const outcomes: string[] = [];
    for (let at = 1; at <= writes; at += step) {
      for (const when of KILLS) {
        const namespace = await createSite();
        const doomed = program.start(kubeconfig, namespace, { at, when });
        const isQuiet = whenReady(namespace)
          .then(() => sleep(QUIET_MS))
          .catch(() => undefined);
        await Promise.race([doomed.ended, isQuiet]);
        // It may have needed fewer writes this time.
        outcomes.push(doomed.isRunning ? 'unharmed' : String(await doomed.ended));
        if (doomed.isRunning) await doomed.stop();
        const next = program.start(kubeconfig, namespace);
        await eventually('the next one has applied all', async () => next.writes >= 3 || undefined);
        expect(await whenReady(namespace), `killed ${when} write ${at}`).toEqual(expected);
        expect(await next.stop()).toBe(0);
        await cluster.client(namespaces).delete(namespace);
      }
    }
    expect(outcomes.filter((outcome) => outcome === 'SIGKILL').length).toBeGreaterThan(8 / step);
    expect(outcomes.every((outcome) => outcome === 'SIGKILL' || outcome === 'unharmed')).toBe(true);
  });

  it('ends the same with a standby, when the leader is killed with -9 before or after any of its writes', {
    timeout: 1_800_000,
  }, async () => {
    const { cluster, kubeconfig } = world();
    using program = await WebsiteProgram.build();
    const isElected = true;
    const lead = (namespace: string, kill?: Kill) => program.start(kubeconfig, namespace, kill, { isElected });
    const holder = async (namespace: string) =>
      (await cluster.client(leases).get('website', { namespace })).spec?.holderIdentity || undefined;
    const unharmed = await createSite();
    const first = lead(unharmed);
    const expected = await whenReady(unharmed);
    await sleep(QUIET_MS);
    const { writes } = first;
    expect(await first.stop()).toBe(0);
    let kills = 0;
    for (let at = 1; at <= writes; at += REAL_STEP) {
      for (const when of KILLS) {
        const namespace = await makeNamespaceOnly();
        const leader = lead(namespace, { at, when });
        const before = await eventually('the first one leads', () => holder(namespace));
        const standby = lead(namespace);
        await cluster.client(websites).create({ ...site, metadata: { ...site.metadata, namespace } });
        const isQuiet = whenReady(namespace)
          .then(() => sleep(QUIET_MS))
          .catch(() => undefined);
        await Promise.race([leader.ended, isQuiet]);
        // It may have needed fewer writes this time.
        if (leader.isRunning) await leader.stop();
        else if ((await leader.ended) === 'SIGKILL') kills++;
        await eventually('the standby leads', async () => (await holder(namespace)) !== before || undefined);
        await eventually('it has applied all', async () => standby.writes >= 3 || undefined);
        expect(await whenReady(namespace), `killed ${when} write ${at}`).toEqual(expected);
        expect(await standby.stop()).toBe(0);
        await cluster.client(namespaces).delete(namespace);
      }
    }
    expect(kills).toBeGreaterThan(8 / REAL_STEP);
  });
}

async function countOwned(cluster: Cluster, namespace: string): Promise<number> {
  const labelSelector = 'example.com/website';
  const lists = [configMaps, services, deployments].map((resource) =>
    cluster.client(resource as typeof configMaps).list({ namespace, labelSelector }),
  );
  return (await Promise.all(lists)).reduce((sum, { items }) => sum + items.length, 0);
}

describe('a Website on the embedded server', () => {
  let server: ApiServer;
  let cluster: Cluster;
  let rollouts: TestRollouts;
  let folder: string;
  let count = 0;

  beforeAll(async () => {
    server = await ApiServer.start({ logger: silentLogger });
    cluster = server.cluster();
    await cluster.client(customResourceDefinitions).create(websiteDefinition);
    rollouts = new TestRollouts(cluster);
    folder = mkdtempSync(join(tmpdir(), 'tidewatch-website-'));
    writeFileSync(join(folder, 'kubeconfig'), server.kubeconfig(), { mode: 0o600 });
  });
  afterAll(async () => {
    await rollouts?.stop();
    await cluster?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  websiteTests(
    () => ({
      cluster,
      kubeconfig: join(folder, 'kubeconfig'),
      makeNamespace: async () => {
        const name = `site-${++count}`;
        await cluster.client(namespaces).create({ metadata: { name } });
        return name;
      },
    }),
    1,
  );
});

describe('a Website on a real control plane with its kube-controller-manager', () => {
  let plane: ControlPlane;
  let controllers: ControllerManager;
  let cluster: Cluster;
  let kubelet: TestKubelet;
  let count = 0;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    cluster = await Cluster.connect({ kubeconfig: plane.kubeconfigFile(), logger: silentLogger });
    await cluster.client(customResourceDefinitions).create(websiteDefinition);
    await eventually('the custom resource is served', () => cluster.client(websites).list());
    kubelet = new TestKubelet(cluster);
    controllers = await startControllerManager({
      kubeconfig: plane.kubeconfigFile(),
      // There are no nodes, whose absence those two would punish.
      flags: ['--controllers=*,-node-lifecycle-controller,-pod-garbage-collector-controller'],
    });
  });
  afterAll(async () => {
    await kubelet?.stop();
    await controllers?.stop();
    await cluster?.close();
    await plane?.stop();
  });

  const makeNamespace = async () => {
    const name = `site-${++count}`;
    await cluster.client(namespaces).create({ metadata: { name } });
    return name;
  };
  websiteTests(() => ({ cluster, kubeconfig: plane.kubeconfigFile(), makeNamespace }), REAL_STEP);

  it('shows its event in kubectl get events', async () => {
    const namespace = await makeNamespace();
    await cluster.client(websites).create({ ...site, metadata: { ...site.metadata, namespace } });
    const stop = new AbortController();
    const manager = new Manager(cluster, { namespace });
    addWebsiteController(manager);
    const running = manager.run({ signal: stop.signal });
    const shown = async () => (await plane.kubectl(['get', 'events', '-n', namespace])).stdout;
    await expect.poll(shown, { timeout: 60_000 }).toMatch(/Serving +website\/shop +2 servers are ready\./);
    stop.abort();
    await running;
  });

  it('ends the same when the API server is killed with -9 before or after any write', {
    timeout: 1_800_000,
  }, async () => {
    let expected: object | undefined;
    let writes = Number.POSITIVE_INFINITY;
    for (let at = 0; at <= writes; at += at === 0 ? 1 : REAL_STEP) {
      for (const when of KILLS) {
        const namespace = await makeNamespace();
        await cluster.client(websites).create({ ...site, metadata: { ...site.metadata, namespace } });
        const { transport } = await Cluster.connect({ kubeconfig: plane.kubeconfigFile() });
        let restarted: Promise<void> | undefined;
        const kill = async () => {
          await plane.kill('apiserver');
          restarted = plane.restart('apiserver');
        };
        const counter = new WriteCounter(transport, {
          before: (n) => (n === at && when === 'before' ? kill() : undefined),
          after: async (n) => {
            if (n !== at || when !== 'after') return;
            await kill();
            throw new TransportError('reset', 'the server was killed before its answer arrived');
          },
        });
        const own = Cluster.over(counter, { server: plane.server, logger: silentLogger });
        const stop = new AbortController();
        const manager = new Manager(own, { namespace });
        addWebsiteController(manager);
        const running = manager.run({ signal: stop.signal });
        const state = await eventually(`all is well after a kill ${when} write ${at}`, () =>
          endState(cluster, namespace),
        );
        expected ??= state;
        expect(state, `killed ${when} write ${at}`).toEqual(expected);
        if (at === 0) {
          await sleep(QUIET_MS);
          writes = Math.min(writes, counter.writes);
        }
        stop.abort();
        await running;
        await restarted;
        await own.close();
        await cluster.client(namespaces).delete(namespace);
      }
    }
    expect(writes).toBeGreaterThan(4);
  });
});
