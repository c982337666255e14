import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { shardOf } from '../src/controller/shard-map.ts';
import { leases } from '../src/generated/api/coordination/v1.ts';
import { configMaps } from '../src/generated/api/core/v1.ts';
import { silentLogger } from '../src/observe/logger.ts';
import { ApiServer } from '../src/testing/api-server.ts';
import { createObjects, SHARDS, ShardReplica, whenOwned } from '../tools/shards/replicas.ts';

const OBJECTS = 5_000;
/** At most this long after a change every key has an owner. */
const OWNED_MS = 30_000;
/** How long a process may take to start, on a busy machine: the change is that it has become a member. */
const STARTED_MS = 120_000;
const PAUSE_MS = 20_000;
const TOUCHED = 40;

// About two minutes, most of them waiting for Leases to expire.
it('three processes share 5,000 objects, are killed, paused and added; each write is made by the owner of its shard', {
  timeout: 600_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidewatch-sharding-'));
  await using server = await ApiServer.start({ logger: silentLogger });
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 });
  await using cluster = server.cluster({ logger: silentLogger });
  await createObjects(cluster, OBJECTS);
  const history = new History();
  const over = new AbortController();
  const following = history.follow(cluster, over.signal);
  const replicas: ShardReplica[] = [];
  const enter = (identity: string) => {
    const replica = new ShardReplica(kubeconfig, identity, 'write');
    replicas.push(replica);
    return replica;
  };
  const whenMembers = async (identities: readonly string[]) => {
    const areThere = async () => {
      const { items } = await cluster.client(leases).list({ labelSelector: 'tidewatch.dev/role=member' });
      const holders = new Set(items.map(({ spec }) => spec?.holderIdentity));
      return identities.every((identity) => holders.has(identity));
    };
    await vi.waitUntil(areThere, { timeout: STARTED_MS, interval: 200 });
  };
  let round = 0;
  /** Some objects of every shard change, and are run. */
  const touch = async () => {
    round++;
    const names = Array.from({ length: TOUCHED }, (_, n) => `map-${n * Math.floor(OBJECTS / TOUCHED)}`);
    for (const name of names) await cluster.client(configMaps).patch(name, { data: { round: String(round) } });
    const done = async () => {
      const all = await Promise.all(names.map((name) => cluster.client(configMaps).get(name)));
      return all.every(({ data }) => data?.done === String(round));
    };
    await vi.waitUntil(done, { timeout: 60_000, interval: 200 });
  };
  try {
    const [one, two, three] = ['one', 'two', 'three'].map(enter) as [ShardReplica, ShardReplica, ShardReplica];
    await whenMembers(['one', 'two', 'three']);
    await whenOwned(cluster, [one, two, three], OWNED_MS);
    await vi.waitUntil(() => history.done('0') === OBJECTS, { timeout: 120_000, interval: 200 });
    await one.end('SIGKILL');
    await whenOwned(cluster, [two, three], OWNED_MS);
    await touch();
    two.signal('SIGSTOP');
    await sleep(PAUSE_MS);
    await whenOwned(cluster, [three], OWNED_MS - PAUSE_MS);
    await touch();
    two.signal('SIGCONT');
    await whenOwned(cluster, [two, three], OWNED_MS);
    const four = enter('four');
    await whenMembers(['four']);
    await whenOwned(cluster, [two, three, four], OWNED_MS);
    await touch();
    await three.end('SIGTERM');
    await whenOwned(cluster, [two, four], OWNED_MS);
    await touch();
    over.abort();
    await following;
    expect(history.writes).toBeGreaterThan(OBJECTS);
    expect(history.breaches()).toEqual([]);
  } finally {
    over.abort();
    await Promise.all(replicas.map((replica) => replica.end('SIGKILL')));
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Every holder of a shard and every write of a run. The server gives all objects versions of one sequence. */
class History {
  readonly #holders: { readonly version: number; readonly shard: number; readonly holder: string }[] = [];
  readonly #writes: { readonly version: number; readonly name: string; readonly by: string }[] = [];
  /** By object: the round that was last done. */
  readonly #done = new Map<string, string>();

  async follow(cluster: ReturnType<ApiServer['cluster']>, signal: AbortSignal): Promise<void> {
    const options = { namespace: 'default', signal };
    const watchLeases = async () => {
      for await (const { type, object } of cluster.client(leases).watch({ ...options, resourceVersion: '0' })) {
        if (type !== 'ADDED' && type !== 'MODIFIED') continue;
        const { name, resourceVersion } = object.metadata;
        const shard = Number(/-shard-(\d+)$/.exec(name)?.[1] ?? -1);
        this.#holders.push({ version: Number(resourceVersion), shard, holder: object.spec?.holderIdentity ?? '' });
      }
    };
    const watchObjects = async () => {
      for await (const { type, object } of cluster.client(configMaps).watch({ ...options, resourceVersion: '0' })) {
        if (type !== 'MODIFIED') continue;
        const { name, resourceVersion } = object.metadata;
        const { by = '', done = '' } = object.data ?? {};
        // Other changes leave these as they are.
        if (this.#done.get(name) === `${by} ${done}`) continue;
        this.#done.set(name, `${by} ${done}`);
        this.#writes.push({ version: Number(resourceVersion), name, by });
      }
    };
    await Promise.allSettled([watchLeases(), watchObjects()]);
  }

  get writes(): number {
    return this.#writes.length;
  }

  done(round: string): number {
    return [...this.#done.values()].filter((text) => text.endsWith(` ${round}`)).length;
  }

  breaches(): string[] {
    const held = Array.from({ length: SHARDS }, (_, shard) => this.#holders.filter((one) => one.shard === shard));
    return this.#writes.flatMap(({ version, name, by }) => {
      const shard = shardOf(`default/${name}`, SHARDS, 'key');
      const holder = held[shard]?.filter((one) => one.version < version).at(-1)?.holder;
      return holder === by ? [] : [`${by} wrote ${name} at ${version} while "${holder}" held shard ${shard}`];
    });
  }
}
