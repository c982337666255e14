import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { reactive, readonly, shallowReactive } from '@vue/reactivity';
import { autorun, observable, runInAction } from 'mobx';
import { proxy, snapshot, subscribe } from 'valtio/vanilla';
import { describe, expect, it } from 'vitest';
import { sampleOf } from '../protobuf/protobuf-fixture.ts';
import { type AnyObject, takeJson, takeProtobuf, whole } from './packed-fixture.ts';

const { json } = sampleOf('Pod');
const { managedFields: _, ...metadata } = json.metadata ?? {};
const plain = (): AnyObject => structuredClone({ ...json, metadata }) as AnyObject;
const jsonCached = await takeJson(JSON.stringify(plain())).then(whole);
const protobufCached = await takeProtobuf(sampleOf('Pod')).then(whole);

/** As a membrane does it: whatever is read through it is wrapped too. */
function membrane<O extends object>(target: O): O {
  const wrap = (value: unknown): unknown =>
    (typeof value === 'object' && value !== null) || typeof value === 'function' ? membrane(value) : value;
  return new Proxy(target, {
    get: (object, name, receiver) => wrap(Reflect.get(object, name, receiver)),
    apply: (object, self, args) => wrap(Reflect.apply(object as () => unknown, self, args)),
  });
}

const wrappers: [string, (object: AnyObject) => AnyObject][] = [
  ['a Proxy', (object) => new Proxy(object, {})],
  ['two Proxies', (object) => new Proxy(new Proxy(object, {}), {})],
  ['a membrane', membrane],
  ['Vue’s reactive', (object) => reactive(object)],
  ['Vue’s readonly', (object) => readonly(object) as AnyObject],
  ['Vue’s shallowReactive', (object) => shallowReactive(object)],
  ['Vue’s readonly of reactive', (object) => readonly(reactive(object)) as AnyObject],
  ['MobX’s observable', (object) => observable(object)],
  ['MobX’s observable.ref in a box', (object) => observable.box(object, { deep: false }).get()],
  ['Valtio’s proxy', (object) => proxy(object)],
  ['Valtio’s snapshot', (object) => snapshot(proxy(object)) as AnyObject],
  [
    'a copy by property descriptors',
    (object) => Object.create(Object.getPrototypeOf(object), Object.getOwnPropertyDescriptors(object)),
  ],
  ['an heir', (object) => Object.create(object)],
];

describe.each([
  ['JSON', () => jsonCached.view()],
  ['protobuf', () => protobufCached.view()],
])('a view of %s', (_format, view) => {
  it.each(wrappers)('shows all its fields behind %s', (_name, wrap) => {
    const [actual, expected] = [wrap(view()), wrap(plain())];
    for (const name of Object.keys(plain())) {
      expect(JSON.parse(JSON.stringify(actual[name])), name).toEqual(JSON.parse(JSON.stringify(expected[name])));
    }
    const { spec, status } = actual as { spec: Record<string, unknown>; status: Record<string, unknown> };
    for (const [part, name] of [
      [spec, 'spec'],
      [status, 'status'],
    ] as const) {
      for (const [field, value] of Object.entries(plain()[name] as object)) {
        expect(JSON.parse(JSON.stringify(part[field])), `${name}.${field}`).toEqual(value);
      }
    }
  });

  it.each(wrappers.slice(0, 7).filter(([name]) => name !== 'a membrane'))(
    'is copied, listed and printed like plain data behind %s',
    (_name, wrap) => {
      for (const act of [
        (object: AnyObject) => ({ ...object }),
        (object: AnyObject) => JSON.stringify(object),
        (object: AnyObject) => Object.keys(object),
        (object: AnyObject) => Object.entries(object).length,
        (object: AnyObject) => inspect(object, { depth: 1 }),
      ]) {
        const before = view();
        assert.deepStrictEqual(act(wrap(before)), act(wrap(plain())));
        assert.deepStrictEqual(before, plain());
      }
    },
  );

  it.each(wrappers)('reads a field once behind %s', (_name, wrap) => {
    const isSame = (object: AnyObject) => [object.spec, object.spec].every((spec, _, [first]) => spec === first);
    expect(isSame(wrap(view()))).toBe(isSame(wrap(plain())));
  });

  it('is printed behind a Proxy that lets nobody change it, and is not changed by that', () => {
    const object = view();
    const locked = new Proxy(object, { defineProperty: () => false, set: () => false });
    expect(inspect(locked, { depth: 1 })).toBe(inspect(plain(), { depth: 1 }));
    expect(Object.getOwnPropertyDescriptor(object, 'spec')?.get).toBeDefined();
  });

  it('is not written through a Proxy that prints it', () => {
    const writes: string[] = [];
    const object = view();
    const watched = new Proxy(object, {
      defineProperty: (target, key, descriptor) =>
        writes.push(`define ${String(key)}`) > 0 && Reflect.defineProperty(target, key, descriptor),
      deleteProperty: (target, key) => writes.push(`delete ${String(key)}`) > 0 && Reflect.deleteProperty(target, key),
      set: (target, key, value) => writes.push(`set ${String(key)}`) > 0 && Reflect.set(target, key, value),
    });
    expect(inspect(watched, { depth: 1 })).toBe(inspect(plain(), { depth: 1 }));
    expect(writes).toEqual([]);
  });

  it('takes what is assigned to it through a Proxy, Vue and Valtio', () => {
    for (const wrap of [(object: AnyObject) => new Proxy(object, {}), reactive, shallowReactive, proxy]) {
      const original = view();
      const wrapped = wrap(original) as AnyObject;
      wrapped.spec = { nodeName: 'other' };
      delete wrapped.status;
      expect(JSON.parse(JSON.stringify(wrapped))).toEqual({
        ...plain(),
        spec: { nodeName: 'other' },
        status: undefined,
      });
      expect(original.spec).toEqual({ nodeName: 'other' });
    }
  });

  it('takes what is assigned to it through Proxies while it is sealed', () => {
    const sealed: AnyObject = Object.seal(view());
    new Proxy(sealed, {}).spec = 'changed';
    expect([sealed.spec, new Proxy(sealed, {}).spec]).toEqual(['changed', 'changed']);
  });

  it('lets MobX see a change and Valtio hear of one', async () => {
    const observed = observable(view());
    const seen: unknown[] = [];
    const dispose = autorun(() => seen.push((observed.spec as { nodeName?: string }).nodeName));
    runInAction(() => {
      observed.spec = { nodeName: 'other' };
    });
    expect(seen).toEqual([(plain().spec as { nodeName?: string }).nodeName, 'other']);
    dispose();
    const state = proxy(view());
    const heard = new Promise((resolve) => subscribe(state, resolve));
    (state as AnyObject).status = {};
    await heard;
    expect(snapshot(state).status).toEqual({});
  });

  it('adds nothing that its reader could find among the fields', () => {
    const object = view();
    for (const symbol of Object.getOwnPropertySymbols(object)) {
      expect(Object.prototype.propertyIsEnumerable.call(object, symbol)).toBe(false);
    }
    assert.deepStrictEqual(structuredClone(object), plain());
    assert.deepStrictEqual(deserialize(serialize(object)), plain());
    expect(Object.getOwnPropertySymbols({ ...object })).toEqual([]);
    expect(Object.getOwnPropertySymbols(Object.assign({}, object))).toEqual([]);
  });

  it('refuses to be read through a copy that left its origin behind, rather than show nothing', () => {
    const { spec } = Object.getOwnPropertyDescriptors(view());
    const copy = Object.defineProperty({}, 'spec', spec as PropertyDescriptor) as AnyObject;
    expect(() => copy.spec).toThrow(/spec .*\{ \.\.\.object \}/);
  });
});
