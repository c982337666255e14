import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import { bytesField, chunksOf, core, listBody, numberField } from '../protobuf/protobuf-fixture.ts';
import type { PackedCached } from './packed-cached.ts';
import { type AnyObject, packed, takeJson, whole } from './packed-fixture.ts';
import { Slab } from './slabs.ts';

const long = 'x'.repeat(200);
const LARGE = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'a', annotations: { long } },
  spec: { nodeName: 'n1', long },
};
const take = async (object: object, codec = packed()): Promise<PackedCached<AnyObject>> =>
  whole(await takeJson(JSON.stringify(object), codec)) as PackedCached<AnyObject>;

describe('a view of JSON that nobody reads', () => {
  it('is made without the text of an object all of whose fields are large', async () => {
    const pod = await take(LARGE);
    const { home } = pod;
    pod.home = new Slab(Buffer.alloc(0), 'gone');
    const view = pod.view();
    expect(Object.keys(view)).toEqual(['kind', 'apiVersion', 'metadata', 'spec']);
    pod.home = home;
    expect(JSON.stringify(view)).toBe(JSON.stringify(LARGE));
  });

  it('shows what objects with the same names differ in, whichever came first', async () => {
    const variants = [
      LARGE,
      { ...LARGE, spec: {} },
      { ...LARGE, spec: null },
      { ...LARGE, spec: 7 },
      { ...LARGE, metadata: { name: 'b' } },
      { ...LARGE, spec: long },
    ];
    for (const order of [variants, variants.toReversed()]) {
      const codec = packed();
      for (const variant of [...order, ...order]) {
        const pod = await take(variant, codec);
        expect(JSON.stringify(pod.view())).toBe(JSON.stringify(variant));
      }
    }
  });
});

describe('metadata of which only the identity is read', () => {
  const identity = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7' };
  const METADATA = { ...identity, generation: 3, labels: { app: 'web' }, annotations: { long } };

  it('are shown without the text of the object', async () => {
    const pod = await take({ ...LARGE, metadata: METADATA });
    const { home } = pod;
    pod.home = new Slab(Buffer.alloc(0), 'gone');
    const { metadata } = pod.view();
    expect(Object.keys(metadata)).toEqual(Object.keys(METADATA));
    expect(metadata).toMatchObject(identity);
    pod.home = home;
    expect(JSON.stringify(metadata)).toBe(JSON.stringify(METADATA));
  });

  it('are those of the object, whatever others with other fields came before', async () => {
    const variants = [
      METADATA,
      { ...METADATA, generation: undefined },
      { ...METADATA, namespace: '' },
      { ...METADATA, namespace: undefined },
      { ...METADATA, uid: null },
      { ...METADATA, labels: null },
      { ...METADATA, 'u\u0308': 1, '"': 2 },
      JSON.parse(`{"__proto__":${JSON.stringify(long)},"name":"a","annotations":{}}`),
      { labels: { a: 'b' }, ...identity },
    ].map((metadata) => ({ ...LARGE, metadata }));
    for (const order of [variants, variants.toReversed()]) {
      const codec = packed();
      for (const variant of [...order, ...order]) {
        const pod = await take(variant, codec);
        expect(JSON.stringify(pod.view())).toBe(JSON.stringify(variant));
        expect(Object.keys(pod.view().metadata)).toEqual(Object.keys(JSON.parse(JSON.stringify(variant.metadata))));
      }
    }
  });

  it('are told apart from others whose names have the same hash', async () => {
    const codec = packed();
    for (const name of ['qzxfjdn', 'aefkcgh', 'qzxfjdn']) {
      const pod = { ...LARGE, metadata: { name: 'a', [name]: long } };
      expect(JSON.stringify((await take(pod, codec)).view())).toBe(JSON.stringify(pod));
    }
  });

  it('are those that a parser gives when a name comes twice', async () => {
    const text = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","x":1,"annotations":{"long":"${long}"},"x":2},"spec":{"long":"${long}"}}`;
    const pod = await take(JSON.parse(text));
    const twice = whole(await takeJson(text));
    expect(JSON.stringify(twice.view())).toBe(JSON.stringify(pod.view()));
  });

  it('belong to one view: what its reader writes is seen by no other', async () => {
    const pod = await take({ ...LARGE, metadata: METADATA });
    const { metadata } = pod.view();
    metadata.name = 'changed';
    Object.assign(metadata.labels ?? {}, { app: 'changed' });
    expect(JSON.stringify(pod.view().metadata)).toBe(JSON.stringify(METADATA));
  });

  it('name the field whose text is damaged', async () => {
    const pod = await take({ ...LARGE, metadata: METADATA });
    const { labels } = pod.view().metadata;
    expect(labels).toEqual({ app: 'web' });
    const at = pod.home.bytes.indexOf('"app"', pod.offset);
    pod.home.bytes.write('?', at + 1, 'latin1');
    pod.home.bytes.write('\n', at + 2, 'latin1');
    const { metadata } = pod.view();
    expect(metadata.name).toBe('a');
    expect(() => metadata.labels).toThrow('metadata.labels of n/a cannot be decoded');
  });
});

describe('views of messages whose looks are remembered', () => {
  const name = bytesField(1, 'web-0');
  /** In the order of their numbers. */
  const METADATA = [
    bytesField(2, 'web-'),
    bytesField(3, 'shop'),
    bytesField(4),
    bytesField(5, 'some-uid'),
    bytesField(6, '7'),
    numberField(7, 3),
    bytesField(8, numberField(1, 1_700_000_000)),
    bytesField(11, bytesField(1, 'app'), bytesField(2, 'web')),
    bytesField(11, bytesField(1, 'tier'), bytesField(2, 'front')),
    bytesField(12, bytesField(1, 'note'), bytesField(2, long)),
    bytesField(14, 'finalizer'),
    bytesField(17, bytesField(1, 'kubectl')),
  ];
  /** Some of them hold nothing, or 0 in a few ways, or what is no time, or come as another type. */
  const ODD = [
    bytesField(2),
    numberField(7, 0),
    Buffer.from([7 << 3, 0x80, 0]),
    bytesField(8),
    bytesField(8, numberField(1, -62_135_596_800)),
    numberField(10, 0),
    numberField(10, 30),
    bytesField(14),
    bytesField(25, 'of a version to come'),
  ];
  const spec = bytesField(2, bytesField(3, 'Always'), bytesField(10, long), bytesField(16, long));
  const status = bytesField(3, bytesField(1, 'Running'), bytesField(3, long), bytesField(4, long));
  const TOPS = [[spec, status], [spec], [status], [status, spec], [spec, bytesField(3)], [], [spec, spec]];

  it('show each object as it is, whatever came before it', async () => {
    const usual = fc.subarray(METADATA);
    const odd = fc.tuple(fc.subarray(METADATA), fc.subarray(ODD, { maxLength: 2 })).chain(([some, more]) =>
      // In order, or in any.
      fc.oneof(fc.constant([...some, ...more].sort(byNumber)), fc.shuffledSubarray([...some, ...more])),
    );
    const anyPod = fc
      .tuple(fc.oneof(usual, odd), fc.constantFrom(...TOPS), fc.boolean())
      .map(([metadata, top, isLast]) => {
        const whole = bytesField(1, name, ...metadata);
        return Buffer.concat(isLast ? [...top, whole] : [whole, ...top]);
      });
    const decoder = new ObjectDecoder(core('Pod'), { type: { kind: 'Pod', apiVersion: 'v1' } });
    const rules = fc.constantFrom({}, { drop: ['metadata.generation'] });
    await fc.assert(
      fc.asyncProperty(fc.array(anyPod, { minLength: 1, maxLength: 30 }), rules, async (messages, filter) => {
        const body = listBody('PodList', 'v1', '1', messages);
        const codec = packed({ managedFields: 'keep', ...filter });
        const { items, broken } = await codec.readList(chunksOf(body), 'application/vnd.kubernetes.protobuf');
        expect(broken).toEqual([]);
        for (const [i, item] of items.entries()) {
          const expected = decoder.decode(messages[i] as Buffer) as AnyObject & Required<Pick<AnyObject, 'metadata'>>;
          if ('drop' in filter) delete expected.metadata.generation;
          const view = item.view();
          expect(Object.keys(view.metadata)).toEqual(Object.keys(expected.metadata));
          expect(Object.keys(view)).toEqual(Object.keys(expected));
          assert.deepStrictEqual(view, expected);
        }
      }),
      { numRuns: 300 },
    );
  });

  function byNumber(a: Buffer, b: Buffer): number {
    return tagOf(a) - tagOf(b);
  }

  function tagOf([first = 0, second = 0]: Buffer): number {
    return (first < 0x80 ? first : (first & 0x7f) | (second << 7)) >> 3;
  }
});
