import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineResource } from '../../api/resource.ts';
import { fieldRules, filterData } from '../filter/field-filter.ts';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import { bytesField, chunksOf, core, listBody, numberField } from '../protobuf/protobuf-fixture.ts';
import { resourceCodec } from '../resource-codec.ts';
import type { PackedCached } from './packed-cached.ts';
import { type AnyObject, packed, takeJson, takeProtobuf, whole } from './packed-fixture.ts';
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
  const PROTOBUF = 'application/vnd.kubernetes.protobuf';
  const name = bytesField(1, 'web-0');
  /** Those that a server has made of `web-`, or of something else, or that look like it in their bytes alone. */
  const anyName = fc.constantFrom('web-0', 'web-abcde', 'web-fghij', 'app-abcde', 'web-abc\u00e9', 'web-abcd\u00e9');
  const label = (key: string) => bytesField(11, bytesField(1, key), bytesField(2, 'web'));
  const note = (key: string) => bytesField(12, bytesField(1, key), bytesField(2, long));
  /** What may stand in the place of each field: first what is usual, then nothing, 0 in two ways, what is no time, parts that lie apart. */
  const PLACES = [
    [[bytesField(2, 'web-')], [bytesField(2)], [bytesField(2, 'old-'), bytesField(2, 'web-')]],
    [
      [numberField(7, 1)],
      [numberField(7, 3)],
      [numberField(7, 0)],
      [Buffer.from([7 << 3, 0x80, 0])],
      [Buffer.from([7 << 3, 0x81, 0])],
    ],
    [[bytesField(8, numberField(1, 1_700_000_000))], [bytesField(8)], [bytesField(8, numberField(1, -62_135_596_800))]],
    [
      [label('app'), label('tier'), note('note')],
      [label('app'), note('note'), label('tier')],
      [label('app'), note('note'), note('other')],
    ],
    [[], [numberField(10, 0)], [numberField(10, 30)], [bytesField(25, 'of a version to come')]],
  ];
  /** Unusual in one place, so that what is wrong there is not hidden by something else. */
  const anyMetadata = fc
    .tuple(fc.nat(PLACES.length - 1), fc.nat(4))
    .map(([place, choice]) => PLACES.flatMap((choices, i) => choices[i === place ? choice % choices.length : 0] ?? []));
  const spec = bytesField(2, bytesField(3, 'Always'), bytesField(10, long), bytesField(16, long));
  const status = bytesField(3, bytesField(1, 'Running'), bytesField(3, long), bytesField(4, long));
  const anyTop = fc.oneof(
    { weight: 5, arbitrary: fc.constant([spec, status]) },
    { weight: 1, arbitrary: fc.constantFrom([spec], [status, spec], [spec, spec, status]) },
  );

  async function expectViews(kind: string, messages: readonly Buffer[], drop: readonly string[] = []): Promise<void> {
    const resource = defineResource<AnyObject>({ version: 'v1', plural: `${kind.toLowerCase()}s`, kind });
    const codec = resourceCodec({ resource, managedFields: 'keep', ...(drop.length > 0 && { drop }) });
    const { items, broken } = await codec.readList(chunksOf(listBody(`${kind}List`, 'v1', '1', messages)), PROTOBUF);
    expect(broken).toEqual([]);
    const decoder = new ObjectDecoder(core(kind), { type: { kind, apiVersion: 'v1' } });
    const rules = fieldRules({ drop });
    for (const [i, item] of items.entries()) {
      const decoded = decoder.decode(messages[i] as Buffer) as AnyObject;
      const expected = rules === undefined ? decoded : (filterData(decoded, rules) as AnyObject);
      // A map is its entries, in protobuf.
      const { annotations } = expected.metadata ?? {};
      if (annotations !== undefined && Object.keys(annotations).length === 0) delete expected.metadata?.annotations;
      const view = item.view();
      expect(Object.keys(view)).toEqual(Object.keys(expected));
      expect(Object.keys(view.metadata)).toEqual(Object.keys(expected.metadata ?? {}));
      assert.deepStrictEqual(view, expected);
    }
  }

  it('show each object as it is, whatever came before it', async () => {
    const anyPod = fc.tuple(anyName, anyMetadata, anyTop, fc.nat(9)).map(([name, metadata, top, place]) => {
      const whole = bytesField(1, bytesField(1, name), ...metadata);
      return Buffer.concat(place === 0 ? [...top, whole] : [whole, ...top]);
    });
    const anyRules = fc.constantFrom([], ['metadata.generation'], ['metadata.annotations.note']);
    await fc.assert(
      fc.asyncProperty(fc.array(anyPod, { minLength: 2, maxLength: 30 }), anyRules, (messages, drop) =>
        expectViews('Pod', messages, drop),
      ),
    );
  });

  it('know the first generation and the generated name of an object without its bytes', async () => {
    const metadata = [bytesField(1, 'web-abcde'), bytesField(2, 'web-'), bytesField(5, 'some-uid'), numberField(7, 1)];
    const message = Buffer.concat([bytesField(1, ...metadata), spec, status]);
    const cached = whole(await takeProtobuf({ group: '', version: 'v1', kind: 'Pod', message }));
    (cached as PackedCached<AnyObject>).home = new Slab(Buffer.alloc(0), 'gone');
    const shown = { name: 'web-abcde', generateName: 'web-', uid: 'some-uid', generation: 1 };
    expect(cached.view().metadata).toEqual(shown);
  });

  it('show what objects have at the top, large or not', async () => {
    const metadata = bytesField(1, name, bytesField(5, 'some-uid'));
    const data = bytesField(2, bytesField(1, 'key'), bytesField(2, long.repeat(2)));
    const anySecret = fc
      .constantFrom('', 'Opaque', 'kubernetes.io/service-account-token', long.repeat(2))
      .map((type) => Buffer.concat([metadata, data, bytesField(3, type)]));
    await fc.assert(
      fc.asyncProperty(fc.array(anySecret, { minLength: 2, maxLength: 20 }), (messages) =>
        expectViews('Secret', messages),
      ),
    );
  });
});
