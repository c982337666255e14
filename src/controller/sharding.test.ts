import { describe, expect, it } from 'vitest';
import { leases } from '../generated/api/coordination/v1.ts';
import { configMaps } from '../generated/api/core/v1.ts';
import type { ManagerOptions } from './manager-options.ts';
import { type Replica, replicasFixture } from './replicas-fixture.ts';
import { shardOf } from './shard-map.ts';
import type { ShardingOptions } from './sharding-options.ts';

type Fixture = Awaited<ReturnType<typeof replicasFixture>>;

const SHARDS = 4;
const sharded = (options: Partial<ShardingOptions> = {}): ManagerOptions => ({
  namespace: 'default',
  sharding: { name: 'website', shards: SHARDS, ...options },
});

/** Replicas that note what they run, as "replica key". */
function replicasOf(fixture: Fixture, names: readonly string[], runs: string[], options: ManagerOptions = sharded()) {
  return names.map((identity) => {
    const replica = fixture.replica(identity, options);
    replica.manager
      .controller('maps')
      .for(configMaps)
      .reconcile(({ key }) => void runs.push(`${identity} ${key}`));
    return replica;
  });
}

const held = (replicas: readonly Replica[]) =>
  replicas.flatMap(({ holds }) => holds as readonly number[]).sort((a, b) => a - b);
const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);

describe('replicas with sharding', () => {
  it('share the shards, and each key is run by the owner of its shard', async () => {
    await using fixture = await replicasFixture();
    const names = Array.from({ length: 12 }, (_, n) => `map-${n}`);
    for (const name of names) await fixture.createMap(name);
    const runs: string[] = [];
    const replicas = replicasOf(fixture, ['one', 'two'], runs);
    for (const replica of replicas) void replica.start();
    await fixture.clock.advance(10_000);
    expect(replicas.map(({ holds }) => (holds as number[]).length)).toEqual([2, 2]);
    expect(held(replicas)).toEqual(ALL);
    const ownerOf = (key: string) =>
      replicas.find(({ holds }) => (holds as number[]).includes(shardOf(key, SHARDS, 'key')))?.identity;
    expect(runs.sort()).toEqual(names.map((name) => `${ownerOf(`default/${name}`)} default/${name}`).sort());
    runs.length = 0;
    await fixture.admin.client(configMaps).patch('map-3', { data: { x: '1' } });
    await fixture.clock.advance(0);
    expect(runs).toEqual([`${ownerOf('default/map-3')} default/map-3`]);
  });

  it('by namespace keep all keys of a namespace together', async () => {
    await using fixture = await replicasFixture();
    for (let n = 0; n < 8; n++) await fixture.createMap(`map-${n}`);
    const runs: string[] = [];
    const replicas = replicasOf(fixture, ['one', 'two'], runs, sharded({ by: 'namespace' }));
    for (const replica of replicas) void replica.start();
    await fixture.clock.advance(10_000);
    expect(runs).toHaveLength(8);
    expect(new Set(runs.map((run) => run.split(' ')[0])).size).toBe(1);
  });

  it('hand a shard over after its runs have ended, to one that joins; nothing else is run again', async () => {
    await using fixture = await replicasFixture();
    const { clock } = fixture;
    for (let n = 0; n < 12; n++) await fixture.createMap(`map-${n}`);
    const running = new Map<string, string>();
    const breaches: string[] = [];
    const runs: string[] = [];
    const start = (identity: string) => {
      const replica = fixture.replica(identity, sharded());
      replica.manager
        .controller('maps')
        .for(configMaps)
        .reconcile(
          async ({ key, signal }) => {
            if (running.has(key)) breaches.push(`${identity} runs ${key} beside ${running.get(key)}`);
            running.set(key, identity);
            runs.push(`${identity} ${key}`);
            await replica.clock.sleep(6_000, signal).catch(() => breaches.push(`${key} was aborted`));
            running.delete(key);
          },
          { concurrency: 12 },
        );
      void replica.start();
      return replica;
    };
    const one = start('one');
    await clock.advance(15_000);
    expect(runs).toHaveLength(12);
    // Each is in the middle of a run when the other joins.
    for (let n = 0; n < 12; n++) await fixture.admin.client(configMaps).patch(`map-${n}`, { data: { x: '1' } });
    await clock.advance(100);
    runs.length = 0;
    const two = start('two');
    await clock.advance(5_000);
    expect(two.holds).toEqual([]);
    await clock.advance(25_000);
    expect(breaches).toEqual([]);
    expect(held([one, two])).toEqual(ALL);
    expect((two.holds as number[]).length).toBe(2);
    expect(runs.every((run) => run.startsWith('two'))).toBe(true);
    expect(new Set(runs.map((run) => run.split(' ')[1])).size).toBe(runs.length);
  });

  it('abort runs of a shard that is handed over after ten seconds, and keep its Lease until they end', async () => {
    await using fixture = await replicasFixture();
    const { clock } = fixture;
    for (let n = 0; n < 8; n++) await fixture.createMap(`map-${n}`);
    const aborted: string[] = [];
    const one = fixture.replica('one', sharded());
    one.manager
      .controller('maps')
      .for(configMaps)
      .reconcile(
        async ({ key, signal, causes }) => {
          await one.clock.sleep(3_600_000, signal).catch(() => {});
          aborted.push(`${key} ${causes[0]?.type}`);
          // It takes its time to end.
          await one.clock.sleep(30_000);
        },
        { concurrency: 8 },
      );
    void one.start();
    await clock.advance(5_000);
    const runs: string[] = [];
    const [two] = replicasOf(fixture, ['two'], runs) as [Replica];
    void two.start();
    await clock.advance(9_000);
    expect(aborted).toEqual([]);
    await clock.advance(2_000);
    expect(aborted.length).toBeGreaterThan(0);
    await clock.advance(20_000);
    expect(two.holds).toEqual([]);
    expect(runs).toEqual([]);
    await clock.advance(15_000);
    expect(held([one, two])).toEqual(ALL);
    expect(runs.map((run) => run.split(' ')[1]).sort()).toEqual(aborted.map((text) => text.split(' ')[0]).sort());
  });

  it('own all shards again within 30 s when one is killed, and the Lease of the dead is deleted later', async () => {
    await using fixture = await replicasFixture();
    const { clock, admin } = fixture;
    const runs: string[] = [];
    const replicas = replicasOf(fixture, ['one', 'two', 'three'], runs);
    for (const replica of replicas) void replica.start();
    await clock.advance(10_000);
    expect(held(replicas)).toEqual(ALL);
    const [dead, ...alive] = replicas as [Replica, Replica, Replica];
    dead.cutOff();
    await clock.advance(30_000);
    expect(held(alive)).toEqual(ALL);
    const members = async () => {
      const labelSelector = 'tidewatch.dev/role=member';
      const { items } = await admin.client(leases).list({ namespace: 'default', labelSelector });
      return items.map(({ spec }) => spec?.holderIdentity).sort();
    };
    expect(await members()).toEqual(['one', 'three', 'two']);
    await clock.advance(180_000);
    expect(await members()).toEqual(['three', 'two']);
    for (const replica of alive) await replica.stop();
    expect(await members()).toEqual([]);
  });

  it('take over at once what one leaves that stops', async () => {
    await using fixture = await replicasFixture();
    const { clock } = fixture;
    await fixture.createMap('a');
    const runs: string[] = [];
    const [one, two] = replicasOf(fixture, ['one', 'two'], runs) as [Replica, Replica];
    for (const replica of [one, two]) void replica.start();
    await clock.advance(10_000);
    await one.stop();
    await clock.advance(2_000);
    expect(two.holds).toEqual(ALL);
  });

  it('do not lose what changed, or went, while nobody owned its shard', async () => {
    await using fixture = await replicasFixture();
    const { clock, admin } = fixture;
    for (let n = 0; n < 8; n++) await fixture.createMap(`map-${n}`);
    const seen = new Map<string, string>();
    const replicas = ['one', 'two'].map((identity) => {
      const replica = fixture.replica(identity, sharded());
      replica.manager
        .controller('maps')
        .for(configMaps)
        .reconcile(({ key, object }) => {
          if (!isDead.has(identity)) seen.set(key, object ? (object.data?.x ?? '-') : 'gone');
        });
      void replica.start();
      return replica;
    }) as [Replica, Replica];
    const isDead = new Set<string>();
    await clock.advance(10_000);
    replicas[0].cutOff();
    isDead.add('one');
    await clock.advance(1_000);
    for (let n = 0; n < 4; n++) await admin.client(configMaps).patch(`map-${n}`, { data: { x: 'new' } });
    for (let n = 4; n < 8; n++) await admin.client(configMaps).delete(`map-${n}`);
    await clock.advance(30_000);
    expect(Object.fromEntries([...seen].sort())).toEqual({
      ...Object.fromEntries([0, 1, 2, 3].map((n) => [`default/map-${n}`, 'new'])),
      ...Object.fromEntries([4, 5, 6, 7].map((n) => [`default/map-${n}`, 'gone'])),
    });
  });

  it('ask the server for nothing but renewals of what they hold, once all is owned', async () => {
    await using fixture = await replicasFixture();
    const { clock } = fixture;
    const replicas = replicasOf(fixture, ['one', 'two', 'three', 'four'], [], sharded({ shards: 16 }));
    for (const replica of replicas) void replica.start();
    await clock.advance(20_000);
    for (const { requests } of replicas) requests.length = 0;
    await clock.advance(60_000);
    for (const { requests, holds } of replicas) {
      expect(requests.every((request) => request.startsWith('PUT'))).toBe(true);
      // Its shards and its membership, each every two seconds.
      expect((holds as number[]).length).toBe(4);
      expect(requests.length).toBeLessThanOrEqual(31 * (4 + 1));
    }
  });

  it('do not run keys beside one that divides them in another way', async () => {
    await using fixture = await replicasFixture();
    const { clock } = fixture;
    await fixture.createMap('a');
    const [one] = replicasOf(fixture, ['one'], []) as [Replica];
    void one.start();
    await clock.advance(10_000);
    const runs: string[] = [];
    const [other] = replicasOf(fixture, ['another'], runs, sharded({ shards: 3 })) as [Replica];
    void other.start();
    await clock.advance(60_000);
    expect([one.holds, other.holds]).toEqual([ALL, []]);
    expect(other.logger.lines.filter((line) => line.startsWith('error'))).toEqual([
      expect.stringMatching(
        /^error This process divides keys by 3-key and waits, because "one" shares default\/website/,
      ),
    ]);
    await one.stop();
    await clock.advance(30_000);
    expect(other.holds).toEqual([0, 1, 2]);
    expect(runs).toEqual(['another default/a']);
  });

  it('with different divisions that start at once do not both work', async () => {
    await using fixture = await replicasFixture();
    const one = replicasOf(fixture, ['one'], [])[0] as Replica;
    const other = replicasOf(fixture, ['another'], [], sharded({ shards: 3 }))[0] as Replica;
    for (const replica of [one, other]) void replica.start();
    await fixture.clock.advance(60_000);
    expect([one.holds, other.holds]).toEqual([[], [0, 1, 2]]);
  });

  it('with one identity do not both work: the second says so, and takes nothing', async () => {
    await using fixture = await replicasFixture();
    const { clock } = fixture;
    const [one] = replicasOf(fixture, ['same'], []) as [Replica];
    void one.start();
    await clock.advance(10_000);
    const [twin] = replicasOf(fixture, ['same'], []) as [Replica];
    void twin.start();
    await clock.advance(60_000);
    expect([one.holds, twin.holds]).toEqual([ALL, []]);
    expect(twin.logger.lines.filter((line) => line.startsWith('warn'))).toEqual([
      expect.stringMatching(/held under the identity "same", which is ours, and this process did not write that/),
    ]);
    expect(twin.manager.readyz().at(-1)).toMatchObject({ name: 'sharding', ok: false });
  });

  it('are ready when they are members, and say what is missing when they may not use Leases', async () => {
    await using fixture = await replicasFixture();
    const { clock, server } = fixture;
    const [one, two] = replicasOf(fixture, ['one', 'two'], []) as [Replica, Replica];
    void one.start();
    await clock.advance(5_000);
    expect(one.manager.readyz().at(-1)).toEqual({ name: 'sharding', ok: true });
    server.access.deny({ resources: ['leases'], verbs: ['list', 'watch'] });
    void two.start();
    await clock.advance(30_000);
    expect(two.manager.readyz().at(-1)).toMatchObject({
      name: 'sharding',
      ok: false,
      message: expect.stringMatching(/^the Leases have not been read .*403/),
    });
    expect(two.holds).toEqual([]);
  });

  it('reject and name the run that has not ended when another may own its shard', async () => {
    await using fixture = await replicasFixture();
    const { clock } = fixture;
    await fixture.createMap('a');
    const one = fixture.replica('one', sharded());
    let end: () => void = () => {};
    one.manager
      .controller('maps')
      .for(configMaps)
      .reconcile(
        () =>
          new Promise<void>((resolve) => {
            end = resolve;
          }),
      );
    const running = one.start();
    const outcome = expect(running).rejects.toMatchObject({
      kind: 'leadership-lost',
      message: expect.stringMatching(
        /^the run of default\/a of controller maps has not ended .* default\/website-shard-\d now/,
      ),
    });
    await clock.advance(5_000);
    one.cutOff();
    await clock.advance(40_000);
    end();
    await outcome;
  });
});
