import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DecodeError } from '../decode-error.ts';
import { ListCutter } from './list-cutter.ts';
import { bytesField, envelope, listBody, numberField, varint } from './protobuf-fixture.ts';
import { WireReader } from './wire-reader.ts';

interface Cut {
  items: string[];
  metadata: string | undefined;
  other: string | undefined;
}

function cut(chunks: Uint8Array[], maxItemBytes = 1000): Cut {
  const isList = ({ kind, apiVersion }: { kind: string; apiVersion: string }) =>
    kind === 'PodList' && apiVersion === 'v1';
  const cutter = new ListCutter({ isList, maxItemBytes, reader: new WireReader() });
  const items: string[] = [];
  for (const chunk of chunks) {
    const memory = Buffer.from(chunk);
    cutter.append(memory);
    while (cutter.nextItem()) items.push(cutter.bytes.toString('latin1', cutter.itemStart, cutter.itemEnd));
    // Whoever owns the chunk may use its memory for the next one.
    memory.fill(0xee);
  }
  cutter.finish();
  expect(cutter.itemCount).toBe(items.length);
  return { items, metadata: cutter.metadata?.toString('latin1'), other: cutter.other?.toString('latin1') };
}

function split(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [0, ...cuts.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end));
}

const items = ['', 'one', 'x'.repeat(200), 'y'];
const body = listBody(
  'PodList',
  'v1',
  '42',
  items.map((item) => Buffer.from(item)),
);
const metadata = Buffer.concat([bytesField(1), bytesField(2, '42')]).toString('latin1');

describe('ListCutter', () => {
  it('finds the same items wherever the body is cut into chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 300 }), { maxLength: 8 }),
        fc.array(fc.nat({ max: 5000 }), { maxLength: 12 }),
        (texts, cuts) => {
          const whole = listBody(
            'PodList',
            'v1',
            '42',
            texts.map((text) => Buffer.from(text, 'latin1')),
          );
          const expected = texts.map((text) => Buffer.from(text, 'latin1').toString('latin1'));
          expect(cut(split(whole, cuts))).toEqual({ items: expected, metadata, other: undefined });
        },
      ),
    );
    expect(cut([...body].map((byte) => Buffer.from([byte])))).toEqual({ items, metadata, other: undefined });
  });

  it('finds items of every length, whether they come whole or not', () => {
    const lengths = [0, 1, 127, 128, 129, 16_383, 16_384, 300_000, 2 ** 21 - 1, 2 ** 21, 5];
    const texts = lengths.map((length, i) => String.fromCharCode(97 + i).repeat(length));
    const whole = listBody(
      'PodList',
      'v1',
      '42',
      texts.map((text) => Buffer.from(text)),
    );
    const itemsOf = (chunks: Uint8Array[]) => cut(chunks, 2 ** 22).items;
    expect(itemsOf([whole])).toEqual(texts);
    for (const size of [100, 20_000, 65_536]) {
      const cuts = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) => i * size);
      expect(itemsOf(split(whole, cuts))).toEqual(texts);
    }
  });

  it('says of every body that breaks off that it does', () => {
    // The last two fields of the envelope are empty, and may be missing.
    const ends = [body.length, body.length - 2, body.length - 4];
    for (let end = 0; end < body.length; end++) {
      if (ends.includes(end)) expect(cut([body.subarray(0, end)]).items).toEqual(items);
      else expect(() => cut([body.subarray(0, end)]), `cut at ${end}`).toThrow(/broke off at byte|empty except for/);
    }
    expect(() => cut([body.subarray(0, 100)])).toThrow(
      expect.objectContaining({
        kind: 'truncated',
        message: expect.stringContaining('after 2 whole items'),
      }) as DecodeError,
    );
  });

  it('passes over fields that it does not know, in the list and around it', () => {
    const unknown = [numberField(20, 2n ** 60n), bytesField(21, 'x'.repeat(5000)), varint(22 * 8 + 5), Buffer.alloc(4)];
    const list = [...unknown, bytesField(2, 'a'), varint(9 * 8 + 1), Buffer.alloc(8), bytesField(2, 'b'), ...unknown];
    const whole = Buffer.concat([envelope('PodList', 'v1', ...list), ...unknown]);
    expect(cut(split(whole, [50, 3000, 6000])).items).toEqual(['a', 'b']);
  });

  it('takes a list without items', () => {
    expect(cut([listBody('PodList', 'v1', '1', [])]).items).toEqual([]);
    expect(cut([envelope('PodList', 'v1')])).toEqual({ items: [], metadata: undefined, other: undefined });
  });

  it('keeps the content of a body of another kind', () => {
    expect(cut(split(envelope('Status', 'v1', bytesField(3, 'no')), [10, 25]))).toEqual({
      items: [],
      metadata: undefined,
      other: bytesField(3, 'no').toString('latin1'),
    });
  });

  it.each([
    ['a page of a proxy', Buffer.from('<html>…</html>'), /does not begin as Kubernetes protobuf/],
    ['no bytes at all', Buffer.alloc(0), /broke off at byte 0, after 0 whole items/],
    [
      'an envelope without content',
      Buffer.concat([Buffer.from('k8s\0'), bytesField(1)]),
      /empty except for its envelope/,
    ],
    [
      'content before the type',
      Buffer.concat([Buffer.from('k8s\0'), bytesField(2, 'x')]),
      /what it is before its content/,
    ],
    ['a second content', Buffer.concat([envelope('PodList', 'v1'), bytesField(2, 'x')]), /second content/],
    ['an item beyond the end of the list', envelope('PodList', 'v1', Buffer.from([0x12, 9, 1])), /runs over its end/],
    ['a group in the list', envelope('PodList', 'v1', Buffer.from([0x0b])), /wire type 3/],
    ['a number without an end', envelope('PodList', 'v1', Buffer.alloc(30, 0xff)), /a number has no end/],
    [
      'a type that is damaged',
      Buffer.concat([Buffer.from('k8s\0'), bytesField(1, Buffer.from([0x0a, 5]))]),
      /5 bytes were/,
    ],
  ])('refuses %s', (_what, bytes, message) => {
    expect(() => cut([bytes])).toThrow(message);
  });

  it('refuses an item that goes on behind the list, and does not take it before', () => {
    const cutter = new ListCutter({ isList: () => true, maxItemBytes: 1000, reader: new WireReader() });
    const list = envelope('PodList', 'v1', Buffer.from([0x12, 1, 1, 0x12, 4, 1]));
    cutter.append(Buffer.concat([list, bytesField(3, 'behind it')]));
    expect(cutter.nextItem()).toBe(true);
    expect(() => cutter.nextItem()).toThrow(/runs over its end/);
    expect(cutter.itemCount).toBe(1);
  });

  it('refuses an item that is too large, also before it has come', () => {
    const large = listBody('PodList', 'v1', '1', [Buffer.from('small'), Buffer.alloc(1001)]);
    expect(cut([large], 1001).items).toHaveLength(2);
    expect(() => cut([large])).toThrow('item 2 of the list has 1001 bytes, more than 1000');
    expect(() => cut([large.subarray(0, large.length - 900)])).toThrow(
      expect.objectContaining({ kind: 'tooLarge', message: 'item 2 of the list has 1001 bytes, more than 1000' }),
    );
    expect(() => cut([envelope('Status', 'v1', Buffer.alloc(1001))])).toThrow(/the Status in the body has 1001 bytes/);
  });
});
