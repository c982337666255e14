import { describe, expect, it } from 'vitest';
import type { Client } from '../cluster/client.ts';
import { leases } from '../generated/api/coordination/v1.ts';
import { type ConfigMap, configMaps } from '../generated/api/core/v1.ts';
import { events } from '../generated/api/events/v1.ts';
import type { ReconcileContext } from './controller.ts';
import type { ManagerOptions } from './manager-options.ts';
import { type Replica, replicasFixture } from './replicas-fixture.ts';

const ELECTED = { leaderElection: { name: 'website' }, namespace: 'default' };

/** A controller that notes what it runs, as "replica key". */
function noting(replica: Replica, runs: string[]): void {
  replica.manager
    .controller('maps')
    .for(configMaps)
    .reconcile(({ key, object, causes }) => {
      runs.push(`${replica.identity} ${key}${object ? '' : ' gone'} ${causes.map(({ type }) => type).join()}`);
    });
}

describe('a manager with leaderElection', () => {
  it('runs keys while it leads; the standby has its caches warm, and runs all when the leader has stopped', async () => {
    await using fixture = await replicasFixture();
    const { clock, admin } = fixture;
    await fixture.createMap('a');
    const runs: string[] = [];
    const [one, two] = ['one', 'two'].map((identity) => fixture.replica(identity, ELECTED)) as [Replica, Replica];
    for (const replica of [one, two]) noting(replica, runs);
    void one.start();
    await clock.advance(1_000);
    void two.start();
    await clock.advance(5_000);
    expect([one.holds, two.holds]).toEqual([true, false]);
    expect(runs.splice(0)).toEqual(['one default/a gained']);
    expect(two.manager.runningControllers[0]?.hasStarted).toBe(true);
    await fixture.createMap('b');
    await clock.advance(0);
    expect(runs.splice(0)).toEqual(['one default/b add']);
    await admin.client(configMaps).delete('b');
    await clock.advance(0);
    expect(runs.splice(0)).toEqual(['one default/b gone delete']);
    await one.stop();
    expect((await fixture.lease('website')).spec?.holderIdentity).toBe('');
    await clock.advance(5_000);
    expect(two.holds).toBe(true);
    // Nobody knows whether the last leader has run what is gone; nothing is read again to find the others.
    expect(runs.splice(0).sort()).toEqual(['two default/a gained', 'two default/b gone gained']);
    expect(two.requests.filter((request) => request === 'GET /api/v1/namespaces/default/configmaps')).toHaveLength(1);
  });

  it('stops its runs when it loses, and stands again without an end of the process', async () => {
    await using fixture = await replicasFixture();
    const { clock } = fixture;
    await fixture.createMap('a');
    const [one, two] = ['one', 'two'].map((identity) => fixture.replica(identity, ELECTED)) as [Replica, Replica];
    const log: string[] = [];
    for (const replica of [one, two]) {
      replica.manager
        .controller('maps')
        .for(configMaps)
        .reconcile(async ({ signal }) => {
          log.push(`${replica.identity} begins`);
          await replica.clock.sleep(3_600_000, signal).catch((error: Error) => {
            log.push(`${replica.identity} ends: ${error.message}`);
            throw error;
          });
        });
    }
    void one.start();
    await clock.advance(1_000);
    void two.start();
    await clock.advance(2_000);
    one.cutOff();
    await clock.advance(12_000);
    expect(log).toEqual([
      'one begins',
      expect.stringMatching(/^one ends: The leadership of the Lease default\/website ended: no renewal/),
    ]);
    await clock.advance(8_000);
    expect(log.slice(2)).toEqual(['two begins']);
    expect([one.holds, two.holds]).toEqual([false, true]);
    one.reconnect();
    await clock.advance(10_000);
    await two.stop();
    await clock.advance(10_000);
    expect(one.holds).toBe(true);
    expect(log.slice(3)).toEqual([expect.stringMatching(/^two ends/), 'one begins']);
    expect(one.logger.lines.filter((line) => line.includes('failed ('))).toEqual([]);
  });

  it('rejects and names the run that has not ended by the time another may lead', async () => {
    await using fixture = await replicasFixture();
    const { clock } = fixture;
    await fixture.createMap('a');
    const one = fixture.replica('one', ELECTED);
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
    await clock.advance(2_000);
    one.cutOff();
    let outcome: unknown = 'still running';
    running.catch((error: unknown) => {
      outcome = error;
    });
    await clock.advance(11_000);
    expect(outcome).toBe('still running');
    await clock.advance(10_000);
    expect(outcome).toMatchObject({
      kind: 'leadership-lost',
      message: expect.stringMatching(
        /^the run of default\/a of controller maps has not ended although its signal aborted, and another process may lead the Lease default\/website now\. End this process/,
      ),
    });
    end();
  });

  it('keeps the Lease while aborted runs end, and gives it back after them', async () => {
    await using fixture = await replicasFixture();
    const { clock } = fixture;
    await fixture.createMap('a');
    const one = fixture.replica('one', { ...ELECTED, gracefulStopMs: 60_000 });
    one.manager
      .controller('maps')
      .for(configMaps)
      .reconcile(async ({ client, signal }) => {
        await one.clock.sleep(3_600_000, signal).catch(() => {});
        await one.clock.sleep(25_000);
        await client(configMaps)
          .patch('a', { data: { done: 'yes' } })
          .catch(() => {});
      });
    void one.start();
    await clock.advance(2_000);
    one.abort();
    await clock.advance(24_000);
    expect((await fixture.lease('website')).spec?.holderIdentity).toBe('one');
    await clock.advance(2_000);
    expect((await fixture.lease('website')).spec?.holderIdentity).toBe('');
  });

  it('does not give the Lease back with releaseOnStop: false', async () => {
    await using fixture = await replicasFixture();
    const one = fixture.replica('one', { leaderElection: { name: 'website', releaseOnStop: false } });
    noting(one, []);
    void one.start();
    await fixture.clock.advance(1_000);
    await one.stop();
    expect((await fixture.lease('website')).spec?.holderIdentity).toBe('one');
  });

  it('refuses what a run of a lost term still writes: by its client, by its finalizer, and as an event', async () => {
    await using fixture = await replicasFixture();
    const { clock, admin } = fixture;
    await fixture.createMap('a');
    const one = fixture.replica('one', ELECTED);
    const outcomes: string[] = [];
    let kept: ReconcileContext<ConfigMap> | undefined;
    let client: Client<ConfigMap> | undefined;
    one.manager
      .controller('maps')
      .for(configMaps)
      .finalizer('example.com/maps', async (context) => {
        // Its signal has aborted when it returns; the finalizer would be removed now.
        await one.clock.sleep(3_600_000, context.signal).catch(() => {});
        outcomes.push('cleaned up');
        kept = context;
      })
      .reconcile((context) => {
        client = context.client(configMaps);
      });
    void one.start();
    await clock.advance(1_000);
    await client?.patch('a', { data: { by: 'the first term' } });
    await admin.client(configMaps).delete('a');
    await clock.advance(1_000);
    const thief = { holderIdentity: 'thief', renewTime: '2026-01-01T00:00:00.000000Z' };
    await admin.client(leases).patch('website', { spec: thief }, { namespace: 'default' });
    await clock.advance(3_000);
    expect(outcomes).toEqual(['cleaned up']);
    expect((await admin.client(configMaps).get('a')).metadata?.finalizers).toEqual(['example.com/maps']);
    const { object } = kept ?? {};
    if (object) kept?.record(object, { type: 'Normal', reason: 'Late', action: 'Late', note: 'Too late.' });
    await clock.advance(3_000);
    expect((await admin.client(events).list({ namespace: 'default' })).items).toEqual([]);
    const LOST = { kind: 'leadership-lost' };
    // The client of a run that has ended belongs to the term of that run, also when this process leads again.
    await expect(client?.patch('a', { data: { by: 'nobody' } })).rejects.toMatchObject(LOST);
    await clock.advance(20_000);
    expect(one.holds).toBe(true);
    await expect(client?.patch('a', { data: { by: 'nobody' } })).rejects.toMatchObject(LOST);
    // With a signal of its own, too.
    const { signal } = new AbortController();
    await expect(client?.patch('a', { data: { by: 'nobody' } }, { signal })).rejects.toMatchObject(LOST);
    one.manager.runningControllers[0]?.loop.abortRuns(new Error('over'));
  });

  it('writes the events of its runs while it leads', async () => {
    await using fixture = await replicasFixture();
    await fixture.createMap('a');
    const one = fixture.replica('one', ELECTED);
    one.manager
      .controller('maps')
      .for(configMaps)
      .reconcile(({ object, record }) => {
        if (object) record(object, { type: 'Normal', reason: 'Seen', action: 'Look', note: 'There.' });
      });
    void one.start();
    await fixture.clock.advance(1_000);
    const { items } = await fixture.admin.client(events).list({ namespace: 'default' });
    expect(items).toMatchObject([{ reason: 'Seen', reportingController: 'maps' }]);
  });

  it('is ready as a leader and as a standby, and not when it may not read its Lease', async () => {
    await using fixture = await replicasFixture();
    const { clock, server } = fixture;
    const [one, two] = ['one', 'two'].map((identity) => fixture.replica(identity, ELECTED)) as [Replica, Replica];
    for (const replica of [one, two]) noting(replica, []);
    expect(one.manager.readyz()).toContainEqual({
      name: 'leader-election',
      ok: false,
      message: 'the Lease default/website has not been read yet',
    });
    void one.start();
    await clock.advance(1_000);
    void two.start();
    await clock.advance(5_000);
    for (const { manager } of [one, two]) {
      expect(manager.readyz().map(({ name, ok }) => `${name} ${ok}`)).toEqual([
        'caches-of-maps true',
        'leader-election true',
      ]);
      expect(manager.healthz().every(({ ok }) => ok)).toBe(true);
    }
    server.access.deny({ resources: ['leases'], verbs: ['get', 'update'] });
    await clock.advance(20_000);
    for (const { manager } of [one, two]) {
      expect(manager.readyz().at(-1)).toMatchObject({
        ok: false,
        message: expect.stringMatching(/no request for the Lease default\/website succeeds: .*403/),
      });
    }
  });

  it('has the status of what it holds and what waits', async () => {
    await using fixture = await replicasFixture();
    await fixture.createMap('a');
    await fixture.createMap('b');
    const one = fixture.replica('one', ELECTED);
    one.manager
      .controller('maps')
      .for(configMaps)
      .reconcile(async ({ signal }) => one.clock.sleep(60_000, signal));
    void one.start();
    await fixture.clock.advance(1_000);
    expect(one.manager.status()).toEqual({
      election: { lease: 'default/website', identity: 'one', holds: true },
      controllers: [{ name: 'maps', started: true, waiting: 1, running: 1, failing: 0 }],
    });
  });

  it('asks for the rights on Leases that it needs', async () => {
    await using fixture = await replicasFixture();
    const rights = (options: ManagerOptions) =>
      fixture
        .replica('one', options)
        .manager.rbac()
        .find(({ resources }) => resources.includes('leases'))?.verbs;
    expect(rights({})).toBeUndefined();
    expect(rights(ELECTED)).toEqual(['create', 'get', 'update']);
    expect(rights({ sharding: { name: 'website' } })).toEqual(['create', 'delete', 'get', 'list', 'update', 'watch']);
  });

  it.each<[ManagerOptions, RegExp]>([
    [
      { leaderElection: { name: 'website' }, sharding: { name: 'website' } },
      /leaderElection, so that one process works, or sharding/,
    ],
    [
      { leaderElection: { name: 'website', leaseDurationMs: 10_000 } },
      /leaseDurationMs \(10000\) must be more than renewDeadlineMs/,
    ],
    [{ leaderElection: { name: 'Website' } }, /"Website" cannot be the name of a Lease/],
    [
      { sharding: { name: 'website', leaseDurationMs: 10_000 } },
      /leaseDurationMs \(10000\) must be more than renewDeadlineMs/,
    ],
    [{ sharding: { name: 'web.site' } }, /"web.site" cannot be the name of a sharding/],
    [{ sharding: { name: 'website', shards: 0 } }, /shards must be a whole number from 1 to 256, and is 0/],
    [{ sharding: { name: 'website', shards: 1.5 } }, /shards must be a whole number from 1 to 256, and is 1.5/],
    [{ sharding: { name: 'website', by: 'uid' as never } }, /by "key" or "namespace", and not by "uid"/],
    [{ sharding: { name: 'website', identity: '' } }, /identity must be a text that is not empty/],
  ])('does not accept %o', async (options, message) => {
    await using fixture = await replicasFixture();
    expect(() => fixture.replica('one', options)).toThrow(message);
  });
});
