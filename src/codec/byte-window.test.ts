import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWindow } from './byte-window.ts';

const STOP = 0x0a;

/** What lies between stops, read from chunks whose memory is somebody else's once they are used up. */
function pieces(chunks: readonly Uint8Array[]): string[] {
  const window = new ByteWindow();
  const found: string[] = [];
  for (const chunk of chunks) {
    const memory = Uint8Array.from(chunk);
    window.append(memory);
    do {
      for (;;) {
        const { bytes, start, end } = window;
        const stop = bytes.subarray(start, end).indexOf(STOP);
        if (stop < 0) break;
        found.push(bytes.toString('latin1', start, start + stop));
        window.consumeTo(start + stop + 1);
      }
    } while (window.more());
    memory.fill(0xee);
  }
  found.push(window.bytes.toString('latin1', window.start, window.end));
  return found;
}

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 20 }),
  fc.nat({ max: 60_000 }).map((length) => 'abcdefg'.repeat(length / 7)),
);

describe('ByteWindow', () => {
  it('holds every byte in its order, wherever the stream is cut into chunks', () => {
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 10 }),
        fc.array(fc.nat({ max: 150_000 }), { maxLength: 12 }),
        (texts, cuts) => {
          const stream = Buffer.from(texts.join('\n'));
          const places = [0, ...cuts.map((cut) => Math.min(cut, stream.length)).sort((a, b) => a - b), stream.length];
          expect(pieces(places.slice(1).map((end, i) => stream.subarray(places[i], end)))).toEqual(texts);
        },
      ),
    );
  });

  it('holds a value that came in a thousand chunks', () => {
    const value = 'a value '.repeat(20_000);
    const stream = Buffer.from(`first\n${value}\nlast`);
    const chunks = Array.from({ length: 1_001 }, (_, i) => stream.subarray(i * 160, (i + 1) * 160));
    expect(pieces(chunks)).toEqual(['first', value, 'last']);
  });

  it('copies nothing of what lies within a chunk', () => {
    const window = new ByteWindow();
    window.append(Buffer.from('half a'));
    expect(window.more()).toBe(false);
    const chunk = Buffer.from(' line\nand one more\n');
    window.append(chunk);
    window.consumeTo(window.bytes.indexOf(STOP, window.start) + 1);
    expect(window.bytes).toBe(chunk);
    expect(window.bytes.toString('latin1', window.start, window.end)).toBe('and one more\n');
  });

  it('keeps no memory of a stream that is quiet', () => {
    const window = new ByteWindow();
    window.append(Buffer.from('half a'));
    expect(window.more()).toBe(false);
    expect(window.bytes.length).toBeGreaterThan(0);
    window.append(Buffer.from(' line\n'));
    window.consumeTo(window.end);
    expect(window.more()).toBe(false);
    expect(window.bytes.length).toBe(0);
  });
});
