import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { DelayingQueue } from './delaying-queue.ts';
import { PriorityQueue } from './priority-queue.ts';
import { QueueModel, type Served } from './queue-model-fixture.ts';
import { ExponentialLimiter } from './rate-limiters.ts';
import { RateLimitingQueue } from './rate-limiting-queue.ts';
import { WorkQueue } from './work-queue.ts';

const item = fc.nat(11);
const delayMs = fc.integer({ min: -1, max: 20 });
const priority = fc.constantFrom(-100, 0, 5);

/** What can be done to each queue, and how often it is. */
const ADD = { weight: 8, arbitrary: fc.record({ do: fc.constant('add' as const), item, priority }) };
const COMMON = [
  ADD,
  { weight: 4, arbitrary: fc.record({ do: fc.constant('tryGet' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('get' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abort' as const), which: fc.nat() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('done' as const), which: fc.nat() }) },
];
const DELAYS = [
  { weight: 4, arbitrary: fc.record({ do: fc.constant('addAfter' as const), item, delayMs, priority }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat(15) }) },
];
const RETRIES = [
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('addRateLimited' as const, 'forget' as const), item }) },
];

type Command = {
  readonly item?: number;
  readonly priority?: number;
  readonly delayMs?: number;
  readonly ms?: number;
} & {
  readonly do: 'add' | 'tryGet' | 'get' | 'abort' | 'done' | 'addAfter' | 'advance' | 'addRateLimited' | 'forget';
  readonly which?: number;
};
type AnyQueue = WorkQueue<number> & Partial<PriorityQueue<number>>;

const rateLimiter = () => new ExponentialLimiter<number>({ baseMs: 1, maxMs: 64 });

describe.each<[string, (clock: FakeClock) => AnyQueue, fc.WeightedArbitrary<Command>[]]>([
  ['WorkQueue', (clock) => new WorkQueue({ clock }), COMMON],
  ['DelayingQueue', (clock) => new DelayingQueue({ clock }), [...COMMON, ...DELAYS]],
  [
    'RateLimitingQueue',
    (clock) => new RateLimitingQueue({ clock, rateLimiter: rateLimiter() }),
    [...COMMON, ...DELAYS, ...RETRIES],
  ],
  [
    'PriorityQueue',
    (clock) => new PriorityQueue({ clock, rateLimiter: rateLimiter() }),
    [...COMMON, ...DELAYS, ...RETRIES],
  ],
])('a %s, whatever is done with it', (name, make, commands) => {
  it('hands out each item in its order, none twice at a time, loses none, starves none, and ends its drain', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(...commands), { minLength: 20, maxLength: 120, size: 'max' }),
        fc.boolean(),
        async (steps, drains) => {
          const clock = new FakeClock(0);
          const queue = make(clock);
          const model = new QueueModel(name === 'PriorityQueue');
          const gets: AbortController[] = [];
          const served: Served[] = [];
          const running: number[] = [];
          /** By item, how many may be taken until it is. */
          const limits = new Map<number, number>();
          const began = (one: number | undefined) => {
            if (one === undefined) return;
            expect(running, 'never twice at a time').not.toContain(one);
            running.push(one);
            expect(model.taken, 'none starves').toBeLessThanOrEqual(limits.get(one) ?? model.taken);
            limits.delete(one);
          };
          const take = () => {
            const taken = queue.tryGet();
            expect(taken).toBe(model.tryGet());
            began(taken);
            return taken;
          };
          const get = (id: number) => {
            const controller = new AbortController();
            gets.push(controller);
            queue.get({ signal: controller.signal }).then(
              (taken) => {
                served.push([id, taken]);
                began(taken);
              },
              () => served.push([id, 'aborted']),
            );
            model.get(id);
          };
          const done = (which: number) => {
            const [one] = running.splice(which % Math.max(running.length, 1), 1);
            if (one === undefined) return;
            queue.done(one);
            model.done(one);
          };
          const agree = async () => {
            // Promises that have settled call back.
            for (let n = 0; n < 3; n++) await undefined;
            expect(served).toEqual(model.served);
            expect(new Set(running)).toEqual(new Set(model.running.keys()));
            const { waiting, delays } = model;
            expect(queue.status).toMatchObject({
              waiting: waiting.length,
              delayed: delays.size,
              running: running.length,
            });
            for (const [age, one] of waiting.entries()) {
              if (!limits.has(one.item)) limits.set(one.item, model.taken + 10 * (age + 1));
            }
          };
          for (const step of steps) {
            const { item: one = 0, priority: wanted = 0, which = 0 } = step;
            if (step.do === 'add') {
              queue.add(one, { priority: wanted });
              model.add(one, wanted);
            } else if (step.do === 'tryGet') take();
            else if (step.do === 'get') get(gets.length);
            else if (step.do === 'abort') {
              const id = which % Math.max(gets.length, 1);
              gets[id]?.abort();
              model.abort(id);
            } else if (step.do === 'done') done(which);
            else if (step.do === 'addAfter') {
              // Of two retries one keeps its priority.
              const options = wanted === 5 ? {} : { priority: wanted };
              queue.addAfter?.(one, step.delayMs ?? 0, options);
              model.addAfter(one, step.delayMs ?? 0, options.priority);
            } else if (step.do === 'advance') {
              await clock.advance(step.ms ?? 0);
              model.advance(step.ms ?? 0);
            } else if (step.do === 'addRateLimited') {
              queue.addRateLimited?.(one);
              model.addRateLimited(one);
            } else {
              queue.forget?.(one);
              model.forget(one);
            }
            await agree();
          }
          let isDrained = false;
          if (drains) void queue.shutDownWithDrain().then(() => (isDrained = true));
          else queue.shutDown();
          model.shutDown();
          queue.add(99);
          queue.addAfter?.(98, 1);
          await agree();
          while (model.waiting.length > 0 || running.length > 0) {
            expect(isDrained).toBe(false);
            if (take() === undefined) done(0);
            await agree();
          }
          expect(await queue.get()).toBeUndefined();
          expect([isDrained, queue.length, clock.pendingTimers]).toEqual([drains, 0, 0]);
        },
      ),
      { numRuns: 100 },
    );
  }, 120_000);
});
