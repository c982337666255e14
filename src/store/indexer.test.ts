import { describe, expect, it } from 'vitest';
import type { KubernetesObject, ObjectMeta } from '../api/metadata.ts';
import { metaNamespaceIndex, NAMESPACE_INDEX } from './index-definition.ts';
import { IndexError } from './index-error.ts';
import { Indexer } from './indexer.ts';

interface Pod extends KubernetesObject {
  metadata: ObjectMeta;
  spec?: { nodeName?: string; containers?: { image: string }[] };
}

const pod = (name: string, metadata: ObjectMeta = {}, spec?: Pod['spec']): Pod => ({
  metadata: { name, ...metadata },
  ...(spec === undefined ? {} : { spec }),
});

const byUser = ({ metadata }: Pod) => metadata.annotations?.users?.split(',') ?? [];
const withUsers = (name: string, users: string) => pod(name, { annotations: { users } });
const names = (pods: Pod[]) => pods.map(({ metadata }) => metadata.name).sort();

describe('Indexer', () => {
  it('finds objects by each of several values, and follows their changes', () => {
    const indexer = new Indexer<Pod>({ indexers: { byUser } });
    indexer.add(withUsers('one', 'ernie,bert'));
    indexer.add(withUsers('two', 'bert,oscar'));
    indexer.add(withUsers('tre', 'ernie,elmo'));
    expect(names(indexer.byIndex('byUser', 'ernie'))).toEqual(['one', 'tre']);
    expect(names(indexer.byIndex('byUser', 'bert'))).toEqual(['one', 'two']);
    expect(names(indexer.byIndex('byUser', 'elmo'))).toEqual(['tre']);
    expect(names(indexer.byIndex('byUser', 'oscar'))).toEqual(['two']);
    expect(indexer.byIndex('byUser', 'elmo1')).toEqual([]);

    indexer.delete(withUsers('tre', 'unread'));
    expect(names(indexer.byIndex('byUser', 'ernie'))).toEqual(['one']);
    expect(indexer.byIndex('byUser', 'elmo')).toEqual([]);

    indexer.update(withUsers('two', 'oscar'));
    expect(names(indexer.byIndex('byUser', 'bert'))).toEqual(['one']);
  });

  it('keeps the keys under each value through additions, updates and deletions', () => {
    const indexer = new Indexer<Pod>({ indexers: { byUser } });
    const expectKeys = (foo: string[], bar: string[], baz: string[]) => {
      expect(indexer.indexKeys('byUser', 'foo')).toEqual(foo);
      expect(indexer.indexKeys('byUser', 'bar')).toEqual(bar);
      expect(indexer.indexKeys('byUser', 'baz')).toEqual(baz);
    };
    indexer.add(withUsers('key1', 'foo'));
    indexer.add(withUsers('key2', 'bar'));
    expectKeys(['key1'], ['key2'], []);
    indexer.update(withUsers('key2', 'foo,bar'));
    expectKeys(['key1', 'key2'], ['key2'], []);
    indexer.update(withUsers('key1', 'foo,bar'));
    expectKeys(['key1', 'key2'], ['key1', 'key2'], []);
    indexer.add(withUsers('key3', 'foo,bar,baz'));
    expectKeys(['key1', 'key2', 'key3'], ['key1', 'key2', 'key3'], ['key3']);
    indexer.update(withUsers('key1', 'foo'));
    expectKeys(['key1', 'key2', 'key3'], ['key2', 'key3'], ['key3']);
    indexer.update(withUsers('key2', 'bar'));
    expectKeys(['key1', 'key3'], ['key2', 'key3'], ['key3']);
    indexer.delete(withUsers('key1', 'foo'));
    expectKeys(['key3'], ['key2', 'key3'], ['key3']);
    indexer.delete(withUsers('key3', 'foo'));
    expectKeys([], ['key2'], []);
  });

  it('sorts the keys of a value', () => {
    const indexer = new Indexer<Pod>({ indexers: { byUser } });
    for (const name of ['b', 'c', 'a']) indexer.add(withUsers(name, 'x'));
    expect(indexer.indexKeys('byUser', 'x')).toEqual(['a', 'b', 'c']);
  });

  it('lists each value that some object has, and forgets a value with its last object', () => {
    const indexer = new Indexer<Pod>({ indexers: { foo: ({ metadata }) => [metadata.labels?.foo ?? ''] } });
    indexer.add(pod('one', { labels: { foo: 'bar' } }));
    indexer.add(pod('two', { labels: { foo: 'bar' } }));
    indexer.add(pod('tre', { labels: { foo: 'biz' } }));
    expect(indexer.listIndexFuncValues('foo').sort()).toEqual(['bar', 'biz']);
    indexer.delete(pod('two'));
    indexer.delete(pod('tre'));
    expect(indexer.listIndexFuncValues('foo')).toEqual(['bar']);
    indexer.update(pod('one', { labels: { foo: 'new' } }));
    expect(indexer.listIndexFuncValues('foo')).toEqual(['new']);
  });

  it('finds what shares a value with an object that need not be stored or even have a name', () => {
    const indexer = new Indexer<Pod>({
      indexers: { byUser, node: 'spec.nodeName', [NAMESPACE_INDEX]: metaNamespaceIndex },
    });
    indexer.add(withUsers('one', 'ernie,bert'));
    indexer.add(withUsers('two', 'bert'));
    indexer.add(pod('tre', { namespace: 'x' }, { nodeName: 'n' }));
    expect(names(indexer.index('byUser', { metadata: { annotations: { users: 'ernie,bert' } } }))).toEqual([
      'one',
      'two',
    ]);
    expect(names(indexer.index('byUser', { metadata: {} }))).toEqual([]);
    expect(names(indexer.index('node', { metadata: {}, spec: { nodeName: 'n' } }))).toEqual(['tre']);
    expect(names(indexer.index('node', { metadata: {} }))).toEqual([]);
    expect(names(indexer.index(NAMESPACE_INDEX, { metadata: { namespace: 'x' } }))).toEqual(['tre']);
    expect(names(indexer.index(NAMESPACE_INDEX, { metadata: {} }))).toEqual(['one', 'two']);
  });

  it('indexes by namespace, with "" for cluster-scoped objects', () => {
    const indexer = new Indexer<Pod>({ indexers: { [NAMESPACE_INDEX]: metaNamespaceIndex } });
    indexer.add(pod('a', { namespace: 'x' }));
    indexer.add(pod('b', { namespace: 'y' }));
    indexer.add(pod('c'));
    expect(indexer.indexKeys(NAMESPACE_INDEX, 'x')).toEqual(['x/a']);
    expect(indexer.indexKeys(NAMESPACE_INDEX, '')).toEqual(['c']);
    expect(metaNamespaceIndex(pod('a', { namespace: 'x' }))).toEqual(['x']);
    expect(metaNamespaceIndex({})).toEqual(['']);
  });

  it('indexes by a path, and leaves out what the path does not lead to', () => {
    const indexer = new Indexer<Pod>({ indexers: { node: 'spec.nodeName', image: 'spec.containers.*.image' } });
    indexer.add(pod('a', {}, { nodeName: 'n1', containers: [{ image: 'x' }, { image: 'y' }, { image: 'x' }] }));
    indexer.add(pod('b', {}, { containers: [{ image: 'y' }] }));
    expect(indexer.indexKeys('node', 'n1')).toEqual(['a']);
    expect(indexer.listIndexFuncValues('node')).toEqual(['n1']);
    expect(indexer.indexKeys('image', 'y')).toEqual(['a', 'b']);
    expect(indexer.indexKeys('image', 'x')).toEqual(['a']);
  });

  it('rebuilds its indices when everything is replaced', () => {
    const indexer = new Indexer<Pod>({ indexers: { byUser } });
    indexer.add(withUsers('old', 'ernie'));
    indexer.replace([withUsers('new', 'bert')], '1');
    expect(indexer.listIndexFuncValues('byUser')).toEqual(['bert']);
    indexer.update(withUsers('new', 'elmo'));
    expect(indexer.listIndexFuncValues('byUser')).toEqual(['elmo']);
  });

  it('finds an object where it was indexed although a reader has changed it since', () => {
    const indexer = new Indexer<Pod>({ indexers: { byUser } });
    const changed = withUsers('one', 'ernie');
    indexer.add(changed);
    changed.metadata.annotations = { users: 'bert' };
    expect(indexer.indexKeys('byUser', 'ernie')).toEqual(['one']);
    indexer.update(changed);
    expect(indexer.indexKeys('byUser', 'ernie')).toEqual([]);
    expect(indexer.indexKeys('byUser', 'bert')).toEqual(['one']);
  });
});

describe('Indexer.addIndexers', () => {
  it('indexes what is there already', () => {
    const indexer = new Indexer<Pod>();
    indexer.add(withUsers('one', 'ernie'));
    indexer.addIndexers({ byUser });
    indexer.add(withUsers('two', 'ernie'));
    expect(indexer.indexKeys('byUser', 'ernie')).toEqual(['one', 'two']);
    expect(indexer.getIndexers()).toEqual(Object.assign(Object.create(null), { byUser }));
  });

  it('refuses a name that is taken, also by the same function, and then adds none', () => {
    const indexer = new Indexer<Pod>({ indexers: { byUser } });
    const problem = expect.objectContaining({ name: 'IndexError', kind: 'index-conflict', index: 'byUser' });
    expect(() => indexer.addIndexers({ other: byUser, byUser })).toThrow(problem);
    expect(Object.keys(indexer.getIndexers())).toEqual(['byUser']);
  });

  it('adds none when a function fails on an object that is there, and says on which', () => {
    const indexer = new Indexer<Pod>();
    indexer.add(withUsers('one', 'ernie'));
    indexer.add(pod('two'));
    const cause = new Error('no users');
    const failing = ({ metadata }: Pod) => {
      if (metadata.annotations === undefined) throw cause;
      return ['x'];
    };
    const problem = expect.objectContaining({
      kind: 'index-function',
      index: 'failing',
      key: 'two',
      cause,
      message: 'the index "failing" failed on two: Error: no users',
    });
    expect(() => indexer.addIndexers({ byUser, failing })).toThrow(problem);
    expect(Object.keys(indexer.getIndexers())).toEqual([]);
    indexer.delete(pod('two'));
    indexer.addIndexers({ byUser, failing });
    expect(indexer.indexKeys('failing', 'x')).toEqual(['one']);
    expect(indexer.indexKeys('byUser', 'ernie')).toEqual(['one']);
  });

  it('refuses what is neither a function nor a path', () => {
    const definition = 7 as unknown as 'spec.nodeName';
    expect(() => new Indexer<Pod>({ indexers: { bad: definition } })).toThrow(
      /must be defined by a function or by a path/,
    );
    // @ts-expect-error: the compiler knows better
    expect(() => new Indexer<Pod>({ indexers: { bad: 'spec..nodeName' } })).toThrow(/empty segment/);
  });
});

describe('an Indexer whose index function writes to it', () => {
  it('stores the object that it was called for under its own key', () => {
    const indexer = new Indexer<Pod>();
    for (const name of ['a', 'b', 'c']) indexer.add(withUsers(name, 'bert'));
    indexer.addIndexers({
      byUser(object) {
        if (object.metadata.annotations?.users === 'ernie') indexer.delete(pod('a'));
        return byUser(object);
      },
    });
    indexer.update(withUsers('c', 'ernie'));
    expect(indexer.listKeys().sort()).toEqual(['b', 'c']);
    expect(names(indexer.byIndex('byUser', 'bert'))).toEqual(['b']);
    expect(names(indexer.byIndex('byUser', 'ernie'))).toEqual(['c']);
    expect(indexer.getByKey('b')?.metadata.name).toBe('b');
  });
});

describe('an Indexer whose index function fails on an object', () => {
  const strict = ({ spec }: Pod) => {
    if (spec?.nodeName === undefined) throw new Error('not scheduled');
    return [spec.nodeName];
  };
  const scheduled = (name: string, nodeName: string) => pod(name, {}, { nodeName });

  it('does not store the object, and stays as it was', () => {
    const indexer = new Indexer<Pod>({ indexers: { byUser, strict } });
    indexer.add(scheduled('a', 'n1'));
    for (const write of [
      () => indexer.add(withUsers('b', 'ernie')),
      () => indexer.update(withUsers('a', 'ernie')),
      () => indexer.replace([scheduled('c', 'n2'), withUsers('d', 'ernie')], '7'),
    ]) {
      expect(write).toThrow(IndexError);
      expect(indexer.listKeys()).toEqual(['a']);
      expect(indexer.indexKeys('strict', 'n1')).toEqual(['a']);
      expect(indexer.listIndexFuncValues('strict')).toEqual(['n1']);
      expect(indexer.listIndexFuncValues('byUser')).toEqual([]);
    }
    expect(indexer.delete(scheduled('a', 'n1'))).toBe(true);
    expect(indexer.listIndexFuncValues('strict')).toEqual([]);
  });

  it.each([
    ['nothing', undefined, 'undefined'],
    ['a bare string', 'n1', 'string'],
    ['null', null, 'null'],
    ['an array with a hole', [undefined], 'an array with undefined in it'],
  ])('says so when it returns %s', (_, result, described) => {
    const indexer = new Indexer<Pod>({ indexers: { odd: () => result as unknown as string[] } });
    expect(() => indexer.add(pod('a'))).toThrow(
      `the index "odd" must return an array of strings, but returned ${described} for a`,
    );
    expect(indexer.size).toBe(0);
  });

  it('reports an unknown index by every method, with the names that there are', () => {
    const indexer = new Indexer<Pod>({ indexers: { byUser, [NAMESPACE_INDEX]: metaNamespaceIndex } });
    for (const read of [
      () => indexer.byIndex('nope', 'x'),
      () => indexer.index('nope', pod('a')),
      () => indexer.indexKeys('nope', 'x'),
      () => indexer.listIndexFuncValues('nope'),
    ]) {
      expect(read).toThrow('the index "nope" does not exist: there are "byUser", "namespace"');
    }
    expect(() => new Indexer<Pod>().byIndex('toString', 'x')).toThrow(
      expect.objectContaining({ kind: 'unknown-index', message: 'the index "toString" does not exist: there is none' }),
    );
  });
});
