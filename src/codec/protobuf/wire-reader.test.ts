import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesField, numberField, varint } from './protobuf-fixture.ts';
import { WireError } from './wire-error.ts';
import { WireReader } from './wire-reader.ts';

function readerOf(bytes: Uint8Array, start = 0, end = bytes.length): WireReader {
  const reader = new WireReader();
  reader.open(bytes, start, end);
  return reader;
}

describe('WireReader', () => {
  it('reads an int64 as the number that JSON.parse gives for its decimal form', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const reader = readerOf(varint(value));
        expect(reader.int64()).toBe(JSON.parse(value.toString()));
        expect(readerOf(varint(value)).bigInt64()).toBe(value);
      }),
    );
  });

  it.each([2n ** 53n - 1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), -1n, 0n, 127n, 128n, 2n ** 32n])(
    'reads %s without an error of more than JSON has',
    (value) => {
      expect(readerOf(varint(value)).int64()).toBe(Number(value));
    },
  );

  it('reads an int32 from its low 32 bits, as Go does', () => {
    expect(readerOf(varint(-5)).int32()).toBe(-5);
    expect(readerOf(varint(2 ** 31 - 1)).int32()).toBe(2 ** 31 - 1);
    expect(readerOf(varint(2n ** 32n + 7n)).int32()).toBe(7);
  });

  it('reads bools, floats and doubles', () => {
    expect([readerOf(varint(0)).bool(), readerOf(varint(1)).bool(), readerOf(varint(2n ** 40n)).bool()]).toEqual([
      false,
      true,
      true,
    ]);
    const fixed = Buffer.alloc(12);
    fixed.writeFloatLE(-1.5, 0);
    fixed.writeDoubleLE(1e300, 4);
    const reader = readerOf(fixed);
    expect([reader.float(), reader.double()]).toEqual([-1.5, 1e300]);
    expect(() => reader.double()).toThrow(/8 bytes are needed, 0 are left \(at byte 12\)/);
  });

  it('refuses numbers that have no end, or whose end has not come', () => {
    expect(() => readerOf(Buffer.alloc(20, 0xff)).int64()).toThrow(/longer than 10 bytes/);
    expect(() => readerOf(Buffer.from([0xff, 0xff])).int64()).toThrow(/the bytes end inside a number/);
    expect(() => readerOf(Buffer.from([1, 2, 3]), 0, 0).unsigned()).toThrow(/the bytes end/);
    expect(() => readerOf(Buffer.from([0xff, 1]), 0, 1).unsigned()).toThrow(/the bytes end/);
  });

  it('refuses tags that no field can have', () => {
    expect(() => readerOf(Buffer.from([0x02])).tag()).toThrow(/impossible number/);
    expect(() => readerOf(varint(2n ** 35n)).tag()).toThrow(/impossible number/);
    expect(readerOf(varint(2 ** 32 - 1)).tag()).toBe(2 ** 32 - 1);
  });

  it('refuses lengths that go beyond the end', () => {
    expect(() => readerOf(Buffer.from([5, 1, 2])).lengthDelimited(3)).toThrow(/5 bytes were announced, 2 are left/);
    expect(() => readerOf(varint(2n ** 63n)).lengthDelimited(10)).toThrow(WireError);
    expect(readerOf(Buffer.from([2, 1, 2])).lengthDelimited(3)).toBe(3);
  });

  it('passes over values of any wire type, groups in groups among them', () => {
    const group = Buffer.concat([
      varint(5 * 8 + 3),
      numberField(1, 7),
      varint(6 * 8 + 3),
      varint(6 * 8 + 4),
      varint(5 * 8 + 4),
    ]);
    const fields = Buffer.concat([
      numberField(1, -1),
      bytesField(2, 'text'),
      varint(3 * 8 + 5),
      Buffer.alloc(4),
      varint(4 * 8 + 1),
      Buffer.alloc(8),
      group,
      bytesField(16, 'end'),
    ]);
    const reader = readerOf(fields);
    const numbers: number[] = [];
    while (reader.position < fields.length) {
      const tag = reader.tag();
      numbers.push(tag >>> 3);
      reader.skip(tag, fields.length);
    }
    reader.finish(fields.length);
    expect(numbers).toEqual([1, 2, 3, 4, 5, 16]);
  });

  it.each([
    ['a group that does not end', [0x0b], /the bytes end/],
    ['the end of another group', [0x0b, 0x14], /a group ends that never began/],
    ['the end of no group', [0x0c], /unexpected wire type 4/],
    ['a wire type that does not exist', [0x0e], /unexpected wire type 6/],
    ['groups that are nested too deep', new Array<number>(10_000).fill(0x0b), /nested more than 400 deep/],
  ])('refuses %s', (_what, bytes, message) => {
    const reader = readerOf(Buffer.from(bytes));
    expect(() => reader.skip(reader.tag(), bytes.length)).toThrow(message);
  });

  it('reads from any part of any typed array', () => {
    const memory = new Uint8Array([9, 9, 0x68, 0x69, 9]);
    const part = memory.subarray(1);
    const reader = readerOf(part, 1, 3);
    expect(reader.string(3)).toBe('hi');
    expect(reader.position).toBe(3);
  });
});
