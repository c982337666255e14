import { describe, expect, it } from 'vitest';
import { ALLOWANCE, show } from './promise.ts';

const given = (value: number, atLeast: boolean, guarded = 2) =>
  show({ what: '', scene: '', concerned: [], value, unit: '', limit: 2, atLeast, guarded });

describe('a promise', () => {
  it('holds up to its limit', () => {
    expect([given(2, false).holds, given(2.01, false).holds]).toEqual([true, false]);
    expect([given(2, true).holds, given(1.99, true).holds]).toEqual([true, false]);
  });

  it('nearly holds within the allowance', () => {
    expect([given(2 * ALLOWANCE, false), given(2.1 * ALLOWANCE, false)].map((it) => it.nearlyHolds)).toEqual([
      true,
      false,
    ]);
    expect([given(2 / ALLOWANCE, true), given(1.9 / ALLOWANCE, true)].map((it) => it.nearlyHolds)).toEqual([
      true,
      false,
    ]);
  });

  it('is guarded where it stands, when it is not kept yet', () => {
    const shown = given(3 * ALLOWANCE, false, 3);
    expect([shown.holds, shown.nearlyHolds]).toEqual([false, true]);
  });
});
