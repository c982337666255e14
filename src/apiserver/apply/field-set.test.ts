import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../values/json.ts';
import { FieldSet } from './field-set.ts';
import { fieldElement, keyElement, type PathElement, pathText, valueElement } from './path-element.ts';

const element = fc.oneof(
  fc.constantFrom('a', 'b', '__proto__').map(fieldElement),
  fc.constantFrom('x', 'y').map((name) => keyElement([['name', name]])),
  fc.constantFrom(1, 2, 10).map(valueElement),
);
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const fieldSet = fc.array(path, { maxLength: 12 }).map((paths) => FieldSet.of(...paths));

/** The members as texts, which makes a set that the language knows how to compare. */
function members(set: FieldSet): Set<string> {
  return new Set([...set.paths()].map((each) => JSON.stringify(each)));
}

const startsWith = (text: readonly PathElement[], prefix: readonly PathElement[]) =>
  prefix.every((part, index) => text[index] === part);

describe('FieldSet', () => {
  it('unites, intersects and subtracts as sets of paths do', () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        const [inA, inB] = [members(a), members(b)];
        expect(members(a.union(b))).toEqual(new Set([...inA, ...inB]));
        expect(members(a.intersection(b))).toEqual(new Set([...inA].filter((each) => inB.has(each))));
        expect(members(a.difference(b))).toEqual(new Set([...inA].filter((each) => !inB.has(each))));
      }),
    );
  });

  it('subtracts a member with everything under it when that is asked', () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        const removed = [...b.paths()];
        const kept = [...a.paths()].filter((each) => !removed.some((prefix) => startsWith(each, prefix)));
        expect(members(a.recursiveDifference(b))).toEqual(new Set(kept.map((each) => JSON.stringify(each))));
      }),
    );
  });

  it('has what was inserted, and is empty only without it', () => {
    fc.assert(
      fc.property(fieldSet, path, (set, added) => {
        const with_ = set.union(FieldSet.of(added));
        expect(with_.has(added)).toBe(true);
        expect(with_.isEmpty).toBe(false);
        expect(set.isEmpty).toBe(members(set).size === 0);
      }),
    );
  });

  it('survives being written as fieldsV1 and read again', () => {
    fc.assert(
      fc.property(fieldSet, (set) => {
        const written = JSON.parse(JSON.stringify(set.toFields())) as JsonObject;
        const read = FieldSet.fromFields(written);
        expect(members(read)).toEqual(members(set));
        expect(
          read
            .union(FieldSet.of([fieldElement('new')]))
            .difference(FieldSet.of([fieldElement('new')]))
            .toFields(),
        ).toEqual(set.difference(FieldSet.of([fieldElement('new')])).toFields());
      }),
    );
  });

  it('marks with a dot what is owned together with parts of it', () => {
    const set = FieldSet.of(
      ['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}'],
      ['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:port'],
      ['f:metadata', 'f:finalizers', 'v:"x"'],
    );
    expect(set.toFields()).toEqual({
      'f:metadata': { 'f:finalizers': { 'v:"x"': {} } },
      'f:spec': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
    });
  });

  it('reads elements that are spelt differently as the same', () => {
    const read = FieldSet.fromFields({ 'k:{ "b": 1, "a": "x" }': {}, 'v: "y"': {}, 'i:007': {} });
    expect(read.toFields()).toEqual({ 'i:7': {}, 'k:{"a":"x","b":1}': {}, 'v:"y"': {} });
  });

  it('leaves out elements of kinds that it does not know', () => {
    expect(FieldSet.fromFields({ 'x:future': {}, 'f:a': { 'y:future': {} } }).toFields()).toEqual({ 'f:a': {} });
  });

  it.each([[{ f: {} }], [{ name: {} }], [{ 'k:{': {} }], [{ 'i:x': {} }], [{ 'k:1': {} }], [{ 'f:a': 1 }]])(
    'refuses %j',
    (fields) => {
      expect(() => FieldSet.fromFields(fields)).toThrow();
    },
  );

  it('lists paths as conflicts show them, numbers by size and fields before items', () => {
    const set = FieldSet.of(
      ['f:ports', 'k:{"port":443,"protocol":"TCP"}', 'f:name'],
      ['f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:name'],
      ['f:set', 'v:10'],
      ['f:set', 'v:9'],
      ['f:set', 'v:"a\\n\\u200b\\u003c"'],
      ['f:list', 'i:1'],
      ['f:b'],
      ['f:a', 'f:z'],
    );
    expect([...set.paths()].map(pathText)).toEqual([
      '.b',
      '.a.z',
      '.list[1]',
      '.ports[port=80,protocol="TCP"].name',
      '.ports[port=443,protocol="TCP"].name',
      '.set[=9]',
      '.set[=10]',
      '.set[="a\\n\\u200b<"]',
    ]);
  });
});
