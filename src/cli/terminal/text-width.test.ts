import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeText } from './safe-text.ts';
import { fitted, shortened, textWidth } from './text-width.ts';

describe('the width of a text', () => {
  it.each([
    ['', 0],
    ['web-0', 5],
    ['naïve', 5],
    ['e\u0301', 1],
    ['日本語', 6],
    ['한국어', 6],
    ['ＡＢ', 4],
    ['🚀', 2],
    ['👍🏽', 4],
    ['→ …', 3],
    ['█░─●', 4],
  ])('of %j is %i columns', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('a text in a given room', () => {
  it('is padded, or cut with a mark', () => {
    expect(fitted('web', 5, '…')).toBe('web  ');
    expect(fitted('webserver', 5, '…')).toBe('webs…');
    expect(fitted('webserver', 0, '…')).toBe('');
    expect(shortened('web', 5, '…')).toBe('web');
  });

  it('never shows half a wide character', () => {
    expect(fitted('日本語', 4, '…')).toBe('日… ');
    expect(fitted('日本語', 5, '…')).toBe('日本…');
    expect(fitted('日', 1, '…')).toBe('…');
  });

  it('takes exactly the columns that were asked for, whatever it holds', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '日', '🚀', 'e\u0301', '\u0301', 'ß', '\u202e', '\x1b') });
    fc.assert(
      fc.property(text, fc.nat(30), fc.constantFrom('…', '~', '...'), (raw, columns, ellipsis) => {
        const safe = safeText(raw);
        expect(textWidth(fitted(safe, columns, ellipsis))).toBe(columns);
        expect(textWidth(shortened(safe, columns, ellipsis))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
