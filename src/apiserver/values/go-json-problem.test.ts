import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goJsonProblem } from './go-json-problem.ts';

describe('what Go says of a text that is not JSON', () => {
  it.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a":[1,', 'unexpected end of JSON input'],
    ['"abc', 'unexpected end of JSON input'],
    ['nul', "invalid character ' ' in literal null (expecting 'l')"],
    ['tRue', "invalid character 'R' in literal true (expecting 'r')"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['01', "invalid character '1' after top-level value"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.', "invalid character ' ' after decimal point in numeric literal"],
    ['1e+x', "invalid character 'x' in exponent of numeric literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ['é', "invalid character 'Ã' looking for beginning of value"],
  ])('%j', (text, problem) => {
    expect(goJsonProblem(text)).toBe(problem);
  });

  it('is nothing for JSON, and something for everything else', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '1',
      '-',
      '.5',
      'e2',
      'null',
      'tr',
      ' ',
      '\\u0',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.array(pieces).map((parts) => parts.join('')),
        ),
        (text) => {
          expect(goJsonProblem(text) === undefined).toBe(isJson(text));
        },
      ),
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
