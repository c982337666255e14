import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asciiText, safeJson, safeText } from './safe-text.ts';

describe('text from a cluster', () => {
  it('is left alone when it is harmless', () => {
    for (const text of ['web-0', 'naïve', '日本語', '🚀 liftoff', 'مرحبا', '']) expect(safeText(text)).toBe(text);
  });

  it('shows control characters instead of obeying them', () => {
    expect(safeText('\x1b[2Jgone')).toBe('\\x1b[2Jgone');
    expect(safeText('a\x9b31mb\x07\x7f')).toBe('a\\x9b31mb\\x07\\x7f');
    expect(safeText('one\r\ntwo\tthree')).toBe('one\\x0d\\x0atwo\\x09three');
    expect(safeText('\u2028')).toBe('\\u2028');
  });

  it('shows what turns the direction of writing or hides', () => {
    expect(safeText('user\u202etxt.exe')).toBe('user\\u202etxt.exe');
    expect(safeText('\u2066a\u2069\u200b\ufeff\u061c')).toBe('\\u2066a\\u2069\\u200b\\ufeff\\u061c');
    expect(safeText('\u{e0041}')).toBe('\\udb40\\udc41');
  });

  it('drops what only refines an emoji, and mends half a surrogate pair', () => {
    expect(safeText('👩\u200d💻')).toBe('👩💻');
    expect(safeText('✈\ufe0f')).toBe('✈');
    expect(safeText('a\ud83db\udc00')).toBe('a\ufffdb\ufffd');
  });

  it('has a form for terminals that know nothing but ASCII', () => {
    expect(asciiText('größe 日本 ok\x1b')).toBe('gr??e ?? ok\\x1b');
    expect(asciiText('e\u0301')).toBe('e?');
  });

  it('never contains a character that a terminal would act on, whatever comes in', () => {
    const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(safeText(text)).not.toMatch(unsafe);
        expect(asciiText(text)).toMatch(/^[\x20-\x7e]*$/);
      }),
    );
  });
});

describe('JSON for a terminal', () => {
  it('means the same, without a control character in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = safeJson(JSON.stringify({ [text]: text }));
        expect(JSON.parse(json)).toEqual({ [text]: text });
        expect(json.replaceAll('\u200d', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('escapes C1 controls and bidi overrides, which JSON itself leaves as they are', () => {
    expect(safeJson(JSON.stringify('\x9b\u202e'))).toBe('"\\u009b\\u202e"');
  });
});
