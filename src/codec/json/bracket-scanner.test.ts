import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BracketScanner } from './bracket-scanner.ts';
import { INCOMPLETE } from './json-scanner.ts';

const container = fc.oneof(
  fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3 })),
  fc.array(fc.jsonValue({ maxDepth: 3 })),
);
const escapes = fc.array(fc.constantFrom('\\', '"', '{', '}', '[', ']', 'abc', 'é'), { maxLength: 20 });

describe('BracketScanner', () => {
  it('finds the end of any object or list, wherever the bytes are split', () => {
    fc.assert(
      fc.property(
        container,
        escapes,
        fc.constantFrom('', '\t', '  '),
        fc.array(fc.nat(200)),
        (value, parts, space, cuts) => {
          const text = Buffer.from(JSON.stringify([parts.join(''), value], undefined, space));
          const bytes = Buffer.concat([Buffer.from('"]}\\'), text, Buffer.from(',"}]"')]);
          const scanner = new BracketScanner();
          for (const cut of cuts.filter((each) => each < text.length).sort((a, b) => a - b)) {
            expect(scanner.scan(bytes, 4, 4 + cut)).toBe(INCOMPLETE);
          }
          expect(scanner.scan(bytes, 4, bytes.length)).toBe(text.length);
          scanner.reset();
          expect(scanner.scan(text, 0, text.length)).toBe(text.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('goes on byte by byte through backslashes before a quote', () => {
    const text = Buffer.from('{"a\\\\\\"}":"\\\\"}');
    const scanner = new BracketScanner();
    for (let end = 1; end < text.length; end++) expect(scanner.scan(text, 0, end)).toBe(INCOMPLETE);
    expect(scanner.scan(text, 0, text.length)).toBe(text.length);
  });

  it('never ends a string that has no end', () => {
    const text = Buffer.from('{"a":"}}}\\"');
    expect(new BracketScanner().scan(text, 0, text.length)).toBe(INCOMPLETE);
  });
});
