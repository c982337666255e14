import { describe, expect, it } from 'vitest';
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
