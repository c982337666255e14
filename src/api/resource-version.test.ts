import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareResourceVersions } from './resource-version.ts';

describe('compareResourceVersions', () => {
  it('orders decimal numbers of any length as numbers', () => {
    const version = fc.bigInt({ min: 0n, max: 2n ** 128n });
    fc.assert(
      fc.property(version, version, (a, b) => {
        const expected = a < b ? -1 : a > b ? 1 : 0;
        expect(Math.sign(compareResourceVersions(String(a), String(b)) ?? Number.NaN)).toBe(expected);
      }),
    );
  });

  it.each([
    ['a', 'b'],
    ['', '1'],
    ['01', '1'],
    ['1.5', '2'],
    ['-1', '1'],
    [' 1', '1'],
  ])('cannot order %j and %j', (a, b) => {
    expect(compareResourceVersions(a, b)).toBeUndefined();
  });

  it('finds any text equal to itself', () => {
    fc.assert(fc.property(fc.string(), (text) => compareResourceVersions(text, text) === 0));
  });
});
