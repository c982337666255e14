import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Website, websites } from '../examples/website/website.ts';
import type { KubernetesObject } from '../src/api/metadata.ts';
import type { Cluster } from '../src/cluster/cluster.ts';
import { controllerOf } from '../src/controller/owner-reference.ts';
import { deployments } from '../src/generated/api/apps/v1.ts';
import { configMaps, services } from '../src/generated/api/core/v1.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const PATIENCE_MS = 120_000;

export const site: Website = { metadata: { name: 'shop' }, spec: { html: '<h1>Shop</h1>', replicas: 2 } };

/** All that must be the same in the end, however it came about; undefined while it is not ready. */
export async function endState(cluster: Cluster, namespace: string): Promise<object | undefined> {
  const list = async <T extends KubernetesObject>(resource: typeof websites | object) =>
    (await cluster.client(resource as typeof websites).list({ namespace })).items as unknown as T[];
  const [website] = await list<Website>(websites);
  const ready = website?.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True' || ready.observedGeneration !== website?.metadata?.generation) return undefined;
  const owned = await Promise.all([configMaps, services, deployments].map((resource) => list<OwnedObject>(resource)));
  return {
    website: {
      spec: website?.spec,
      status: { ...website?.status, conditions: [{ ...ready, lastTransitionTime: '' }] },
    },
    owned: owned
      .flat()
      .filter(({ metadata }) => metadata?.name !== 'kube-root-ca.crt')
      .map(told),
  };
}

interface OwnedObject extends KubernetesObject {
  data?: unknown;
  spec?: { clusterIP?: string; clusterIPs?: string[] };
}

function told(object: OwnedObject): object {
  const { kind, metadata, data, spec } = object;
  const { clusterIP: _, clusterIPs: __, ...rest } = spec ?? {};
  const { uid: ___, ...owner } = controllerOf(object) ?? { uid: '' };
  const managers = metadata?.managedFields
    ?.filter(({ operation }) => operation === 'Apply')
    .map(({ manager }) => manager);
  return { kind, name: metadata?.name, labels: metadata?.labels, owner, managers, data, spec: rest };
}

export async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const endMs = Date.now() + PATIENCE_MS; ; await sleep(50)) {
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    if (Date.now() > endMs) throw new Error(`it did not happen in time that ${what}`);
  }
}

/** Where there is no deployment controller: reports each Deployment as rolled out. Ends with `stop`. */
export class TestRollouts {
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;

  constructor(cluster: Cluster) {
    this.#ended = this.#run(cluster);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #run(cluster: Cluster): Promise<void> {
    const { signal } = this.#stopping;
    for (; !signal.aborted; await sleep(30, undefined, { signal }).catch(() => {})) {
      const { items } = await cluster.client(deployments).list();
      for (const deployment of items) {
        const replicas = deployment.spec?.replicas ?? 1;
        const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
        const status = { ...counts, observedGeneration: deployment.metadata?.generation };
        await cluster
          .client(deployments)
          .patchStatus(deployment, status)
          .catch(() => undefined);
      }
    }
  }
}

export interface Kill {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** The example controller in processes of its own. */
export class WebsiteProgram implements Disposable {
  readonly #folder: string;
  readonly #children = new Set<ChildProcess>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async build(): Promise<WebsiteProgram> {
    // Here, because what the library depends on is looked up from where the program is.
    const folder = mkdtempSync(join(root, 'node_modules', '.website-'));
    await build({
      entryPoints: [join(root, 'e2e/website-program.ts')],
      outfile: join(folder, 'website-program.mjs'),
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      packages: 'external',
      logLevel: 'error',
      alias: {
        'tidewatch/api': join(root, 'src/generated/api'),
        'tidewatch/controller': join(root, 'src/controller/index.ts'),
        tidewatch: join(root, 'src/index.ts'),
      },
    });
    return new WebsiteProgram(folder);
  }

  /** With `isElected` it works only while it leads. */
  start(kubeconfig: string, namespace: string, kill?: Kill, { isElected = false } = {}): RunningProgram {
    const env = {
      ...process.env,
      KUBECONFIG: kubeconfig,
      NAMESPACE: namespace,
      ...(isElected && { ELECTION: 'yes' }),
      ...(kill && { KILL_AT: String(kill.at), KILL_WHEN: kill.when }),
    };
    const program = join(this.#folder, 'website-program.mjs');
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#children.add(child);
    return new RunningProgram(child);
  }

  [Symbol.dispose](): void {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export class RunningProgram {
  readonly #child: ChildProcess;
  readonly ended: Promise<NodeJS.Signals | number | null>;
  #writes = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
    child.stdout?.on('data', (chunk: Buffer) => {
      this.#writes += chunk.toString().split('\n').length - 1;
    });
  }

  /** How many writes it has done. */
  get writes(): number {
    return this.#writes;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** SIGTERM; resolves with how it ended. */
  stop(): Promise<NodeJS.Signals | number | null> {
    this.#child.kill('SIGTERM');
    return this.ended;
  }
}
