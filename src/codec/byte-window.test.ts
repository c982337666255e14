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

  it.each([
    ['small', 5_000],
    ['large', 300_000],
  ])('holds the %s values of a chunk of megabytes', (_, length) => {
    const values = Array.from({ length: 10 }, (__, i) => String(i).repeat(length + i));
    expect(pieces([Buffer.from('first'), Buffer.from(`\n${values.join('\n')}\n`.repeat(2))])).toEqual([
      'first',
      ...values,
      '',
      ...values,
      '',
    ]);
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

  it('gives and skips as many bytes as it is asked for, wherever the stream is cut into chunks', () => {
    const stream = Buffer.from(Array.from({ length: 700_000 }, (_, i) => i % 251));
    const step = fc.record({ isSkip: fc.boolean(), length: fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 400_000 })) });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 8 }),
        fc.array(fc.nat({ max: 700_000 }), { maxLength: 5 }),
        (steps, cuts) => {
          const window = new ByteWindow();
          const places = [0, ...cuts.sort((a, b) => a - b), stream.length];
          const chunks = places.slice(1).map((end, i) => stream.subarray(places[i], end));
          const next = () => {
            const chunk = chunks.shift();
            if (chunk !== undefined) window.append(Buffer.from(chunk), 0);
            return chunk !== undefined;
          };
          let at = 0;
          next();
          for (const { isSkip, length } of steps) {
            const wanted = Math.min(length, stream.length - at);
            let left = isSkip ? wanted - window.skip(wanted) : 0;
            while (left > 0 && next()) left -= window.skip(left);
            if (!isSkip) {
              while (!window.need(wanted)) if (!next()) break;
              const { bytes, start } = window;
              expect(bytes.subarray(start, start + wanted).equals(stream.subarray(at, at + wanted))).toBe(true);
              window.consumeTo(start + wanted);
            }
            at += wanted;
            expect(window.offset).toBe(at);
          }
        },
      ),
    );
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
