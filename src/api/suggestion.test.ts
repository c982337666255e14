import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { suggestion } from './suggestion.ts';

describe('a suggestion', () => {
  it.each([
    ['podz', 'pods'],
    ['dpeloyments', 'deployments'],
    ['Pods', 'pods'],
    ['servces', 'services'],
    ['xyzzy', undefined],
    ['p', undefined],
  ])('for %j is %j', (typed, expected) => {
    expect(suggestion(typed, ['pods', 'deployments', 'services', 'nodes'])).toBe(expected);
  });

  it('is the word itself when it is there, and never a word that is far away', () => {
    const word = fc.string({ minLength: 3, maxLength: 12, unit: fc.constantFrom('a', 'b', 'c', 'd') });
    fc.assert(
      fc.property(word, fc.array(word), (typed, words) => {
        expect(suggestion(typed, [...words, typed])).toBe(typed);
        const found = suggestion(typed, words);
        if (found !== undefined) expect(Math.abs(found.length - typed.length)).toBeLessThanOrEqual(typed.length / 3);
      }),
    );
  });
});
