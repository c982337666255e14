import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { DelayingQueue } from './delaying-queue.ts';
import { PriorityQueue } from './priority-queue.ts';
import { BucketLimiter } from './rate-limiters.ts';
import { WorkQueue } from './work-queue.ts';

const HOUR = 3_600_000;

describe.each([
  ['forward', HOUR],
  ['back', -HOUR],
])('when the wall clock jumps %s by an hour', (_direction, byMs) => {
  it.each([
    ['DelayingQueue', (clock: FakeClock) => new DelayingQueue({ clock })],
    ['PriorityQueue', (clock: FakeClock) => new PriorityQueue({ clock })],
  ])('a %s keeps its delays, and their order', async (_name, make) => {
    const clock = new FakeClock();
    const queue = make(clock);
    queue.addAfter('first', 100);
    queue.addAfter('second', 200);
    await clock.advance(50);
    clock.jump(byMs);
    queue.addAfter('third', 250);
    await clock.advance(49);
    expect(queue.tryGet()).toBeUndefined();
    await clock.advance(1);
    expect([queue.tryGet(), queue.tryGet()]).toEqual(['first', undefined]);
    await clock.advance(100);
    expect([queue.tryGet(), queue.tryGet()]).toEqual(['second', undefined]);
    await clock.advance(99);
    expect(queue.tryGet()).toBeUndefined();
    await clock.advance(1);
    expect(queue.tryGet()).toBe('third');
  });

  it('a bucket gets no tokens for it, and loses none', async () => {
    const clock = new FakeClock();
    const limiter = new BucketLimiter({ perSecond: 10, burst: 1, clock });
    expect(limiter.when('a')).toBe(0);
    await clock.advance(40);
    clock.jump(byMs);
    expect(limiter.when('a')).toBe(60);
  });

  it('the metrics show how long an item waited and was worked on', async () => {
    const clock = new FakeClock();
    const observed: [string, number][] = [];
    const metrics = {
      counter: () => ({ add: () => {} }),
      gauge: () => ({ set: () => {} }),
      histogram: ({ name }: { name: string }) => ({ observe: (value: number) => void observed.push([name, value]) }),
    };
    const queue = new WorkQueue({ name: 'websites', metrics, clock });
    queue.add('a');
    await clock.advance(2_000);
    clock.jump(byMs);
    queue.tryGet();
    await clock.advance(1_000);
    clock.jump(byMs);
    queue.done('a');
    expect(observed).toEqual([
      ['workqueue_queue_duration_seconds', 2],
      ['workqueue_work_duration_seconds', 1],
    ]);
  });
});
