import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/metadata.ts';
import { Cluster } from '../cluster/cluster.ts';
import { SharedIndexInformer } from '../informer/shared-index-informer.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { noMetrics } from '../observe/metrics.ts';
import { TimeSlice } from '../observe/scheduler.ts';
import { ListWatch } from '../reflector/list-watch.ts';
import type { Reconcile } from './controller.ts';
import { ControllerCaches } from './controller-caches.ts';
import { sites } from './controller-fixture.ts';
import { ControllerLoop } from './controller-loop.ts';
import { openGate } from './gate.ts';
import { OwnWrites } from './own-writes.ts';

const never = () => new Promise<never>(() => {});

/** A loop on caches that stay empty. */
function loopOf(reconcile: Reconcile<KubernetesObject>, clock: FakeClock, concurrency: number): ControllerLoop {
  const name = 'site';
  const cluster = Cluster.over({ request: never, close: async () => {} }, { clock, logger: silentLogger });
  const caches = new ControllerCaches(name, [sites], () => {
    const listWatch = new ListWatch<KubernetesObject>({ list: never, watch: never });
    return new SharedIndexInformer({ listWatch, clock, logger: silentLogger });
  });
  const options = { concurrency, stuckMs: 1, debounceMs: 0, syncTimeoutMs: 1 };
  const definition = { name, resource: sites, triggers: [], declarations: [], sources: [], reconcile, options };
  const ownWrites = new OwnWrites({ name, caches, clock, logger: silentLogger });
  const recorderOf = () => ({ record: () => {} });
  return new ControllerLoop({
    environment: { definition, cluster, caches, ownWrites, recorderOf, logger: silentLogger },
    gate: openGate,
    clock,
    metrics: noMetrics,
    slice: new TimeSlice(clock),
  });
}

type Command =
  | { readonly do: 'enqueue'; readonly key: number; readonly priority: number }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'pause' | 'resume' };

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('enqueue' as const),
      key: fc.nat(5),
      priority: fc.constantFrom(-100, 0, 1),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const) }) },
);

/** How long a run takes, and whether it fails; runs after the last of these succeed at once. */
const step = fc.record({ ms: fc.nat(30), outcome: fc.constantFrom('done', 'fails', 'again') });

const keyOf = (n: number) => `default/${n}`;

describe('a loop, whatever comes', () => {
  it('never runs a key twice at a time, nor more keys than it may, loses nothing, and ends its drains', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(command, { maxLength: 40 }),
        fc.array(step, { maxLength: 20 }),
        fc.integer({ min: 1, max: 3 }),
        async (commands, steps, concurrency) => {
          const clock = new FakeClock();
          const running = new Set<string>();
          const broken: string[] = [];
          const wanted = new Map<string, number>();
          const begun = new Map<string, number>();
          let moment = 0;
          let taken = 0;
          let isPaused = false;
          const loop = loopOf(
            async ({ key }) => {
              // What a run throws is retried, so that a failed expectation would not show.
              if (running.has(key)) broken.push(`${key} runs twice`);
              if (isPaused) broken.push(`${key} runs in a pause`);
              running.add(key);
              if (running.size > concurrency) broken.push(`${running.size} run`);
              begun.set(key, ++moment);
              const { ms, outcome } = steps[taken++] ?? { ms: 0, outcome: 'done' };
              if (ms > 0) await clock.sleep(ms);
              running.delete(key);
              // It wants one run more, which must come.
              if (outcome !== 'done') wanted.set(key, ++moment);
              if (outcome === 'fails') throw new Error('as planned');
              return outcome === 'again' ? { requeueAfterMs: 7 } : undefined;
            },
            clock,
            concurrency,
          );
          loop.start();
          for (const next of commands) {
            if (next.do === 'enqueue') {
              wanted.set(keyOf(next.key), ++moment);
              loop.enqueue(keyOf(next.key), next.priority, { type: 'source' });
            } else if (next.do === 'advance') await clock.advance(next.ms);
            else if (next.do === 'pause') {
              isPaused = true;
              loop.hold('pause');
            } else {
              isPaused = false;
              loop.release('pause');
            }
          }
          isPaused = false;
          loop.release('pause');
          // Longer than all retries of 20 failures of a key.
          for (let n = 0; n < 30; n++) await clock.advance(2 ** n);
          for (const [key, since] of wanted) expect(begun.get(key)).toBeGreaterThan(since);
          expect(loop.unsettled).toEqual({ busy: false, due: new Map() });
          expect(broken).toEqual([]);
          await loop.stop();
          const runs = begun.size;
          loop.enqueue('default/late', 0, { type: 'source' });
          await clock.advance(60_000);
          expect(begun.size).toBe(runs);
          expect(clock.pendingTimers).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  }, 120_000);

  it('runs the highest priority first, in order within one, and every tenth time what has waited longest', async () => {
    const keys = fc.uniqueArray(fc.record({ key: fc.nat(200), priority: fc.integer({ min: -2, max: 2 }) }), {
      selector: ({ key }) => key,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(keys, async (items) => {
        const clock = new FakeClock();
        const order: string[] = [];
        const loop = loopOf(({ key }) => void order.push(key), clock, 1);
        loop.hold('pause');
        loop.start();
        for (const { key, priority } of items) loop.enqueue(keyOf(key), priority, { type: 'source' });
        loop.release('pause');
        await clock.advance(0);
        const waiting = [...items];
        const expected = items.map((_, index) => {
          const highest = Math.max(...waiting.map(({ priority }) => priority));
          const place = (index + 1) % 10 === 0 ? 0 : waiting.findIndex(({ priority }) => priority === highest);
          return keyOf(waiting.splice(place, 1)[0]?.key ?? -1);
        });
        expect(order).toEqual(expected);
        await loop.stop();
      }),
      { numRuns: 50 },
    );
  }, 120_000);

  it('lets nothing wait forever behind a stream of higher priorities', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 20 }), async (low, ahead) => {
        const clock = new FakeClock();
        let runs = 0;
        let lastLow = 0;
        const loop: ControllerLoop = loopOf(
          ({ name }) => {
            runs++;
            if (name.startsWith('low')) lastLow = runs;
            // One comes for each that is run, until long after all must have had their turn.
            else if (runs < 1_000) loop.enqueue(`default/high-${runs}`, 0, { type: 'source' });
          },
          clock,
          1,
        );
        loop.hold('pause');
        loop.start();
        for (let n = 0; n < ahead; n++) loop.enqueue(`default/high-ahead-${n}`, 0, { type: 'source' });
        for (let n = 0; n < low; n++) loop.enqueue(`default/low-${n}`, -100, { type: 'source' });
        // There is always one of high priority.
        loop.enqueue('default/high', 0, { type: 'source' });
        loop.release('pause');
        await clock.advance(0);
        expect(lastLow).toBeLessThanOrEqual(10 * (low + ahead + 1));
        await loop.stop();
      }),
      { numRuns: 20 },
    );
  }, 120_000);
});
