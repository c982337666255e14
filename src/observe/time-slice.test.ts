import { describe, expect, it } from 'vitest';
import { systemClock } from './clock.ts';
import { FakeClock } from './fake-clock.ts';
import { giveWay, SLICE_MS, schedulerOf, systemScheduler, TimeSlice } from './scheduler.ts';

describe('schedulerOf', () => {
  it('is the scheduler that comes with the clock, and the machine where none does', () => {
    const clock = new FakeClock();
    expect(schedulerOf(clock)).toBe(clock);
    expect(schedulerOf(systemClock)).toBe(systemScheduler);
    expect(schedulerOf({})).toBe(systemScheduler);
    expect(schedulerOf(undefined)).toBe(systemScheduler);
  });
});

describe('systemScheduler', () => {
  it('gives way to what waits already, and its time does not go back', async () => {
    const startMs = systemScheduler.monotonicMs();
    const order: string[] = [];
    setImmediate(() => order.push('waited'));
    await giveWay(systemScheduler);
    expect(order).toEqual(['waited']);
    expect(systemScheduler.monotonicMs()).toBeGreaterThanOrEqual(startMs);
  });
});

describe('TimeSlice', () => {
  it('is over when its budget is used up, and begins again after a pause', async () => {
    const clock = new FakeClock();
    const slice = new TimeSlice(clock);
    expect(slice.isDue()).toBe(false);
    clock.spend(SLICE_MS - 1);
    expect(slice.isDue()).toBe(false);
    clock.spend(1);
    expect(slice.isDue()).toBe(true);
    await slice.pause();
    expect(slice.isDue()).toBe(false);
  });

  it('begins again in each turn, since waiting does not use it up', async () => {
    const clock = new FakeClock();
    const slice = new TimeSlice(clock);
    expect(slice.isDue()).toBe(false);
    await clock.advance(1_000);
    expect(slice.isDue()).toBe(false);
  });

  it('is never over under a fake clock that stands still, however long the work takes', () => {
    const slice = new TimeSlice(new FakeClock());
    expect(slice.isDue()).toBe(false);
    const startMs = performance.now();
    while (performance.now() - startMs <= 2 * SLICE_MS);
    expect(slice.isDue()).toBe(false);
  });

  it('asks for one turn, however many slices are used in it', async () => {
    const clock = new FakeClock();
    let turns = 0;
    const scheduler = {
      monotonicMs: () => clock.monotonicMs(),
      nextTurn: (callback: () => void) => {
        turns++;
        clock.nextTurn(callback);
      },
    };
    const slices = Array.from({ length: 3 }, () => new TimeSlice({ scheduler }));
    for (let turn = 1; turn <= 2; turn++) {
      for (const slice of [...slices, ...slices]) expect(slice.isDue()).toBe(false);
      clock.spend(SLICE_MS);
      expect(slices.map((slice) => slice.isDue())).toEqual([true, true, true]);
      expect(turns).toBe(turn);
      await clock.advance(0);
    }
  });

  it('reads the time once for each question', () => {
    let readings = 0;
    const scheduler = { monotonicMs: () => ++readings, nextTurn: () => {} };
    const slice = new TimeSlice({ scheduler });
    for (let question = 1; question <= 10; question++) {
      slice.isDue();
      expect(readings).toBe(question);
    }
  });
});
