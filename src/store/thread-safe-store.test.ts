import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/metadata.ts';
import { ThreadSafeStore } from './thread-safe-store.ts';

const thing = (name: string, app: string): KubernetesObject => ({ metadata: { name, labels: { app } } });
const byApp = { app: (object: KubernetesObject) => [object.metadata?.labels?.app ?? ''] };

describe('ThreadSafeStore', () => {
  it('keeps objects under the keys that it is given, and their indexes up to date', () => {
    const store = new ThreadSafeStore(byApp);
    store.add('one', thing('a', 'web'));
    store.add('two', thing('b', 'web'));
    store.update('two', thing('b', 'db'));
    expect(store.get('two')).toEqual(thing('b', 'db'));
    expect(store.listKeys()).toEqual(['one', 'two']);
    expect(store.indexKeys('app', 'web')).toEqual(['one']);
    expect(store.byIndex('app', 'db')).toEqual([thing('b', 'db')]);
    expect(store.index('app', thing('other', 'web'))).toEqual([thing('a', 'web')]);
    expect(store.listIndexFuncValues('app').sort()).toEqual(['db', 'web']);
    expect([store.delete('one'), store.delete('one')]).toEqual([true, false]);
    expect(store.list()).toEqual([thing('b', 'db')]);
  });

  it.each([
    ['a record', { x: thing('x', 'new') }],
    ['a map', new Map([['x', thing('x', 'new')]])],
  ])('is replaced by %s as a whole', (_, items) => {
    const store = new ThreadSafeStore(byApp);
    store.add('one', thing('a', 'web'));
    store.replace(items, '7');
    store.resync();
    expect(store.listKeys()).toEqual(['x']);
    expect(store.byIndex('app', 'web')).toEqual([]);
    expect(store.indexKeys('app', 'new')).toEqual(['x']);
  });

  it('changes nothing when an index function fails', () => {
    const store = new ThreadSafeStore();
    store.add('one', thing('a', 'web'));
    const failing = () => {
      throw new Error('no');
    };
    expect(() => store.addIndexers({ failing })).toThrow('no');
    expect(Object.keys(store.getIndexers())).toEqual([]);
    expect(() => store.byIndex('failing', 'x')).toThrow('failing');
  });
});
