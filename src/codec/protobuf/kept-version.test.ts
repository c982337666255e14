import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptVersion, versionNumber } from './identity-scanner.ts';

const anyVersion = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 19n }).map(String),
  fc.stringMatching(/^[0-9]{0,20}$/),
  fc.constantFrom('', '0', '00', '07', '7', '-7', '7a', '1e3', ' 7', '999999999999999', '1000000000000001', '٣'),
);

describe('a version as it is kept', () => {
  it('reads as the server wrote it, from its bytes and from its text', () => {
    fc.assert(
      fc.property(anyVersion, (text) => {
        const bytes = Buffer.from(`x${text}y`);
        const number = versionNumber(bytes, 1, bytes.length - 1);
        if (number !== undefined) expect(String(number)).toBe(text);
        expect(String(keptVersion(text))).toBe(text);
        expect(typeof keptVersion(text)).toBe(number === undefined ? 'string' : 'number');
      }),
    );
  });

  it('is a number where servers write numbers', () => {
    expect(keptVersion('4711')).toBe(4711);
    expect(keptVersion('999999999999999')).toBe(999_999_999_999_999);
  });
});
