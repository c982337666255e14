import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalQuantity } from './quantity.ts';

describe('canonicalQuantity', () => {
  it.each([
    ['0', '0'],
    ['0.0', '0'],
    ['0Mi', '0'],
    ['1', '1'],
    ['1000', '1k'],
    ['0.5', '500m'],
    ['1.5', '1500m'],
    ['1500M', '1500M'],
    ['1000000M', '1T'],
    ['1024Mi', '1Gi'],
    ['1536Mi', '1536Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['512Ki', '512Ki'],
    ['1e3', '1e3'],
    ['12E6', '12e6'],
    ['1E', '1E'],
    ['-0.25', '-250m'],
    ['+1', '1'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['100000E', '100000E'],
    ['.5', '500m'],
    ['5.', '5'],
    ['8Ei', '9223372036854775807'],
  ])('writes %s as %s', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  it.each(['', 'x', '1 Gi', '1ki', '1.2.3', '--1', 'Gi', '1e', '.'])('knows that %j is none', (text) => {
    expect(canonicalQuantity(text)).toBeUndefined();
  });

  it('leaves what is canonical as it is', () => {
    const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'e-6');
    fc.assert(
      fc.property(fc.integer(), fc.nat(999), suffix, (whole, fraction, unit) => {
        const canonical = canonicalQuantity(`${whole}.${fraction}${unit}`) ?? '';
        expect(canonicalQuantity(canonical)).toBe(canonical);
      }),
    );
  });
});
