import { describe, expect, it } from 'vitest';
import { systemClock } from './clock.ts';
import { FakeClock } from './fake-clock.ts';

describe('FakeClock', () => {
  it('fires timers in the order of their time, then of their creation', async () => {
    const clock = new FakeClock(0);
    const fired: string[] = [];
    clock.setTimeout(() => fired.push(`b@${clock.now()}`), 20);
    clock.setTimeout(() => fired.push(`a@${clock.now()}`), 10);
    clock.setTimeout(() => fired.push(`c@${clock.now()}`), 20);
    await clock.advance(20);
    expect(fired).toEqual(['a@10', 'b@20', 'c@20']);
  });

  it('fires what is set while it moves, and leaves what is later', async () => {
    const clock = new FakeClock(0);
    const fired: number[] = [];
    const tick = () => {
      fired.push(clock.now());
      clock.setTimeout(tick, 10);
    };
    clock.setTimeout(tick, 10);
    await clock.advance(35);
    expect(fired).toEqual([10, 20, 30]);
    expect(clock.now()).toBe(35);
    expect(clock.pendingTimers).toBe(1);
  });

  it('lets promises settle before the next timer', async () => {
    const clock = new FakeClock(0);
    const order: string[] = [];
    clock.setTimeout(() => void Promise.resolve().then(() => order.push('settled')), 1);
    clock.setTimeout(() => order.push('next'), 2);
    await clock.advance(2);
    expect(order).toEqual(['settled', 'next']);
  });

  it('does not fire a cleared timer', async () => {
    const clock = new FakeClock(0);
    const timer = clock.setTimeout(() => expect.unreachable(), 1);
    timer.clear();
    timer.clear();
    await clock.advance(10);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fires 10,000 timers in order, and none of those that were cleared', async () => {
    const clock = new FakeClock(0);
    const fired: { dueMs: number; nth: number }[] = [];
    let kept = 0;
    for (let nth = 0; nth < 10_000; nth++) {
      const dueMs = (nth * 7_919) % 1_000;
      const timer = clock.setTimeout(() => fired.push({ dueMs, nth }), dueMs);
      if (nth % 3 === 0) timer.clear();
      else kept++;
    }
    expect(clock.pendingTimers).toBe(kept);
    await clock.advance(499);
    expect(fired.every(({ dueMs }) => dueMs <= 499)).toBe(true);
    await clock.advance(500);
    expect(fired).toHaveLength(kept);
    expect(fired).toEqual([...fired].sort((a, b) => a.dueMs - b.dueMs || a.nth - b.nth));
    expect(clock.pendingTimers).toBe(0);
  });

  it('refuses to go back, which only the wall clock can', async () => {
    const clock = new FakeClock(0);
    await expect(clock.advance(-1)).rejects.toThrow(RangeError);
    expect(() => clock.suspend(-1)).toThrow(RangeError);
    expect(() => clock.spend(-1)).toThrow(RangeError);
  });
});

describe('turns of a FakeClock', () => {
  it('run in the order in which they were asked for, each after the promises of the one before', async () => {
    const clock = new FakeClock(0);
    const order: string[] = [];
    clock.nextTurn(() => {
      order.push('first');
      clock.nextTurn(() => order.push('third'));
      void Promise.resolve().then(() => order.push('promise of the first'));
    });
    clock.nextTurn(() => order.push('second'));
    expect(order).toEqual([]);
    await clock.advance(0);
    expect(order).toEqual(['first', 'promise of the first', 'second', 'third']);
  });

  it('have all run before a timer fires, and before advance ends', async () => {
    const clock = new FakeClock(0);
    const order: string[] = [];
    const turns = (name: string, left: number) => {
      if (left === 0) order.push(name);
      else clock.nextTurn(() => turns(name, left - 1));
    };
    clock.setTimeout(() => turns('turns of the first timer', 1_000), 10);
    clock.setTimeout(() => order.push('second timer'), 10);
    clock.setTimeout(() => turns('turns of the third timer', 1_000), 10);
    await clock.advance(10);
    expect(order).toEqual(['turns of the first timer', 'second timer', 'turns of the third timer']);
  });

  it('go on while nobody advances', async () => {
    const clock = new FakeClock(0);
    await new Promise<void>((resolve) => clock.nextTurn(() => clock.nextTurn(resolve)));
    expect(clock.now()).toBe(0);
  });

  it('reject advance with what they throw, and leave the others to the next one', async () => {
    const clock = new FakeClock(0);
    const order: string[] = [];
    const advancing = clock.advance(0);
    clock.nextTurn(() => {
      throw new Error('broken turn');
    });
    clock.nextTurn(() => order.push('next'));
    await expect(advancing).rejects.toThrow('broken turn');
    await clock.advance(0);
    expect(order).toEqual(['next']);
  });

  it('end advance with an error when they never end', async () => {
    const clock = new FakeClock(0);
    const again = () => clock.nextTurn(again);
    again();
    await expect(clock.advance(5)).rejects.toThrow(/50000 turns and timers .* at 0 ms/);
    // The clock is as good as before.
    let fired = false;
    clock.setTimeout(() => {
      fired = true;
    }, 5);
    await clock.advance(5);
    expect(fired).toBe(true);
  });

  it('end advance with an error when timers without delay never end', async () => {
    const clock = new FakeClock(0);
    const again = () => clock.setTimeout(again, 0);
    clock.setTimeout(again, 3);
    await expect(clock.advance(5)).rejects.toThrow(/50000 turns and timers .* at 3 ms/);
  }, 30_000);
});

describe('the two times of a FakeClock', () => {
  it('move together with advance', async () => {
    const clock = new FakeClock(1_000);
    await clock.advance(10);
    expect([clock.now(), clock.monotonicMs()]).toEqual([1_010, 10]);
  });

  it('part with a jump, forward or back, which fires nothing', async () => {
    const clock = new FakeClock(1_000);
    const fired: number[] = [];
    clock.setTimeout(() => fired.push(clock.now()), 10);
    clock.jump(3_600_000);
    await clock.advance(9);
    expect(fired).toEqual([]);
    expect([clock.now(), clock.monotonicMs()]).toEqual([3_601_009, 9]);
    clock.jump(-7_200_000);
    await clock.advance(1);
    expect(fired).toEqual([1_000 - 3_600_000 + 10]);
  });

  it('part while the machine is suspended, and timers have as far to go as before', async () => {
    const clock = new FakeClock(0);
    let fired = false;
    clock.setTimeout(() => {
      fired = true;
    }, 10);
    await clock.advance(4);
    clock.suspend(60_000);
    expect([clock.now(), clock.monotonicMs()]).toEqual([60_004, 4]);
    await clock.advance(5);
    expect(fired).toBe(false);
    await clock.advance(1);
    expect(fired).toBe(true);
  });

  it('move together while code takes its time, and what falls due meanwhile fires late', async () => {
    const clock = new FakeClock(0);
    const fired: number[] = [];
    clock.setTimeout(() => fired.push(clock.now()), 10);
    clock.spend(25);
    expect([clock.now(), clock.monotonicMs()]).toEqual([25, 25]);
    expect(fired).toEqual([]);
    await clock.advance(0);
    expect(fired).toEqual([25]);
  });

  it('never go back when timers spend more than advance moves', async () => {
    const clock = new FakeClock(0);
    clock.setTimeout(() => clock.spend(100), 1);
    await clock.advance(10);
    expect(clock.monotonicMs()).toBe(101);
  });
});

describe.each([
  ['FakeClock', () => new FakeClock()],
  ['systemClock', () => systemClock],
])('sleep of %s', (_name, make) => {
  it('rejects with the reason of the signal, before and while it sleeps, and leaves no timer', async () => {
    const clock = make();
    await expect(clock.sleep(1_000, AbortSignal.abort('early'))).rejects.toBe('early');
    const controller = new AbortController();
    const sleeping = clock.sleep(1_000_000, controller.signal);
    controller.abort('late');
    await expect(sleeping).rejects.toBe('late');
    if (clock instanceof FakeClock) expect(clock.pendingTimers).toBe(0);
  });

  it('resolves when the time has come', async () => {
    const clock = make();
    const sleeping = clock.sleep(1);
    if (clock instanceof FakeClock) await clock.advance(1);
    await expect(sleeping).resolves.toBeUndefined();
  });
});
