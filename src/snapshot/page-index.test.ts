import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainCached } from '../api/plain-cached.ts';
import { type IndexedObject, readPageIndex, writePageIndex } from './page-index.ts';

interface Identity {
  namespace: string;
  name: string;
  uid: string;
  resourceVersion: string;
}

function cached({ namespace, name, uid, resourceVersion }: Identity) {
  return plainCached({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, uid, resourceVersion, ...(namespace !== '' && { namespace }) },
  });
}

function readAll(index: Buffer | undefined, names = new Map<string, string>()) {
  const objects = index && readPageIndex(index, names);
  const found = [];
  while (objects?.next()) {
    const { key, namespace, uid, resourceVersion, start, end, look } = objects;
    found.push({ key, namespace, uid, resourceVersion, start, end, look });
  }
  return found;
}

const text = (maxLength: number, minLength = 0) => fc.string({ unit: 'binary', minLength, maxLength });
const LOOKS = [undefined, { of: 'one' }, { of: 'another' }];

describe('the index of a page', () => {
  it('tells of each object what is known of it, where it lies, and which others look like it', () => {
    const objects = fc.array(
      fc.record({
        namespace: fc.oneof(fc.constantFrom('', 'default', 'kube-system'), text(60)),
        name: text(60, 1),
        uid: text(60),
        resourceVersion: text(40),
        start: fc.nat(1_000_000),
        length: fc.nat(1_000_000),
        look: fc.constantFrom(...LOOKS),
      }),
    );
    fc.assert(
      fc.property(objects, (all) => {
        const indexed: IndexedObject[] = all.map(({ start, length, look, ...identity }) => ({
          object: cached(identity),
          start,
          length,
          look,
        }));
        const found = readAll(writePageIndex(indexed));
        const looks = new Map<unknown, number>([[undefined, 0]]);
        for (const { look } of indexed) if (!looks.has(look)) looks.set(look, looks.size);
        expect(found).toEqual(
          indexed.map(({ object: { key, namespace, uid, resourceVersion }, start, length, look }) => {
            return { key, namespace, uid, resourceVersion, start, end: start + length, look: looks.get(look) };
          }),
        );
      }),
    );
  });

  it('is not written when something has no room in it, and the page is read without one', () => {
    const identity = { namespace: 'default', name: 'a', uid: '', resourceVersion: '7' };
    const place = { look: undefined, start: 0, length: 1 };
    expect(writePageIndex([{ object: cached({ ...identity, uid: 'u'.repeat(255) }), ...place }])).toBeDefined();
    expect(writePageIndex([{ object: cached({ ...identity, uid: 'u'.repeat(256) }), ...place }])).toBeUndefined();
    expect(writePageIndex([{ object: cached({ ...identity, resourceVersion: '7'.repeat(256) }), ...place }])).toBe(
      undefined,
    );
    expect(writePageIndex([{ object: cached({ ...identity, name: 'n'.repeat(65_536) }), ...place }])).toBeUndefined();
  });

  it('is not used when another version of tidewatch has written it', () => {
    const index = writePageIndex([]) as Buffer;
    expect(readPageIndex(index, new Map())).toBeDefined();
    index.writeUInt32LE(2, 0);
    expect(readPageIndex(index, new Map())).toBeUndefined();
  });
});
