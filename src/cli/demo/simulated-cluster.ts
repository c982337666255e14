import type { Cluster } from '../../cluster/cluster.ts';
import { type Deployment, deployments, replicaSets } from '../../generated/api/apps/v1.ts';
import { nodes, pods } from '../../generated/api/core/v1.ts';
import type { Clock } from '../../observe/clock.ts';
import { pick } from './seeded-random.ts';
import { podManifest, podStatus, type SimulatedPod } from './simulated-pod.ts';

const NODES = ['node-a', 'node-b', 'node-c'];
const APPS: readonly { app: string; replicas: number }[] = [
  { app: 'web', replicas: 4 },
  { app: 'api', replicas: 3 },
  { app: 'worker', replicas: 3 },
  { app: 'cache', replicas: 1 },
];
const MAX_REPLICAS = 8;
const NAMESPACE = 'default';

interface App {
  readonly name: string;
  version: number;
  wanted: number;
  replicaSet: { name: string; uid: string };
}

export interface SimulatedClusterOptions {
  cluster: Cluster;
  clock: Clock;
  random: () => number;
  /** Changes a second. May be changed while it runs. */
  rate: number;
}

/**
 * Nodes, deployments, replica sets and pods that start, crash, move and are rolled out again, written to an API server
 * as controllers and kubelets would. Each step is one change, or a few that belong together; a step that the server
 * refuses has not happened.
 */
export class SimulatedCluster {
  readonly #options: SimulatedClusterOptions;
  readonly #apps: App[] = [];
  readonly #pods = new Map<string, SimulatedPod>();
  #rate: number;

  constructor(options: SimulatedClusterOptions) {
    this.#options = options;
    this.#rate = options.rate;
  }

  get rate(): number {
    return this.#rate;
  }

  set rate(perSecond: number) {
    this.#rate = Math.min(200, Math.max(0.1, perSecond));
  }

  /** The state that everything begins with: all pods run. */
  async fill(): Promise<void> {
    const { cluster } = this.#options;
    for (const name of NODES) await cluster.client(nodes).create({ metadata: { name } });
    for (const { app, replicas } of APPS) {
      const deployment = await cluster.client(deployments).create(deploymentManifest(app, replicas));
      const entry: App = { name: app, version: 1, wanted: replicas, replicaSet: { name: '', uid: '' } };
      entry.replicaSet = await this.#newReplicaSet(entry, deployment.metadata?.uid ?? '');
      this.#apps.push(entry);
      for (let count = 0; count < replicas; count++) await this.#startPod(entry, 'running');
      await this.#report(entry);
    }
  }

  /** Goes on until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    while (!signal.aborted) {
      const waitMs = (1_000 / this.#rate) * (0.5 + random());
      await clock.sleep(waitMs, signal).catch(() => {});
      if (signal.aborted) return;
      // A server that is stopped, cut off or at odds with us: the next step tries something else.
      await this.step().catch(() => {});
    }
  }

  /** Mends what is amiss, or else causes something new. */
  async step(): Promise<void> {
    const { random } = this.#options;
    const unfinished = [...this.#pods.values()].filter(({ stage }) => stage !== 'running');
    const short = this.#apps.find((app) => this.#alive(app).length < app.wanted);
    const surplus = this.#apps.find((app) => this.#alive(app).length > app.wanted);
    if (short && random() < 0.7) return this.#startPod(short, 'waiting');
    if (surplus && random() < 0.7) return this.#leave(this.#alive(surplus).at(-1));
    const pod = pick(unfinished, random);
    if (pod && random() < 0.8) return this.#advance(pod);
    return this.#incident();
  }

  async #incident(): Promise<void> {
    const { random, cluster } = this.#options;
    const running = [...this.#pods.values()].filter(({ stage }) => stage === 'running');
    const chance = random();
    if (chance < 0.4) {
      const pod = pick(running, random);
      if (pod) await this.#setStage(pod, 'crashed');
      return;
    }
    if (chance < 0.7) return this.#leave(pick(running, random));
    const app = pick(this.#apps, random);
    if (app === undefined) return;
    if (chance < 0.9) {
      const wanted = Math.min(MAX_REPLICAS, Math.max(1, app.wanted + (random() < 0.5 ? -1 : 1)));
      await cluster.client(deployments).patch(app.name, { spec: { replicas: wanted } });
      await cluster.client(replicaSets).patch(app.replicaSet.name, { spec: { replicas: wanted } });
      app.wanted = wanted;
      return;
    }
    await this.#rollOut(app);
  }

  /** A new replica set; its pods replace the old ones as steps go by. */
  async #rollOut(app: App): Promise<void> {
    const { cluster } = this.#options;
    const version = app.version + 1;
    const template = { spec: { containers: [{ name: app.name, image: `${app.name}:${version}` }] } };
    const deployment = await cluster.client(deployments).patch(app.name, { spec: { template } });
    app.version = version;
    const old = app.replicaSet;
    app.replicaSet = await this.#newReplicaSet(app, deployment.metadata?.uid ?? '');
    await cluster.client(replicaSets).delete(old.name, { propagationPolicy: 'Orphan' });
    for (const pod of this.#alive(app)) await this.#leave(pod);
  }

  async #startPod(app: App, stage: 'waiting' | 'running'): Promise<void> {
    const { cluster, random } = this.#options;
    const node = pick(NODES, random) ?? 'node-a';
    const pod: SimulatedPod = {
      name: `${app.replicaSet.name}-${suffix(random)}`,
      app: app.name,
      node,
      stage,
      restarts: 0,
    };
    const image = `${app.name}:${app.version}`;
    await cluster.client(pods).create(podManifest(pod, { app: app.name, image, replicaSet: app.replicaSet }));
    this.#pods.set(pod.name, pod);
    await this.#setStage(pod, stage);
  }

  async #advance(pod: SimulatedPod): Promise<void> {
    if (pod.stage === 'leaving') {
      await this.#options.cluster.client(pods).delete(pod.name, { gracePeriodSeconds: 0, namespace: NAMESPACE });
      this.#pods.delete(pod.name);
      return;
    }
    if (pod.stage === 'crashed') pod.restarts++;
    await this.#setStage(pod, pod.stage === 'waiting' ? 'creating' : 'running');
    const app = this.#apps.find(({ name }) => name === pod.app);
    if (app && pod.stage === 'running') await this.#report(app);
  }

  async #setStage(pod: SimulatedPod, stage: SimulatedPod['stage']): Promise<void> {
    const { cluster, clock } = this.#options;
    const status = podStatus({ ...pod, stage }, clock.now());
    await cluster.client(pods).patch(pod.name, { status }, { subresource: 'status', namespace: NAMESPACE });
    pod.stage = stage;
  }

  /** It is told to end, and is gone some steps later. */
  async #leave(pod: SimulatedPod | undefined): Promise<void> {
    if (pod === undefined || pod.stage === 'leaving') return;
    await this.#options.cluster.client(pods).delete(pod.name, { gracePeriodSeconds: 30, namespace: NAMESPACE });
    pod.stage = 'leaving';
  }

  async #newReplicaSet(app: App, uid: string): Promise<App['replicaSet']> {
    const { cluster, random } = this.#options;
    const labels = { app: app.name };
    const made = await cluster.client(replicaSets).create({
      metadata: {
        name: `${app.name}-${suffix(random)}`,
        namespace: NAMESPACE,
        labels,
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', controller: true, name: app.name, uid }],
      },
      spec: {
        replicas: app.wanted,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: app.name, image: `${app.name}:${app.version}` }] },
        },
      },
    });
    return { name: made.metadata?.name ?? '', uid: made.metadata?.uid ?? '' };
  }

  /** Deployment and replica set tell how many pods are ready. */
  async #report(app: App): Promise<void> {
    const { cluster } = this.#options;
    const alive = this.#alive(app);
    const ready = alive.filter(({ stage }) => stage === 'running').length;
    const status = { replicas: alive.length, readyReplicas: ready, availableReplicas: ready };
    const options = { subresource: 'status', namespace: NAMESPACE };
    await cluster.client(replicaSets).patch(app.replicaSet.name, { status }, options);
    await cluster
      .client(deployments)
      .patch(app.name, { status: { ...status, updatedReplicas: alive.length } }, options);
  }

  #alive(app: App): SimulatedPod[] {
    return [...this.#pods.values()].filter((pod) => pod.app === app.name && pod.stage !== 'leaving');
  }
}

function deploymentManifest(app: string, replicas: number): Deployment {
  const labels = { app };
  return {
    metadata: { name: app, namespace: NAMESPACE, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: app, image: `${app}:1` }] } },
    },
  };
}

/** Five letters and digits, none of which can be mistaken for another. */
function suffix(random: () => number): string {
  return Array.from({ length: 5 }, () => 'bcdfghjklmnpqrstvwxz2456789'.charAt(Math.floor(random() * 27))).join('');
}
