import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/metadata.ts';
import { defineResource } from '../api/resource.ts';
import { chunksOf } from './protobuf/protobuf-fixture.ts';
import { type ResourceCodecOptions, resourceCodec } from './resource-codec.ts';

type AnyObject = KubernetesObject & Record<string, unknown>;

/** As an informer by name alone has it. */
const unknown = { ...defineResource<AnyObject>({ group: 'g.io', version: 'v1', plural: 'foos', kind: '*' }), kind: '' };

async function listed(text: string, options: Partial<ResourceCodecOptions<AnyObject>> = {}, cuts: number[] = []) {
  const codec = resourceCodec<AnyObject>({ resource: unknown, ...options });
  const { items, broken } = await codec.readList(chunksOf(Buffer.from(text), cuts), 'application/json');
  expect(broken).toEqual([]);
  return items.map((item) => JSON.parse(JSON.stringify(item.view())));
}

const TYPE = { kind: 'Foo', apiVersion: 'g.io/v1' };
const items = Array.from({ length: 5 }, (_, i) => ({ metadata: { name: `a${i}` }, spec: { i } }));
const ITEMS = `"items":${JSON.stringify(items)}`;
const KIND = '"kind":"FooList"';
const API_VERSION = '"apiVersion":"g.io/v1"';
const METADATA = '"metadata":{"resourceVersion":"1"}';

describe.each([
  ['packed', {}],
  ['plain', { store: 'plain' }],
  ['packed, with a filter,', { drop: ['spec.none'] }],
  ['plain, with a filter,', { store: 'plain', drop: ['spec.none'] }],
] as const)('the items of a list of a type that only the server knows, in a store that is %s', (_name, options) => {
  it.each([
    ['the type comes first', [KIND, API_VERSION, METADATA, ITEMS]],
    ['the type comes last', [ITEMS, METADATA, API_VERSION, KIND]],
    ['the items come between, as in the alphabet', [API_VERSION, ITEMS, KIND, METADATA]],
  ])('get it from the list when %s', async (_order, parts) => {
    const text = `{${parts.join(',')}}`;
    const expected = items.map((item) => ({ ...TYPE, ...item }));
    expect(await listed(text, options)).toEqual(expected);
    const cuts = Array.from({ length: text.length }, (_, i) => i);
    expect(await listed(text, options, cuts)).toEqual(expected);
  });

  it('keep what they say of themselves', async () => {
    const own = [
      { metadata: { name: 'a' }, kind: 'Bar', apiVersion: 'other/v1' },
      { kind: 'Bar', apiVersion: 'other/v1', metadata: { name: 'b' } },
      { apiVersion: 'g.io/v1', kind: 'Foo', metadata: { name: 'c' } },
      { metadata: { name: 'd' }, apiVersion: 'g.io/v1' },
      { metadata: { name: 'e' }, kind: 'Foo' },
    ];
    const expected = own.map((item) => ({ ...TYPE, ...item }));
    for (const parts of [
      [KIND, API_VERSION, `"items":${JSON.stringify(own)}`],
      [`"items":${JSON.stringify(own)}`, KIND, API_VERSION],
    ]) {
      expect(await listed(`{${parts.join(',')}}`, options)).toEqual(expected);
    }
  });

  it('have none when the list does not say of what it is', async () => {
    for (const parts of [[ITEMS], ['"kind":"List","apiVersion":"v1"', ITEMS], ['"kind":7', API_VERSION, ITEMS]]) {
      expect(await listed(`{${parts.join(',')}}`, options)).toEqual(items);
    }
  });
});
