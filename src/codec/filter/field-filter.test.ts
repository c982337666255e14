import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { type FieldFilterOptions, fieldRules, filterData } from './field-filter.ts';

const object = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'a', labels: { 'x.y/z': '1', b: '2' }, managedFields: [{}] },
  spec: { one: { x: 1, y: 2 }, two: { x: 3, y: 4 }, list: [{ x: 5, y: 6 }, 7] },
};
const metadata = { name: 'a', labels: object.metadata.labels };

describe('the rules of a filter', () => {
  it.each<[string, FieldFilterOptions, object]>([
    [
      'what is dropped of all is dropped of those that another path names, in either order',
      { drop: ['spec.one.x', 'spec.*.y'] },
      { ...object, metadata, spec: { one: {}, two: { x: 3 }, list: [{ x: 5, y: 6 }, 7] } },
    ],
    [
      'what is dropped of all is dropped of those that a later path names',
      { drop: ['spec.*.y', 'spec.one.x'] },
      { ...object, metadata, spec: { one: {}, two: { x: 3 }, list: [{ x: 5, y: 6 }, 7] } },
    ],
    [
      'elements of a list are reached by a star, and what has nothing inside stays',
      { drop: ['spec.list.*.x'] },
      { ...object, metadata, spec: { ...object.spec, list: [{ y: 6 }, 7] } },
    ],
    [
      'a sibling of what is dropped stays',
      { drop: ['metadata.labels.x.y/z', 'spec.one'] },
      {
        ...object,
        metadata: { name: 'a', labels: { b: '2' } },
        spec: { two: object.spec.two, list: object.spec.list },
      },
    ],
    [
      'drop takes away from keep, and who an object is stays',
      { keep: ['spec.two', 'spec.one.x'], drop: ['spec.two.y'] },
      { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' }, spec: { one: { x: 1 }, two: { x: 3 } } },
    ],
  ])('%s', (_sentence, options, expected) => {
    const rules = fieldRules(options);
    assert(rules);
    assert.deepStrictEqual(filterData(structuredClone(object), rules), expected);
  });
});
