import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Checksum, checksumOf, fastestChecksum, isBuiltIn } from './checksum.ts';

const all = [4, 5].map((format) => checksumOf(format) as Checksum);

describe.each(all)('the checksum by $cipher', (checksum) => {
  it('is that of the bytes, however they are parted', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (parts) => {
        expect(checksum.of(parts)).toBe(checksum.of([Buffer.concat(parts)]));
      }),
    );
  });

  it('changes with each bit', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 100 }), fc.nat(), fc.nat(7), (bytes, place, bit) => {
        const changed = Buffer.from(bytes);
        const at = place % bytes.length;
        changed[at] = (changed[at] as number) ^ (1 << bit);
        expect(checksum.of([changed])).not.toBe(checksum.of([bytes]));
      }),
    );
  });

  it('is as long as there is room for it in a file', () => {
    expect(checksum.of([Buffer.from('bytes')])).toMatch(/^[0-9a-f]{32}$/);
  });
});

it('is the one that Node has, and of no other format', () => {
  expect(fastestChecksum().cipher).toBe('chacha20-poly1305');
  expect(checksumOf(1)).toBeUndefined();
});

it('is not built in where its cipher throws', () => {
  const missing = {
    ...fastestChecksum(),
    of: () => {
      throw new Error('Unknown cipher');
    },
  };
  expect(isBuiltIn(missing)).toBe(false);
  expect(isBuiltIn(fastestChecksum())).toBe(true);
});
