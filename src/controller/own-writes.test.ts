import { describe, expect, it } from 'vitest';
import { configMaps, secrets } from '../generated/api/core/v1.ts';
import type { ReconcileContext } from './controller.ts';
import { controllerFixture, type Site, sites } from './controller-fixture.ts';
import { TerminalError } from './terminal-error.ts';

const WATCHES = { verb: 'watch' };

describe('own writes', () => {
  it('are in the caches before a key is run again: 1,000 objects, events 3 s late, 1,000 children', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, server, clock } = fixture;
    await fixture.defineSites();
    for (let n = 0; n < 1_000; n++) await fixture.createSite(`site-${n}`);
    server.faults.add(WATCHES, { kind: 'delay-events', ms: 3_000 }, { times: Number.POSITIVE_INFINITY });
    let runs = 0;
    manager
      .controller('site')
      .for(sites)
      .owns(configMaps)
      .reconcile(
        async ({ object, own, client, lister }) => {
          if (!object) return;
          runs++;
          const children = lister(configMaps).list(`site=${object.metadata.name}`);
          if (children.length > 0) return;
          const labels = { site: object.metadata.name };
          await client(configMaps).create(own({ metadata: { generateName: 'child-', labels } }));
          // As impatient as can be: without the wait for its own write, each run would make another child.
          return { requeueAfterMs: 1 };
        },
        { concurrency: 4 },
      );
    await fixture.start();
    await clock.advance(10_000);
    const { items } = await admin.client(configMaps).list({ namespace: 'default' });
    expect(items).toHaveLength(1_000);
    expect(new Set(items.map(({ metadata }) => metadata?.labels?.site)).size).toBe(1_000);
    expect(runs).toBeGreaterThanOrEqual(2_000);
    expect(fixture.logger.lines).toEqual([]);
  });

  /** Runs `reconcile` once a millisecond on the site `a`, with events that are 3 s late, and tells when runs began. */
  async function runTimes(
    reconcile: (context: ReconcileContext<Site>, run: number) => Promise<void>,
    options: { ms?: number; resources?: Parameters<typeof controllerFixture>[0] } = {},
  ) {
    const fixture = await controllerFixture(options.resources);
    const { manager, server, clock, admin } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    await admin.client(configMaps).create({ metadata: { name: 'old' } });
    server.faults.add(WATCHES, { kind: 'delay-events', ms: options.ms ?? 3_000 }, { times: Number.POSITIVE_INFINITY });
    const times: number[] = [];
    manager
      .controller('site')
      .for(sites)
      .reads(configMaps)
      .reconcile(async (context) => {
        times.push(clock.monotonicMs() - startMs);
        await reconcile(context, times.length);
        return { requeueAfterMs: 100 };
      });
    const startMs = clock.monotonicMs();
    await fixture.start();
    await clock.advance(7_000);
    await fixture.stop();
    await fixture[Symbol.asyncDispose]();
    return { times, logger: fixture.logger };
  }

  const first =
    (write: (context: ReconcileContext<Site>) => Promise<unknown>) =>
    async (context: ReconcileContext<Site>, run: number) => {
      if (run === 1) await write(context);
    };

  it.each<[string, (context: ReconcileContext<Site>) => Promise<unknown>]>([
    ['a create', ({ client }) => client(configMaps).create({ metadata: { name: 'new' } })],
    [
      'an update',
      async ({ client }) => client(configMaps).update({ ...(await client(configMaps).get('old')), data: { a: 'b' } }),
    ],
    ['a patch', ({ client }) => client(configMaps).patch('old', { data: { a: 'b' } })],
    ['an apply', ({ client }) => client(configMaps).apply({ metadata: { name: 'new' } })],
    [
      'a patch of the status',
      ({ client }) => client(sites).patch('a', { status: { ready: true } }, { subresource: 'status' }),
    ],
    ['a delete', ({ client }) => client(configMaps).delete('old')],
    [
      'a delete that a finalizer holds up',
      async ({ client }) => {
        await client(configMaps).patch('old', { metadata: { finalizers: ['example.com/hold'] } });
        await client(configMaps).delete('old');
      },
    ],
    [
      'a delete, and a create under the same name',
      async ({ client }) => {
        await client(configMaps).delete('old');
        await client(configMaps).create({ metadata: { name: 'old' } });
      },
    ],
    ['a delete of a collection', ({ client }) => client(configMaps).deleteCollection()],
  ])('of %s hold the key back until the cache has them', async (_name, write) => {
    const { times, logger } = await runTimes(first(write));
    expect(times[1]).toBe(3_000);
    expect(times[2]).toBe(3_100);
    expect(logger.lines).toEqual([]);
  });

  it.each<[string, (context: ReconcileContext<Site>) => Promise<unknown>]>([
    ['a patch that changes nothing', ({ client }) => client(configMaps).patch('old', {})],
    ['a dry run', ({ client }) => client(configMaps).create({ metadata: { name: 'new' } }, { dryRun: true })],
    ['a dry deletion', ({ client }) => client(configMaps).delete('old', { dryRun: true })],
    ['a kind that is not cached', ({ client }) => client(secrets).create({ metadata: { name: 'new' } })],
    [
      'an update that is refused',
      ({ client }) =>
        client(configMaps)
          .create({ metadata: { name: 'old' } })
          .catch(() => {}),
    ],
  ])('of %s hold nothing back', async (_name, write) => {
    const { times } = await runTimes(first(write));
    expect(times.slice(0, 3)).toEqual([0, 100, 200]);
  });

  it('that another namespace or selector keeps out of the cache hold nothing back', async () => {
    const elsewhere = await runTimes(
      first(({ client }) => client(configMaps).create({ metadata: { name: 'new', namespace: 'kube-system' } })),
      { resources: { namespace: 'default' } },
    );
    expect(elsewhere.times[1]).toBe(100);
    const unselected = await runTimes(
      first(({ client }) => client(configMaps).create({ metadata: { name: 'new', labels: { app: 'no' } } })),
      { resources: { resources: [[configMaps, { labelSelector: 'app=yes' }]] } },
    );
    expect(unselected.times[1]).toBe(100);
    const selected = await runTimes(
      first(({ client }) => client(configMaps).create({ metadata: { name: 'new', labels: { app: 'yes' } } })),
      { resources: { resources: [[configMaps, { labelSelector: 'app=yes' }]] } },
    );
    expect(selected.times[1]).toBe(3_000);
  });

  it('are waited for 5 s at most, which is reported', async () => {
    const { times, logger } = await runTimes(
      first(({ client }) => client(configMaps).create({ metadata: { name: 'new' } })),
      { ms: 60_000 },
    );
    expect(times.slice(0, 3)).toEqual([0, 5_000, 5_100]);
    expect(logger.lines).toEqual([
      expect.stringMatching(/^warn controller site: default\/a runs although .*configmaps\.v1 default\/new/),
    ]);
  });

  it('that no run awaited are waited for, too', async () => {
    const { times, logger } = await runTimes(
      first(async ({ client }) => void client(configMaps).create({ metadata: { name: 'new' } })),
    );
    expect(times[1]).toBe(3_000);
    expect(logger.lines).toEqual([]);
  });

  it('hold no worker while a key waits', async () => {
    await using fixture = await controllerFixture();
    const { manager, server, clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    server.faults.add(WATCHES, { kind: 'delay-events', ms: 3_000 }, { times: Number.POSITIVE_INFINITY });
    const runs: string[] = [];
    manager
      .controller('site')
      .for(sites)
      .source(later())
      .reads(configMaps)
      .reconcile(async ({ key, client }) => {
        runs.push(key);
        if (runs.length === 1) await client(configMaps).create({ metadata: { name: 'new' } });
        return key === 'default/a' ? { requeueAfterMs: 10 } : undefined;
      });
    async function* later() {
      await clock.sleep(500);
      yield 'default/b';
    }
    await fixture.start();
    await clock.advance(1_000);
    expect(runs).toEqual(['default/a', 'default/b']);
  });

  it('whose answer was lost are looked up before the key runs again', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, server, clock, logger } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    server.faults.add(WATCHES, { kind: 'delay-events', ms: 3_000 }, { times: Number.POSITIVE_INFINITY });
    server.faults.add({ verb: 'create', resource: 'configmaps' }, { kind: 'cut', afterBytes: 0 });
    const times: number[] = [];
    manager
      .controller('site')
      .for(sites)
      .reads(configMaps)
      .reconcile(async ({ client, lister }) => {
        times.push(clock.monotonicMs());
        if (lister(configMaps).list().length > 0) throw new TerminalError('done');
        await client(configMaps).create({ metadata: { generateName: 'child-' } });
      });
    await fixture.start();
    await clock.advance(10_000);
    expect(times).toEqual([0, 3_000]);
    expect((await admin.client(configMaps).list({ namespace: 'default' })).items).toHaveLength(1);
    expect(logger.lines).toHaveLength(2);
  });

  it('whose answer was lost are still looked up when the server could not be asked the first time', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, server, clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    server.faults.add(WATCHES, { kind: 'delay-events', ms: 3_000 }, { times: Number.POSITIVE_INFINITY });
    server.faults.add({ verb: 'create', resource: 'configmaps' }, { kind: 'cut', afterBytes: 0 });
    let runs = 0;
    manager
      .controller('site')
      .for(sites)
      .reads(configMaps)
      .reconcile(async ({ client, lister }) => {
        // From now on it cannot be asked for a while.
        if (++runs === 1) {
          server.faults.add({ verb: 'list', resource: 'configmaps' }, { kind: 'status', code: 400 }, { times: 3 });
        }
        if (lister(configMaps).list().length > 0) throw new TerminalError('done');
        await client(configMaps).create({ metadata: { generateName: 'child-' } });
      });
    await fixture.start();
    await clock.advance(10_000);
    expect(runs).toBe(2);
    expect((await admin.client(configMaps).list({ namespace: 'default' })).items).toHaveLength(1);
  });

  it('leave a key its priority while it waits for them', async () => {
    await using fixture = await controllerFixture();
    const { manager, server, clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    server.faults.add(WATCHES, { kind: 'delay-events', ms: 3_000 }, { times: Number.POSITIVE_INFINITY });
    const runs: string[] = [];
    manager
      .controller('site')
      .for(sites)
      .source(later())
      .reads(configMaps)
      .reconcile(async ({ name, client }) => {
        runs.push(name);
        if (runs.length === 1) await client(configMaps).create({ metadata: { name: 'new' } });
        // Holds the only worker until what `a` wrote has come.
        if (name === 'blocker') await clock.sleep(4_000);
        return name === 'a' && runs.length === 1 ? { requeueAfterMs: 10, priority: -50 } : undefined;
      });
    async function* later() {
      await clock.sleep(500);
      yield 'default/blocker';
      await clock.sleep(3_500);
      yield 'default/b';
    }
    await fixture.start();
    await clock.advance(6_000);
    expect(runs).toEqual(['a', 'blocker', 'b', 'a']);
  });

  it('leave a key the highest priority of all that asked for it while it waited for them', async () => {
    await using fixture = await controllerFixture({ resyncMs: 1_000 });
    const { manager, server, clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    server.faults.add(WATCHES, { kind: 'delay-events', ms: 3_000 }, { times: Number.POSITIVE_INFINITY });
    const runs: string[] = [];
    manager
      .controller('site')
      .for(sites)
      .source(later())
      .reads(configMaps)
      .reconcile(async ({ name, client }) => {
        runs.push(name);
        if (runs.length === 1) await client(configMaps).create({ metadata: { name: 'new' } });
        // Holds the only worker until what `a` wrote has come.
        if (name === 'blocker') await clock.sleep(1_400);
        return name === 'b' && runs.length === 2 ? { requeueAfterMs: 3_000, priority: -50 } : undefined;
      });
    async function* later() {
      await clock.sleep(500);
      yield 'default/b';
      // As urgent as a live change; after it come two resyncs.
      yield 'default/a';
      await clock.sleep(2_000);
      yield 'default/blocker';
    }
    await fixture.start();
    await clock.advance(3_950);
    expect(runs).toEqual(['a', 'b', 'blocker', 'a', 'b']);
  });

  it('that take an object out of what a cache selects hold the key back until it is gone from there', async () => {
    const { times } = await runTimes(
      first(({ client }) => client(configMaps).patch('old', { metadata: { labels: { app: 'no' } } })),
      { resources: { resources: [[configMaps, { labelSelector: 'app!=no' }]] } },
    );
    expect(times[1]).toBe(3_000);
  });

  it('are waited for by no timer any more when the manager has stopped', async () => {
    const fixture = await controllerFixture();
    const { manager, server, clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    server.faults.add(WATCHES, { kind: 'delay-events', ms: 3_000 }, { times: Number.POSITIVE_INFINITY });
    let runs = 0;
    manager
      .controller('site')
      .for(sites)
      .reads(configMaps)
      .reconcile(async ({ client }) => {
        runs++;
        await client(configMaps).create({ metadata: { generateName: 'child-' } });
        return { requeueAfterMs: 1 };
      });
    await fixture.start();
    await clock.advance(1_000);
    await fixture.stop();
    await fixture[Symbol.asyncDispose]();
    expect([runs, clock.pendingTimers]).toEqual([1, 0]);
  });
});
