import { describe, expect, it } from 'vitest';
import type { Cached } from '../api/cached.ts';
import { LabelSelector } from '../api/label-selector.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { metaNamespaceIndex, NAMESPACE_INDEX } from './index-definition.ts';
import { ObjectTable } from './object-table.ts';
import { KeptObject } from './store.ts';

/** More than are looked through without an index. */
const MANY = 1_000;

class CountingCached extends KeptObject<KubernetesObject> {
  static reads = 0;
  override get labels() {
    CountingCached.reads++;
    return super.labels;
  }
}

function object(i: number, labels: Record<string, string>): CountingCached {
  const namespace = `ns-${i % 10}`;
  const name = `o-${i}`;
  return new CountingCached(`${namespace}/${name}`, { metadata: { namespace, name, labels } });
}

function filled(table = new ObjectTable<KubernetesObject>()): ObjectTable {
  for (let i = 0; i < MANY; i++) {
    table.put(
      object(i, {
        app: `app-${i % 100}`,
        fifth: `${i % 5}`,
        parity: i % 2 === 0 ? 'even' : 'odd',
        ...(i < 3 ? { rare: 'yes' } : {}),
      }),
    );
  }
  return table;
}

function select(table: ObjectTable, selector: string, namespace?: string): string[] {
  return table
    .select(LabelSelector.parse(selector), namespace)
    .map(({ name }) => name)
    .sort();
}

/** How many objects had to be looked at. */
function cost(act: () => unknown): number {
  CountingCached.reads = 0;
  act();
  return CountingCached.reads;
}

describe('ObjectTable.select', () => {
  it('finds by equality, membership and presence, in one namespace or all', () => {
    const table = filled();
    expect(select(table, 'app=app-7')).toHaveLength(10);
    expect(select(table, 'app in (app-7,app-8)')).toHaveLength(20);
    expect(select(table, 'rare')).toEqual(['o-0', 'o-1', 'o-2']);
    expect(select(table, 'app=app-7', 'ns-7')).toHaveLength(10);
    expect(select(table, 'app=app-7', 'ns-1')).toEqual([]);
    expect(select(table, 'app=app-7', '')).toHaveLength(10);
    expect(select(table, 'app=none')).toEqual([]);
    expect(select(table, 'none')).toEqual([]);
    expect(select(table, '!rare')).toHaveLength(MANY - 3);
    expect(select(table, 'app notin (app-7),parity!=odd')).toHaveLength(500);
    expect(select(table, '')).toHaveLength(MANY);
    expect(select(table, '', 'ns-3')).toHaveLength(100);
  });

  it('returns nothing at once for a selector that matches nothing', () => {
    const table = filled();
    expect(cost(() => expect(table.select(LabelSelector.nothing)).toEqual([]))).toBe(0);
  });

  it('looks only at the objects of the most selective label, once it has been asked for', () => {
    const table = filled();
    select(table, 'app=app-7,parity=odd');
    expect(cost(() => select(table, 'app=app-7'))).toBeLessThanOrEqual(10);
    expect(cost(() => select(table, 'parity in (even,odd),app=app-7'))).toBeLessThanOrEqual(10);
    expect(cost(() => select(table, 'app=none'))).toBe(0);
    select(table, 'fifth=0,parity=even');
    expect(cost(() => select(table, 'fifth=0,parity=even'))).toBe(200);
    expect(cost(() => select(table, 'fifth in (0,1,2),parity=even'))).toBe(500);
  });

  it('looks only at the objects of the namespace, and builds no index for a few of them', () => {
    const table = filled(new ObjectTable({ spaces: metaNamespaceIndex }));
    expect(cost(() => select(table, 'app=app-7', 'ns-7'))).toBe(100);
    expect(cost(() => select(table, 'app=app-7', 'ns-77'))).toBe(0);
  });

  it('does not trust an index that only has the name of the namespace index', () => {
    const table = filled(new ObjectTable({ [NAMESPACE_INDEX]: () => [] }));
    expect(select(table, '', 'ns-3')).toHaveLength(100);
  });

  it('follows changes of labels, deletions and replacements', () => {
    const table = filled();
    expect(select(table, 'rare=yes')).toHaveLength(3);
    table.put(object(0, {}));
    table.put(object(500, { rare: 'yes' }));
    table.remove('ns-1/o-1');
    expect(select(table, 'rare=yes')).toEqual(['o-2', 'o-500']);
    table.put(object(2, { rare: 'no' }));
    expect(select(table, 'rare')).toEqual(['o-2', 'o-500']);
    table.replaceAll(
      Array.from({ length: MANY }, (_, i) => object(i, i === 7 ? { rare: 'yes' } : {})),
      '9',
    );
    expect(select(table, 'rare')).toEqual(['o-7']);
  });

  it('keeps indexing by name when label indexes have been built before and after', () => {
    const table = filled();
    select(table, 'app=app-7');
    table.addIndexers({ [NAMESPACE_INDEX]: metaNamespaceIndex });
    select(table, 'rare');
    table.put(object(5_000, { app: 'app-7', rare: 'yes' }));
    expect(table.byIndex(NAMESPACE_INDEX, 'ns-0')).toHaveLength(101);
    expect(select(table, 'app=app-7')).toHaveLength(11);
    expect(select(table, 'rare')).toHaveLength(4);
  });

  it('bounds the label indexes: many keys can be asked for, and all answers stay right', () => {
    const table = new ObjectTable<KubernetesObject>();
    const keys = Array.from({ length: 40 }, (_, i) => `key-${i}`);
    for (let i = 0; i < MANY; i++) {
      table.put(object(i, Object.fromEntries(keys.map((key, nth) => [key, `v-${(i + nth) % 50}`]))));
    }
    for (const key of [...keys, ...keys]) {
      expect(select(table, `${key}=v-3`)).toHaveLength(20);
      table.put(object(MANY, { [key]: 'v-3' }));
      expect(select(table, `${key}=v-3`)).toHaveLength(21);
      table.remove('ns-0/o-1000');
      expect(select(table, `${key}=v-3`)).toHaveLength(20);
    }
    expect(cost(() => table.put(object(MANY, {})))).toBeLessThanOrEqual(16 * 2);
  });

  it('keeps the label indexes that it has when another cannot be built', () => {
    const table = filled();
    const keys = Array.from({ length: 16 }, (_, i) => `key-${i}`);
    for (const key of keys) select(table, key);
    const unreadable = object(MANY, {});
    table.put(unreadable);
    const broken = Object.defineProperty(unreadable, 'labels', {
      get() {
        throw new Error('damaged');
      },
    });
    expect(() => select(table, 'key-16')).toThrow('damaged');
    table.remove(broken.key);
    expect(cost(() => select(table, 'key-0'))).toBe(0);
  });

  it('finds label keys that are names of built-in properties', () => {
    const table = new ObjectTable<KubernetesObject>();
    for (let i = 0; i < MANY; i++) table.put(object(i, i === 3 ? { constructor: 'x' } : {}));
    expect(select(table, 'constructor')).toEqual(['o-3']);
    expect(select(table, 'toString')).toEqual([]);
  });
});

describe('ObjectTable', () => {
  it('returns what was there before', () => {
    const table = new ObjectTable<KubernetesObject>();
    const [first, second] = [object(1, {}), object(1, { a: 'b' })];
    expect(table.put(first)).toBeUndefined();
    expect(table.put(second)).toBe(first);
    expect(table.get(second.key)).toBe(second);
    expect(table.remove(second.key)).toBe(second);
    expect(table.remove(second.key)).toBeUndefined();
    expect(table.size).toBe(0);
  });

  it('gives lists that do not change afterwards', () => {
    const table = filled(new ObjectTable<KubernetesObject>({ [NAMESPACE_INDEX]: metaNamespaceIndex }));
    const [all, some] = [table.values(), table.byIndex(NAMESPACE_INDEX, 'ns-1')];
    table.remove('ns-1/o-1');
    expect(all).toHaveLength(MANY);
    expect(some).toHaveLength(100);
  });
});

describe('an object that keeps its bytes in order', () => {
  const told: string[] = [];
  const object = (name: string, version: string): Cached => ({
    key: name,
    namespace: '',
    name,
    uid: name,
    resourceVersion: version,
    labels: {},
    view: () => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name, uid: name, resourceVersion: version } }),
    stored: () => void told.push(`stored ${name}@${version}`),
    dropped: () => void told.push(`dropped ${name}@${version}`),
  });

  it('is shown to an index function once, when it is put', () => {
    const shown: unknown[] = [];
    const version = ({ metadata }: KubernetesObject) => [metadata?.resourceVersion ?? ''];
    const table = new ObjectTable({
      version: (object) => {
        shown.push(object.metadata?.resourceVersion);
        return version(object);
      },
    });
    const [first, second] = [object('a', '1'), object('a', '2')];
    table.addIndexers({ later: version });
    table.put(first);
    expect(table.byIndex('version', '1')).toEqual([first]);
    table.put(second);
    expect(table.byIndex('version', '1')).toEqual([]);
    expect(table.byIndex('version', '2')).toEqual([second]);
    expect(table.byIndex('later', '2')).toEqual([second]);
    expect(shown).toEqual(['1', '2']);
    table.put(first);
    expect(table.byIndex('version', '1')).toEqual([first]);
    expect(shown).toEqual(['1', '2', '1']);
  });

  it('is told once when it comes into the table, and once when it leaves', () => {
    told.length = 0;
    const table = new ObjectTable();
    const [first, second, other] = [object('a', '1'), object('a', '2'), object('b', '1')];
    table.put(first);
    table.put(first);
    table.put(second);
    table.replaceAll([second, other], '3');
    table.remove('b');
    table.remove('b');
    table.replaceAll([], '4');
    expect(told).toEqual(['stored a@1', 'stored a@2', 'dropped a@1', 'stored b@1', 'dropped b@1', 'dropped a@2']);
  });
});
