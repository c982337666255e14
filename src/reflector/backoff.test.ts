import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { Backoff } from './backoff.ts';

describe('Backoff', () => {
  it('doubles from 800 ms up to 30 s', () => {
    const backoff = new Backoff({ clock: new FakeClock(), random: () => 0 });
    const waits = Array.from({ length: 8 }, () => backoff.next());
    expect(waits).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
  });

  it('waits for a random time between one and two such steps', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(20), (luck, failures) => {
        const plain = new Backoff({ clock: new FakeClock(), random: () => 0 });
        const lucky = new Backoff({ clock: new FakeClock(), random: () => luck });
        for (let i = 0; i < failures; i++) {
          const stepMs = plain.next();
          const waitMs = lucky.next();
          expect(waitMs).toBeGreaterThanOrEqual(stepMs);
          expect(waitMs).toBeLessThan(2 * stepMs);
        }
      }),
    );
  });

  it('begins again after two minutes of quiet, and not before', async () => {
    const clock = new FakeClock();
    const backoff = new Backoff({ clock, random: () => 0 });
    await clock.advance(backoff.next());
    await clock.advance(120_000);
    expect(backoff.next()).toBe(1600);
    await clock.advance(1600 + 120_001);
    expect(backoff.next()).toBe(800);
  });

  it('does not take a long wait for quiet', async () => {
    const clock = new FakeClock();
    const backoff = new Backoff({ clock, random: () => 0 });
    backoff.next();
    await clock.advance(backoff.next(300_000));
    expect(backoff.next()).toBe(3200);
  });

  it('waits at least as long as the server asked for, with jitter, and at most ten minutes for it', () => {
    const backoff = new Backoff({ clock: new FakeClock(), random: () => 0.5 });
    expect(backoff.next(7_000)).toBe(7_400);
    expect(backoff.next(1)).toBe(2_400);
    expect(backoff.next(1e12)).toBe(600_400);
  });

  it('takes other figures', () => {
    const options = { initialMs: 10, factor: 2, jitter: 0, maxMs: 100 };
    const backoff = new Backoff({ clock: new FakeClock(), random: () => 0.9 }, options);
    expect(Array.from({ length: 5 }, () => backoff.next())).toEqual([10, 20, 40, 80, 100]);
  });

  it('begins again when the server answers, but not twice in a row for nothing', () => {
    const backoff = new Backoff({ clock: new FakeClock(), random: () => 0 });
    for (let i = 0; i < 5; i++) backoff.next();
    backoff.answered();
    expect(backoff.next()).toBe(800);
    backoff.answered();
    expect([backoff.next(), backoff.next()]).toEqual([1600, 3200]);
  });

  it.each(['steady', 'lost'] as const)('begins again at the next answer after %s', (event) => {
    const backoff = new Backoff({ clock: new FakeClock(), random: () => 0 });
    backoff.answered();
    for (let i = 0; i < 5; i++) backoff.next();
    backoff[event]();
    backoff.answered();
    expect(backoff.next()).toBe(800);
  });

  it('begins again when all has been well for a while, and goes on growing while there is no connection', () => {
    const backoff = new Backoff({ clock: new FakeClock(), random: () => 0 });
    for (let i = 0; i < 3; i++) {
      backoff.lost();
      backoff.next();
    }
    expect(backoff.next()).toBe(6400);
    backoff.steady();
    expect(backoff.next()).toBe(800);
  });

  it('lets waits be cut short, after twice the time each time until there is an answer', () => {
    const backoff = new Backoff({ clock: new FakeClock(), random: () => 0 });
    const minima = Array.from({ length: 8 }, () => {
      const { minimumMs } = backoff;
      backoff.cutShort();
      return minimumMs;
    });
    expect(minima).toEqual([0, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000]);
    backoff.answered();
    expect(backoff.minimumMs).toBe(0);
  });
});
