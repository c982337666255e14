import { describe, expect, it } from 'vitest';
import { type JsonObject, jsonEqual } from '../values/json.ts';
import { RuleValidator } from './cel/rule-validation.ts';
import { MapList } from './map-list.ts';
import { parseSchema } from './structural-schema.ts';
import { validateValue } from './value-validation.ts';

const keyed = (keys: string[], properties: JsonObject, rules: JsonObject[] = []): JsonObject => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
  items: { type: 'object', required: keys, properties, 'x-kubernetes-validations': rules },
});

describe('MapList', () => {
  const find = (keys: string[], old: JsonObject[], item: JsonObject) =>
    new MapList(parseSchema(keyed(keys, {})), old).find(item);

  it('finds the first old item with the same keys', () => {
    const old = [
      { a: 1, b: 'x', c: 1 },
      { a: 1, b: 'y', c: 2 },
      { a: 1, b: 'y', c: 3 },
    ];
    expect(find(['a', 'b'], old, { b: 'y', a: 1 })).toBe(old[1]);
    expect(find(['a', 'b'], old, { b: 'y', a: 2 })).toBeUndefined();
    expect(find(['b'], [{ b: 1 }, { b: '1' }], { b: '1' })).toEqual({ b: '1' });
  });

  it('finds nothing for items without a key, or with one that is not a scalar', () => {
    expect(find(['a', 'b'], [{ a: 1 }], { a: 1 })).toBeUndefined();
    expect(find(['a'], [{ a: null }], { a: null })).toBeUndefined();
    expect(find(['a'], [{ a: [] }], { a: [] })).toBeUndefined();
    expect(find(['a'], [{ a: 1 }], { a: 1 })).toEqual({ a: 1 });
  });

  it('does not look at lists of another type', () => {
    const schema = parseSchema({ ...keyed(['a'], {}), 'x-kubernetes-list-type': 'atomic' });
    expect(new MapList(schema, [{ a: 1 }]).find({ a: 1 })).toBeUndefined();
    expect(new MapList(parseSchema(keyed(['a'], {})), { a: 1 }).find({ a: 1 })).toBeUndefined();
  });
});

describe('an update of a list of 20,000 items with keys', () => {
  const COUNT = 20_000;
  let reads = 0;
  /** The items last first, so that a search from the start would be long; each read of a key is counted. */
  const items = (reversed: boolean, value: number): JsonObject[] =>
    Array.from({ length: COUNT }, (_, index) => {
      const name = `n${reversed ? COUNT - index : index + 1}`;
      return {
        get name() {
          reads += 1;
          return name;
        },
        value,
      };
    });
  const properties = { name: { type: 'string' }, value: { type: 'integer', maximum: 5 } };

  it('takes a few looks at each item to tell what it leaves as it was', () => {
    const schema = parseSchema(keyed(['name'], properties));
    reads = 0;
    expect(validateValue(items(true, 9), schema, items(false, 9))).toEqual([]);
    expect(reads).toBeLessThan(COUNT * 20);
  });

  it('takes a few looks at each item for the rules that compare it with the old one', () => {
    const rules = [{ rule: 'self.value >= oldSelf.value' }];
    const schema = parseSchema({ type: 'object', properties: { list: keyed(['name'], properties, rules) } });
    const validate = (value: number) =>
      new RuleValidator(schema).validate({ list: items(true, value) }, { list: items(false, 4) }, () => {});
    reads = 0;
    expect(validate(4)).toEqual([]);
    expect(validate(3)).toHaveLength(COUNT);
    expect(reads).toBeLessThan(COUNT * 40);
  });

  it('takes a few looks at each item to compare, or to join, whole lists', () => {
    const rules = [{ rule: 'self.list == oldSelf.list && (self.list + oldSelf.list).size() == 20000' }];
    const schema = parseSchema({
      type: 'object',
      properties: { list: keyed(['name'], properties) },
      'x-kubernetes-validations': rules,
    });
    reads = 0;
    const [list, old] = [items(true, 1), items(false, 1)];
    expect(jsonEqual(list, old)).toBe(false);
    expect(new RuleValidator(schema).validate({ list }, { list: old }, () => {})).toEqual([]);
    expect(reads).toBeLessThan(COUNT * 40);
  });
});
