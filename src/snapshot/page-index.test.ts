import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainCached } from '../api/plain-cached.ts';
import { type IndexedObject, Numbers, PageIndex, SectionIndex, writePageIndex } from './page-index.ts';

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

function readAll(index: Buffer, section = new SectionIndex()) {
  const objects = new PageIndex(index, section);
  const found = [];
  while (objects.next()) {
    const { key, namespace, uid, resourceVersion, start, end, look } = objects;
    found.push({ key, namespace, uid, resourceVersion, start, end, look });
  }
  return found;
}

const text = (maxLength: number, minLength = 0) => fc.string({ unit: 'binary', minLength, maxLength });
const LOOKS = [undefined, { of: 'one' }, { of: 'another' }];

describe('the index of a page', () => {
  it('tells of each object what is known of it, where it lies, and which others look like it, on all pages of a section', () => {
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
        const half = Math.floor(indexed.length / 2);
        const numbers = new Numbers<unknown>();
        const section = new SectionIndex();
        const found = [indexed.slice(0, half), indexed.slice(half)].flatMap((page) =>
          readAll(writePageIndex(page, numbers), section),
        );
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

  it('gives what its readers find out of a look to all pages of the section', () => {
    const section = new SectionIndex();
    const index = writePageIndex([], new Numbers());
    expect(new PageIndex(index, section).byLook).toBe(new PageIndex(index, section).byLook);
    expect(new PageIndex(index, section).byLook).not.toBe(new PageIndex(index, new SectionIndex()).byLook);
  });
});
