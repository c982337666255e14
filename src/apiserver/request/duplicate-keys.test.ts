import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateKeys, strictProblems, TooDeep } from './duplicate-keys.ts';

describe('duplicateKeys', () => {
  it('names the path of a key that stands twice', () => {
    expect(duplicateKeys('{"a":1,"a":2}')).toEqual(['a']);
    expect(duplicateKeys('{"spec":{"list":[{"x":1},{"x":1,"y":{"z":[],"z":{}}}]}}')).toEqual(['spec.list[1].y.z']);
    // A backslash that is escaped itself escapes nothing.
    expect(duplicateKeys(String.raw`{"a":"\\","b":"\\\"","a":1}`)).toEqual(['a']);
    expect(duplicateKeys('{"\\u0061":1,"a":2}')).toEqual(['a']);
  });

  it('is not misled by text inside strings', () => {
    expect(duplicateKeys('{"a":"{\\"b\\":1,\\"b\\":2}","c":["a","a:","]"],"d":"a"}')).toEqual([]);
  });

  it('finds nothing in what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(duplicateKeys(text)).toEqual([]);
      }),
    );
  });

  it('refuses what nests too deeply', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    expect(() => duplicateKeys(deep)).toThrow(TooDeep);
  });
});

describe('the complaints of a strict reader', () => {
  it.each<[string, string, string[], string[]]>([
    [
      'come in the order of the text',
      '{"spec":{"foo":1,"replicas":2,"replicas":3,"bar":1}}',
      ['spec.bar', 'spec.foo'],
      ['unknown field "spec.foo"', 'duplicate field "spec.replicas"', 'unknown field "spec.bar"'],
    ],
    ['name an unknown field once', '{"foo":1,"foo":2}', ['foo'], ['unknown field "foo"']],
    [
      'do not look into unknown fields',
      '{"foo":{"a":1,"a":2},"l":[{"a":1,"a":1}]}',
      ['foo', 'l[0]'],
      ['unknown field "foo"'],
    ],
  ])('%s', (_what, text, unknown, expected) => {
    expect(strictProblems(text, unknown)).toEqual(expected);
  });
});
