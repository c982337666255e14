import { readFileSync } from 'node:fs';
import { SharedInformerFactory } from 'tidewatch';
import { Manager } from 'tidewatch/controller';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster } from '../src/cluster/cluster.ts';
import { controllerOf } from '../src/controller/owner-reference.ts';
import { replicaSets } from '../src/generated/api/apps/v1.ts';
import { pods } from '../src/generated/api/core/v1.ts';
import { silentLogger } from '../src/observe/logger.ts';
import { type ControllerManager, startControllerManager } from '../src/testing/control-plane/controller-manager.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';
import { TestKubelet } from './kubelet-fixture.ts';
import { addReplicaSetController } from './replicaset-controller-fixture.ts';

const SOON = { timeout: 90_000, interval: 200 };
/** There are no nodes, whose absence these would punish. */
const WITHOUT = ['node-lifecycle-controller', 'pod-garbage-collector-controller'];

it('has at most 200 lines', () => {
  const text = readFileSync(new URL('replicaset-controller-fixture.ts', import.meta.url), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(200);
});

/** The same story with the Go controller and with ours; what is expected is written once. */
describe.each(['the one of kube-controller-manager', 'ours'])('the ReplicaSet controller is %s', (which) => {
  const isOurs = which === 'ours';
  let plane: ControlPlane;
  let controllers: ControllerManager;
  let cluster: Cluster;
  let kubelet: TestKubelet;
  const stop = new AbortController();
  let running: Promise<void> | undefined;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    cluster = await Cluster.connect({ kubeconfig: plane.kubeconfigFile(), logger: silentLogger });
    const without = [...WITHOUT, ...(isOurs ? ['replicaset-controller'] : [])].map((name) => `-${name}`);
    controllers = await startControllerManager({
      kubeconfig: plane.kubeconfigFile(),
      flags: [`--controllers=*,${without.join(',')}`],
    });
    if (isOurs) {
      const factory = new SharedInformerFactory(cluster);
      const manager = new Manager(cluster, { factory });
      addReplicaSetController(manager, factory);
      running = manager.run({ signal: stop.signal }).finally(() => factory.shutdown());
    }
    kubelet = new TestKubelet(cluster, 'default');
  });
  afterAll(async () => {
    stop.abort();
    await running;
    await kubelet?.stop();
    await controllers?.stop();
    await cluster?.close();
    await plane?.stop();
  });

  const kubectl = async (...args: string[]): Promise<string> => {
    const { stdout, stderr, code } = await plane.kubectl(args);
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };
  const podsOf = async (labelSelector: string) =>
    (await cluster.client(pods).list({ namespace: 'default', labelSelector })).items;
  const images = async () => (await podsOf('app=web')).map(({ spec }) => spec?.containers[0]?.image).sort();
  const rollout = (...args: string[]) => kubectl('rollout', ...args, 'deployment/web', '--timeout=90s');

  it('rolls a Deployment out, and kubectl rollout status ends', async () => {
    await kubectl('create', 'deployment', 'web', '--image=web:1', '--replicas=3');
    expect(await rollout('status')).toContain('successfully rolled out');
    expect(await images()).toEqual(['web:1', 'web:1', 'web:1']);
  });

  it('scales up and down', async () => {
    await kubectl('scale', 'deployment/web', '--replicas=5');
    await rollout('status');
    expect(await images()).toHaveLength(5);
    await kubectl('scale', 'deployment/web', '--replicas=2');
    await expect.poll(images, SOON).toHaveLength(2);
    await expect.poll(() => status('web'), SOON).toEqual([{ replicas: 2, readyReplicas: 2, availableReplicas: 2 }]);
  });

  const status = async (app: string) => {
    const { items } = await cluster.client(replicaSets).list({ namespace: 'default', labelSelector: `app=${app}` });
    return items
      .filter(({ spec }) => spec?.replicas !== 0)
      .map(({ status }) => ({
        replicas: status?.replicas,
        readyReplicas: status?.readyReplicas,
        availableReplicas: status?.availableReplicas,
      }));
  };

  it('replaces the pods by those of a new template, keeps the old ones while the new are broken, and rolls back', async () => {
    await kubectl('set', 'image', 'deployment/web', 'web=web:2');
    await rollout('status');
    await expect.poll(images, SOON).toEqual(['web:2', 'web:2']);
    await kubectl('set', 'image', 'deployment/web', 'web=broken:3');
    await expect.poll(images, SOON).toEqual(['broken:3', 'web:2', 'web:2']);
    await kubectl('rollout', 'undo', 'deployment/web');
    await rollout('status');
    await expect.poll(images, SOON).toEqual(['web:2', 'web:2']);
  });

  it('replaces a pod that somebody deletes', async () => {
    const [first] = await podsOf('app=web');
    await kubectl('delete', 'pod', first?.metadata?.name ?? '', '--wait=false');
    const gone = async () => (await podsOf('app=web')).every(({ metadata }) => metadata?.uid !== first?.metadata?.uid);
    await expect.poll(gone, SOON).toBe(true);
    await expect.poll(() => status('web'), SOON).toEqual([{ replicas: 2, readyReplicas: 2, availableReplicas: 2 }]);
  });

  it('releases a pod whose labels no longer match, and makes another', async () => {
    const [first] = await podsOf('app=web');
    const name = first?.metadata?.name ?? '';
    await kubectl('label', 'pod', name, 'app=debug', '--overwrite');
    const owner = async () => controllerOf(await cluster.client(pods).get(name, { namespace: 'default' }));
    await expect.poll(owner, SOON).toBeUndefined();
    await expect.poll(images, SOON).toHaveLength(2);
    await kubectl('delete', 'pod', name, '--wait=false');
  });

  it('adopts a pod that matches, instead of making one', async () => {
    const labels = { app: 'adopted' };
    const spec = { containers: [{ name: 'a', image: 'a:1' }] };
    const orphan = await cluster
      .client(pods)
      .create({ metadata: { name: 'orphan', namespace: 'default', labels }, spec });
    const set = await cluster.client(replicaSets).create({
      metadata: { name: 'adopter', namespace: 'default', labels },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
    await expect.poll(() => status('adopted'), SOON).toEqual([{ replicas: 2, readyReplicas: 2, availableReplicas: 2 }]);
    const all = await podsOf('app=adopted');
    expect(all).toHaveLength(2);
    expect(all.map(({ metadata }) => metadata?.uid)).toContain(orphan.metadata?.uid);
    for (const pod of all) expect(controllerOf(pod)).toMatchObject({ kind: 'ReplicaSet', uid: set.metadata?.uid });
  });

  it('leaves its pods alone when it is deleted with --cascade=orphan, and takes them with it otherwise', async () => {
    await kubectl('delete', 'replicaset', 'adopter', '--cascade=orphan');
    const owners = async () => (await podsOf('app=adopted')).map(controllerOf);
    await expect.poll(owners, SOON).toEqual([undefined, undefined]);
    await kubectl('delete', 'deployment', 'web', '--cascade=foreground', '--timeout=90s');
    await expect.poll(() => podsOf('app=web'), SOON).toEqual([]);
  });

  it('says what it did, in events', async () => {
    const shown = await kubectl('get', 'events');
    expect(shown).toMatch(/SuccessfulCreate +replicaset\/web-\w+ +Created pod: web-/);
    expect(shown).toMatch(/SuccessfulDelete +replicaset\/web-\w+ +Deleted pod: web-/);
  });
});
