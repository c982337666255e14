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
