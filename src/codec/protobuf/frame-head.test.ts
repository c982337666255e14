import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameHead } from './frame-reader.ts';
import { writeVarint } from './wire-reader.ts';

function field(number: number, content: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head[0] = (number << 3) | 2;
  return Buffer.concat([head.subarray(0, writeVarint(head, 1, content.length)), content]);
}

const text = (number: number, value: string) => field(number, Buffer.from(value));

/** As the API server writes it. */
function frame(
  type: string,
  kind: string,
  object: Uint8Array,
  tail: Uint8Array = Buffer.from([0x1a, 0, 0x22, 0]),
): Buffer {
  const envelope = [
    Buffer.from('k8s\0'),
    field(1, Buffer.concat([text(1, 'v1'), text(2, kind)])),
    field(2, object),
    tail,
  ];
  return Buffer.concat([text(1, type), field(2, field(1, Buffer.concat(envelope)))]);
}

const head = new FrameHead({ kind: 'Pod', apiVersion: 'v1' });

describe('FrameHead', () => {
  it('finds the object, wherever the frame lies and however large it is', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'),
        fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(new Uint8Array(20_000), new Uint8Array(3_000_000))),
        fc.boolean(),
        fc.nat(50),
        (type, object, hasTail, before) => {
          const bytes = Buffer.concat([
            Buffer.alloc(before, 0x0a),
            frame(type, 'Pod', object, hasTail ? undefined : Buffer.alloc(0)),
          ]);
          expect(head.match(Buffer.concat([bytes, Buffer.alloc(9, 0x12)]), before, bytes.length)).toBe(true);
          expect(head.type).toBe(type);
          expect(head.objectEnd - head.objectStart).toBe(object.length);
          expect(bytes.subarray(head.objectStart, head.objectEnd).equals(object)).toBe(true);
        },
      ),
    );
  });

  it.each([
    ['an error', frame('ERROR', 'Pod', Buffer.from('abc'))],
    ['an unknown type', frame('CHANGED', 'Pod', Buffer.from('abc'))],
    ['another kind', frame('ADDED', 'Pud', Buffer.from('abc'))],
    ['another tail', frame('ADDED', 'Pod', Buffer.from('abc'), text(3, 'gzip'))],
    ['nothing', Buffer.alloc(0)],
  ])('leaves %s to others', (_, bytes) => {
    expect(head.match(bytes, 0, bytes.length)).toBe(false);
  });

  it('never finds an object outside the frame, whatever the bytes', () => {
    const whole = frame('MODIFIED', 'Pod', Buffer.from('some object'));
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, byte, end) => {
        const bytes = Buffer.from(whole);
        bytes[at] = byte;
        if (head.match(bytes, 0, end)) {
          expect(head.objectStart).toBeLessThanOrEqual(head.objectEnd);
          expect(head.objectEnd).toBeLessThanOrEqual(end);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
