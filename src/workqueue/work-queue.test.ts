import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import type { Logger } from '../observe/logger.ts';
import { DelayingQueue } from './delaying-queue.ts';
import { PriorityQueue } from './priority-queue.ts';
import { RateLimitingQueue } from './rate-limiting-queue.ts';
import { WorkQueue } from './work-queue.ts';
import type { WorkQueueOptions } from './workqueue.ts';

function warnings(): Logger & { lines: string[] } {
  const lines: string[] = [];
  const ignore = () => {};
  return { lines, debug: ignore, info: ignore, warn: (message) => void lines.push(message), error: ignore };
}

/** Whether the promise has settled by now, told without waiting for time. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = {};
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

describe.each([
  ['WorkQueue', <T = string>(options?: WorkQueueOptions<T>) => new WorkQueue<T>(options)],
  ['DelayingQueue', <T = string>(options?: WorkQueueOptions<T>) => new DelayingQueue<T>(options)],
  ['RateLimitingQueue', <T = string>(options?: WorkQueueOptions<T>) => new RateLimitingQueue<T>(options)],
  ['PriorityQueue', <T = string>(options?: WorkQueueOptions<T>) => new PriorityQueue<T>(options)],
])('%s', (_name, make) => {
  it('hands out items in the order in which they were added', async () => {
    const queue = make();
    for (const item of ['a', 'b', 'c']) queue.add(item);
    expect(queue.length).toBe(3);
    expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(['a', 'b', 'c']);
    expect(queue.length).toBe(0);
  });

  it('holds an item once, however often it is added', () => {
    const queue = make();
    for (const item of ['a', 'b', 'a', 'a']) queue.add(item);
    expect(queue.length).toBe(2);
    expect([queue.tryGet(), queue.tryGet(), queue.tryGet()]).toEqual(['a', 'b', undefined]);
  });

  it('hands out an item once more when it was added while it was worked on, and not before done', () => {
    const queue = make();
    queue.add('a');
    expect(queue.tryGet()).toBe('a');
    queue.add('a');
    queue.add('a');
    expect(queue.tryGet()).toBeUndefined();
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(queue.length).toBe(1);
    expect(queue.tryGet()).toBe('a');
    queue.done('a');
    expect(queue.tryGet()).toBeUndefined();
  });

  it('lets get wait for an item, and serves first who came first', async () => {
    const queue = make();
    const first = queue.get();
    const second = queue.get();
    expect(await isSettled(first)).toBe(false);
    queue.add('a');
    queue.add('b');
    expect([await first, await second]).toEqual(['a', 'b']);
    expect(queue.length).toBe(0);
  });

  it('serves a waiting get with an item that comes back dirty from done', async () => {
    const queue = make();
    queue.add('a');
    expect(queue.tryGet()).toBe('a');
    queue.add('a');
    const next = queue.get();
    queue.done('a');
    expect(await next).toBe('a');
  });

  it('ends the wait of get with the reason of its signal, and gives the item to the next one', async () => {
    const queue = make();
    const controller = new AbortController();
    const given = queue.get({ signal: controller.signal });
    const other = queue.get();
    controller.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    queue.add('a');
    expect(await other).toBe('a');
    await expect(queue.get({ signal: controller.signal })).rejects.toThrow('enough');
  });

  it('keeps no listener on the signal of a get that was served', async () => {
    const queue = make();
    let listeners = 0;
    const { signal } = new AbortController();
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    const waiting = queue.get({ signal });
    expect(listeners).toBe(1);
    queue.add('a');
    await waiting;
    expect(listeners).toBe(0);
  });

  it('ignores what is added after shutDown, hands out what waits, then gives undefined', async () => {
    const queue = make();
    queue.add('a');
    queue.shutDown();
    queue.add('b');
    expect(queue.isShuttingDown).toBe(true);
    expect(await queue.get()).toBe('a');
    expect(await queue.get()).toBeUndefined();
  });

  it('gives undefined to all who wait when it shuts down', async () => {
    const queue = make();
    const waiting = [queue.get(), queue.get()];
    queue.shutDown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });

  it('hands out after shutDown what was added while it was worked on', async () => {
    const queue = make();
    queue.add('a');
    queue.tryGet();
    queue.add('a');
    queue.shutDown();
    queue.done('a');
    expect(await queue.get()).toBe('a');
  });

  it('drains: resolves when nothing waits and nothing is worked on', async () => {
    const queue = make();
    queue.add('a');
    queue.add('b');
    queue.tryGet();
    const drained = queue.shutDownWithDrain();
    expect(queue.isShuttingDown).toBe(true);
    queue.done('a');
    expect(await isSettled(drained)).toBe(false);
    expect(await queue.get()).toBe('b');
    expect(await isSettled(drained)).toBe(false);
    queue.done('b');
    await drained;
    expect(queue.shutDownWithDrain()).toBe(drained);
  });

  it('drains at once when it is empty', async () => {
    await make().shutDownWithDrain();
  });

  it('ends a drain with a later shutDown', async () => {
    const queue = make();
    queue.add('a');
    queue.tryGet();
    const drained = queue.shutDownWithDrain();
    expect(await isSettled(drained)).toBe(false);
    queue.shutDown();
    await drained;
  });

  it('reports a done of what was not handed out, and changes nothing', () => {
    const logger = warnings();
    const queue = make({ name: 'websites', logger });
    queue.done('a');
    queue.add('b');
    queue.done('b');
    expect(logger.lines).toEqual([
      'websites: done was called for a, which was not handed out.',
      'websites: done was called for b, which was not handed out.',
    ]);
    expect(queue.length).toBe(1);
    expect(queue.tryGet()).toBe('b');
  });

  it('tells items apart by keyOf, and hands out the one that was added last', () => {
    const queue = make<{ id: number; text: string }>({ keyOf: ({ id }) => String(id) });
    queue.add({ id: 1, text: 'old' });
    queue.add({ id: 1, text: 'new' });
    expect(queue.length).toBe(1);
    expect(queue.tryGet()).toEqual({ id: 1, text: 'new' });
    queue.done({ id: 1, text: 'another' });
    expect(queue.tryGet()).toBeUndefined();
  });

  it.each([[{}], [undefined], [null], [Symbol('s')]])('refuses %s without keyOf, and says what to give', (item) => {
    expect(() => make<unknown>({ name: 'q' }).add(item)).toThrow(/q: an item of type .* give the queue keyOf/);
  });

  it('marks an item as done when for await goes on, and when it is left', async () => {
    const queue = make();
    for (const item of ['a', 'b', 'c']) queue.add(item);
    const seen: string[] = [];
    for await (const item of queue) {
      seen.push(item);
      if (item === 'b') {
        expect(queue.tryGet()).toBe('c');
        queue.done('c');
        break;
      }
    }
    expect(seen).toEqual(['a', 'b']);
    await queue.shutDownWithDrain();
  });

  it('marks an item as done when the body of for await throws', async () => {
    const queue = make();
    queue.add('a');
    const loop = async () => {
      for await (const item of queue) throw new Error(item);
    };
    await expect(loop()).rejects.toThrow('a');
    await queue.shutDownWithDrain();
  });

  it('ends for await when it has shut down and nothing waits', async () => {
    const queue = make();
    queue.add('a');
    const seen: string[] = [];
    for await (const item of queue) {
      seen.push(item);
      queue.shutDown();
    }
    expect(seen).toEqual(['a']);
  });

  it('leaves an iterator at once while it waits for an item, and takes none', async () => {
    const queue = make();
    const iterator = queue[Symbol.asyncIterator]();
    const next = iterator.next();
    await iterator.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    queue.add('a');
    expect(queue.length).toBe(1);
  });

  it('hands out one item after the other when next is not awaited', async () => {
    const queue = make();
    queue.add('a');
    queue.add('b');
    const iterator = queue[Symbol.asyncIterator]();
    const results = await Promise.all([iterator.next(), iterator.next()]);
    expect(results.map(({ value }) => value)).toEqual(['a', 'b']);
    await iterator.return?.();
    await queue.shutDownWithDrain();
  });

  it('loses nothing and never hands out an item twice at a time, whatever is done in which order', async () => {
    const command = fc.oneof(
      fc.record({ do: fc.constant('add' as const), item: fc.integer({ min: 0, max: 5 }) }),
      fc.record({ do: fc.constant('get' as const) }),
      fc.record({ do: fc.constant('done' as const), which: fc.nat(5) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
        const queue = make<number>();
        const running: number[] = [];
        const owed = new Set<number>();
        const take = (item: number | undefined) => {
          if (item === undefined) return;
          expect(running).not.toContain(item);
          expect(owed.delete(item)).toBe(true);
          running.push(item);
        };
        for (const next of commands) {
          if (next.do === 'add') {
            queue.add(next.item);
            owed.add(next.item);
          } else if (next.do === 'get') take(queue.tryGet());
          else if (running.length > 0) {
            const [item] = running.splice(next.which % running.length, 1);
            if (item !== undefined) queue.done(item);
          }
          expect(queue.length).toBe([...owed].filter((item) => !running.includes(item)).length);
        }
        const drained = queue.shutDownWithDrain();
        for (;;) {
          for (const item of running.splice(0)) queue.done(item);
          const item = queue.tryGet();
          if (item === undefined) break;
          take(item);
        }
        expect(owed.size).toBe(0);
        await drained;
      }),
    );
  });

  it('works through everything with several workers, under a fake clock', async () => {
    const clock = new FakeClock(0);
    const queue = make<number>({ clock });
    const running = new Set<number>();
    const runs = new Map<number, number>();
    const worker = async () => {
      for await (const item of queue) {
        expect(running.has(item)).toBe(false);
        running.add(item);
        runs.set(item, (runs.get(item) ?? 0) + 1);
        await clock.sleep((item % 7) + 1);
        running.delete(item);
      }
    };
    const workers = [worker(), worker(), worker()];
    for (let round = 0; round < 5; round++) {
      for (let item = 0; item < 40; item++) queue.add(item);
      await clock.advance(13);
    }
    const drained = queue.shutDownWithDrain();
    await clock.advance(1_000);
    await Promise.all([drained, ...workers]);
    expect(runs.size).toBe(40);
    expect(clock.pendingTimers).toBe(0);
  });
});
