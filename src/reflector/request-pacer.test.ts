import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { RequestPacer } from './request-pacer.ts';

describe('RequestPacer', () => {
  it('lets at most 5 requests begin in any 2 s, however they come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(900), { minLength: 5, maxLength: 25 }), async (pauses) => {
        const clock = new FakeClock();
        const pacer = new RequestPacer({ clock, random: () => 0 });
        const begun: number[] = [];
        const requests = (async () => {
          for (const pauseMs of pauses) {
            await clock.sleep(pauseMs);
            await pacer.admit(new AbortController().signal);
            begun.push(clock.now());
          }
        })();
        await clock.advance(60_000);
        await requests;
        for (const from of begun) {
          expect(begun.filter((at) => at >= from && at < from + 2000).length).toBeLessThanOrEqual(5);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('counts those that wait at the same time one after the other', async () => {
    const clock = new FakeClock();
    const pacer = new RequestPacer({ clock, random: () => 0 });
    const begun: number[] = [];
    const { signal } = new AbortController();
    for (let i = 0; i < 4; i++) await pacer.admit(signal);
    await clock.advance(1_000);
    const waiting = Array.from({ length: 8 }, () => pacer.admit(signal).then(() => begun.push(clock.now())));
    const givenUp = new AbortController();
    const refused = expect(pacer.admit(givenUp.signal)).rejects.toThrow('enough');
    givenUp.abort(new Error('enough'));
    await clock.advance(60_000);
    await Promise.all([...waiting, refused]);
    for (const from of begun) {
      expect(begun.filter((at) => at >= from && at < from + 2000).length).toBeLessThanOrEqual(5);
    }
  });

  it('does not delay requests that are rare', async () => {
    const clock = new FakeClock();
    const pacer = new RequestPacer({ clock, random: () => 0.5 });
    for (let i = 0; i < 20; i++) {
      expect(pacer.waitMs()).toBe(0);
      await pacer.admit(new AbortController().signal);
      await clock.advance(600);
    }
  });

  it('gives up its wait when the signal aborts', async () => {
    const clock = new FakeClock();
    const pacer = new RequestPacer({ clock, random: () => 0.5 });
    const stop = new AbortController();
    for (let i = 0; i < 5; i++) await pacer.admit(stop.signal);
    const sixth = pacer.admit(stop.signal);
    stop.abort(new Error('stop'));
    await expect(sixth).rejects.toThrow('stop');
    expect(clock.pendingTimers).toBe(0);
  });

  it('lets as many begin as there are sources, and whoever came first begins first', async () => {
    const clock = new FakeClock();
    const pacer = new RequestPacer({ clock, random: () => 0, sources: () => 8 });
    const { signal } = new AbortController();
    const begun: [string, number][] = [];
    const startMs = clock.now();
    const ask = (name: string) => pacer.admit(signal).then(() => begun.push([name, clock.now() - startMs]));
    // One that asks again as soon as it is admitted must not be served twice before the others.
    const greedy = (async () => {
      for (let i = 0; i < 4; i++) await ask('greedy');
    })();
    const others = Array.from({ length: 12 }, (_, i) => ask(`other ${i}`));
    await clock.advance(60_000);
    await Promise.all([greedy, ...others]);
    const names = begun.map(([name]) => name);
    expect(names.slice(0, 13)).toEqual(['greedy', ...Array.from({ length: 12 }, (_, i) => `other ${i}`)]);
    expect(begun.filter(([, atMs]) => atMs < 2_000)).toHaveLength(8);
    for (const [, from] of begun) {
      expect(begun.filter(([, at]) => at >= from && at < from + 2000).length).toBeLessThanOrEqual(8);
    }
  });

  it('lets who gives up in the queue go at once, and does not count it', async () => {
    const clock = new FakeClock();
    const pacer = new RequestPacer({ clock, random: () => 0 });
    const { signal } = new AbortController();
    for (let i = 0; i < 5; i++) await pacer.admit(signal);
    const waiting = pacer.admit(signal);
    const impatient = new AbortController();
    const queued = pacer.admit(impatient.signal);
    impatient.abort(new Error('enough'));
    await expect(queued).rejects.toThrow('enough');
    await clock.advance(2_500);
    await waiting;
    await pacer.admit(signal);
    expect(pacer.waitMs()).toBe(0);
  });
});
