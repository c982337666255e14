import { describe, expect, it } from 'vitest';
import type { FakeClock } from '../observe/fake-clock.ts';
import type { Cause, ReconcileResult } from './controller.ts';
import { controllerFixture, recordedMetrics, sites } from './controller-fixture.ts';
import { TerminalError } from './terminal-error.ts';

/** Runs the site `a`; what the n-th run does is the n-th of `steps`, and nothing after the last. */
async function runs(steps: readonly (() => ReconcileResult | undefined | Promise<never>)[], forMs = 60_000) {
  const metrics = recordedMetrics();
  await using fixture = await controllerFixture({ metrics });
  await fixture.defineSites();
  await fixture.createSite('a');
  const startMs = fixture.clock.monotonicMs();
  const times: number[] = [];
  const causes: Cause['type'][][] = [];
  fixture.manager
    .controller('site')
    .for(sites)
    .reconcile((context) => {
      times.push(fixture.clock.monotonicMs() - startMs);
      causes.push(context.causes.map(({ type }) => type));
      return steps[times.length - 1]?.();
    });
  await fixture.start();
  await fixture.clock.advance(forMs);
  return { times, causes, lines: fixture.logger.lines, metrics: metrics.values };
}

const fail = () => {
  throw new Error('not today');
};

describe('a run that fails', () => {
  it('is tried again after 5 ms, 10 ms, 20 ms, …, until it succeeds', async () => {
    const { times, causes, lines, metrics } = await runs([
      fail,
      fail,
      () => Promise.reject(new Error('nor now')),
      fail,
    ]);
    expect(times).toEqual([0, 5, 15, 35, 75]);
    expect(causes).toEqual([['add'], ['retry'], ['retry'], ['retry'], ['retry']]);
    expect(lines).toEqual([
      'error controller site: default/a failed (1 in a row), retry in 5 ms: not today',
      'error controller site: default/a failed (2 in a row), retry in 10 ms: not today',
      'error controller site: default/a failed (3 in a row), retry in 20 ms: nor now',
      'error controller site: default/a failed (4 in a row), retry in 40 ms: not today',
    ]);
    expect(metrics.get('controller_runtime_reconcile_total{controller="site",result="error"}')).toBe(4);
    expect(metrics.get('controller_runtime_reconcile_total{controller="site",result="success"}')).toBe(1);
    expect(metrics.get('controller_runtime_reconcile_errors_total{controller="site"}')).toBe(4);
    expect(metrics.get('controller_runtime_reconcile_time_seconds_count{controller="site"}')).toBe(5);
    expect(metrics.get('controller_runtime_active_workers{controller="site"}')).toBe(0);
    expect(metrics.get('workqueue_retries_total{name="site",controller="site"}')).toBe(4);
  });

  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['a text', () => 'just words'],
    ['a symbol', () => Symbol('s')],
    ['an object without a prototype', () => Object.create(null)],
    ['an error whose message cannot be read', () => Object.defineProperty(new Error(), 'message', { get: fail })],
    ['an object that does not show itself', () => ({ toString: fail, toJSON: fail, [Symbol.toPrimitive]: fail })],
    [
      'a proxy that refuses everything',
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      },
    ],
  ])('by throwing %s is reported with its key, and tried again', async (_name, make) => {
    const { times, lines } = await runs([
      () => {
        throw make();
      },
    ]);
    expect(times).toEqual([0, 5]);
    expect(lines).toEqual([
      expect.stringMatching(/^error controller site: default\/a failed \(1 in a row\), retry in 5 ms: /),
    ]);
  });

  it('begins with 5 ms again once it has succeeded', async () => {
    const { times } = await runs([fail, fail, () => ({ requeueAfterMs: 100 }), fail]);
    expect(times).toEqual([0, 5, 15, 115, 120]);
  });

  it('with a TerminalError is not tried again', async () => {
    const { times, lines, metrics } = await runs([
      () => {
        throw new TerminalError('the color does not exist');
      },
    ]);
    expect(times).toEqual([0]);
    expect(lines).toEqual([
      'error controller site: default/a failed, and is not retried before it changes: the color does not exist',
    ]);
    expect(metrics.get('controller_runtime_terminal_reconcile_errors_total{controller="site"}')).toBe(1);
    expect(metrics.get('controller_runtime_reconcile_errors_total{controller="site"}')).toBe(1);
  });

  it('is tried again after its own time, however many others fail: there is no bucket for all', async () => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    const { clock } = fixture;
    async function* many() {
      for (let n = 0; n < 300; n++) yield `default/${n}`;
    }
    const times = new Map<string, number[]>();
    fixture.manager
      .controller('site')
      .for(sites)
      .source(many())
      .reconcile(({ key }) => {
        times.set(key, [...(times.get(key) ?? []), clock.monotonicMs()]);
        if (times.get(key)?.length === 1) throw new Error('once');
      });
    await fixture.start();
    await clock.advance(5);
    expect(times.size).toBe(300);
    expect([...times.values()].filter(([first = 0, second]) => second !== first + 5)).toEqual([]);
  });

  it('does not hold up other keys', async () => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    for (const name of ['a', 'b', 'c']) await fixture.createSite(name);
    const done: string[] = [];
    fixture.manager
      .controller('site')
      .for(sites)
      .reconcile(({ name }) => {
        if (name === 'a') throw new Error('always');
        done.push(name);
      });
    await fixture.start();
    expect(done.sort()).toEqual(['b', 'c']);
  });
});

describe('what a run returns', () => {
  it('says when it is run again', async () => {
    const { times, causes, metrics } = await runs([() => ({ requeueAfterMs: 30_000 }), () => ({ requeueAfterMs: 0 })]);
    expect(times).toEqual([0, 30_000, 30_000]);
    expect(causes).toEqual([['add'], ['requeue'], ['requeue']]);
    expect(metrics.get('controller_runtime_reconcile_total{controller="site",result="requeue_after"}')).toBe(2);
  });

  it('does not keep the time to itself when it asks to be run again at once, always', async () => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    await fixture.createSite('a');
    let stopsAsking = false;
    fixture.manager
      .controller('site')
      .for(sites)
      .reconcile(() => (stopsAsking ? undefined : { requeueAfterMs: 0 }));
    await expect(fixture.start()).rejects.toThrow('The fake clock cannot go on');
    stopsAsking = true;
    await fixture.clock.advance(0);
  });

  it('keeps its priority on an error and on a requeue, unless the result sets another', async () => {
    await using fixture = await controllerFixture();
    await fixture.defineSites();
    for (const name of ['first', 'second', 'third']) await fixture.createSite(name);
    const order: string[] = [];
    const seen = new Set<string>();
    fixture.manager
      .controller('site')
      .for(sites)
      .source(later(fixture.clock))
      .reconcile(async ({ name, causes }) => {
        order.push(`${name} ${causes[0]?.type}`);
        if (name === 'blocker') await fixture.clock.sleep(100);
        if (seen.has(name)) return undefined;
        seen.add(name);
        // All are due while the blocker runs.
        if (name === 'first') return { requeueAfterMs: 40, priority: 10 };
        if (name === 'second') throw new Error('once');
        if (name === 'third') return { requeueAfterMs: 40 };
        return undefined;
      });
    async function* later(clock: FakeClock) {
      await clock.sleep(1);
      yield 'default/blocker';
      await clock.sleep(50);
      yield 'default/live';
    }
    await fixture.start();
    await fixture.clock.advance(1_000);
    expect(order).toEqual([
      'first add',
      'second add',
      'third add',
      'blocker source',
      'first requeue', // 10
      'live source', // 0
      'second retry', // -100, as the initial list
      'third requeue',
    ]);
  });

  it.each([
    ['NaN', { requeueAfterMs: Number.NaN }],
    ['an infinite delay', { requeueAfterMs: Number.POSITIVE_INFINITY }],
    ['a delay that is a text', { requeueAfterMs: '5' as unknown as number }],
    ['a priority that is not a number', { requeueAfterMs: 5, priority: Number.NaN }],
  ])('with %s is reported and tried again', async (_name, result) => {
    const { times, lines } = await runs([() => result]);
    expect(times).toEqual([0, 5]);
    expect(lines).toEqual([
      expect.stringMatching(/^error controller site: default\/a failed .* must return a finite number/),
    ]);
  });

  it.each([true, 5, 'later', () => {}, Symbol('x')])(
    'that is nonsense is reported, and is done (%s)',
    async (nonsense) => {
      const { times, lines } = await runs([() => nonsense as unknown as ReconcileResult]);
      expect(times).toEqual([0]);
      expect(lines).toEqual([
        expect.stringMatching(/^error controller site: the run of default\/a returned .*may return nothing/),
      ]);
    },
  );

  it.each<[string, unknown, RegExp]>([
    [
      'an error',
      new RangeError('no such color'),
      /returned an error, .* thrown for a retry: RangeError: no such color\.$/,
    ],
    ['a list', [], /returned a list/],
    ['an iterator', [].values(), /returned an iterator, of which nothing has run/],
    ['an async iterator', (async function* () {})(), /returned an iterator, of which nothing has run/],
    ['a field of controller-runtime', { requeueAfter: 60 }, /an object with "requeueAfter", and may return nothing or/],
    ['an object of the server', { kind: 'Site', metadata: {} }, /an object with "kind"/],
  ])('that is %s is reported, and is done', async (_name, nonsense, message) => {
    const { times, lines } = await runs([() => nonsense as ReconcileResult]);
    expect(times).toEqual([0]);
    expect(lines).toEqual([expect.stringMatching(/^error controller site: the run of default\/a returned/)]);
    expect(lines[0]).toMatch(message);
  });

  it('is heeded as far as it makes sense', async () => {
    const { times, lines } = await runs([() => ({ requeueAfterMs: 50, requeue: true }) as ReconcileResult]);
    expect(times).toEqual([0, 50]);
    expect(lines).toEqual([expect.stringContaining('an object with "requeue"')]);
  });

  it('may be an object that throws when it is read', async () => {
    const trap = {
      get requeueAfterMs(): number {
        throw new Error('do not look');
      },
    };
    const { times, lines } = await runs([() => trap]);
    expect(times).toEqual([0, 5]);
    expect(lines[0]).toContain('do not look');
  });
});
