import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../values/json.ts';
import { mergePatch } from './merge-patch.ts';

/** Few keys, so that objects overlap; no lists, in which the real server is not consistent about nulls. */
const { object: jsonObject } = fc.letrec<{ object: JsonObject; value: JsonValue }>((tie) => ({
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('value'), { maxKeys: 3 }),
  value: fc.oneof({ depthSize: 'small' }, fc.constantFrom<JsonValue>(null, 1, 'x'), tie('object')),
}));

describe('mergePatch', () => {
  it.each([
    ['sets a scalar', { a: 1, b: 2 }, { a: 3 }, { a: 3, b: 2 }],
    ['merges objects', { a: { x: 1, y: 2 } }, { a: { y: 3, z: 4 } }, { a: { x: 1, y: 3, z: 4 } }],
    ['removes with null', { a: { x: 1, y: 2 } }, { a: { x: null } }, { a: { y: 2 } }],
    ['ignores a null for what is absent', { a: 1 }, { b: null }, { a: 1 }],
    ['replaces lists as a whole', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['replaces a scalar by an object', { a: 1 }, { a: { x: 1 } }, { a: { x: 1 } }],
    ['replaces an object by a scalar', { a: { x: 1 } }, { a: 1 }, { a: 1 }],
    ['drops nulls inside what is new', {}, { a: { x: null, y: { z: null } } }, { a: { y: {} } }],
    ['keeps the nulls of a list, but not those inside its items', {}, { a: [null, { x: null }] }, { a: [null, {}] }],
    ['leaves a list as it is where an object stood', { a: { x: 1 } }, { a: [{ x: null }] }, { a: [{ x: null }] }],
    ['fills a null', { a: null }, { a: { x: null, y: 1 } }, { a: { y: 1 } }],
  ] satisfies [string, JsonObject, JsonObject, JsonObject][])('%s', (_name, original, patch, expected) => {
    expect(mergePatch(original, patch)).toEqual(expected);
  });

  it('takes keys that objects have by nature for what they are', () => {
    const original = JSON.parse('{"data":{"__proto__":"a","constructor":"b"}}') as JsonObject;
    const patch = JSON.parse('{"data":{"__proto__":"c","toString":{"x":1},"constructor":null}}') as JsonObject;
    const result = mergePatch(original, patch);
    expect(JSON.stringify(result)).toBe('{"data":{"__proto__":"c","toString":{"x":1}}}');
    expect(Object.getPrototypeOf(result.data)).toBe(Object.prototype);
  });

  it('gives the same when it is applied twice, changes no argument, and shares nothing with them', () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (original, patch) => {
        const before = JSON.stringify([original, patch]);
        const once = mergePatch(original, patch);
        expect(mergePatch(once, patch)).toEqual(once);
        scribble(once);
        expect(JSON.stringify([original, patch])).toBe(before);
      }),
    );
  });
});

function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const item of Object.values(value)) scribble(item);
  if (Array.isArray(value)) value.push('scribble');
  else Object.assign(value, { scribble: true });
}
