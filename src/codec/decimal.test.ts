import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalAt } from './decimal.ts';

const read = (text: string) => {
  const bytes = Buffer.from(`12${text}34`);
  return decimalAt(bytes, 2, bytes.length - 2);
};

test('a number is read', () => {
  for (const value of [0, 7, 10, 2 ** 31, 999_999_999_999_999]) expect(read(String(value))).toBe(value);
});

test('what is read has the text that it was read from', () => {
  const texts = fc.oneof(fc.string(), fc.stringMatching(/^[0-9]{0,20}$/), fc.maxSafeNat().map(String));
  fc.assert(
    fc.property(texts, (text) => {
      const value = read(text);
      if (value !== undefined) expect(String(value)).toBe(text);
    }),
  );
});

test('what would be another text is not read', () => {
  for (const text of ['', '00', '07', '-1', '+1', '1.0', '1e3', ' 1', '1 ', 'x', '1000000000000000']) {
    expect(read(text), text).toBeUndefined();
  }
});
