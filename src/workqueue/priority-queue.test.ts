import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { PriorityQueue } from './priority-queue.ts';
import { ExponentialLimiter } from './rate-limiters.ts';

function drain(queue: PriorityQueue): string[] {
  const items: string[] = [];
  for (let item = queue.tryGet(); item !== undefined; item = queue.tryGet()) items.push(item);
  return items;
}

describe('PriorityQueue', () => {
  it('hands out the highest priority first, and in the order of adding within one', () => {
    const queue = new PriorityQueue();
    queue.add('low', { priority: -100 });
    queue.add('a');
    queue.add('high', { priority: 7 });
    queue.add('b');
    expect(drain(queue)).toEqual(['high', 'a', 'b', 'low']);
  });

  it('keeps the highest priority that was asked for', () => {
    const queue = new PriorityQueue();
    queue.add('a', { priority: 5 });
    queue.add('b', { priority: 3 });
    queue.add('a', { priority: 1 });
    expect(drain(queue)).toEqual(['a', 'b']);
  });

  it('moves a raised item to the end of its new level', () => {
    const queue = new PriorityQueue();
    queue.add('a', { priority: 1 });
    queue.add('b', { priority: 2 });
    queue.add('c', { priority: 2 });
    queue.add('a', { priority: 2 });
    expect(queue.length).toBe(3);
    expect(drain(queue)).toEqual(['b', 'c', 'a']);
  });

  it('remembers the priority of an add while the item is worked on', () => {
    const queue = new PriorityQueue();
    queue.add('a', { priority: 1 });
    expect(queue.tryGet()).toBe('a');
    queue.add('a', { priority: -5 });
    queue.add('a', { priority: 9 });
    queue.add('b', { priority: 5 });
    queue.done('a');
    expect(drain(queue)).toEqual(['a', 'b']);
  });

  it('does not keep the priority of the last run for a new add', () => {
    const queue = new PriorityQueue();
    queue.add('a', { priority: 9 });
    queue.tryGet();
    queue.add('a');
    queue.add('b', { priority: 5 });
    queue.done('a');
    expect(drain(queue)).toEqual(['b', 'a']);
  });

  it.each([
    ['addRateLimited', (queue: PriorityQueue) => queue.addRateLimited('a')],
    ['addAfter', (queue: PriorityQueue) => queue.addAfter('a', 5)],
    ['addAfter without a delay', (queue: PriorityQueue) => queue.addAfter('a', 0)],
  ])('keeps the priority of an item that is retried by %s', async (_name, retry) => {
    const clock = new FakeClock(0);
    const queue = new PriorityQueue({ clock });
    queue.add('a', { priority: -100 });
    queue.tryGet();
    retry(queue);
    queue.done('a');
    await clock.advance(5);
    queue.add('b', { priority: -50 });
    expect(drain(queue)).toEqual(['b', 'a']);
  });

  it('takes another priority for a retry when one is given', async () => {
    const clock = new FakeClock(0);
    const queue = new PriorityQueue({ clock });
    queue.add('a', { priority: -100 });
    queue.tryGet();
    queue.addRateLimited('a', { priority: 3 });
    queue.done('a');
    await clock.advance(5);
    queue.add('b', { priority: 1 });
    expect(drain(queue)).toEqual(['a', 'b']);
  });

  it('keeps the highest priority of an item while it is delayed', async () => {
    const clock = new FakeClock(0);
    const queue = new PriorityQueue({ clock });
    queue.addAfter('a', 10, { priority: 4 });
    queue.addAfter('a', 5, { priority: 1 });
    queue.add('b', { priority: 3 });
    await clock.advance(5);
    expect(drain(queue)).toEqual(['a', 'b']);
  });

  it('forgets the delay of an item that is added, and of one that waits already', async () => {
    const clock = new FakeClock(0);
    const queue = new PriorityQueue({ clock });
    queue.addAfter('a', 10);
    queue.add('a');
    queue.addAfter('a', 20);
    expect(drain(queue)).toEqual(['a']);
    queue.done('a');
    await clock.advance(100);
    expect(drain(queue)).toEqual([]);
  });

  it('holds the order of the delays that are left, whichever are forgotten', async () => {
    const delayed = fc.record({ delayMs: fc.integer({ min: 1, max: 1_000 }), isAdded: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(delayed, { minLength: 20, maxLength: 60, size: 'max' }), async (items) => {
        const clock = new FakeClock(0);
        const queue = new PriorityQueue({ clock });
        for (const [i, { delayMs }] of items.entries()) queue.addAfter(String(i), delayMs);
        const left = [...items.entries()].filter(([, { isAdded }]) => !isAdded);
        for (const [i, { isAdded }] of items.entries()) if (isAdded) queue.add(String(i));
        expect(drain(queue)).toHaveLength(items.length - left.length);
        const got: string[] = [];
        for (let ms = 0; ms < 1_000; ms += 20) {
          await clock.advance(20);
          got.push(...drain(queue));
        }
        const expected = left.sort(([i, a], [j, b]) => a.delayMs - b.delayMs || i - j).map(([i]) => String(i));
        expect(got).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  it('counts in length only what is ready', async () => {
    const clock = new FakeClock(0);
    const queue = new PriorityQueue({ clock });
    queue.addAfter('a', 10);
    queue.add('b');
    expect(queue.length).toBe(1);
    await clock.advance(10);
    expect(queue.length).toBe(2);
  });

  it('places an item that becomes ready behind those of its level that wait', async () => {
    const clock = new FakeClock(0);
    const queue = new PriorityQueue({ clock });
    queue.addAfter('a', 10);
    await clock.advance(5);
    queue.add('b');
    await clock.advance(5);
    expect(drain(queue)).toEqual(['b', 'a']);
  });

  it('waits with the exponential backoff alone: no bucket holds back many items', async () => {
    const clock = new FakeClock(0);
    const queue = new PriorityQueue({ clock });
    for (let i = 0; i < 1_000; i++) queue.addRateLimited(String(i));
    await clock.advance(5);
    expect(queue.length).toBe(1_000);
    expect(queue.numRequeues('7')).toBe(1);
    queue.forget('7');
    expect(queue.numRequeues('7')).toBe(0);
  });

  it('takes another rate limiter', async () => {
    const clock = new FakeClock(0);
    const queue = new PriorityQueue({ clock, rateLimiter: new ExponentialLimiter({ baseMs: 40 }) });
    queue.addRateLimited('a');
    await clock.advance(39);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
  });

  it('hands out as every tenth item the one that has waited longest', () => {
    const queue = new PriorityQueue();
    queue.add('old', { priority: -100 });
    queue.add('older level', { priority: -50 });
    const got: (string | undefined)[] = [];
    for (let i = 0; i < 20; i++) {
      queue.add(`live-${i}`);
      queue.add(`live-${i}-too`);
      got.push(queue.tryGet());
    }
    expect(got.indexOf('old')).toBe(9);
    expect(got.indexOf('older level')).toBe(19);
  });

  it('counts the age of a raised item from when it began to wait', () => {
    const queue = new PriorityQueue();
    queue.add('raised', { priority: -100 });
    queue.add('other', { priority: -100 });
    queue.add('raised', { priority: -50 });
    const got: (string | undefined)[] = [];
    for (let i = 0; i < 10; i++) {
      queue.add(`live-${i}`);
      got.push(queue.tryGet());
    }
    expect(got[9]).toBe('raised');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses the priority %d', (priority) => {
    const queue = new PriorityQueue();
    expect(() => queue.add('a', { priority })).toThrow(TypeError);
    expect(() => queue.addAfter('a', 1, { priority })).toThrow(TypeError);
    expect(queue.length).toBe(0);
  });

  it('starves no item while higher ones keep coming', () => {
    const queue = new PriorityQueue();
    for (let i = 0; i < 50; i++) queue.add(`initial-${i}`, { priority: -100 });
    const left = new Set(Array.from({ length: 50 }, (_, i) => `initial-${i}`));
    for (let i = 0; left.size > 0; i++) {
      expect(i).toBeLessThan(10_000);
      queue.add(`live-${i}`);
      left.delete(queue.tryGet() ?? '');
      queue.add(`more-${i}`);
    }
  });

  it('orders by priority, then by arrival, whatever is added and raised (a model of nine items at most)', () => {
    const add = fc.record({ item: fc.integer({ min: 0, max: 8 }), priority: fc.integer({ min: -2, max: 2 }) });
    fc.assert(
      fc.property(fc.array(add, { maxLength: 40 }), (adds) => {
        const queue = new PriorityQueue<number>();
        const model = new Map<number, { priority: number; order: number }>();
        for (const [order, { item, priority }] of adds.entries()) {
          queue.add(item, { priority });
          const known = model.get(item);
          if (!known || priority > known.priority) model.set(item, { priority, order });
        }
        const expected = [...model]
          .sort(([, a], [, b]) => b.priority - a.priority || a.order - b.order)
          .map(([item]) => item);
        const got = Array.from({ length: model.size }, () => queue.tryGet());
        expect(got).toEqual(expected);
      }),
    );
  });

  it('holds its order over many priorities that come and go', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 100, maxLength: 400 }),
        (priorities) => {
          const queue = new PriorityQueue<number>();
          for (const [item, priority] of priorities.entries()) queue.add(item, { priority: priority - 5_000 });
          // Raised one by one: each leaves an empty level behind.
          for (const [item, priority] of priorities.entries()) queue.add(item, { priority });
          const seen: number[] = [];
          for (let i = 1; queue.length > 0; i++) {
            const item = queue.tryGet();
            if (i % 10 !== 0) seen.push(priorities[item ?? -1] ?? Number.NaN);
          }
          expect(seen).toEqual(seen.toSorted((a, b) => b - a));
        },
      ),
      { numRuns: 30 },
    );
  });
});
