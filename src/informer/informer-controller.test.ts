import { describe, expect, it } from 'vitest';
import { deletionHandlingKey } from '../api/key.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { logRecorder } from '../processor/processor-fixture.ts';
import { DeltaFIFO } from '../queue/delta-fifo.ts';
import type { Deltas } from '../queue/queue.ts';
import { InformerController, type InformerControllerOptions } from './informer-controller.ts';
import { ScriptedSource, type Thing } from './informer-fixture.ts';

function controllerFixture({
  retryOnError = false,
  ...options
}: Partial<InformerControllerOptions<Thing>> & { retryOnError?: boolean } = {}) {
  const source = new ScriptedSource();
  const clock = new FakeClock(0);
  const known = new Map<string, Thing>();
  const queue = new DeltaFIFO<Thing>({
    knownObjects: { listKeys: () => known.keys(), getByKey: (key) => known.get(key) },
    retryOnError,
  });
  const processed: string[] = [];
  const errors: unknown[] = [];
  const process = (deltas: Deltas<Thing>, isInInitialList: boolean) => {
    for (const { type, object } of deltas) {
      const key = deletionHandlingKey(object);
      processed.push(`${type} ${key}${isInInitialList ? '!' : ''}`);
      if (type === 'Deleted') known.delete(key);
      else known.set(key, object as Thing);
    }
  };
  const controller = new InformerController<Thing>({
    name: 'things',
    listerWatcher: source.listWatch,
    queue,
    process,
    clock,
    logger: silentLogger,
    random: () => 0,
    onProcessError: (error) => void errors.push(error),
    ...options,
  });
  const stop = new AbortController();
  return {
    source,
    clock,
    controller,
    processed,
    errors,
    queue,
    known,
    stop,
    run: () => controller.run({ signal: stop.signal }),
  };
}

const keyOfFirst = ([first]: Deltas<Thing>): string => (first === undefined ? '' : deletionHandlingKey(first.object));

describe('InformerController', () => {
  it('hands the changes of each object to process, in order, and knows when the first list is through', async () => {
    const { source, clock, controller, processed, stop, run } = controllerFixture();
    source.set('a');
    expect(controller.hasSynced()).toBe(false);
    const running = run();
    await clock.advance(0);
    source.set('a');
    source.remove('a');
    await clock.advance(0);
    expect(processed).toEqual(['Replaced default/a!', 'Updated default/a', 'Deleted default/a']);
    expect(controller.hasSynced()).toBe(true);
    expect(controller.lastSyncResourceVersion()).toBe('3');
    stop.abort();
    await running;
    expect(controller.state.phase).toBe('stopped');
    expect(clock.pendingTimers).toBe(0);
  });

  it('queues everything again at the resync period, if shouldResync agrees', async () => {
    let asked = 0;
    const { source, clock, processed, stop, run } = controllerFixture({
      fullResyncMs: 1_000,
      shouldResync: () => ++asked % 2 === 0,
    });
    source.set('a');
    const running = run();
    await clock.advance(4_500);
    expect(asked).toBe(4);
    expect(processed).toEqual(['Replaced default/a!', 'Sync default/a', 'Sync default/a']);
    stop.abort();
    await running;
  });

  it.each([
    [false, 1],
    [true, 3],
  ])('with retryOnError %s tries a change that cannot be processed %d times', async (retryOnError, attempts) => {
    let tries = 0;
    const { source, clock, errors, stop, run } = controllerFixture({
      retryOnError,
      process: () => {
        if (++tries < 3) throw new Error(`try ${tries}`);
      },
    });
    source.set('a');
    const running = run();
    await clock.advance(0);
    expect(tries).toBe(attempts);
    expect(errors).toHaveLength(Math.min(attempts, 2));
    stop.abort();
    await running;
  });

  it('awaits an async process before the next object', async () => {
    const order: string[] = [];
    const { source, clock, stop, run } = controllerFixture({
      process: async (deltas) => {
        order.push(`begin ${keyOfFirst(deltas)}`);
        await clock.sleep(10);
        order.push(`end ${keyOfFirst(deltas)}`);
      },
    });
    source.set('a');
    source.set('b');
    const running = run();
    await clock.advance(100);
    expect(order).toEqual(['begin default/a', 'end default/a', 'begin default/b', 'end default/b']);
    stop.abort();
    await running;
  });

  const failures: [string, () => void][] = [
    [
      'throws',
      () => {
        throw new Error('a hook is broken');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('a hook is broken'))],
  ];
  it.each(failures)('goes on, and says so once, when each of its hooks %s', async (_, hook) => {
    const logger = logRecorder();
    const { source, clock, known, stop, run } = controllerFixture({
      onPopped: hook,
      onProcessError: hook,
      process: (deltas) => {
        const key = keyOfFirst(deltas);
        if (key === 'default/bad') throw new Error('cannot be processed');
        known.set(key, deltas[0]?.object as Thing);
      },
      logger,
    });
    source.set('bad');
    source.set('a');
    const running = run();
    await clock.advance(0);
    source.set('b');
    await clock.advance(0);
    expect([...known.keys()]).toEqual(['default/a', 'default/b']);
    expect(logger.lines).toEqual([expect.stringContaining('onPopped or onProcessError failed')]);
    stop.abort();
    await running;
  });
});
