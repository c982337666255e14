import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../request/status-error.ts';
import { getKey, type JsonObject, type JsonValue } from '../values/json.ts';
import { jsonPatch } from './json-patch.ts';

function refusalOf(original: JsonObject, operations: JsonValue): StatusError {
  try {
    jsonPatch(original, operations);
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('the patch was not refused');
}

describe('jsonPatch', () => {
  it.each([
    ['adds a key', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['adds over a key', { a: 1 }, [{ op: 'add', path: '/a', value: 2 }], { a: 2 }],
    ['adds null when there is no value', {}, [{ op: 'add', path: '/a' }], { a: null }],
    ['inserts into a list', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['appends to a list', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    ['inserts counting from the end', { a: [1, 2] }, [{ op: 'add', path: '/a/-1', value: 3 }], { a: [1, 2, 3] }],
    ['removes a key', { a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    ['removes an item', { a: [1, 2, 3] }, [{ op: 'remove', path: '/a/1' }], { a: [1, 3] }],
    ['removes an item counting from the end', { a: [1, 2, 3] }, [{ op: 'remove', path: '/a/-1' }], { a: [1, 2] }],
    ['replaces an item', { a: [1, 2] }, [{ op: 'replace', path: '/a/0', value: 9 }], { a: [9, 2] }],
    ['replaces a key that is absent', { a: {} }, [{ op: 'replace', path: '/a/b', value: 1 }], { a: { b: 1 } }],
    ['replaces everything', { a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
    ['moves', { a: { x: 1 }, b: {} }, [{ op: 'move', from: '/a/x', path: '/b/y' }], { a: {}, b: { y: 1 } }],
    ['moves within a list', { a: [1, 2, 3] }, [{ op: 'move', from: '/a/0', path: '/a/2' }], { a: [2, 3, 1] }],
    ['copies', { a: { x: [1] } }, [{ op: 'copy', from: '/a/x', path: '/b' }], { a: { x: [1] }, b: [1] }],
    ['copies null from an absent key', { a: {} }, [{ op: 'copy', from: '/a/x', path: '/b' }], { a: {}, b: null }],
    ['tests by value', { a: { x: [1] } }, [{ op: 'test', path: '/a', value: { x: [1] } }], { a: { x: [1] } }],
    ['finds null on an absent key', { a: 1 }, [{ op: 'test', path: '/b', value: null }], { a: 1 }],
    ['unescapes', { 'a/b': { 'm~n': 1 } }, [{ op: 'remove', path: '/a~1b/m~0n' }], { 'a/b': {} }],
    ['takes an empty key', { '': { '': 1 } }, [{ op: 'replace', path: '//', value: 2 }], { '': { '': 2 } }],
  ] satisfies [string, JsonObject, JsonValue, JsonObject][])('%s', (_name, original, operations, expected) => {
    expect(jsonPatch(original, operations)).toEqual(expected);
  });

  it.each([
    ['an unknown operation', [{ op: 'zap', path: '/a' }]],
    ['a test that fails', [{ op: 'test', path: '/a', value: 2 }]],
    ['a test inside what is absent', [{ op: 'test', path: '/x/y', value: 2 }]],
    ['removing what is absent', [{ op: 'remove', path: '/x' }]],
    ['removing beyond a list', [{ op: 'remove', path: '/list/2' }]],
    ['removing the whole', [{ op: 'remove', path: '' }]],
    ['adding inside what is absent', [{ op: 'add', path: '/x/y', value: 1 }]],
    ['adding inside a scalar', [{ op: 'add', path: '/a/y', value: 1 }]],
    ['adding beyond a list', [{ op: 'add', path: '/list/3', value: 1 }]],
    ['adding before a list', [{ op: 'add', path: '/list/-4', value: 1 }]],
    ['an index that is none', [{ op: 'add', path: '/list/x', value: 1 }]],
    ['replacing beyond a list', [{ op: 'replace', path: '/list/2', value: 1 }]],
    ['moving what is absent', [{ op: 'move', from: '/x', path: '/y' }]],
    ['a move without a source', [{ op: 'move', path: '/y' }]],
    ['an operation without a path', [{ op: 'add', value: 1 }]],
    ['a list in the place of the object', [{ op: 'replace', path: '', value: [] }]],
  ] satisfies [string, JsonValue][])('refuses %s with 422, and keeps the reason to itself', (_name, operations) => {
    const error = refusalOf({ a: 1, list: [1, 2] }, operations);
    expect(error.status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    });
    expect(error.cause).toBeInstanceOf(Error);
  });

  it.each([
    [{}, 'object into Go value of type []handlers.jsonPatchOp'],
    [['x'], 'string into Go value of type handlers.jsonPatchOp'],
    [[{ op: 'add', path: 1 }], 'number into Go struct field jsonPatchOp.path of type string'],
    [[{ op: true, path: '/a' }], 'bool into Go struct field jsonPatchOp.op of type string'],
  ] satisfies [JsonValue, string][])('refuses %j with 400', (operations, what) => {
    expect(refusalOf({}, operations).status).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: `error decoding patch: json: cannot unmarshal ${what}`,
    });
  });

  it('takes 10,000 operations and no more', () => {
    const test = { op: 'test', path: '/a', value: 1 };
    expect(jsonPatch({ a: 1 }, Array<JsonObject>(10_000).fill(test))).toEqual({ a: 1 });
    expect(refusalOf({ a: 1 }, Array<JsonObject>(10_001).fill(test)).status).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });

  it('copies 3 MiB with all its operations together, and no more', () => {
    const copy = (path: string) => ({ op: 'copy', from: '/a', path });
    const third = 'x'.repeat(1024 * 1024 - 2);
    expect(Object.keys(jsonPatch({ a: third }, [copy('/b'), copy('/c'), copy('/d')]))).toEqual(['a', 'b', 'c', 'd']);
    const refused = refusalOf({ a: `${third}x` }, [copy('/b'), copy('/c'), copy('/d')]);
    expect(refused.status).toMatchObject({ code: 422, reason: 'Invalid', details: {} });
    expect(refused.cause).toMatchObject({
      message: expect.stringContaining('is 3145731, exceeding the limit 3145728'),
    });
  });

  it('refuses copies that grow by doubling before they fill the memory', () => {
    const doubling = Array.from({ length: 60 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
    expect(refusalOf({ a: ['x'.repeat(100)] }, doubling).status.code).toBe(422);
  });

  it('changes nothing when a later operation fails', () => {
    const original = { a: [1], b: { c: 1 } };
    refusalOf(original, [
      { op: 'add', path: '/a/-', value: 2 },
      { op: 'remove', path: '/b/c' },
      { op: 'remove', path: '/x' },
    ]);
    expect(original).toEqual({ a: [1], b: { c: 1 } });
  });

  it.each(['__proto__', 'constructor', 'prototype', '%constructor', 'hasOwnProperty'])(
    'treats %s as a key like any other',
    (key) => {
      const value = { polluted: true };
      const added = jsonPatch({ data: {} }, [
        { op: 'test', path: `/data/${key}`, value: null },
        { op: 'add', path: `/data/${key}`, value },
        { op: 'add', path: `/data/${key}/more`, value: [1] },
        { op: 'copy', from: `/data/${key}`, path: '/copied' },
        { op: 'test', path: `/data/${key}`, value: { polluted: true, more: [1] } },
      ]);
      const data = added.data as JsonObject;
      expect(Object.keys(data)).toEqual([key]);
      expect(getKey(data, key)).toEqual({ polluted: true, more: [1] });
      expect(added.copied).toEqual({ polluted: true, more: [1] });
      expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
      expect(jsonPatch(added, [{ op: 'remove', path: `/data/${key}` }]).data).toEqual({});
    },
  );

  it('finds what it has added under any key, and gives the object back when that is removed', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (object, key, added) => {
        fc.pre(!Object.hasOwn(object, key));
        const original = object as JsonObject;
        const value = added as JsonValue;
        const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const result = jsonPatch(original, [
          { op: 'add', path, value },
          { op: 'test', path, value },
        ]);
        expect(getKey(result, key)).toEqual(value);
        expect(jsonPatch(result, [{ op: 'remove', path }])).toEqual(original);
      }),
    );
  });
});
