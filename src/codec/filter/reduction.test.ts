import assert from 'node:assert/strict';
import { describe, expect, it } from 'vitest';
import { reductionOf, withOrigin } from '../../api/origin.ts';
import { type AnyObject, packed, takeJson, takeProtobuf, whole } from '../packed/packed-fixture.ts';
import { sampleOf } from '../protobuf/protobuf-fixture.ts';
import { reductionBy } from './field-filter.ts';

const few = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' }, spec: { nodeName: 'n' } };
const many = { ...few, ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field${i}`, i])) };

describe.each(['packed', 'plain'] as const)('an object of a %s store', (store) => {
  it.each([
    ['few fields', few],
    ['too many fields for a view', many],
  ])('with %s knows what was left out of it', async (_what, object) => {
    const read = async (options: Parameters<typeof packed>[0]) =>
      (await takeJson(JSON.stringify(object), packed({ store, ...options })).then(whole)).view();
    expect(reductionOf(await read({}))).toBeUndefined();
    const view = await read({ drop: ['spec.nodeName'] });
    expect(reductionOf(view)).toEqual({ what: 'leaves out spec.nodeName', concernsStatus: false });
    assert.deepStrictEqual({ ...view, spec: few.spec }, object);
    const transformed = packed({ store })
      .fromTransform(structuredClone(object) as AnyObject)
      .view();
    expect(reductionOf(transformed)?.what).toContain('transform');
    assert.deepStrictEqual(transformed, object);
  });

  it('of protobuf knows what was left out of it', async () => {
    const pod = sampleOf('Pod');
    const read = async (options: Parameters<typeof packed>[0]) =>
      (await takeProtobuf(pod, { store, ...options }).then(whole)).view();
    expect(reductionOf(await read({}))).toBeUndefined();
    expect(reductionOf(await read({ drop: ['spec.nodeName'] }))?.what).toBe('leaves out spec.nodeName');
  });

  it('stays readable when a transform returns the view of another cache', async () => {
    const other = (await takeJson(JSON.stringify(few)).then(whole)).view();
    const kept = packed({ store }).fromTransform(other).view();
    assert.deepStrictEqual({ ...kept }, few);
    assert.deepStrictEqual({ ...other }, few);
    expect(reductionOf(other)).toBeUndefined();
  });
});

describe('reductionBy', () => {
  it.each([
    [{}, undefined],
    [{ managedFields: 'drop' }, undefined],
    [{ drop: ['metadata.managedFields', 'metadata.managedFields.*', 'metadata.uid', 'kind'] }, undefined],
    [{ keep: ['*'] }, undefined],
    [{ drop: ['metadata.managedFields.*.fieldsV1'] }, true],
    [{ drop: ['spec'] }, false],
    [{ drop: ['spec', 'status.conditions'] }, true],
    [{ keep: [] }, true],
    [{ keep: ['status', 'metadata'] }, false],
    [{ keep: ['status', 'metadata'], drop: ['metadata.labels'] }, true],
    [{ keep: ['*'], drop: ['spec.env'] }, false],
  ] as const)('of %j concerns a status: %s', (options, concernsStatus) => {
    expect(reductionBy(options)?.concernsStatus).toBe(concernsStatus);
  });
});

describe('withOrigin', () => {
  const origin = () => ({ what: 'is small', concernsStatus: true });

  it('marks an object without a trace among its fields, and a copy of one that is frozen', () => {
    const object = { a: 1 };
    expect(withOrigin(object, origin)).toBe(object);
    assert.deepStrictEqual(object, { a: 1 });
    expect(reductionOf(object)).toEqual(origin());
    expect(reductionOf({ ...object })).toBeUndefined();
    const frozen = Object.freeze({ a: 1 });
    expect(reductionOf(withOrigin(frozen, origin))).toEqual(origin());
    expect(reductionOf(frozen)).toBeUndefined();
  });
});
