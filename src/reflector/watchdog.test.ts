import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { Watchdog } from './frame-stream.ts';

function dogOn(clock: FakeClock, dueMs: () => number) {
  const missed: string[] = [];
  const deadline = () => ({ dueMs: dueMs(), problem: () => new Error('missed') });
  return { missed, dog: new Watchdog(clock, deadline, (problem) => missed.push(problem.message)) };
}

describe('Watchdog', () => {
  it('barks once when the deadline is missed', async () => {
    const clock = new FakeClock(0);
    const { missed } = dogOn(clock, () => 100);
    await clock.advance(99);
    expect(missed).toEqual([]);
    await clock.advance(1);
    expect(missed).toEqual(['missed']);
    await clock.advance(1_000);
    expect(missed).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('follows a deadline that moves back by itself, and one that comes nearer when told', async () => {
    const clock = new FakeClock(0);
    let dueMs = 100;
    const { missed, dog } = dogOn(clock, () => dueMs);
    await clock.advance(50);
    dueMs = 1_000;
    await clock.advance(500);
    expect(missed).toEqual([]);
    dueMs = 600;
    dog.check();
    await clock.advance(50);
    expect(missed).toEqual(['missed']);
  });

  it('asks again before it barks: what came while we were busy is read after the timers', async () => {
    const clock = new FakeClock(0);
    let questions = 0;
    // The first answer is for the timer, the second for when it fires; between that and the third, something was read.
    const { missed, dog } = dogOn(clock, () => (++questions < 3 ? 100 : 500));
    await clock.advance(100);
    expect(questions).toBeGreaterThanOrEqual(3);
    expect(missed).toEqual([]);
    await clock.advance(400);
    expect(missed).toEqual(['missed']);
    dog.stop();
  });

  it('looks again in a later turn, after what had arrived by then has been read', async () => {
    const clock = new FakeClock(0);
    let questions = 0;
    let dueMs = 100;
    const { missed, dog } = dogOn(clock, () => {
      // When the timer fires, bytes are there that this turn of the event loop is going to read.
      if (++questions === 2) setImmediate(() => (dueMs = 500));
      return dueMs;
    });
    await clock.advance(100);
    expect(missed).toEqual([]);
    await clock.advance(400);
    expect(missed).toEqual(['missed']);
    dog.stop();
  });

  it('sets no timer after a stop, whatever it is told to', async () => {
    const clock = new FakeClock(0);
    const { missed, dog } = dogOn(clock, () => 100);
    dog.stop();
    dog.check();
    dog.follow(() => ({ dueMs: 50, problem: () => new Error('other') }));
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(1_000);
    expect(missed).toEqual([]);
  });

  it('is silent when the stop comes between its two looks', async () => {
    const clock = new FakeClock(0);
    let questions = 0;
    const { missed, dog } = dogOn(clock, () => {
      if (++questions === 2) setImmediate(() => dog.stop());
      return 100;
    });
    await clock.advance(1_000);
    expect(missed).toEqual([]);
  });

  it('is silent after a stop', async () => {
    const clock = new FakeClock(0);
    const { missed, dog } = dogOn(clock, () => 100);
    dog.stop();
    await clock.advance(1_000);
    expect(missed).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });
});
