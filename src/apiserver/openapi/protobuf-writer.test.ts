import { describe, expect, it } from 'vitest';
import { ProtobufWriter } from './protobuf-writer.ts';

function hex(write: (writer: ProtobufWriter) => unknown): string {
  const writer = new ProtobufWriter();
  write(writer);
  return Buffer.from(writer.finish()).toString('hex');
}

describe('ProtobufWriter', () => {
  it('writes scalars and leaves out zeros', () => {
    expect(hex((out) => out.text(1, 'hi').flag(2, true).integer(3, 300).double(4, 1.5))).toBe(
      '0a026869100118ac0221000000000000f83f',
    );
    expect(hex((out) => out.text(1, '').flag(2, false).integer(3, 0).double(4, 0).text(5, undefined))).toBe('');
    expect(hex((out) => out.texts(1, ['', 'a']))).toBe('0a000a0161');
    expect(hex((out) => out.integer(1, -1))).toBe('08ffffffffffffffffff01');
  });

  it('puts the length before a message, however long it is', () => {
    expect(hex((out) => out.message(1, () => {}))).toBe('0a00');
    expect(hex((out) => out.message(1, (inner) => inner.message(2, (deep) => deep.text(3, 'x'))))).toBe(
      '0a0512031a0178',
    );
    const long = 'x'.repeat(200_000);
    const writer = new ProtobufWriter().message(1, (inner) => inner.text(1, long)).text(2, 'end');
    const bytes = Buffer.from(writer.finish());
    expect(bytes.subarray(0, 8).toString('hex')).toBe('0ac49a0c0ac09a0c');
    expect(bytes.subarray(-5).toString('latin1')).toBe('\x12\x03end');
  });

  it('counts bytes of texts, not characters', () => {
    expect(hex((out) => out.text(1, 'ä'))).toBe('0a02c3a4');
  });
});
