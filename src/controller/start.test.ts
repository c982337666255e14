import { describe, expect, it } from 'vitest';
import type { Resource } from '../api/resource.ts';
import { configMaps, secrets } from '../generated/api/core/v1.ts';
import { SharedInformerFactory } from '../informer/shared-informer-factory.ts';
import { controllerFixture, recordedMetrics, sites } from './controller-fixture.ts';
import { Manager } from './manager.ts';

const nothing = () => {};

describe('a controller', () => {
  it('runs nothing before all its caches have synced and all its handlers have seen the initial list', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, server, clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    await admin.client(configMaps).create({ metadata: { name: 'c', labels: { site: 'a' } } });
    server.faults.add({ verb: ['list', 'watch'], resource: 'configmaps' }, { kind: 'delay', ms: 20_000 });
    const runs: string[] = [];
    manager
      .controller('site')
      .for(sites)
      .watches(configMaps, () => ['default/mapped'])
      .reconcile(({ key, lister }) => void runs.push(`${key} ${lister(configMaps).list().length}`));
    await fixture.start();
    await clock.advance(19_000);
    expect(runs).toEqual([]);
    expect(manager.readyz()).toEqual([{ name: 'caches-of-site', ok: false, message: 'configmaps.v1 is listing' }]);
    await clock.advance(2_000);
    expect(runs.sort()).toEqual(['default/a 1', 'default/mapped 1']);
    expect(manager.readyz()).toEqual([{ name: 'caches-of-site', ok: true }]);
  });

  it('runs nothing before its functions have seen every object of the initial list, however slow they are', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    for (let n = 0; n < 20; n++) await admin.client(configMaps).create({ metadata: { name: `c-${n}` } });
    let mapped = 0;
    const mappedAtRuns: number[] = [];
    manager
      .controller('site')
      .for(sites)
      .watches(configMaps, () => {
        mapped++;
        // Longer than a slice: the others have their turns in between.
        clock.spend(10);
        return [];
      })
      .reconcile(() => void mappedAtRuns.push(mapped));
    await fixture.start();
    await clock.advance(0);
    expect(mappedAtRuns).toEqual([20]);
  });

  it('whose caches do not sync in time makes run reject, with kind, state and last error', async () => {
    await using fixture = await controllerFixture();
    const { manager, server, clock } = fixture;
    server.faults.add(
      { verb: ['list', 'watch'], resource: 'configmaps' },
      { kind: 'status', code: 403 },
      { times: Number.POSITIVE_INFINITY },
    );
    manager.controller('quick').for(secrets).reconcile(nothing);
    manager.controller('site').for(configMaps).reconcile(nothing, { syncTimeoutMs: 60_000 });
    await fixture.start();
    let outcome: unknown;
    fixture.running.catch((error: unknown) => {
      outcome = error;
    });
    await clock.advance(59_000);
    expect(outcome).toBeUndefined();
    await clock.advance(1_000);
    expect(outcome).toMatchObject({
      kind: 'timeout',
      message: expect.stringMatching(
        /^controller site cannot start: its caches did not sync within 60000 ms: configmaps\.v1 \(forbidden: .*manager\.rbac\(\)/s,
      ),
    });
    await clock.advance(0);
    expect(fixture.timersLeft).toBe(0);
  });

  it('of a kind whose definition is missing waits for it, while others run', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, clock } = fixture;
    const runs: string[] = [];
    manager
      .controller('site')
      .for(sites)
      .reconcile(({ key }) => void runs.push(key), { syncTimeoutMs: 10_000 });
    manager
      .controller('settings')
      .for(configMaps)
      .reconcile(({ key }) => void runs.push(key));
    await admin.client(configMaps).create({ metadata: { name: 'c' } });
    await fixture.start();
    await clock.advance(10 * 60_000);
    expect(runs).toEqual(['default/c']);
    expect(manager.readyz()).toContainEqual({
      name: 'caches-of-site',
      ok: false,
      message: 'sites.v1.example.com is gone',
    });
    await fixture.defineSites();
    await fixture.createSite('a');
    await clock.advance(2 * 60_000);
    expect(runs).toEqual(['default/c', 'default/a']);
  });

  it('that is added while the manager runs starts at once', async () => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    await fixture.createSite('a');
    await fixture.admin.client(configMaps).create({ metadata: { name: 'c' } });
    fixture.manager.controller('site').for(sites).reconcile(nothing);
    await fixture.start();
    const runs: string[] = [];
    fixture.manager
      .controller('settings')
      .for(configMaps)
      .reads(sites)
      .reconcile(({ key, lister }) => void runs.push(`${key} ${lister(sites).list().length}`));
    await fixture.clock.advance(0);
    expect(runs).toEqual(['default/c 1']);
  });

  it('that is added while the health server starts is started once', async () => {
    await using fixture = await controllerFixture({ health: { port: 0 } });
    const { manager, clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    manager.controller('first').for(sites).reconcile(nothing);
    const runs: string[] = [];
    const starting = fixture.start();
    manager
      .controller('second')
      .for(sites)
      .reconcile(({ key }) => void runs.push(key));
    await starting;
    while (manager.readyz().some(({ ok }) => !ok)) {
      // Its port is opened by the machine, and not by the clock.
      await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(0);
    }
    await clock.advance(0);
    expect(runs).toEqual(['default/a']);
    await fixture.createSite('b');
    await clock.advance(0);
    expect(runs).toEqual(['default/a', 'default/b']);
  });

  it('reads no cache that it has not declared', async () => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    await fixture.createSite('a');
    fixture.manager
      .controller('site')
      .for(sites)
      .reconcile(({ lister }) => void lister(configMaps).list());
    await fixture.start();
    expect(fixture.logger.lines[0]).toMatch(
      /controller site has not declared configmaps\.v1.*Add \.reads\(configmaps\)/,
    );
  });

  it('holds back its runs while it is paused, before and after the start, and forgets nothing', async () => {
    await using fixture = await controllerFixture();
    const { manager, admin, clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    const runs: string[] = [];
    const controller = manager
      .controller('site')
      .for(sites)
      .reconcile(({ key, object }) => void runs.push(`${key} ${object?.spec?.color}`), { concurrency: 2 });
    controller.pause();
    await fixture.start();
    expect(runs).toEqual([]);
    controller.resume();
    await clock.advance(0);
    expect(runs).toEqual(['default/a undefined']);
    controller.pause();
    controller.pause();
    await admin.client(sites).patch('a', { spec: { color: 'red' } });
    await clock.advance(60_000);
    expect(runs).toHaveLength(1);
    controller.resume();
    await clock.advance(0);
    expect(runs).toEqual(['default/a undefined', 'default/a red']);
  });

  it('merges the events of a key within debounceMs after the first into one run', async () => {
    await using fixture = await controllerFixture();
    const { admin, clock } = fixture;
    await fixture.defineSites();
    const times: number[] = [];
    fixture.manager
      .controller('site')
      .for(sites)
      .reconcile(() => void times.push(clock.monotonicMs()), { debounceMs: 1_000 });
    await fixture.start();
    await fixture.createSite('a');
    for (let n = 0; n < 5; n++) {
      await clock.advance(300);
      await admin.client(sites).patch('a', { spec: { color: `${n}` } });
    }
    await clock.advance(5_000);
    expect(times).toEqual([1_000, 2_200]);
  });
});

describe('a source', () => {
  it('brings keys until it ends or fails; a wrong key and the failure are reported', async () => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    async function* keys() {
      yield 'default/a';
      yield 'a';
      yield 5 as unknown as string;
      yield 'default/b';
      throw new Error('the line is dead');
    }
    const runs: string[] = [];
    fixture.manager
      .controller('site')
      .for(sites)
      .source(keys())
      .reconcile(({ key, causes }) => void runs.push(`${key} ${causes[0]?.type}`));
    await fixture.start();
    expect(runs).toEqual(['default/a source', 'default/b source']);
    expect(fixture.logger.lines).toEqual([
      expect.stringMatching(
        /^error controller site: a source of keys brought a wrong one, .*"a" cannot be the key of a Site/,
      ),
      expect.stringMatching(/^error controller site: a source .*must be a string, not number/),
      expect.stringMatching(/^error controller site: a source of keys failed and brings no more: the line is dead/),
    ]);
  });

  it('that brings nothing but wrong keys does not fill the log', async () => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    async function* wrong() {
      for (let n = 0; n < 1_000; n++) yield 'a';
    }
    fixture.manager.controller('site').for(sites).source(wrong()).reconcile(nothing);
    await fixture.start();
    expect(fixture.logger.lines).toHaveLength(10);
    expect(fixture.logger.lines.at(-1)).toMatch(
      /a source of keys brought a wrong one \(512 so far\), which is skipped/,
    );
  });

  it.each([7, undefined, null])('whose next() gives %s fails, and brings no more', async (result) => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    const broken = { [Symbol.asyncIterator]: () => ({ next: () => result as never }) };
    fixture.manager.controller('site').for(sites).source(broken).reconcile(nothing);
    await fixture.start();
    expect(fixture.logger.lines).toEqual([
      `error controller site: a source of keys failed and brings no more: its next() gave ${result}, which is not a result of an iterator`,
    ]);
  });

  it('that never ends is left at the stop, and one that hangs does not hold it up', async () => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    let left = false;
    async function* endless() {
      try {
        for (;;) {
          await fixture.clock.sleep(10);
          yield 'default/a';
        }
      } finally {
        left = true;
      }
    }
    const hanging: AsyncIterable<string> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
    fixture.manager.controller('site').for(sites).source(endless()).source(hanging).reconcile(nothing);
    await fixture.start();
    await fixture.clock.advance(100);
    await fixture.stop();
    await fixture.clock.advance(100);
    expect(left).toBe(true);
  });
});

describe('a manager', () => {
  it('says what to do about a name that is taken, a missing .for, a missing .reconcile, and a second run', async () => {
    await using fixture = await controllerFixture();
    const { manager } = fixture;
    await expect(manager.run()).rejects.toMatchObject({
      kind: 'misuse',
      message: expect.stringContaining('no controllers'),
    });
    manager.controller('site').for(sites).reconcile(nothing);
    expect(() => manager.controller('site')).toThrow(/there is a controller site already\. Give this one another name/);
    expect(() => manager.controller('')).toThrow(TypeError);
    const half = manager.controller('half');
    expect(() => half.reconcile(nothing)).toThrow(/controller half: .*Call \.for\(resource\) before \.reconcile/);
    half.for(sites);
    expect(() => half.for(sites)).toThrow(/\.for was called twice/);
    await expect(manager.run()).rejects.toMatchObject({
      kind: 'misuse',
      message: expect.stringMatching(/controller half does nothing\. End it with \.reconcile/),
    });
    half.reconcile(nothing);
    expect(() => half.owns(configMaps)).toThrow(/it is complete\. Call everything else before \.reconcile/);
    await fixture.start();
    await expect(manager.run()).rejects.toMatchObject({
      kind: 'misuse',
      message: expect.stringContaining('run was called twice'),
    });
    await fixture.stop();
    expect(() => manager.controller('late').for(sites).reconcile(nothing)).toThrow(/the manager has stopped/);
  });

  it.each([
    [{ concurrency: 0 }, /concurrency must be a whole number above 0, not 0/],
    [{ concurrency: 1.5 }, /concurrency/],
    [{ timeoutMs: Number.NaN }, /timeoutMs must be a number of milliseconds above 0, not NaN/],
    [{ stuckMs: 0 }, /stuckMs/],
    [{ debounceMs: Number.POSITIVE_INFINITY }, /debounceMs must be a finite number/],
    [{ syncTimeoutMs: -1 }, /syncTimeoutMs/],
  ])('refuses options that cannot be meant (%o)', async (options, message) => {
    await using fixture = await controllerFixture();
    const builder = fixture.manager.controller('site').for(sites);
    expect(() => builder.reconcile(nothing, options)).toThrow(message);
  });

  it('says what it wants in place of an argument of another kind, and of an option that there is not', async () => {
    await using fixture = await controllerFixture();
    const { manager, cluster } = fixture;
    const loose = <T>(value: unknown) => value as T;
    expect(() => new Manager(loose(undefined))).toThrow('new Manager needs a cluster, and got nothing');
    expect(() => new Manager(cluster, loose({ namespaces: 'shop' }))).toThrow(/no option "namespaces".*"namespace"/);
    expect(() => new Manager(cluster, loose({ leaderElection: true }))).toThrow('leaderElection is true');
    let made = 0;
    const builder = () => manager.controller(`c-${++made}`);
    expect(() => builder().for(loose<Resource>('pods'))).toThrow(
      /: \.for needs the token of a resource, and got "pods"/,
    );
    expect(() => builder().for(sites, { when: loose(5) })).toThrow(/\.for: when is 5, and must be a function/);
    expect(() => builder().for(sites, loose({ predicate: nothing }))).toThrow(/no option "predicate": there are when/);
    expect(() => builder().for(sites).owns(loose<Resource>(undefined))).toThrow(/\.owns needs the token of a resource/);
    expect(() =>
      builder()
        .for(sites)
        .watches(loose<Resource>({}), () => []),
    ).toThrow(/\.watches needs the token/);
    expect(() => builder().for(sites).watches(configMaps, loose(5))).toThrow(/needs a function that returns the keys/);
    expect(() => builder().for(sites).reads(loose(5))).toThrow(/\.reads needs the token/);
    expect(() => builder().for(sites).writes(configMaps, loose('create'))).toThrow(/needs a list of verbs/);
    expect(() =>
      builder()
        .for(sites)
        .source(loose(['a'])),
    ).toThrow(/\.source needs an async iterable/);
    expect(() => builder().for(sites).finalizer('a/b', loose(5))).toThrow(/needs a function that cleans up/);
    expect(() => builder().for(sites).reconcile(loose(5))).toThrow(/\.reconcile needs a function/);
    for (const generator of [function* () {}, async function* () {}]) {
      expect(() => builder().for(sites).reconcile(loose(generator))).toThrow(/\.reconcile got a generator function/);
      expect(() => builder().for(sites).finalizer('a/b', loose(generator))).toThrow(
        /\.finalizer got a generator function/,
      );
    }
    expect(() =>
      builder()
        .for(sites)
        .reconcile(nothing, loose({ concurency: 2 })),
    ).toThrow(/"concurrency"/);
    const other = new Manager(cluster);
    other.controller('site').for(sites).reconcile(nothing);
    await expect(other.run({ signal: loose(new AbortController()) })).rejects.toThrow(/the `signal` of that/);
    // As an informer does, it takes the signal itself as well.
    await other.run(AbortSignal.abort());
  });

  it('uses a factory that it is given, and leaves it running', async () => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    await fixture.createSite('a');
    await using factory = new SharedInformerFactory(fixture.cluster);
    const shared = factory.for(sites).informer();
    const manager = new Manager(fixture.cluster, { factory });
    const runs: string[] = [];
    manager
      .controller('site')
      .for(sites)
      .reconcile(({ key }) => void runs.push(key));
    const stop = new AbortController();
    const running = manager.run({ signal: stop.signal });
    await fixture.clock.advance(0);
    expect(runs).toEqual(['default/a']);
    stop.abort();
    await running;
    expect(shared.isStopped()).toBe(false);
    await fixture.createSite('b');
    await fixture.clock.advance(0);
    expect(shared.indexer.listKeys()).toContain('default/b');
    expect(runs).toEqual(['default/a']);
  });

  it('shares one list and watch of a kind among its controllers, and with another manager of its factory', async () => {
    await using fixture = await controllerFixture();
    const { server, clock } = fixture;
    await fixture.defineSites();
    await fixture.createSite('a');
    let watches = 0;
    const where = () => ++watches === 0;
    server.faults.add({ verb: ['list', 'watch'], resource: 'sites', where }, { kind: 'drop' });
    await using factory = new SharedInformerFactory(fixture.cluster);
    const runs: string[] = [];
    const managers = ['first', 'second'].map((name) => {
      const manager = new Manager(fixture.cluster, { factory });
      for (const place of ['x', 'y']) {
        manager
          .controller(`${name}-${place}`)
          .for(sites)
          .reconcile(({ key }) => void runs.push(`${name}-${place} ${key}`));
      }
      const stop = new AbortController();
      return { running: manager.run({ signal: stop.signal }), stop };
    });
    await clock.advance(0);
    const all = ['first-x', 'first-y', 'second-x', 'second-y'];
    expect(runs.splice(0).sort()).toEqual(all.map((name) => `${name} default/a`));
    expect([watches, server.openWatches]).toEqual([1, 1]);
    managers[0]?.stop.abort();
    await managers[0]?.running;
    await fixture.createSite('b');
    await clock.advance(0);
    expect(runs.sort()).toEqual(['second-x default/b', 'second-y default/b']);
    managers[1]?.stop.abort();
    await managers[1]?.running;
  });

  it('rejects when an informer that it needs stops, and when the cluster is closed', async () => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    const factory = new SharedInformerFactory(fixture.cluster);
    const manager = new Manager(fixture.cluster, { factory });
    manager.controller('site').for(sites).reconcile(nothing);
    const running = manager.run();
    const stopped = expect(running).rejects.toMatchObject({
      kind: 'stopped',
      message: expect.stringContaining('sites.v1.example.com'),
    });
    await fixture.clock.advance(0);
    await factory.shutdown();
    await stopped;
    fixture.manager.controller('site').for(sites).reconcile(nothing);
    await fixture.start();
    await fixture.cluster.close();
    await expect(fixture.running).rejects.toMatchObject({ kind: expect.stringMatching(/closed|stopped/) });
  });

  it('has all series of its controllers from the start, under the names of controller-runtime', async () => {
    const metrics = recordedMetrics();
    await using fixture = await controllerFixture({ metrics });
    fixture.manager.controller('site').for(sites).reconcile(nothing, { concurrency: 3 });
    await fixture.start();
    const ours = [...metrics.values].filter(([name]) => /^(controller_runtime|workqueue)_/.test(name));
    expect(Object.fromEntries(ours)).toEqual({
      'controller_runtime_active_workers{controller="site"}': 0,
      'controller_runtime_max_concurrent_reconciles{controller="site"}': 3,
      'controller_runtime_reconcile_errors_total{controller="site"}': 0,
      'controller_runtime_reconcile_panics_total{controller="site"}': 0,
      'controller_runtime_reconcile_timeouts_total{controller="site"}': 0,
      'controller_runtime_reconcile_total{controller="site",result="error"}': 0,
      'controller_runtime_reconcile_total{controller="site",result="requeue"}': 0,
      'controller_runtime_reconcile_total{controller="site",result="requeue_after"}': 0,
      'controller_runtime_reconcile_total{controller="site",result="success"}': 0,
      'controller_runtime_terminal_reconcile_errors_total{controller="site"}': 0,
      'workqueue_adds_total{name="site",controller="site"}': 0,
      'workqueue_depth{name="site",controller="site",priority="0"}': 0,
      'workqueue_longest_running_processor_seconds{name="site",controller="site"}': 0,
      'workqueue_retries_total{name="site",controller="site"}': 0,
      'workqueue_unfinished_work_seconds{name="site",controller="site"}': 0,
    });
  });
});
