import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import {
  BucketLimiter,
  defaultRateLimiter,
  ExponentialLimiter,
  FastSlowLimiter,
  MaxOfLimiter,
  MaxWaitLimiter,
} from './rate-limiters.ts';
import { RateLimitingQueue } from './rate-limiting-queue.ts';
import type { RateLimiter } from './workqueue.ts';

function waits(limiter: RateLimiter<string>, item: string, count: number): number[] {
  return Array.from({ length: count }, () => limiter.when(item));
}

describe('ExponentialLimiter', () => {
  it('doubles the wait of each item, on its own, from 5 ms to 1,000 s', () => {
    const limiter = new ExponentialLimiter();
    expect(waits(limiter, 'a', 4)).toEqual([5, 10, 20, 40]);
    expect(limiter.when('b')).toBe(5);
    expect(limiter.numRequeues('a')).toBe(4);
    limiter.forget('a');
    expect(limiter.numRequeues('a')).toBe(0);
    expect(limiter.when('a')).toBe(5);
    expect(waits(limiter, 'c', 40).at(-1)).toBe(1_000_000);
  });

  it('stays at the longest wait after any number of failures', () => {
    const limiter = new ExponentialLimiter({ baseMs: 1, maxMs: 1_000 });
    expect(new Set(waits(limiter, 'a', 3_000).slice(10))).toEqual(new Set([1_000]));
  });

  it('tells items apart by keyOf', () => {
    const limiter = new ExponentialLimiter<{ id: string }>({ keyOf: ({ id }) => id });
    expect([limiter.when({ id: 'a' }), limiter.when({ id: 'a' })]).toEqual([5, 10]);
  });

  it.each([{ baseMs: 0 }, { baseMs: Number.NaN }, { maxMs: -1 }])('refuses %j', (options) => {
    expect(() => new ExponentialLimiter(options)).toThrow(TypeError);
  });
});

describe('BucketLimiter', () => {
  it('lets a burst through, then spaces the rest out', async () => {
    const clock = new FakeClock(0);
    const limiter = new BucketLimiter({ perSecond: 10, burst: 3, clock });
    expect(waits(limiter, 'a', 6)).toEqual([0, 0, 0, 100, 200, 300]);
    await clock.advance(400);
    expect(waits(limiter, 'b', 2)).toEqual([0, 100]);
    expect(limiter.numRequeues('a')).toBe(0);
  });

  it.each([{ perSecond: 0 }, { perSecond: Number.POSITIVE_INFINITY }, { perSecond: Number.NaN }, { burst: 0 }])(
    'refuses %j',
    (options) => {
      expect(() => new BucketLimiter(options)).toThrow(TypeError);
    },
  );

  it('saves no more than a burst', async () => {
    const clock = new FakeClock(0);
    const limiter = new BucketLimiter({ perSecond: 10, burst: 2, clock });
    await clock.advance(3_600_000);
    expect(waits(limiter, 'a', 3)).toEqual([0, 0, 100]);
  });
});

describe('FastSlowLimiter', () => {
  it('is fast for a few tries, then slow, until the item is forgotten', () => {
    const limiter = new FastSlowLimiter({ fastMs: 5, slowMs: 10_000, fastTries: 3 });
    expect(waits(limiter, 'a', 5)).toEqual([5, 5, 5, 10_000, 10_000]);
    expect(limiter.numRequeues('a')).toBe(5);
    limiter.forget('a');
    expect(limiter.when('a')).toBe(5);
  });

  it.each([{ fastMs: Number.NaN }, { slowMs: -1 }, { fastTries: Number.NaN }, { slowMs: undefined as never }])(
    'refuses %j',
    (wrong) => {
      const options = { fastMs: 0, slowMs: 10, fastTries: 3 };
      expect(() => new FastSlowLimiter(options)).not.toThrow();
      expect(() => new FastSlowLimiter({ ...options, ...wrong })).toThrow(TypeError);
    },
  );
});

describe('MaxOfLimiter', () => {
  it('gives the longest wait and the largest count, and forgets in all', () => {
    const limiter = new MaxOfLimiter(
      new FastSlowLimiter({ fastMs: 5, slowMs: 3_000, fastTries: 3 }),
      new ExponentialLimiter({ baseMs: 1, maxMs: 1_000_000 }),
    );
    expect(waits(limiter, 'a', 5)).toEqual([5, 5, 5, 3_000, 3_000]);
    expect(limiter.numRequeues('a')).toBe(5);
    limiter.forget('a');
    expect(limiter.numRequeues('a')).toBe(0);
    expect(limiter.when('a')).toBe(5);
  });
});

describe('MaxWaitLimiter', () => {
  it('cuts the wait, and counts as the other does', () => {
    const limiter = new MaxWaitLimiter(new ExponentialLimiter(), 20);
    expect(waits(limiter, 'a', 5)).toEqual([5, 10, 20, 20, 20]);
    expect(limiter.numRequeues('a')).toBe(5);
    limiter.forget('a');
    expect(limiter.when('a')).toBe(5);
  });

  it('refuses NaN', () => {
    expect(() => new MaxWaitLimiter(new ExponentialLimiter(), Number.NaN)).toThrow(TypeError);
  });
});

describe('RateLimitingQueue', () => {
  it('adds an item after the wait of its limiter, and forgets on request', async () => {
    const clock = new FakeClock(0);
    const queue = new RateLimitingQueue({ clock });
    queue.addRateLimited('a');
    expect(queue.numRequeues('a')).toBe(1);
    await clock.advance(5);
    expect(queue.tryGet()).toBe('a');
    queue.addRateLimited('a');
    queue.done('a');
    await clock.advance(9);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
    queue.forget('a');
    expect(queue.numRequeues('a')).toBe(0);
  });

  it('has 100 tries at once by default, then 10 a second', async () => {
    const clock = new FakeClock(0);
    const limiter = defaultRateLimiter({ clock });
    const all = Array.from({ length: 110 }, (_, i) => limiter.when(String(i)));
    expect(new Set(all.slice(0, 100))).toEqual(new Set([5]));
    expect(all.slice(100)).toEqual(
      [100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000].map((ms) => expect.closeTo(ms)),
    );
  });
});
