import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GoRegExp, goRegExp, PatternError } from './go-regexp.ts';

interface GoResult {
  pattern: string;
  /** Set when Go refuses the pattern. */
  error?: string;
  /** All matches in each text. */
  texts?: Record<string, string[]>;
}

/** What `go run .` in tools/regexp prints. */
const results = readFileSync(new URL('regexp/testdata/go-results.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): GoResult => JSON.parse(line));

function problemOf(pattern: string): string | undefined {
  try {
    new GoRegExp(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

describe('goRegExp', () => {
  it('refuses what Go refuses, in the words of Go', () => {
    expect(results.length).toBeGreaterThan(600);
    for (const { pattern, error } of results) expect(problemOf(pattern), pattern).toBe(error);
  });

  it('finds what Go finds', () => {
    for (const { pattern, texts } of results) {
      if (texts === undefined) continue;
      const expression = new GoRegExp(pattern);
      for (const [text, all] of Object.entries(texts)) {
        const about = `${pattern} in ${JSON.stringify(text)}`;
        expect(expression.findAll(text), about).toEqual(all);
        expect(expression.find(text), about).toBe(all[0]);
        expect(expression.test(text), about).toBe(all.length > 0);
        expect(expression.findAll(text, 1), about).toEqual(all.slice(0, 1));
      }
    }
  });

  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\b', '\\d', '^', '$', '-', '(?:)');
  const repeat = fc.constantFrom('', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,3}?');
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      atom,
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => one + other),
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
      fc.tuple(tie('pattern'), repeat).map(([inner, times]) => `(?:${inner})${times}`),
    ),
  }));
  const text = fc.string({ unit: fc.constantFrom('a', 'a', 'b', '-', '1', '\r'), maxLength: 10 });

  it('agrees with JavaScript about whether a text matches, where both mean the same', () => {
    fc.assert(
      fc.property(pattern, text, (source, input) => {
        // JavaScript's dot leaves out more than a line feed.
        const expected = new RegExp(source.replaceAll('.', '[^\\n]'), 'u').test(input);
        const expression = new GoRegExp(source);
        expect(expression.test(input)).toBe(expected);
        expect(expression.find(input) !== undefined).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same answer with and without what it remembers of earlier texts', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { maxLength: 8 }), (source, inputs) => {
        const shared = new GoRegExp(source);
        for (const input of inputs) expect(shared.test(input)).toBe(new GoRegExp(source).test(input));
      }),
      { numRuns: 200 },
    );
  });

  const A = 'a'.repeat(100_000);
  it.each([
    ['(a+)+$', `${A}!`],
    ['^(a+)+$', `${A}!`],
    ['(a|a)*b', A],
    ['(.*)*x', A],
    ['(a|aa)+$', `${A}!`],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', A],
    ['(?:a?){30}a{30}b', A],
    ['(x+x+)+y', 'x'.repeat(100_000)],
    ['\\b(?:\\w+\\s*)+:$', `${A}!`],
    ['(a|b)*a(a|b){50}c', 'ab'.repeat(50_000)],
    ['(?i)(K|k|s)*z', 'kS'.repeat(50_000)],
  ])('looks at a text of 100 KB once with %s', (source, input) => {
    const expression = new GoRegExp(source);
    expect(expression.test(input)).toBe(false);
    expect(expression.steps).toBeLessThan(input.length * (expression.size + 2));
    const searched = new GoRegExp(source);
    expect(searched.find(input)).toBeUndefined();
    expect(searched.steps).toBeLessThan(input.length * (searched.size + 2));
  });

  it('takes one step a character for what it has met before', () => {
    const expression = new GoRegExp('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$');
    expect(expression.test(A)).toBe(true);
    const before = expression.steps;
    expect(expression.test(A)).toBe(true);
    expect(expression.steps - before).toBe(A.length);
  });

  it('remembers a pattern, and not without end', () => {
    const first = goRegExp('remembered');
    expect(goRegExp('remembered')).toBe(first);
    for (let count = 0; count < 1100; count += 1) goRegExp(`(?:a{900}|${count})`);
    expect(goRegExp('remembered')).not.toBe(first);
  });
});
