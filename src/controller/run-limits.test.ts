import { describe, expect, it } from 'vitest';
import { configMaps } from '../generated/api/core/v1.ts';
import { controllerFixture, recordedMetrics, sites } from './controller-fixture.ts';

const TIMEOUTS = 'controller_runtime_reconcile_timeouts_total{controller="site"}';
const ACTIVE = 'controller_runtime_active_workers{controller="site"}';

describe('a run', () => {
  it('has a signal that aborts when its time is up; that counts as a timeout, and is tried again', async () => {
    const metrics = recordedMetrics();
    await using fixture = await controllerFixture({ metrics });
    await fixture.defineSites();
    await fixture.createSite('a');
    let count = 0;
    fixture.manager
      .controller('site')
      .for(sites)
      .reconcile(
        async ({ signal }) => {
          if (++count === 1) await fixture.clock.sleep(60_000, signal);
        },
        { timeoutMs: 1_000 },
      );
    await fixture.start();
    await fixture.clock.advance(999);
    expect(count).toBe(1);
    await fixture.clock.advance(6);
    expect(count).toBe(2);
    expect(metrics.values.get(TIMEOUTS)).toBe(1);
    expect(fixture.logger.lines).toEqual([expect.stringContaining('default/a took longer than 1000 ms')]);
  });

  it('that fails for another reason after its time was up does not count as a timeout', async () => {
    const metrics = recordedMetrics();
    await using fixture = await controllerFixture({ metrics });
    await fixture.defineSites();
    await fixture.createSite('a');
    fixture.manager
      .controller('site')
      .for(sites)
      .reconcile(
        async () => {
          await fixture.clock.sleep(1_500);
          throw new Error('something else');
        },
        { timeoutMs: 1_000 },
      );
    await fixture.start();
    await fixture.clock.advance(1_500);
    expect(metrics.values.get(TIMEOUTS)).toBe(0);
    expect(fixture.logger.lines).toEqual([expect.stringContaining('something else')]);
  });

  it('that fails after its time with what cannot be read is tried again all the same', async () => {
    const metrics = recordedMetrics();
    await using fixture = await controllerFixture({ metrics });
    await fixture.defineSites();
    await fixture.createSite('a');
    let count = 0;
    fixture.manager
      .controller('site')
      .for(sites)
      .reconcile(
        async () => {
          if (++count > 1) return;
          await fixture.clock.sleep(1_500);
          const { proxy, revoke } = Proxy.revocable({}, {});
          revoke();
          throw proxy;
        },
        { timeoutMs: 1_000 },
      );
    await fixture.start();
    await fixture.clock.advance(1_505);
    expect([count, metrics.values.get(TIMEOUTS)]).toEqual([2, 0]);
  });

  it('that does not heed its signal is reported as stuck, keeps its key, gives up its worker, and fails healthz in the end', async () => {
    const metrics = recordedMetrics();
    await using fixture = await controllerFixture({ metrics });
    const { manager, clock, admin } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    await fixture.createSite('b');
    const runs: string[] = [];
    let release = () => {};
    manager
      .controller('site')
      .for(sites)
      .reconcile(
        async ({ name }) => {
          runs.push(name);
          if (name === 'a' && runs.length === 1) await new Promise<void>((resolve) => (release = resolve));
        },
        { timeoutMs: 1_000, stuckMs: 60_000 },
      );
    await fixture.start();
    await clock.advance(5_999);
    expect(runs).toEqual(['a']);
    await clock.advance(1);
    expect(runs).toEqual(['a', 'b']);
    expect(fixture.logger.lines).toEqual([
      expect.stringMatching(/^error controller site: the run of default\/a is stuck/),
    ]);
    await admin.client(sites).patch('a', { spec: { color: 'red' } });
    await clock.advance(54_999);
    expect(runs).toEqual(['a', 'b']);
    expect(manager.healthz()).toContainEqual({ name: 'controller-site', ok: true });
    await clock.advance(1);
    expect(manager.healthz()).toContainEqual({ name: 'controller-site', ok: false, message: 'stuck: default/a' });
    release();
    await clock.advance(0);
    expect(runs).toEqual(['a', 'b', 'a']);
    expect(manager.healthz()).toContainEqual({ name: 'controller-site', ok: true });
    expect(metrics.values.get(ACTIVE)).toBe(0);
  });

  it('that hangs without a time limit is reported once, after stuckMs, while other controllers go on', async () => {
    await using fixture = await controllerFixture();
    const { manager, clock, logger } = fixture;
    await fixture.defineSites();
    for (const name of ['a', 'b', 'c']) await fixture.createSite(name);
    manager
      .controller('hanging')
      .for(sites)
      .reconcile(({ name }) => (name === 'b' ? clock.sleep(50_000) : new Promise<void>(() => {})), {
        concurrency: 2,
        stuckMs: 100_000,
      });
    const seen: string[] = [];
    manager
      .controller('other')
      .for(sites)
      .reconcile(({ name }) => void seen.push(name));
    await fixture.start();
    const report = (key: string) =>
      expect.stringMatching(
        `^warn controller hanging: the run of default/${key} has not ended after 100000 ms, .* Give .reconcile a timeoutMs`,
      );
    await clock.advance(99_999);
    expect(logger.lines).toEqual([]);
    await clock.advance(1);
    expect(logger.lines).toEqual([report('a')]);
    await clock.advance(49_999);
    expect(logger.lines).toEqual([report('a')]);
    // It began when `b` had ended.
    await clock.advance(1);
    expect(logger.lines).toEqual([report('a'), report('c')]);
    await clock.advance(1_000_000);
    expect(logger.lines).toHaveLength(2);
    await fixture.createSite('d');
    await clock.advance(0);
    expect(seen).toContain('d');
    expect(manager.healthz().every(({ ok }) => ok)).toBe(true);
    fixture.abort();
    await clock.advance(30_000);
    await fixture.running;
    expect(fixture.timersLeft).toBe(0);
  });

  it('runs beside at most as many others as concurrency says', async () => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await fixture.createSite(name);
    let active = 0;
    let most = 0;
    let done = 0;
    fixture.manager
      .controller('site')
      .for(sites)
      .reconcile(
        async () => {
          most = Math.max(most, ++active);
          await fixture.clock.sleep(10);
          active--;
          done++;
        },
        { concurrency: 3 },
      );
    await fixture.start();
    await fixture.clock.advance(10);
    expect([most, done]).toEqual([3, 3]);
    await fixture.clock.advance(10);
    expect([most, done]).toEqual([3, 5]);
  });
});

describe('a stop', () => {
  it('begins no run, aborts those that run, and waits for them', async () => {
    await using fixture = await controllerFixture();
    const { manager, clock } = fixture;
    await fixture.defineSites();
    for (const name of ['a', 'b']) await fixture.createSite(name);
    const events: string[] = [];
    manager
      .controller('site')
      .for(sites)
      .reconcile(async ({ name, signal }) => {
        events.push(`${name} begins`);
        await clock.sleep(60_000, signal).catch(() => {});
        await clock.sleep(1_000);
        events.push(`${name} ends`);
      });
    await fixture.start();
    fixture.abort();
    const stopped = fixture.running.then(() => events.push('stopped'));
    await clock.advance(1_000);
    await stopped;
    await fixture.stop();
    expect(events).toEqual(['a begins', 'a ends', 'stopped']);
    expect(fixture.timersLeft).toBe(0);
    expect(fixture.logger.lines).toEqual([]);
  });

  it.each([
    ['gracefulStopMs', { gracefulStopMs: 2_000 }, 2_000],
    ['30 s', {}, 30_000],
  ])('goes on without a run that does not end within %s, and says so', async (_name, options, graceMs) => {
    await using fixture = await controllerFixture(options);
    await fixture.defineSites();
    await fixture.createSite('a');
    fixture.manager
      .controller('site')
      .for(sites)
      .reconcile(() => new Promise(() => {}));
    await fixture.start();
    fixture.abort();
    let isOver = false;
    void fixture.running.then(() => (isOver = true));
    await fixture.clock.advance(graceMs - 1);
    expect(isOver).toBe(false);
    await fixture.clock.advance(1);
    await fixture.running;
    expect(fixture.logger.lines.at(-1)).toMatch(
      `error controller site: the runs of default/a have not ended ${graceMs} ms after`,
    );
  });

  it('ends the caches after the runs, which see what comes until then', async () => {
    await using fixture = await controllerFixture();
    const { clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    const seen: unknown[] = [];
    fixture.manager
      .controller('site')
      .for(sites)
      .reconcile(async ({ lister }) => {
        const look = () => seen.push(lister(sites).list().length);
        look();
        await clock.sleep(1_000);
        look();
      });
    await fixture.start();
    const [informer] = fixture.manager.informers();
    fixture.abort();
    await fixture.createSite('b');
    await clock.advance(999);
    expect(informer?.isStopped()).toBe(false);
    await clock.advance(1);
    await fixture.running;
    expect([seen, informer?.isStopped()]).toEqual([[1, 2], true]);
  });

  it.each([0, 1, 2, 4, 6, 8, 10, 12, 14, 15, 16, 17, 18, 19, 20, 22, 25, 30])(
    'after %i turns of the start ends it whole: no run begins later, no timer and no watch is left',
    async (turns) => {
      await using fixture = await controllerFixture();
      const { manager, server, clock } = fixture;
      await fixture.defineSites();
      for (const name of ['a', 'b', 'c']) await fixture.createSite(name);
      const runs: string[] = [];
      for (const name of ['one', 'two']) {
        manager
          .controller(name)
          .for(sites)
          .reads(configMaps)
          .finalizer('example.com/site', () => {})
          .reconcile(async ({ key, client }) => {
            runs.push(key);
            await client(configMaps)
              .apply({ metadata: { name: `${name}-${key.replace('/', '-')}` } })
              .catch(() => {});
            // At once, so that it waits for what it wrote; not forever, because the time stands still.
            return runs.length < 20 ? { requeueAfterMs: 0 } : undefined;
          });
      }
      const timersBefore = clock.pendingTimers;
      const stop = new AbortController();
      const running = manager.run({ signal: stop.signal });
      for (let n = 0; n < turns; n++) await new Promise((resolve) => setImmediate(resolve));
      stop.abort();
      await clock.advance(1_000);
      await running;
      const begun = runs.length;
      await clock.advance(60_000);
      expect(runs).toHaveLength(begun);
      expect(clock.pendingTimers).toBe(timersBefore);
      expect(server.openWatches).toBe(0);
    },
  );

  it('before the caches have synced is not an error', async () => {
    await using fixture = await controllerFixture();
    fixture.manager
      .controller('site')
      .for(sites)
      .reconcile(() => {});
    await fixture.start();
    fixture.abort();
    await expect(fixture.running).resolves.toBeUndefined();
    expect(fixture.timersLeft).toBe(0);
  });

  it('leaves no request of a run under way', async () => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    await fixture.createSite('a');
    const fault = fixture.server.faults.add({ verb: 'get', resource: 'sites', name: 'a' }, { kind: 'stall' });
    let outcome = '';
    fixture.manager
      .controller('site')
      .for(sites)
      .reconcile(async ({ client }) => {
        await client(sites)
          .get('a')
          .catch((error: Error) => {
            outcome = error.message;
          });
        // With a signal of its own, too, nothing is written any more.
        const { signal } = new AbortController();
        const written = client(sites).patch('a', { spec: { color: 'late' } }, { signal });
        outcome += `, ${await written.catch((error: Error) => error.message)}`;
        await client(sites).patch('a', { spec: { color: 'late' } });
      });
    await fixture.start();
    await fault.met();
    await fixture.stop();
    expect(outcome).toBe('the manager stops, the manager stops');
    const site = await fixture.admin.client(sites).get('a');
    expect(site.spec?.color).toBeUndefined();
  });
});
