import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { packed, takeJson, whole } from '../packed/packed-fixture.ts';

const STORES = ['packed', 'plain'] as const;
const TYPE = '"kind":"Pod","apiVersion":"v1"';
const METADATA = '"metadata":{"name":"a","namespace":"b"}';

const names = fc.oneof(
  fc.integer({ min: 0, max: 400 }).map((i) => `field${i}`),
  fc.nat(40).map(String),
  fc.constantFrom('__proto__', 'constructor', 'toString', '', 'é', '"', '\u0000', 'spec', 'status'),
);
const values = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant({ __proto__: null, deep: [{}] }));

/** The text of an object with the fields in that order, whatever their names, and its type and metadata among them. */
const texts = fc
  .record({
    fields: fc.array(fc.tuple(names, values), { maxLength: 300, size: 'max' }),
    typeAt: fc.option(fc.nat(300)),
    metadataAt: fc.nat(300),
  })
  .map(({ fields, typeAt, metadataAt }) => {
    const parts = fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    parts.splice(metadataAt % (parts.length + 1), 0, METADATA);
    if (typeAt !== null) parts.splice(typeAt % (parts.length + 1), 0, TYPE);
    return `{${parts.join(',')}}`;
  });

async function assertWhole(text: string, store: (typeof STORES)[number]): Promise<void> {
  const codec = packed({ store });
  const expected = { kind: 'Pod', apiVersion: 'v1', ...JSON.parse(text) };
  // Once more, as what is remembered of one object serves the next.
  for (let round = 0; round < 2; round++) {
    const object = (await takeJson(text, codec).then(whole)).view();
    assert.deepStrictEqual({ ...object }, { ...expected });
    assert.deepStrictEqual(new Set(Object.keys(object)), new Set(Object.keys(expected)));
    assert.deepStrictEqual(JSON.parse(JSON.stringify(object)), JSON.parse(JSON.stringify(expected)));
  }
}

describe.each(STORES)('the top-level fields of an object in a %s store', (store) => {
  it('are those that JSON.parse gives: any number of them, in any order, and twice', async () => {
    await fc.assert(
      fc.asyncProperty(texts, (text) => assertWhole(text, store)),
      // To look for a smaller one of three hundred fields takes minutes.
      { numRuns: 60, endOnFailure: true },
    );
  });

  it.each([0, 1, 29, 30, 31, 32, 33, 59, 60, 61, 62, 63, 64, 65, 66, 127, 128, 255, 256, 257, 300])(
    'are all there when there are %d besides metadata and the type',
    async (count) => {
      const fields = Array.from({ length: count }, (_, i) => `"f${i}":{"i":${i}}`);
      for (const parts of [
        [TYPE, METADATA, ...fields],
        [METADATA, ...fields],
        [...fields, METADATA, TYPE],
        [...fields, METADATA],
      ]) {
        await assertWhole(`{${parts.join(',')}}`, store);
      }
    },
  );

  it('are completed when one of the two that name the type comes twice, behind many others, and the other never', async () => {
    const fields = Array.from({ length: 80 }, (_, i) => `"f${i}":${i}`);
    await assertWhole(`{${[...fields, METADATA, '"kind":"Pod","kind":"Pod"'].join(',')}}`, store);
    await assertWhole(`{${[...fields, METADATA, '"apiVersion":"v1","apiVersion":"v1"'].join(',')}}`, store);
  });

  it('are all there when each object of a list has others', async () => {
    const codec = packed({ store });
    for (let i = 0; i < 700; i++) {
      const text = `{${TYPE},${METADATA},"a${i}":1,"b${i % 300}":{"c":${i}},"a${i}":2}`;
      const object = (await takeJson(text, codec).then(whole)).view();
      assert.deepStrictEqual({ ...object }, JSON.parse(text));
    }
  });
});
