import { describe, expect, it } from 'vitest';
import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import { KeyError } from '../api/key.ts';
import type { KubernetesObject, ObjectMeta } from '../api/metadata.ts';
import { ObjectTable } from './object-table.ts';
import { KeptObject, Store } from './store.ts';

interface Thing extends KubernetesObject {
  metadata: ObjectMeta;
  val?: string;
}

const thing = (name: string, val?: string, resourceVersion?: string): Thing => ({
  metadata: { name, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  ...(val === undefined ? {} : { val }),
});

const values = (store: Store<Thing>) => store.list().map(({ val }) => val);

describe('Store', () => {
  it('gives back what was added last under a key, until it is deleted', () => {
    const store = new Store<Thing>();
    store.add(thing('foo', 'bar'));
    expect(store.get(thing('foo'))?.val).toBe('bar');
    store.update(thing('foo', 'baz'));
    expect(store.getByKey('foo')?.val).toBe('baz');
    expect(store.size).toBe(1);
    expect(store.delete(thing('foo'))).toBe(true);
    expect(store.delete(thing('foo'))).toBe(false);
    expect(store.get(thing('foo'))).toBeUndefined();
  });

  it('lists objects and keys', () => {
    const store = new Store<Thing>();
    store.add(thing('a', 'b'));
    store.add(thing('c', 'd'));
    store.add(thing('e', 'e'));
    expect(values(store).sort()).toEqual(['b', 'd', 'e']);
    expect(store.listKeys().sort()).toEqual(['a', 'c', 'e']);
  });

  it('replaces everything at once; of two objects with one key the later one counts', () => {
    const store = new Store<Thing>();
    store.add(thing('old', 'old'));
    store.replace([thing('foo', 'first'), thing('bar', 'bar'), thing('foo', 'foo')], '0');
    expect(values(store).sort()).toEqual(['bar', 'foo']);
    store.replace([]);
    expect(store.list()).toEqual([]);
  });

  it('takes tombstones for deletion and for look-up', () => {
    const store = new Store<Thing>();
    const gone = new DeletedFinalStateUnknown('foo', thing('unused'));
    store.add(thing('foo', 'bar'));
    expect(store.get(gone)?.val).toBe('bar');
    expect(store.delete(gone)).toBe(true);
    expect(store.size).toBe(0);
  });

  it('keeps keys that are names of built-in properties', () => {
    const store = new Store<Thing>();
    expect(store.getByKey('constructor')).toBeUndefined();
    store.add(thing('__proto__', 'x'));
    expect(store.getByKey('__proto__')?.val).toBe('x');
    expect(store.listKeys()).toEqual(['__proto__']);
  });

  it('uses the key function that it is given', () => {
    const store = new Store<Thing>({ keyFunction: ({ val }) => val ?? '' });
    store.add(thing('foo', 'bar'));
    expect(store.getByKey('bar')?.metadata.name).toBe('foo');
  });

  it('transforms what it stores', () => {
    const store = new Store<Thing>({ transform: (object) => ({ ...object, val: `${object.val}!` }) });
    store.add(thing('a', 'add'));
    expect(values(store)).toEqual(['add!']);
    store.update(thing('a', 'update'));
    expect(values(store)).toEqual(['update!']);
    store.replace([thing('a', 'replace')], '1');
    expect(values(store)).toEqual(['replace!']);
  });

  it('surfaces what cannot be keyed or transformed, and changes nothing', () => {
    const store = new Store<Thing>({
      transform(object) {
        if (object.val === 'bad') throw new Error('boom');
        return object;
      },
    });
    store.add(thing('a', 'good'));
    expect(() => store.add({ metadata: {} })).toThrow(KeyError);
    expect(() => store.delete({ metadata: {} })).toThrow(KeyError);
    expect(() => store.replace([thing('b'), thing('c', 'bad')], '1')).toThrow('boom');
    expect(() => store.replace([thing('b'), { metadata: {} }], '1')).toThrow(/no metadata.name/);
    expect(store.listKeys()).toEqual(['a']);
    expect(store.lastStoreSyncResourceVersion()).toBe('');

    const cause = new Error('no key today');
    const broken = new Store<Thing>({
      keyFunction() {
        throw cause;
      },
    });
    expect(() => broken.get(thing('a'))).toThrow(expect.objectContaining({ name: 'KeyError', cause }));
  });

  it('reads and writes a table that others fill', () => {
    const table = new ObjectTable<Thing>();
    const store = new Store<Thing>({ table });
    table.put(new KeptObject('a', thing('a', 'theirs')));
    store.add(thing('b', 'ours'));
    expect(values(store)).toEqual(['theirs', 'ours']);
    expect(table.get('b')?.view().val).toBe('ours');
  });
});

describe('the resourceVersion of a Store', () => {
  it('is that of the last object written or deleted, whatever came before', () => {
    const store = new Store<Thing>();
    expect(store.lastStoreSyncResourceVersion()).toBe('');
    const seen: string[] = [];
    const note = () => seen.push(store.lastStoreSyncResourceVersion());
    store.add(thing('a', 'x', '10'));
    note();
    store.update(thing('b', 'x', '20'));
    note();
    store.delete(thing('b', 'x', '30'));
    note();
    store.add(thing('c'));
    note();
    store.update(thing('a'));
    note();
    store.delete(new DeletedFinalStateUnknown('a', thing('a', 'x', '5')));
    note();
    expect(seen).toEqual(['10', '20', '30', '30', '30', '30']);
  });

  it('is that of the last list or bookmark', () => {
    const store = new Store<Thing>();
    store.replace([thing('a', 'x', '40'), thing('b', 'x', '30')], '50');
    expect(store.lastStoreSyncResourceVersion()).toBe('50');
    store.bookmark('60');
    expect(store.lastStoreSyncResourceVersion()).toBe('60');
  });
});
