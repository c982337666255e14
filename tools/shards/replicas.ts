import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Cluster } from '../../src/cluster/cluster.ts';
import { leases } from '../../src/generated/api/coordination/v1.ts';
import { configMaps } from '../../src/generated/api/core/v1.ts';

export const SHARDS = 16;
const PROGRAM = fileURLToPath(new URL('replica.ts', import.meta.url));

/** A process of `replica.ts`. */
export class ShardReplica {
  readonly identity: string;
  readonly #child: ChildProcess;
  /** How many runs have ended, as it last said. */
  runs = 0;

  constructor(kubeconfig: string, identity: string, mode: 'write' | 'spin') {
    this.identity = identity;
    const args = ['--import', 'tsx', PROGRAM, kubeconfig, identity, mode];
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    if (this.#child.stdout) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        this.runs = Number(line);
      });
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
  }
}

export async function createObjects(cluster: Cluster, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await cluster.client(configMaps).create({ metadata: { name: `map-${n}` }, data: { round: '0' } });
  }
}

/** Who owns each shard by its Lease; "" for nobody. */
export async function owners(cluster: Cluster): Promise<string[]> {
  const labelSelector = 'tidewatch.dev/sharding=trial,tidewatch.dev/role=shard';
  const { items } = await cluster.client(leases).list({ namespace: 'default', labelSelector });
  const byName = new Map(items.map(({ metadata, spec }) => [metadata?.name, spec?.holderIdentity ?? '']));
  return Array.from({ length: SHARDS }, (_, shard) => byName.get(`trial-shard-${shard}`) ?? '');
}

/** Resolves with how long it took until these own all shards, and each of them some. */
export async function whenOwned(cluster: Cluster, replicas: readonly ShardReplica[], limitMs: number): Promise<number> {
  const names = new Set(replicas.map(({ identity }) => identity));
  const startedMs = performance.now();
  for (;;) {
    const found = await owners(cluster);
    const tookMs = performance.now() - startedMs;
    if (found.every((owner) => names.has(owner)) && new Set(found).size === names.size) return tookMs;
    if (tookMs > limitMs) throw new Error(`after ${limitMs} ms the owners are ${found.join(' ')}`);
    await sleep(100);
  }
}
