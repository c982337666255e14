import assert from 'node:assert';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lazyView } from './lazy-view.ts';

function viewOf(plain: Record<string, unknown>) {
  const reads: string[] = [];
  const text = JSON.stringify(plain);
  const source = {
    decodeField: (name: string) => {
      reads.push(name);
      return (JSON.parse(text) as Record<string, unknown>)[name];
    },
  };
  return { view: lazyView(Object.keys(plain), source) as Record<string, unknown>, reads };
}

const pod = { kind: 'Pod', metadata: { name: 'a', labels: { app: 'web' } }, spec: { containers: [{ name: 'c' }] } };

describe('lazyView', () => {
  it('decodes a field when it is first read, once', () => {
    const { view, reads } = viewOf(pod);
    expect(reads).toEqual([]);
    expect(view.spec).toBe(view.spec);
    expect(reads).toEqual(['spec']);
  });

  it('behaves as the plain object does, whatever is in it', () => {
    const plainObject = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
    fc.assert(
      fc.property(plainObject, (object) => {
        const plain = JSON.parse(JSON.stringify(object)) as Record<string, unknown>;
        const same = (actual: unknown) => assert.deepStrictEqual(actual, plain);
        same(viewOf(plain).view);
        assert.deepStrictEqual(plain, viewOf(plain).view);
        same({ ...viewOf(plain).view });
        same(structuredClone(viewOf(plain).view));
        same(Object.fromEntries(Object.entries(viewOf(plain).view)));
        expect(JSON.stringify(viewOf(plain).view)).toBe(JSON.stringify(plain));
        expect(Object.keys(viewOf(plain).view)).toEqual(Object.keys(plain));
        expect(inspect(viewOf(plain).view, { depth: 9 })).toBe(inspect(plain, { depth: 9 }));
        expect(inspect([[viewOf(plain).view]])).toBe(inspect([[plain]]));
        expect(viewOf(plain).view).toStrictEqual(plain);
      }),
    );
  });

  it('has the fields and nothing else', () => {
    const { view } = viewOf(pod);
    expect('spec' in view).toBe(true);
    expect('status' in view).toBe(false);
    expect(view.status).toBeUndefined();
    expect(Object.hasOwn(view, 'metadata')).toBe(true);
    expect(Object.getPrototypeOf(view)).toBe(Object.prototype);
    const found: string[] = [];
    for (const field in view) found.push(field);
    expect(found).toEqual(['kind', 'metadata', 'spec']);
  });

  it('takes assignments, additions and deletions, on itself alone', () => {
    const [first, second] = [viewOf(pod).view, viewOf(pod).view];
    first.spec = 'mine';
    first.status = 'new';
    delete first.kind;
    (first.metadata as { name: string }).name = 'changed';
    assert.deepStrictEqual(
      { ...first },
      { metadata: { ...pod.metadata, name: 'changed' }, spec: 'mine', status: 'new' },
    );
    assert.deepStrictEqual(second, pod);
  });

  it('can be frozen, and read afterwards', () => {
    const { view } = viewOf(pod);
    Object.freeze(view);
    expect(view.spec).toEqual(pod.spec);
    expect(() => {
      view.spec = 1;
    }).toThrow(TypeError);
  });

  it('passes on what the source throws, each time, without a trace in other fields', () => {
    const view = lazyView(['good', 'bad'], {
      decodeField: (name) => {
        if (name === 'bad') throw new Error('damaged');
        return 1;
      },
    }) as Record<string, unknown>;
    expect(() => view.bad).toThrow('damaged');
    expect(() => view.bad).toThrow('damaged');
    expect(view.good).toBe(1);
  });
});
