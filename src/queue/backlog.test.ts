import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Backlog } from './delta-fifo.ts';
import { STEP } from './queue-input.ts';

const keysOf = (count: number) => Array.from({ length: count }, (_, i) => `key-${i}`);

describe('a Backlog of a list', () => {
  it('gives out each entry once, in order, whatever is taken while its keys are made ready', () => {
    const counts = fc.integer({ min: 1, max: 6 * STEP });
    const takes = fc.array(fc.integer({ min: 0, max: 2 * STEP }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(counts, takes, fc.nat(STEP), (count, taken, before) => {
        const keys = keysOf(count);
        const backlog = Backlog.of(keys, keys);
        const out: string[] = [];
        const take = (wanted: number) => {
          for (let n = 0; n < wanted; n++) {
            const next = backlog.shift();
            if (next !== undefined) out.push(next[0]);
          }
        };
        take(before);
        const steps = backlog.enterList();
        for (let pause = 0; !steps.next().done; pause++) take(taken[pause % taken.length] ?? 0);
        expect(backlog.size).toBe(count - out.length);
        expect([...backlog.keys()]).toEqual(keys.slice(out.length));
        expect(out.some((key) => backlog.has(key))).toBe(false);
        take(count);
        expect(out).toEqual(keys);
      }),
    );
  });

  it('does not go through what was taken meanwhile', () => {
    const keys = keysOf(100 * STEP);
    const backlog = Backlog.of(keys, keys);
    let pauses = 0;
    for (const steps = backlog.enterList(); !steps.next().done; pauses++) {
      if (pauses === 0) for (let n = 0; n < 99 * STEP; n++) backlog.shift();
    }
    expect(pauses).toBeLessThanOrEqual(3);
    expect([...backlog.keys()]).toEqual(keys.slice(99 * STEP));
  });
});
