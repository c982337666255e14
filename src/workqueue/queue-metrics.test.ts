import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import type { MetricLabels, Metrics } from '../observe/metrics.ts';
import { PriorityQueue } from './priority-queue.ts';
import { WorkQueue } from './work-queue.ts';

/** Keeps the last value of each gauge, the sum of each counter, and all that a histogram was given. */
class RecordedMetrics implements Metrics {
  readonly series = new Map<string, number | number[]>();

  counter({ name }: { name: string }) {
    return {
      add: (value: number, labels?: MetricLabels) => {
        const key = seriesKey(name, labels);
        this.series.set(key, Number(this.series.get(key) ?? 0) + value);
      },
    };
  }

  gauge({ name }: { name: string }) {
    return { set: (value: number, labels?: MetricLabels) => void this.series.set(seriesKey(name, labels), value) };
  }

  histogram({ name }: { name: string }) {
    return {
      observe: (value: number, labels?: MetricLabels) => {
        const key = seriesKey(name, labels);
        this.series.set(key, [...((this.series.get(key) as number[] | undefined) ?? []), value]);
      },
    };
  }
}

function seriesKey(name: string, labels: MetricLabels = {}): string {
  return `${name}${JSON.stringify(labels)}`;
}

const OWN = '{"name":"websites","controller":"websites"}';
const depth = (priority: string) =>
  `workqueue_depth{"name":"websites","controller":"websites","priority":"${priority}"}`;

describe('metrics of a queue', () => {
  it('exist with zero from the start', () => {
    const metrics = new RecordedMetrics();
    new WorkQueue({ name: 'websites', metrics, clock: new FakeClock(0) });
    expect(Object.fromEntries(metrics.series)).toEqual({
      [`workqueue_adds_total${OWN}`]: 0,
      [`workqueue_retries_total${OWN}`]: 0,
      [`workqueue_unfinished_work_seconds${OWN}`]: 0,
      [`workqueue_longest_running_processor_seconds${OWN}`]: 0,
      [depth('0')]: 0,
    });
  });

  it('follow an item from its add to its end', async () => {
    const clock = new FakeClock(0);
    const metrics = new RecordedMetrics();
    const queue = new WorkQueue({ name: 'websites', metrics, clock });
    queue.add('a');
    queue.add('a');
    expect(metrics.series.get(depth('0'))).toBe(1);
    expect(metrics.series.get(`workqueue_adds_total${OWN}`)).toBe(1);
    await clock.advance(2_000);
    queue.tryGet();
    expect(metrics.series.get(depth('0'))).toBe(0);
    expect(metrics.series.get(`workqueue_queue_duration_seconds${OWN}`)).toEqual([2]);
    await clock.advance(1_000);
    expect(metrics.series.get(`workqueue_unfinished_work_seconds${OWN}`)).toBe(1);
    expect(metrics.series.get(`workqueue_longest_running_processor_seconds${OWN}`)).toBe(1);
    queue.done('a');
    expect(metrics.series.get(`workqueue_work_duration_seconds${OWN}`)).toEqual([1]);
    await clock.advance(500);
    expect(metrics.series.get(`workqueue_unfinished_work_seconds${OWN}`)).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('count the sum and the longest of what runs', async () => {
    const clock = new FakeClock(0);
    const metrics = new RecordedMetrics();
    const queue = new WorkQueue({ name: 'websites', metrics, clock });
    queue.add('a');
    queue.add('b');
    queue.tryGet();
    await clock.advance(500);
    queue.tryGet();
    await clock.advance(500);
    expect(metrics.series.get(`workqueue_unfinished_work_seconds${OWN}`)).toBe(1.5);
    expect(metrics.series.get(`workqueue_longest_running_processor_seconds${OWN}`)).toBe(1);
  });

  it('count every delayed add as a retry', () => {
    const metrics = new RecordedMetrics();
    const queue = new PriorityQueue({ name: 'websites', metrics, clock: new FakeClock(0) });
    queue.addAfter('a', 10);
    queue.addAfter('b', 0);
    queue.addRateLimited('a');
    expect(metrics.series.get(`workqueue_retries_total${OWN}`)).toBe(3);
    queue.shutDown();
  });

  it('tell the depth by priority, also when an item is raised', () => {
    const metrics = new RecordedMetrics();
    const queue = new PriorityQueue({ name: 'websites', metrics, clock: new FakeClock(0) });
    queue.add('a', { priority: -100 });
    expect(metrics.series.get(depth('-100'))).toBe(1);
    queue.add('a', { priority: 1 });
    expect(metrics.series.get(depth('-100'))).toBe(0);
    expect(metrics.series.get(depth('1'))).toBe(1);
    queue.tryGet();
    expect(metrics.series.get(depth('1'))).toBe(0);
  });

  it('put more than 25 priorities into one series', () => {
    const metrics = new RecordedMetrics();
    const queue = new PriorityQueue<number>({ name: 'websites', metrics, clock: new FakeClock(0) });
    for (let priority = 1; priority <= 40; priority++) queue.add(priority, { priority });
    expect(metrics.series.get(depth('exceeded_cardinality_limit'))).toBe(16);
    expect([...metrics.series.keys()].filter((key) => key.startsWith('workqueue_depth'))).toHaveLength(26);
  });

  it('leave no timer behind when the queue has shut down and nothing runs', () => {
    const clock = new FakeClock(0);
    const metrics = new RecordedMetrics();
    const queue = new PriorityQueue({ name: 'websites', metrics, clock });
    for (const item of ['a', 'b']) queue.add(item);
    queue.tryGet();
    queue.tryGet();
    queue.done('a');
    queue.shutDown();
    expect(clock.pendingTimers).toBe(1);
    queue.done('b');
    expect(clock.pendingTimers).toBe(0);
    expect(metrics.series.get(`workqueue_unfinished_work_seconds${OWN}`)).toBe(0);
  });

  it('are not taken of a queue without a name', () => {
    const metrics = new RecordedMetrics();
    new WorkQueue({ metrics }).add('a');
    expect(metrics.series.size).toBe(0);
  });
});
