import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leases } from '../generated/api/coordination/v1.ts';
import { type ConfigMap, configMaps } from '../generated/api/core/v1.ts';
import type { ReconcileContext } from './controller.ts';
import { type Replica, replicasFixture } from './replicas-fixture.ts';
import { shardOf } from './shard-map.ts';

const SHARDS = 3;
const KEYS = Array.from({ length: 9 }, (_, n) => `map-${n}`);
const MAX_REPLICAS = 4;

type Change =
  | { readonly do: 'join' }
  | { readonly do: 'stop' | 'kill' | 'cut off'; readonly which: number }
  | { readonly do: 'pause'; readonly which: number; readonly ms: number };

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('join' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('stop' as const, 'kill' as const, 'cut off' as const),
      which: fc.nat(3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pause' as const),
      which: fc.nat(3),
      ms: fc.integer({ min: 10_000, max: 40_000 }),
    }),
  },
);

/** Replicas whose runs write when they begin and when they end, through the fence. */
class World implements AsyncDisposable {
  readonly fixture: Awaited<ReturnType<typeof replicasFixture>>;
  /** Those that are there. */
  readonly replicas: Replica[] = [];
  readonly breaches: string[] = [];
  readonly seen = new Map<string, string>();
  readonly #dead = new Set<Replica>();
  /** By key, who runs it. A process that is paused does not. */
  readonly #running = new Map<string, Set<Replica>>();
  #count = 0;
  #round = 0;

  constructor(fixture: World['fixture']) {
    this.fixture = fixture;
  }

  async [Symbol.asyncDispose]() {
    for (const replica of this.#dead) replica.reconnect();
    await this.fixture[Symbol.asyncDispose]();
  }

  join(): void {
    const replica = this.fixture.replica(`web-${++this.#count}`, {
      namespace: 'default',
      sharding: { name: 'website', shards: SHARDS },
    });
    replica.manager
      .controller('maps')
      .for(configMaps, {
        when: (event) => event.type !== 'update' || event.object.data?.round !== event.oldObject.data?.round,
      })
      .reconcile((context) => this.#reconcile(replica, context), { concurrency: 4 });
    this.replicas.push(replica);
    void replica.start();
  }

  async make(change: Change): Promise<void> {
    const { clock } = this.fixture;
    if (change.do === 'join') {
      if (this.replicas.length < MAX_REPLICAS) this.join();
      return;
    }
    const replica = this.replicas[change.which % this.replicas.length];
    // Somebody has to be there in the end.
    if (replica === undefined || (this.replicas.length === 1 && change.do !== 'pause')) return;
    if (change.do === 'pause') {
      replica.pause();
      await clock.advance(change.ms);
      replica.resume();
      return;
    }
    this.replicas.splice(this.replicas.indexOf(replica), 1);
    if (change.do === 'stop') replica.abort();
    else replica.cutOff();
    // One that is only cut off goes on working, for as long as it may.
    if (change.do === 'kill') this.#dead.add(replica);
  }

  /** Each object changes, wherever it belongs just now. */
  async touchAll(): Promise<string> {
    const round = String(++this.#round);
    for (const name of KEYS) await this.fixture.admin.client(configMaps).patch(name, { data: { round } });
    return round;
  }

  get owners(): number[] {
    return this.replicas.flatMap(({ holds }) => holds as readonly number[]).sort();
  }

  async #reconcile(
    replica: Replica,
    { key, name, object, client, signal }: ReconcileContext<ConfigMap>,
  ): Promise<void> {
    if (this.#dead.has(replica)) return;
    const running = this.#running.get(key) ?? new Set();
    this.#running.set(key, running);
    for (const other of running) {
      if (!other.isPaused && !this.#dead.has(other))
        this.breaches.push(`${replica.identity} runs ${key} beside ${other.identity}`);
    }
    running.add(replica);
    try {
      const round = object?.data?.round ?? '';
      await client(configMaps).patch(name, { data: { begun: `${replica.identity} ${round}` } });
      await replica.clock.sleep(700, signal);
      await client(configMaps).patch(name, { data: { ended: `${replica.identity} ${round}` } });
      this.seen.set(key, round);
    } finally {
      running.delete(replica);
    }
  }
}

describe('replicas that are killed, paused, cut off, stopped and added', () => {
  it('never run a key in two places, and own every key 30 s after each change', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(change, fc.nat(1_500)), { minLength: 2, maxLength: 4 }), async (changes) => {
        await using world = new World(await replicasFixture());
        const { clock, admin } = world.fixture;
        for (const name of KEYS) await world.fixture.createMap(name);
        const history = followed(admin);
        world.join();
        world.join();
        await clock.advance(30_000);
        for (const [change, afterMs] of changes) {
          // In the middle of runs.
          await world.touchAll();
          await clock.advance(afterMs);
          await world.make(change);
          await clock.advance(700);
          const round = await world.touchAll();
          await clock.advance(29_300);
          expect(world.owners, JSON.stringify(change)).toEqual(Array.from({ length: SHARDS }, (_, shard) => shard));
          await clock.advance(5_000);
          for (const name of KEYS) expect(world.seen.get(`default/${name}`), name).toBe(round);
        }
        expect(world.breaches).toEqual([]);
        expect(await history.stop()).toEqual([]);
      }),
      {
        numRuns: 16,
        examples: [
          // One that was paused, and has not noticed yet that its time is over, begins no run.
          [
            [
              [{ do: 'pause', which: 3, ms: 16_550 }, 150],
              [{ do: 'stop', which: 0 }, 0],
              [{ do: 'join' }, 0],
            ],
          ],
          [
            [
              [{ do: 'pause', which: 0, ms: 30_000 }, 500],
              [{ do: 'pause', which: 1, ms: 30_000 }, 500],
            ],
          ],
          [
            [
              [{ do: 'join' }, 500],
              [{ do: 'kill', which: 0 }, 500],
            ],
          ],
        ],
      },
    );
  });
});

/** Every write of a run that the server has carried out while the Lease of its shard named another. */
function followed(admin: Awaited<ReturnType<typeof replicasFixture>>['admin']) {
  const stop = new AbortController();
  const holders: { readonly version: number; readonly shard: number; readonly holder: string }[] = [];
  const writes: { readonly version: number; readonly key: string; readonly by: string }[] = [];
  const last = new Map<string, string>();
  const options = { namespace: 'default', resourceVersion: '0', signal: stop.signal };
  const watchLeases = async () => {
    for await (const { type, object } of admin.client(leases).watch(options)) {
      if (type !== 'ADDED' && type !== 'MODIFIED') continue;
      const { name = '', resourceVersion } = object.metadata;
      const shard = Number(/-shard-(\d+)$/.exec(name)?.[1] ?? -1);
      holders.push({ version: Number(resourceVersion), shard, holder: object.spec?.holderIdentity ?? '' });
    }
  };
  const watchMaps = async () => {
    for await (const { type, object } of admin.client(configMaps).watch(options)) {
      if (type !== 'ADDED' && type !== 'MODIFIED') continue;
      const { name = '', resourceVersion } = object.metadata;
      for (const field of ['begun', 'ended']) {
        const text = object.data?.[field] ?? '';
        if (text === '' || last.get(`${name} ${field}`) === text) continue;
        last.set(`${name} ${field}`, text);
        writes.push({ version: Number(resourceVersion), key: `default/${name}`, by: text.split(' ')[0] ?? '' });
      }
    }
  };
  const following = Promise.allSettled([watchLeases(), watchMaps()]);
  return {
    async stop(): Promise<string[]> {
      stop.abort();
      await following;
      expect(writes.length).toBeGreaterThan(KEYS.length);
      return writes.flatMap(({ version, key, by }) => {
        const shard = shardOf(key, SHARDS, 'key');
        const holder = holders.filter((one) => one.shard === shard && one.version < version).at(-1)?.holder;
        return holder === by ? [] : [`${by} wrote ${key} at ${version} while ${holder} held shard ${shard}`];
      });
    },
  };
}
