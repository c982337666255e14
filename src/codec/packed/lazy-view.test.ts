import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Accessors } from './lazy-view.ts';
import { type AnyObject, takeJson, whole } from './packed-fixture.ts';

/** Parts of more than a hundred bytes are lazy, here two on each level. */
const LONG = 'long '.repeat(30);
const POD = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'web-0', namespace: 'default', labels: { app: 'web' }, annotations: { note: 'é\u0000' } },
  spec: {
    nodeName: 'n1',
    containers: [
      { name: 'c', env: [{ name: 'A', value: '1' }] },
      { name: 'd', ports: [1, 2], lifecycle: { preStop: LONG }, resources: { limits: LONG } },
    ],
    affinity: { nodeAffinity: LONG },
  },
  status: { phase: 'Running', conditions: null, message: LONG, deep: { deeper: { deepest: { yet: true } } } },
};
const plain = (): AnyObject => structuredClone(POD) as unknown as AnyObject;
const cached = await takeJson(JSON.stringify(POD)).then(whole);
const view = (): AnyObject => cached.view();
/** The view and the plain object, each after the same has been done to it. */
const both = <R>(act: (object: AnyObject) => R): [R, R] => [act(view()), act(plain())];

describe('a lazy view', () => {
  it('is copied, written, cloned and compared like the plain object', () => {
    for (const act of [
      (object: AnyObject) => ({ ...object }),
      (object: AnyObject) => JSON.stringify(object),
      (object: AnyObject) => JSON.stringify([object], undefined, 2),
      (object: AnyObject) => structuredClone(object),
      (object: AnyObject) => Object.assign({ other: 1 }, object),
      (object: AnyObject) => Object.keys(object),
      (object: AnyObject) => Object.entries(object),
      (object: AnyObject) => Object.values([...[object], object]),
      (object: AnyObject) => Object.getPrototypeOf(object) === Object.prototype,
      (object: AnyObject) => object.constructor === Object && String(object),
      (object: AnyObject) => {
        const names: string[] = [];
        for (const name in object) names.push(name);
        return names;
      },
      (object: AnyObject) => [
        'spec' in object,
        'toString' in object,
        'none' in object,
        Object.hasOwn(object, 'status'),
      ],
      ({ spec, ...rest }: AnyObject) => [rest, spec],
    ]) {
      const [actual, expected] = both<unknown>(act);
      assert.deepStrictEqual(actual, expected);
    }
    assert.deepStrictEqual(view(), plain());
    assert.deepStrictEqual(plain(), view());
    assert.notDeepStrictEqual(view(), { ...plain(), status: {} });
    assert.notDeepStrictEqual({ ...plain(), more: 1 }, view());
    expect(view()).toEqual(plain());
    expect(plain()).toStrictEqual(view());
    expect(view()).toStrictEqual(plain());
    expect(view()).not.toEqual({ ...plain(), spec: {} });
  });

  it('prints like the plain object, at any depth and in any company', () => {
    for (const options of [
      {},
      { depth: 0 },
      { depth: null },
      { compact: false },
      { sorted: true },
      { breakLength: 40 },
    ]) {
      for (const act of [
        (object: AnyObject) => object,
        (object: AnyObject) => ({ a: { b: object } }),
        (object: AnyObject) => [object, object],
        (object: AnyObject) => new Map([['pod', object]]),
        (object: AnyObject) => Object.freeze(object),
      ]) {
        const [actual, expected] = both((object) => inspect(act(object), options));
        expect(actual).toBe(expected);
      }
    }
    const [circular, expected] = both((object) => {
      object.self = object;
      return inspect(object, { depth: null });
    });
    expect(circular).toBe(expected);
  });

  it('is shown like the plain object by those who print what an inspection gives them', () => {
    const messageOf = (assertion: () => void): string => {
      try {
        assertion();
      } catch (error) {
        return (error as Error).message;
      }
      throw new Error('it did not throw');
    };
    for (const act of [
      (object: AnyObject) => object,
      (object: AnyObject) => object.spec,
      (object: AnyObject) => [object],
      (object: AnyObject) => Object.freeze(object),
      (object: AnyObject) => Object.seal(object),
      (object: AnyObject) => Object.preventExtensions(object),
      (object: AnyObject) => new Proxy(object, {}),
      (object: AnyObject) => Object.create(object),
    ]) {
      const [actual, expected] = both((object) => messageOf(() => expect(act(object)).to.equal(1)));
      expect(actual).toBe(expected);
      const [again, expectedAgain] = both((object) => {
        inspect(act(object));
        return messageOf(() => expect(act(object)).toEqual({ none: 1 }));
      });
      expect(again).toBe(expectedAgain);
    }
  });

  it('is plain data once it has been printed, and stays what it was', () => {
    const printed = view();
    inspect(printed);
    assert.deepStrictEqual(Object.getOwnPropertyDescriptors(printed), Object.getOwnPropertyDescriptors({ ...printed }));
    assert.deepStrictEqual(printed, plain());
    printed.spec = { nodeName: 'other' };
    assert.deepStrictEqual(printed, { ...plain(), spec: { nodeName: 'other' } });
    assert.deepStrictEqual(view(), plain());
  });

  it('is changed like the plain object', () => {
    for (const act of [
      (object: AnyObject) => {
        object.spec = { nodeName: 'other' };
      },
      (object: AnyObject) => {
        object.spec = undefined;
        object.extra = 1;
      },
      (object: AnyObject) => {
        delete object.status;
        delete object.kind;
      },
      (object: AnyObject) => {
        (object.spec as Record<string, unknown>).nodeName = 'changed within';
        (object.metadata as Record<string, unknown>).name = 'changed within';
      },
      (object: AnyObject) => {
        delete object.metadata;
        object.metadata = { name: 'again' };
      },
      (object: AnyObject) => {
        Object.seal(object).spec = 'still writable';
        object.status = undefined;
      },
      (object: AnyObject) => Object.defineProperty(object, 'spec', { value: 1, enumerable: false }),
    ]) {
      const [actual, expected] = [view(), plain()];
      act(actual);
      act(expected);
      assert.deepStrictEqual(actual, expected);
      assert.deepStrictEqual(Object.keys(actual), Object.keys(expected));
    }
    assert.deepStrictEqual(view(), plain());
  });

  it('cannot be changed once it is frozen, and can be read', () => {
    const frozen: AnyObject = view();
    Object.freeze(frozen);
    expect(Object.isFrozen(frozen)).toBe(true);
    expect(() => {
      frozen.spec = 1;
    }).toThrow(TypeError);
    expect(() => {
      delete frozen.status;
    }).toThrow(TypeError);
    assert.deepStrictEqual(frozen, plain());
  });

  it('serves objects that inherit from it', () => {
    const [actual, expected] = both((object) => {
      const heir: AnyObject = Object.create(object);
      const inherited = heir.spec;
      heir.spec = 'own';
      return [inherited, heir.spec, Object.hasOwn(heir, 'spec'), object.spec];
    });
    assert.deepStrictEqual(actual, expected);
  });

  it('decodes a field once, and shares nothing with the next view', () => {
    const first = view();
    expect(first.spec).toBe(first.spec);
    expect(view().spec).not.toBe(first.spec);
  });

  it('keeps the order and the names of any fields', async () => {
    const names = fc.uniqueArray(
      fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '1', '0', 'toString')),
      {
        maxLength: 20,
      },
    );
    await fc.assert(
      fc.asyncProperty(names, async (fields) => {
        const entries = fields.map((name, i) => `${JSON.stringify(name)}:{"i":${i}}`);
        const text = `{${[...entries, '"metadata":{"name":"a"}'].join(',')}}`;
        const object = (await takeJson(`{"kind":"Pod","apiVersion":"v1",${text.slice(1)}`).then(whole)).view();
        const expected = JSON.parse(`{"kind":"Pod","apiVersion":"v1",${text.slice(1)}`);
        assert.deepStrictEqual(Object.keys(object), Object.keys(expected));
        assert.deepStrictEqual({ ...object }, { ...expected });
        expect(JSON.stringify(object)).toBe(JSON.stringify(expected));
      }),
    );
  });
});

describe('Accessors', () => {
  it('gives up on names when there are too many, and keeps those it has', () => {
    const accessors = new Accessors();
    const first = accessors.of('a');
    for (let i = 0; i < 10_000; i++) accessors.of(`field ${i}`);
    expect(accessors.of('one more')).toBeUndefined();
    expect(accessors.of('a')).toBe(first);
  });
});
