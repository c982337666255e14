import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StringTable } from './wire-reader.ts';

function read(table: StringTable, bytes: Buffer, start = 0, end = bytes.length): string {
  return table.read(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), start, end);
}

describe('StringTable', () => {
  it('decodes as Node does, whatever it has decoded before', () => {
    const table = new StringTable();
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ maxLength: 5 }),
      fc.stringMatching(/^[ab]{0,70}$/),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (strings) => {
        const bytes = Buffer.from(strings.join('|'));
        let start = 0;
        const decoded = strings.map((text) => {
          const end = start + Buffer.byteLength(text);
          const both = [read(table, bytes, start, end), bytes.toString('utf8', start, end)] as const;
          start = end + 1;
          return both;
        });
        expect(decoded.map(([ours]) => ours)).toEqual(decoded.map(([, nodes]) => nodes));
      }),
    );
  });

  it('decodes bytes that are not UTF-8 as Node does', () => {
    const table = new StringTable();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (array) => {
        const bytes = Buffer.from(array);
        expect(read(table, bytes)).toBe(bytes.toString());
      }),
    );
  });

  it('tells strings apart that differ in one byte, whatever their length', () => {
    const table = new StringTable();
    const confused: string[] = [];
    for (let length = 1; length <= 70; length++) {
      const one = 'x'.repeat(length);
      for (let place = 0; place < length; place++) {
        const other = `${one.slice(0, place)}y${one.slice(place + 1)}`;
        for (const text of [one, other]) if (read(table, Buffer.from(text)) !== text) confused.push(text);
      }
    }
    expect(confused).toEqual([]);
  });

  it('tells strings apart that share a slot and all but one word', () => {
    const table = new StringTable();
    const confused: string[] = [];
    // More than there are slots, so that each slot sees several.
    for (let i = 0; i < 20_000; i++) {
      const word = (Math.imul(i, 0x5bd1_e995) >>> 0).toString(36).padStart(7, '0').slice(-4);
      for (const text of [`same${word}`, `${word}same`, `same${word}same`]) {
        if (read(table, Buffer.from(text)) !== text) confused.push(text);
      }
    }
    expect(confused).toEqual([]);
  });

  it('does not confuse a string with one that it is the beginning of', () => {
    const table = new StringTable();
    const bytes = Buffer.from('\0\0\0\0\0\0\0\0');
    for (let length = 8; length >= 0; length--) expect(read(table, bytes, 0, length)).toBe('\0'.repeat(length));
  });
});
