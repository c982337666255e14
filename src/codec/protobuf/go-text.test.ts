import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durationText, microTimeText, timeText } from './time-text.ts';

describe('timeText', () => {
  it('agrees with Date in all years of four digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }), (seconds) => {
        expect(timeText(seconds)).toBe(new Date(seconds * 1000).toISOString().replace('.000', ''));
      }),
    );
  });

  it.each([
    [0, '1970-01-01T00:00:00Z'],
    [-1, '1969-12-31T23:59:59Z'],
    [951_782_400, '2000-02-29T00:00:00Z'],
    [-62_135_596_800, '0001-01-01T00:00:00Z'],
    [253_402_300_800, '10000-01-01T00:00:00Z'],
  ])('writes %i', (seconds, text) => {
    expect(timeText(seconds)).toBe(text);
  });
});

describe('microTimeText', () => {
  it.each([
    [1, 0, '1970-01-01T00:00:01.000000Z'],
    [1, 1_999, '1970-01-01T00:00:01.000001Z'],
    [1, 999_999_999, '1970-01-01T00:00:01.999999Z'],
    [1, -1_000, '1970-01-01T00:00:00.999999Z'],
    [1, 2_000_000_000, '1970-01-01T00:00:03.000000Z'],
  ])('writes %i s and %i ns', (seconds, nanos, text) => {
    expect(microTimeText(seconds, nanos)).toBe(text);
  });
});

describe('durationText', () => {
  it.each([
    [0n, '0s'],
    [1n, '1ns'],
    [1_100n, '1.1µs'],
    [2_200_000n, '2.2ms'],
    [3_300_000_000n, '3.3s'],
    [245_000_000_000n, '4m5s'],
    [245_001_000_000n, '4m5.001s'],
    [18_367_001_000_000n, '5h6m7.001s'],
    [480_000_000_001n, '8m0.000000001s'],
    [9_223_372_036_854_775_807n, '2562047h47m16.854775807s'],
    [-9_223_372_036_854_775_808n, '-2562047h47m16.854775808s'],
    [-3_600_000_000_000n, '-1h0m0s'],
  ])('writes %s ns as Go does', (nanos, text) => {
    expect(durationText(nanos)).toBe(text);
  });
});
