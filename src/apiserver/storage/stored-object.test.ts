import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../values/json.ts';
import { StoredObject, typePrefix } from './stored-object.ts';

describe('StoredObject', () => {
  it('gives back what was stored, with its own resourceVersion', () => {
    const metadata = fc.record({ name: fc.string({ minLength: 1 }), labels: fc.dictionary(fc.string(), fc.string()) });
    fc.assert(
      fc.property(
        metadata,
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.integer({ min: 1 }),
        (meta, rest, revision) => {
          const { metadata: _m, kind: _k, apiVersion: _a, ...fields } = rest;
          const stored = new StoredObject({ ...fields, metadata: meta } as JsonObject, revision, []);
          const expected = JSON.parse(
            JSON.stringify({ ...fields, metadata: { ...meta, resourceVersion: String(revision) } }),
          );
          expect(stored.decode()).toEqual(expected);
          expect(stored.metadata()).toEqual(expected.metadata);
        },
      ),
    );
  });

  it('keeps a key named __proto__ as data', () => {
    const sent = JSON.parse('{"metadata":{"name":"a"},"data":{"__proto__":"x","constructor":"y"}}') as JsonObject;
    const stored = new StoredObject(sent, 3, []);
    expect(Object.entries(stored.decode().data as JsonObject)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  it('is whole again behind its type', () => {
    const stored = new StoredObject({ kind: 'Old', metadata: { name: 'a' }, data: { b: 'c' } }, 5, []);
    const prefix = typePrefix('ConfigMap', 'v1', false);
    const whole = Buffer.concat([prefix, stored.body.subarray(1)]).toString();
    expect(whole).toBe(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"5"},"data":{"b":"c"}}',
    );
  });
});
