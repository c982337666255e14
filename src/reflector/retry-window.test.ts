import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { RetryWindow } from './retry-window.ts';

describe('RetryWindow', () => {
  it('allows nothing when it has no length', () => {
    expect(new RetryWindow(new FakeClock(), 0).allows()).toBe(false);
  });

  it('allows retries until its length after the first error, then begins again', async () => {
    const clock = new FakeClock();
    const window = new RetryWindow(clock, 30_000);
    const answers: boolean[] = [];
    for (let second = 0; second < 34; second++) {
      answers.push(window.allows());
      await clock.advance(1_000);
    }
    expect(answers.indexOf(false)).toBe(31);
    expect(answers.slice(32)).toEqual([true, true]);
  });

  it('begins again after a minute without an error', async () => {
    const clock = new FakeClock();
    const window = new RetryWindow(clock, 30_000);
    for (let second = 0; second < 20; second++) {
      window.allows();
      await clock.advance(1_000);
    }
    await clock.advance(60_000);
    for (let second = 0; second < 31; second++) {
      expect(window.allows()).toBe(true);
      await clock.advance(1_000);
    }
    expect(window.allows()).toBe(false);
  });
});
