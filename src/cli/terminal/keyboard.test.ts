import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Key, Keyboard, keysIn } from './keyboard.ts';

describe('keys', () => {
  it('are told apart in whatever pieces a terminal sends them', () => {
    expect(keysIn('q')).toEqual(['q']);
    expect(keysIn('\x1b[A\x1b[B\x1bOAj\x03')).toEqual(['up', 'down', 'up', 'j', 'ctrl-c']);
    expect(keysIn('\x1b')).toEqual(['escape']);
    expect(keysIn('\r\x7f日')).toEqual(['enter', 'backspace', '日']);
  });

  it('that nobody knows are skipped, and not taken for what they are made of', () => {
    expect(keysIn('\x1b[1;5Dq')).toEqual(['q']);
    expect(keysIn('\x1b[<0;10;5M\x01')).toEqual([]);
  });
});

describe('a keyboard', () => {
  it('reads raw keys until it is closed, and leaves the terminal as it was', async () => {
    const modes: boolean[] = [];
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => modes.push(raw) });
    const keys: Key[] = [];
    const keyboard = new Keyboard(input, (key) => {
      keys.push(key);
      if (key === 'q') keyboard.close();
    });
    keyboard.open();
    input.write('aqb');
    await new Promise((resolve) => setImmediate(resolve));
    expect(keys).toEqual(['a', 'q']);
    expect(modes).toEqual([true, false]);
    expect(input.isPaused()).toBe(true);
    expect(input.listenerCount('data')).toBe(0);
  });

  it('reads nothing from what is not a terminal', () => {
    const input = new PassThrough();
    new Keyboard(input, () => {}).open();
    expect(input.listenerCount('data')).toBe(0);
  });
});
