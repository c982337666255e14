import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameCutter } from './frame-reader.ts';

function framed(text: string): Buffer {
  const content = Buffer.from(text);
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(content.length);
  return Buffer.concat([prefix, content]);
}

function cut(chunks: Uint8Array[], maxFrameBytes = 10_000): string[] {
  const cutter = new FrameCutter(maxFrameBytes, { read: (bytes, start, end) => bytes.toString('utf8', start, end) });
  const frames: string[] = [];
  for (const chunk of chunks) {
    const memory = Buffer.from(chunk);
    cutter.append(memory);
    for (let frame = cutter.next(); frame !== undefined; frame = cutter.next()) frames.push(frame);
    memory.fill(0xee);
  }
  cutter.end();
  return frames;
}

describe('FrameCutter', () => {
  it('finds the same frames wherever the stream is cut into chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ maxLength: 20 }), fc.constant('x'.repeat(3000))), { maxLength: 10 }),
        fc.array(fc.nat({ max: 8000 }), { maxLength: 12 }),
        (texts, cuts) => {
          const stream = Buffer.concat(texts.map(framed));
          const places = [
            0,
            ...cuts.map((place) => Math.min(place, stream.length)).sort((a, b) => a - b),
            stream.length,
          ];
          expect(cut(places.slice(1).map((end, i) => stream.subarray(places[i], end)))).toEqual(texts);
        },
      ),
    );
  });

  it('says of a stream that breaks off where it does', () => {
    const stream = Buffer.concat([framed('one'), framed('two')]);
    for (let end = 0; end <= stream.length; end++) {
      if (end % 7 === 0) expect(cut([stream.subarray(0, end)])).toHaveLength(end / 7);
      else {
        expect(() => cut([stream.subarray(0, end)])).toThrow(
          expect.objectContaining({ kind: 'truncated', message: expect.stringMatching(`at byte ${end < 7 ? 0 : 7}$`) }),
        );
      }
    }
  });

  it('refuses a frame that is too large before it has come', () => {
    expect(cut([framed('x'.repeat(100))], 100)).toHaveLength(1);
    expect(() => cut([framed('ok'), framed('x'.repeat(101)).subarray(0, 4)], 100)).toThrow(
      expect.objectContaining({
        kind: 'tooLarge',
        message: 'the watch announces a frame of 101 bytes, larger than 100, at byte 6',
      }),
    );
    expect(() => cut([Buffer.from('{"type":"ADDED"}')])).toThrow(/announces a frame of 2065855609 bytes/);
  });
});
