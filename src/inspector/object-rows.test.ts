import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldSelector } from '../api/field-selector.ts';
import { LabelSelector } from '../api/label-selector.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { plainCached } from '../api/plain-cached.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { TimeSlice } from '../observe/scheduler.ts';
import { parseIndexPath } from '../store/index-path.ts';
import { ObjectTable } from '../store/object-table.ts';
import { objectDifference } from './object-difference.ts';
import { ObjectRows, type RowsQuery } from './object-rows.ts';
import { slicedSort } from './sliced-sort.ts';

const everything: RowsQuery = {
  sort: undefined,
  descending: false,
  labels: LabelSelector.everything,
  fields: FieldSelector.everything,
  paths: new Map(),
  text: '',
};

function tableOf(...objects: readonly KubernetesObject[]): ObjectTable<KubernetesObject> {
  const table = new ObjectTable<KubernetesObject>();
  for (const object of objects) table.put(plainCached(object));
  return table;
}

function pod(name: string, status: object = {}, labels: Record<string, string> = {}): KubernetesObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'a', labels }, status } as KubernetesObject;
}

describe('slicedSort', () => {
  it('sorts as the language does, and keeps equal ones in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 6_000 }), async (numbers) => {
        const values = numbers.map((by, at) => ({ by, at }));
        const compare = (a: { by: number }, b: { by: number }) => a.by - b.by;
        expect(await slicedSort(values, compare, new TimeSlice())).toEqual(values.toSorted(compare));
      }),
      { numRuns: 20 },
    );
  });
});

describe('the rows of a table', () => {
  const counts = { changes: 0, membership: 0 };
  const keysOf = (table: ObjectTable<KubernetesObject>, query: Partial<RowsQuery>) =>
    new ObjectRows({ table, counts, query: { ...everything, ...query } }).keys();

  it('come by key, or by what a path leads to: numbers as numbers, and what is absent last', async () => {
    const table = tableOf(pod('b', { n: 10 }), pod('a', { n: 9 }), pod('d'), pod('c', { n: 'x' }));
    expect(await keysOf(table, {})).toEqual(['a/a', 'a/b', 'a/c', 'a/d']);
    expect(await keysOf(table, { descending: true })).toEqual(['a/d', 'a/c', 'a/b', 'a/a']);
    expect(await keysOf(table, { sort: parseIndexPath('x', 'status.n') })).toEqual(['a/a', 'a/b', 'a/c', 'a/d']);
  });

  it('are those that pass the filters', async () => {
    const table = tableOf(
      pod('web-0', { phase: 'Running' }, { app: 'web' }),
      pod('web-1', {}, { app: 'web' }),
      pod('db-0'),
    );
    expect(await keysOf(table, { labels: LabelSelector.parse('app=web') })).toEqual(['a/web-0', 'a/web-1']);
    expect(await keysOf(table, { text: 'DB' })).toEqual(['a/db-0']);
    const fields = FieldSelector.parse('status.phase=Running');
    const paths = new Map([['status.phase', parseIndexPath('x', 'status.phase')]]);
    expect(await keysOf(table, { fields, paths })).toEqual(['a/web-0']);
  });

  it('are ordered again when objects come, once the order has an age; not for updates that cannot change it', async () => {
    const clock = new FakeClock();
    const table = tableOf(pod('b'));
    const counts = { changes: 0, membership: 0 };
    const rows = new ObjectRows({ table, counts, query: everything, clock });
    expect(await rows.keys()).toEqual(['a/b']);
    const first = rows.orderedAtMs;
    await clock.advance(10_000);
    counts.changes++;
    await rows.keys();
    await clock.advance(1);
    expect(rows.orderedAtMs).toBe(first);
    table.put(plainCached(pod('a')));
    counts.membership++;
    expect(await rows.keys()).toEqual(['a/b']);
    await clock.advance(1);
    expect(await rows.keys()).toEqual(['a/a', 'a/b']);
  });
});

describe('the difference of two objects', () => {
  it('names what came, went and changed, by path, and leaves out the version', () => {
    const before = { metadata: { resourceVersion: '1', labels: { 'a/b': 'x' } }, status: { list: [1, 2], gone: true } };
    const after = {
      metadata: { resourceVersion: '2', labels: { 'a/b': 'y' } },
      status: { list: [1, 3, 4], came: 'n' },
    };
    expect(objectDifference(before, after)).toEqual({
      changes: [
        { path: 'metadata.labels["a/b"]', before: 'x', after: 'y' },
        { path: 'status.list[1]', before: '2', after: '3' },
        { path: 'status.list[2]', after: '4' },
        { path: 'status.gone', before: 'true' },
        { path: 'status.came', after: 'n' },
      ],
      more: 0,
    });
  });

  it('is empty for equal objects, and ends', () => {
    expect(objectDifference({ a: [{}] }, { a: [{}] }).changes).toEqual([]);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, at]));
    const { changes, more } = objectDifference({}, many);
    expect([changes.length, more]).toEqual([200, 300]);
  });
});
