import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../observe/clock.ts';
import { systemScheduler } from '../observe/scheduler.ts';
import { DeltaFIFO } from './delta-fifo.ts';
import type { Deltas } from './queue.ts';
import { QueueConsumer } from './queue-consumer.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

/** What a consumer does with what a queue gives, in words. */
function consume(queue: DeltaFIFO<string>, processListed: (object: string) => void = () => {}, clock?: Clock) {
  const story: string[] = [];
  const process = (deltas: Deltas<string>, isInInitialList: boolean): void => {
    story.push(`${deltas.map(({ type, object }) => `${type} ${String(object)}`).join()} ${isInInitialList}`);
  };
  const consumer = new QueueConsumer<string>(
    {
      name: 'test',
      clock,
      queue,
      process,
      onPopped: () => story.push('popped'),
      onProcessError: (e) => story.push(String(e)),
    },
    {
      process: (objects, from) => {
        story.push(`${objects[from]} ${queue.hasSynced()}`);
        processListed(objects[from] as string);
        return 1;
      },
      onPopped: (count) => story.push(`popped ${count} ${queue.hasSynced()}`),
    },
  );
  return { story, ended: consumer.run() };
}

const queueOf = () => new DeltaFIFO<string>({ keyFunction: (object) => object });

describe('a consumer of first lists', () => {
  it('takes the objects of one without deltas, and has synced when the last one is through', async () => {
    const queue = queueOf();
    const { story, ended } = consume(queue);
    await queue.replace(['a', 'b', 'c'], '1');
    await settle();
    expect(story).toEqual(['a false', 'popped 1 false', 'b false', 'popped 1 false', 'c false', 'popped 1 true']);
    queue.close();
    await ended;
  });

  it('takes what came beside a first list as deltas, each object once and in order', async () => {
    const queue = queueOf();
    await queue.replace(['a', 'b'], '1');
    queue.update('b');
    queue.add('c');
    const { story, ended } = consume(queue);
    await settle();
    expect(story).toEqual([
      'Replaced a true',
      'popped',
      'Replaced b,Updated b true',
      'popped',
      'Added c false',
      'popped',
    ]);
    queue.close();
    await ended;
  });

  it('takes a second list, and one that is not in the order of its keys, as deltas', async () => {
    const queue = queueOf();
    const { story, ended } = consume(queue);
    await queue.replace(['b', 'a'], '1');
    await settle();
    await queue.replace(['c', 'd'], '2');
    await settle();
    expect(story.filter((line) => line !== 'popped')).toEqual([
      'Replaced b true',
      'Replaced a true',
      'Replaced c false',
      'Replaced d false',
    ]);
    queue.close();
    await ended;
  });

  it('reports an object on which it fails, counts it, and goes on with the next', async () => {
    const queue = queueOf();
    const { story, ended } = consume(queue, (object) => {
      if (object === 'b') throw new Error('no');
    });
    await queue.replace(['a', 'b', 'c'], '1');
    await settle();
    expect(story).toEqual([
      'a false',
      'popped 1 false',
      'b false',
      'Error: no',
      'popped 1 false',
      'c false',
      'popped 1 true',
    ]);
    queue.close();
    await ended;
  });

  it('takes no more when the queue is closed, and says nothing of it', async () => {
    const queue = queueOf();
    const { story, ended } = consume(queue, () => {
      queue.close();
      throw new Error('closed');
    });
    await queue.replace(['a', 'b'], '1');
    await ended;
    expect(story.slice(0, 1)).toEqual(['a false']);
    expect(story).not.toContain('b false');
    expect(story).not.toContain('Error: closed');
  });

  it('gives the event loop its turn when a few of them have taken long', async () => {
    const queue = queueOf();
    let nowMs = 0;
    const turns: string[] = [];
    const clock = { ...systemClock, scheduler: { ...systemScheduler, monotonicMs: () => nowMs } };
    const { story, ended } = consume(
      queue,
      (object) => {
        if (object === 'a') setImmediate(() => turns.push('another'));
        turns.push(object);
        nowMs += 20;
      },
      clock,
    );
    await queue.replace(['a', 'b', 'c'], '1');
    while (queue.length > 0) await settle();
    // The slice begins with the first question whether it is over.
    expect(turns).toEqual(['a', 'b', 'another', 'c']);
    expect(story.at(-1)).toBe('popped 1 true');
    queue.close();
    await ended;
  });

  it('gives more and more of them at once, and begins with one again when they have taken long', async () => {
    const queue = queueOf();
    let nowMs = 0;
    const clock = { ...systemClock, scheduler: { ...systemScheduler, monotonicMs: () => nowMs } };
    const runs: number[] = [];
    const taken: string[] = [];
    const consumer = new QueueConsumer<string>(
      { name: 'test', clock, queue, process: () => {} },
      {
        process: (objects, from, to) => {
          runs.push(to - from);
          taken.push(...objects.slice(from, to));
          // As slow as it may be when 100 have been taken.
          if (taken.length >= 100) nowMs += 20;
          return to - from;
        },
        onPopped: () => {},
      },
    );
    const ended = consumer.run();
    const listed = Array.from({ length: 260 }, (_, i) => String(1000 + i));
    await queue.replace(listed, '1');
    while (queue.length > 0) await settle();
    expect(taken).toEqual(listed);
    expect(runs.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 64, 1]);
    expect(Math.max(...runs.slice(8))).toBeLessThanOrEqual(2);
    expect(queue.hasSynced()).toBe(true);
    queue.close();
    await ended;
  });
});
