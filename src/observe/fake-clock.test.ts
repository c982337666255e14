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
