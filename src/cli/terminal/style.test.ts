import { describe, expect, it } from 'vitest';
import { capabilitiesOf } from './capabilities.ts';
import { Painter } from './style.ts';

describe('what a terminal can show', () => {
  const terminal = { isTTY: true };
  it.each([
    [
      { TERM: 'xterm', LANG: 'de_DE.UTF-8' },
      { live: true, color: true, unicode: true },
    ],
    [
      { TERM: 'xterm', LANG: 'C' },
      { live: true, color: true, unicode: false },
    ],
    [
      { TERM: 'xterm', LANG: 'en_US.UTF-8', LC_ALL: 'C' },
      { live: true, color: true, unicode: false },
    ],
    [
      { TERM: 'xterm', LC_CTYPE: 'C.utf8', NO_COLOR: '1' },
      { live: true, color: false, unicode: true },
    ],
    [
      { TERM: 'xterm', LANG: 'en_US.UTF-8', NO_COLOR: '' },
      { live: true, color: true, unicode: true },
    ],
    [
      { TERM: 'dumb', LANG: 'en_US.UTF-8' },
      { live: false, color: false, unicode: true },
    ],
    [{}, { live: true, color: true, unicode: false }],
  ])('with %j is %j', (env, expected) => {
    expect(capabilitiesOf(terminal, env, 'linux')).toEqual(expected);
  });

  it('is neither live nor coloured through a pipe', () => {
    expect(capabilitiesOf({}, { LANG: 'C.UTF-8' }, 'linux')).toEqual({ live: false, color: false, unicode: true });
  });
});

describe('a painter', () => {
  it('cuts a line at the width, across its spans', () => {
    const painter = new Painter({ color: true, unicode: true });
    const spans = [{ text: 'abc', style: 'green' as const }, { text: 'defgh' }, { text: 'never' }];
    expect(painter.line(spans, 6)).toBe('\x1b[32mabc\x1b[0mde…');
    expect(painter.line(spans, 3)).toBe('\x1b[32mabc\x1b[0m');
  });

  it('uses no colour and no Unicode where there is none', () => {
    const painter = new Painter({ color: false, unicode: false });
    expect(painter.line([{ text: 'größer', style: ['bold', 'red'] }], 5)).toBe('gr??~');
    expect(painter.fitRight('12', 4)).toBe('  12');
  });

  it('lets no control character of a text through', () => {
    const painter = new Painter({ color: true, unicode: true });
    expect(painter.line([{ text: '\x1b[31m' }], 80)).toBe('\\x1b[31m');
  });
});
