import { describe, expect, it } from 'vitest';
import { JsonPath } from './json-path.ts';

const object = {
  metadata: { labels: { 'x.io/y': 'yes' } },
  spec: {
    replicas: 3,
    list: [
      { name: 'a', n: 1 },
      { name: 'b', n: 2 },
      { name: 'c', n: 3 },
    ],
    none: null,
  },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Failed', status: 'False' },
    ],
  },
};

describe('JsonPath', () => {
  it.each([
    ['.spec.replicas', [3]],
    ['$.spec.replicas', [3]],
    ['.spec.missing', []],
    ['.spec.replicas.deeper', []],
    ['.spec.none', [null]],
    ['.spec.none.deeper', []],
    ['.metadata.labels.x\\.io/y', ['yes']],
    [".metadata.labels['x\\.io/y']", ['yes']],
    ['.spec.list[0].name', ['a']],
    ['.spec.list[-1].name', ['c']],
    ['.spec.list[1:].name', ['b', 'c']],
    ['.spec.list[0:3:2].name', ['a', 'c']],
    ['.spec.list[*].name', ['a', 'b', 'c']],
    ['.spec.list[0,2].name', ['a', 'c']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Failed')].status", ['False']],
    ['.status.conditions[?(@.type!="Ready")].type', ['Failed']],
    ['.status.conditions[?(@.message)].type', []],
    ['.spec.list[?(@.n>=2)].name', ['b', 'c']],
    ['..type', ['Ready', 'Failed']],
  ])('finds %s', (path, expected) => {
    expect(new JsonPath(path).find(object)).toEqual(expected);
  });

  it.each(['.spec[', '.spec[x]', '.spec[?(@.a=="b"]', '.spec["a]', '.spec[]', 'range', '....', '~'])(
    'refuses %j',
    (path) => {
      expect(() => new JsonPath(path)).toThrow();
    },
  );

  it.each(['.spec.replicas[0]', '.spec.list[7]', '.spec[?(@.a)]', '.spec.list[?(@.name>1)]'])(
    'cannot apply %s to the object',
    (path) => {
      expect(() => new JsonPath(path).find(object)).toThrow();
    },
  );

  it('does not see what every object inherits', () => {
    expect(new JsonPath('.constructor').find(object)).toEqual([]);
    expect(new JsonPath('.__proto__').find(object)).toEqual([]);
  });
});
