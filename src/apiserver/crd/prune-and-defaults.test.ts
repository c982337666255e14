import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../values/json.ts';
import { applyDefaults } from './defaults.ts';
import { pruneResource } from './prune.ts';
import { parseSchema } from './structural-schema.ts';

const schema = parseSchema({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'string', default: 'M' },
        nullable: { type: 'string', nullable: true, default: 'x' },
        list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string', default: 'A' } } } },
        open: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { inner: { type: 'object', properties: { a: { type: 'string' } } } },
        },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
      },
    },
  },
});

describe('pruneResource', () => {
  it('removes what the schema does not describe, and says what it was', () => {
    const object: JsonObject = {
      apiVersion: 'v1',
      kind: 'X',
      metadata: { name: 'x', anything: 1 },
      extra: 1,
      spec: {
        foo: 1,
        list: [{ a: 'x', b: 'y' }],
        open: { any: { thing: 1 }, inner: { a: '1', b: '2' } },
        map: { k: { a: '1', b: '2' } },
      },
    };
    expect(pruneResource(object, schema)).toEqual([
      'extra',
      'spec.foo',
      'spec.list[0].b',
      'spec.map.k.b',
      'spec.open.inner.b',
    ]);
    expect(object).toEqual({
      apiVersion: 'v1',
      kind: 'X',
      metadata: { name: 'x', anything: 1 },
      spec: { list: [{ a: 'x' }], open: { any: { thing: 1 }, inner: { a: '1' } }, map: { k: { a: '1' } } },
    });
  });

  it('finds nothing more the second time', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('spec', 'a', 'list', 'open'), fc.jsonValue()), (object) => {
        const value = JSON.parse(JSON.stringify(object)) as JsonObject;
        pruneResource(value, schema);
        expect(pruneResource(value, schema)).toEqual([]);
      }),
    );
  });
});

describe('applyDefaults', () => {
  it('fills what is absent, also inside lists', () => {
    const object: JsonObject = { spec: { list: [{}, { a: 'own' }] } };
    applyDefaults(object, schema);
    expect(object).toEqual({ spec: { size: 'M', nullable: 'x', list: [{ a: 'A' }, { a: 'own' }] } });
  });

  it('treats a null as absent unless the schema is nullable', () => {
    const object: JsonObject = { spec: { size: null, nullable: null, open: null, map: { k: null } } };
    applyDefaults(object, schema);
    expect(object).toEqual({ spec: { size: 'M', nullable: null, map: {} } });
  });

  it('hands out a copy of the default each time', () => {
    const shared = parseSchema({ type: 'object', properties: { a: { type: 'object', default: { n: 1 } } } });
    const first: JsonObject = {};
    const second: JsonObject = {};
    applyDefaults(first, shared);
    applyDefaults(second, shared);
    (first.a as JsonObject).n = 2;
    expect(second).toEqual({ a: { n: 1 } });
  });
});
