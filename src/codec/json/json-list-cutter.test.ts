import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anything, inChunks, jsonCodec, name, sizes, stores } from './json-codec-fixture.ts';
import { JsonListCutter } from './json-list-cutter.ts';

/** What the cutter finds; a guess is taken when it is one whole JSON value. */
function cut(text: string, pieceBytes: number): { items: string[]; guessed: number } {
  const bytes = Buffer.from(text);
  const cutter = new JsonListCutter(10_000);
  const items: string[] = [];
  let guessed = 0;
  const drain = () => {
    while (cutter.nextItem()) {
      const item = cutter.bytes.toString('utf8', cutter.itemStart, cutter.itemEnd);
      if (cutter.isGuess && !isJson(item)) {
        cutter.rescan();
        continue;
      }
      if (cutter.isGuess) guessed++;
      items.push(item);
      expect(cutter.itemCount).toBe(items.length);
    }
  };
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    cutter.append(bytes.subarray(start, start + pieceBytes));
    drain();
  }
  cutter.end();
  drain();
  cutter.finish();
  return { items, guessed };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const item = (index: number, more: object = {}) => ({ metadata: { name: `item-${index}` }, spec: { index }, ...more });
const listOf = (items: readonly unknown[]) => JSON.stringify({ kind: 'List', items, metadata: {} });

describe('JsonListCutter', () => {
  it('guesses where items end when they are alike, and is exact about the last', () => {
    const items = Array.from({ length: 20 }, (_, i) => item(i));
    for (const pieceBytes of [1, 7, 64, 10_000]) {
      const found = cut(listOf(items), pieceBytes);
      expect(found.items).toEqual(items.map((each) => JSON.stringify(each)));
      expect(found.guessed).toBeGreaterThan(10);
    }
  });

  it('cuts the right items, whatever is in them', () => {
    const nested = fc.array(
      fc.nat(9).map((i) => item(i)),
      { maxLength: 3 },
    );
    const text = fc.constantFrom('},{"metadata":{"name', '}]}},{', '}],', '\\', '"');
    const odd = fc.oneof(
      fc.record({ metadata: fc.record({ name }), spec: fc.oneof(anything, nested, text) }),
      fc.record({ metadata: fc.record({ name, items: nested }) }),
      anything,
    );
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 8 }), fc.integer({ min: 1, max: 300 }), (items, pieceBytes) => {
        const expected = items.map((each) => JSON.stringify(each));
        expect(cut(listOf(items), pieceBytes).items).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('gives up guessing after a few that were wrong', () => {
    const items = Array.from({ length: 10 }, (_, i) => item(i, { inner: [item(1), item(2)] }));
    const found = cut(listOf(items), 10_000);
    expect(found.items).toEqual(items.map((each) => JSON.stringify(each)));
    expect(found.guessed).toBe(0);
  });

  it('refuses an item that is too large while it waits for its end', () => {
    const cutter = new JsonListCutter(100);
    cutter.append(Buffer.from(`{"items":[${JSON.stringify(item(1))},${JSON.stringify(item(2)).slice(0, -1)}`));
    while (cutter.nextItem());
    cutter.append(Buffer.from(`,"x":"${'y'.repeat(60)}`));
    expect(() => cutter.nextItem()).toThrow('item 1 of the list is larger than 100 bytes');
  });
});

describe.each(stores)('a list for a %s store, of objects that contain what looks like the next item', (store) => {
  it('is read as JSON.parse reads it', async () => {
    const hostile = fc.constantFrom('}]}},{', '}],', '}]}', '},{"metadata":{"name":"x"', '}]},"spec":{}},{', ']', '\\');
    const object = fc.record({
      metadata: fc.record({
        name,
        managedFields: fc.array(fc.record({ fieldsV1: fc.dictionary(hostile, anything), manager: hostile })),
      }),
      spec: fc.oneof(anything, hostile, fc.array(fc.record({ metadata: fc.record({ name }) }))),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(object, { maxLength: 6 }), sizes, async (objects, cuts) => {
        const body = Buffer.from(JSON.stringify({ kind: 'PodList', items: objects }));
        const { items, broken } = await jsonCodec({ store }).readList(inChunks(body, cuts), '');
        expect(broken).toEqual([]);
        expect(items.map((each) => structuredClone(each.view()))).toEqual(
          objects.map(({ metadata, spec }) => ({
            kind: 'Pod',
            apiVersion: 'v1',
            metadata: { name: metadata.name },
            spec,
          })),
        );
      }),
      { numRuns: 300 },
    );
  });
});
