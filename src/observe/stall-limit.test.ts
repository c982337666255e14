import { describe, expect, it } from 'vitest';
import type { Clock } from './clock.ts';
import { FakeClock } from './fake-clock.ts';
import { StallLimit } from './stall-limit.ts';

function fixture() {
  const clock = new FakeClock();
  let stalls = 0;
  const limit = new StallLimit(clock, () => {
    stalls += 1;
  });
  return { clock, limit, stalls: () => stalls };
}

describe('StallLimit', () => {
  it('tells once of a wait that takes too long, and leaves no timer', async () => {
    const { clock, limit, stalls } = fixture();
    limit.wait(100);
    await clock.advance(99);
    expect(stalls()).toBe(0);
    await clock.advance(1);
    expect(stalls()).toBe(1);
    await clock.advance(1000);
    expect(stalls()).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('counts from the last wait on', async () => {
    const { clock, limit, stalls } = fixture();
    for (let i = 0; i < 10; i++) {
      limit.wait(100);
      await clock.advance(60);
    }
    expect(stalls()).toBe(0);
    await clock.advance(40);
    expect(stalls()).toBe(1);
  });

  it('does not count while nothing is waited for', async () => {
    const { clock, limit, stalls } = fixture();
    limit.wait(100);
    await clock.advance(50);
    limit.rest();
    await clock.advance(1000);
    limit.wait(100);
    await clock.advance(99);
    expect(stalls()).toBe(0);
    await clock.advance(1);
    expect(stalls()).toBe(1);
  });

  it('takes a shorter limit than the one before in time', async () => {
    const { clock, limit, stalls } = fixture();
    limit.wait(1000);
    limit.wait(10);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(10);
    expect(stalls()).toBe(1);
  });

  it.each([0, Number.POSITIVE_INFINITY])('has no limit with %d', async (limitMs) => {
    const { clock, limit, stalls } = fixture();
    limit.wait(limitMs);
    expect(clock.pendingTimers).toBe(0);
    limit.wait(10);
    limit.wait(limitMs);
    await clock.advance(86_400_000);
    expect(stalls()).toBe(0);
  });

  it('lets what has come be read first, when the program was busy all that time', async () => {
    let nowMs = 0;
    let fire = () => {};
    let stalls = 0;
    const clock: Pick<Clock, 'now' | 'setTimeout'> = {
      now: () => nowMs,
      setTimeout: (callback) => {
        fire = callback;
        return { clear: () => {} };
      },
    };
    const limit = new StallLimit(clock, () => {
      stalls += 1;
    });
    limit.wait(100);
    nowMs = 100;
    fire();
    // After timers come the sockets, in the same turn.
    limit.rest();
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(stalls).toBe(0);
  });

  it.each([3_600_000, -3_600_000])('keeps its limit when the wall clock jumps by %d ms', async (byMs) => {
    const { clock, limit, stalls } = fixture();
    limit.wait(100);
    await clock.advance(50);
    limit.wait(100);
    clock.jump(byMs);
    await clock.advance(99);
    expect(stalls()).toBe(0);
    await clock.advance(1);
    expect(stalls()).toBe(1);
  });

  it('ends with stop', async () => {
    const { clock, limit, stalls } = fixture();
    limit.wait(100);
    limit.stop();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(1000);
    expect(stalls()).toBe(0);
  });
});
