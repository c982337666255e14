import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { HastyClock } from '../observe/hasty-clock-fixture.ts';
import { DelayingQueue } from './delaying-queue.ts';
import { PriorityQueue } from './priority-queue.ts';

describe.each([
  ['DelayingQueue', (clock: FakeClock) => new DelayingQueue({ clock })],
  ['PriorityQueue', (clock: FakeClock) => new PriorityQueue({ clock })],
])('delays of a %s', (_name, make) => {
  it('adds an item when its delay has passed, and not before', async () => {
    const clock = new FakeClock(0);
    const queue = make(clock);
    queue.addAfter('a', 50);
    await clock.advance(49);
    expect(queue.tryGet()).toBeUndefined();
    await clock.advance(1);
    expect(queue.tryGet()).toBe('a');
  });

  it.each([0, -1])('adds an item at once with a delay of %d', (delayMs) => {
    const queue = make(new FakeClock(0));
    queue.addAfter('a', delayMs);
    expect(queue.tryGet()).toBe('a');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined as unknown as number])(
    'refuses a delay of %s',
    (delayMs) => {
      const queue = make(new FakeClock(0));
      expect(() => queue.addAfter('a', delayMs)).toThrow(TypeError);
      expect(queue.length).toBe(0);
    },
  );

  it('holds the earlier of two delays of one item', async () => {
    const clock = new FakeClock(0);
    const queue = make(clock);
    queue.addAfter('a', 50);
    queue.addAfter('a', 20);
    queue.addAfter('a', 90);
    queue.addAfter('b', 30);
    await clock.advance(20);
    expect(queue.tryGet()).toBe('a');
    queue.done('a');
    await clock.advance(1_000);
    expect([queue.tryGet(), queue.tryGet()]).toEqual(['b', undefined]);
  });

  it('has one timer, whatever waits', async () => {
    const clock = new FakeClock(0);
    const queue = make(clock);
    for (let i = 0; i < 100; i++) queue.addAfter(String(i), 1_000 - 7 * i);
    expect(clock.pendingTimers).toBe(1);
    queue.shutDown();
    expect(clock.pendingTimers).toBe(0);
  });

  it('drops at shutDown what is still delayed, and drains without it', async () => {
    const clock = new FakeClock(0);
    const queue = make(clock);
    queue.addAfter('a', 10);
    await queue.shutDownWithDrain();
    await clock.advance(100);
    expect(await queue.get()).toBeUndefined();
    queue.addAfter('b', 10);
    expect(clock.pendingTimers).toBe(0);
  });

  it('adds an item once more whose delay ends while it is worked on', async () => {
    const clock = new FakeClock(0);
    const queue = make(clock);
    queue.add('a');
    queue.tryGet();
    queue.addAfter('a', 10);
    await clock.advance(10);
    expect(queue.tryGet()).toBeUndefined();
    queue.done('a');
    expect(queue.tryGet()).toBe('a');
  });

  it('keeps the delay of an item that was given back', async () => {
    const clock = new FakeClock(0);
    const queue = make(clock);
    queue.add('a');
    queue.tryGet();
    queue.addAfter('a', 10);
    queue.done('a');
    expect(queue.tryGet()).toBeUndefined();
    await clock.advance(10);
    expect(queue.tryGet()).toBe('a');
  });

  it('serves a get that waits when a delay ends', async () => {
    const clock = new FakeClock(0);
    const queue = make(clock);
    const next = queue.get();
    queue.addAfter('a', 10);
    await clock.advance(10);
    expect(await next).toBe('a');
  });

  it('hands out in the order of their times, and of their adding within one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 60 }), async (delays) => {
        const clock = new FakeClock(0);
        const queue = make(clock);
        for (const [i, delayMs] of delays.entries()) queue.addAfter(String(i), delayMs);
        await clock.advance(20);
        const got: string[] = [];
        for (let item = queue.tryGet(); item !== undefined; item = queue.tryGet()) got.push(item);
        const expected = delays
          .map((delayMs, i) => ({ delayMs, i }))
          .sort((a, b) => a.delayMs - b.delayMs || a.i - b.i)
          .map(({ i }) => String(i));
        expect(got).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  it('loses none of 100,000 items that are due at one moment', async () => {
    const clock = new HastyClock(0);
    const queue = make(clock);
    clock.isHasty = false;
    for (let i = 0; i < 100_000; i++) queue.addAfter(String(i), 5);
    clock.isHasty = true;
    const advancing = clock.advance(5);
    const lengths = new Set<number>();
    clock.setTimeout(function look() {
      lengths.add(queue.length);
      if (queue.length < 100_000) clock.setTimeout(look, 0);
    }, 5);
    await advancing;
    expect(queue.length).toBe(100_000);
    expect(clock.pendingTimers).toBe(0);
    // In slices.
    expect(lengths.size).toBeGreaterThan(100);
  });
});

describe('DelayingQueue', () => {
  it('adds an item once more that ran while it was delayed', async () => {
    const clock = new FakeClock(0);
    const queue = new DelayingQueue({ clock });
    queue.addAfter('a', 10);
    queue.add('a');
    expect(queue.tryGet()).toBe('a');
    queue.done('a');
    await clock.advance(10);
    expect(queue.tryGet()).toBe('a');
  });
});
