import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INCOMPLETE, INVALID, JsonScanner } from './json-scanner.ts';

/** The whole scan, with the bytes known up to each of `ends` in turn. */
function scan(text: string, ends: readonly number[] = []): number {
  const bytes = Buffer.from(text);
  const scanner = new JsonScanner();
  for (const end of [...ends].sort((a, b) => a - b)) {
    if (end >= bytes.length) break;
    const length = scanner.scan(bytes, 0, end);
    if (length !== INCOMPLETE) return length;
  }
  return scanner.scan(bytes, 0, bytes.length);
}

const ends = fc.array(fc.nat(300), { maxLength: 20 });

describe('JsonScanner', () => {
  it('finds the end of any value, whatever follows, and however it arrives', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('', ' ', '\t', '  '),
        fc.constantFrom(',', '}', ']', '\n', ' {"x":1}'),
        ends,
        (value, indent, after, splits) => {
          const text = JSON.stringify(value, undefined, indent);
          expect(scan(text + after, splits)).toBe(Buffer.byteLength(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('waits for the rest of a value', () => {
    for (const text of ['{', '{"a":[1,2', '"abc', '"abc\\', '12', '[{"a":"}]"']) expect(scan(text)).toBe(INCOMPLETE);
  });

  it.each(['}', ',', ':1', '{"a":1 {', '{"a" "b"', '[1 [', '"a\nb"', '[{} "x"'])(
    'notices that %j cannot become a value',
    (text) => {
      expect(scan(text)).toBe(INVALID);
    },
  );

  it('can be used again', () => {
    const scanner = new JsonScanner();
    const bytes = Buffer.from('{"a":"x"}');
    expect(scanner.scan(bytes, 0, 7)).toBe(INCOMPLETE);
    scanner.reset();
    expect(scanner.scan(bytes, 0, bytes.length)).toBe(9);
  });
});
