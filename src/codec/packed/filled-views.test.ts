import assert from 'node:assert/strict';
import { describe, expect, it } from 'vitest';
import type { Cached } from '../../api/cached.ts';
import { valueAt } from '../../api/object-path.ts';
import { apiVersionOf, defineResource } from '../../api/resource.ts';
import type { FieldSchema, TypeSchema } from '../../api/type-schema.ts';
import { builtinResources } from '../../generated/resources.ts';
import { typeSchema } from '../../generated/type-schemas.ts';
import { DecodeError } from '../decode-error.ts';
import { encodeMessage } from '../protobuf/message-encoder-fixture.ts';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import { chunksOf, listBody } from '../protobuf/protobuf-fixture.ts';
import { resourceCodec } from '../resource-codec.ts';
import type { PackedCached } from './packed-cached.ts';
import type { AnyObject } from './packed-fixture.ts';

type Data = Record<string, unknown>;
type Random = (limit: number) => number;

/** Whole numbers from 0 up to a limit, the same for the same seed. */
function randomOf(seed: number): Random {
  let state = seed | 0;
  return (limit) => {
    state = (state + 0x6d2b_79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const TEXTS = [
  '',
  'a',
  'web-0',
  '__proto__',
  'Zürich 日本語',
  '"quoted\\"',
  'a text of forty bytes, more or less, yes',
  'x'.repeat(300),
];
const KEYS = ['a', 'app.kubernetes.io/name', '__proto__', 'constructor', '0', 'ü'];
const TIMES = ['2026-01-02T03:04:05Z', '1970-01-01T00:00:00Z'];

function filled(schema: TypeSchema, random: Random, depth: number): unknown {
  if (schema.form === 'value') return Array.from({ length: 1 + random(2) }, () => TEXTS[random(3)]);
  if (schema.form === 'choice') return chosen(schema, random, depth);
  const data: Data = {};
  for (const field of schema.fields) {
    if (field.inline) Object.assign(data, filled(schemaNamed(field.type), random, depth + 1));
    else if (field.wire > 0 && random(10) < (isScalar(field) ? 6 : (CHANCES[depth] ?? 0))) {
      data[field.json] = filledField(field, random, depth);
    }
  }
  return data;
}

/** In ten, of a message at that depth to be filled: schemas refer to themselves. */
const CHANCES = [6, 6, 6, 5, 3, 1];

function isScalar({ type }: FieldSchema): boolean {
  return typeSchema(type) === undefined;
}

function chosen({ fields }: TypeSchema, random: Random, depth: number): unknown {
  const field = fields[random(fields.length)] as FieldSchema;
  if (field.type === 'bool') return true;
  return CHANCES[depth] === undefined ? {} : filledField(field, random, depth);
}

function filledField(field: FieldSchema, random: Random, depth: number): unknown {
  const element = () => filledElement(field.type, random, depth + 1);
  if (field.shape === 'list') return Array.from({ length: random(4) }, element);
  if (field.shape === 'one') return element();
  const map: Data = Object.create(null);
  for (let i = random(4); i > 0; i--) map[KEYS[random(KEYS.length)] as string] = element();
  return map;
}

function filledElement(type: string, random: Random, depth: number): unknown {
  switch (type) {
    case 'string':
      return TEXTS[random(TEXTS.length)];
    case 'bool':
      return random(2) === 0;
    case 'int32':
    case 'int64':
      return [0, 1, -1, 300, 2_000_000_000][random(5)];
    case 'float':
    case 'double':
      return [0, 0.5, -2][random(3)];
    case 'bytes':
      return Buffer.from(TEXTS[random(TEXTS.length)] as string).toString('base64');
    case 'Time':
      return TIMES[random(2)];
    case 'MicroTime':
      return '2026-01-02T03:04:05.000006Z';
    case 'Duration':
      return `${random(60)}s`;
    case 'Quantity':
      return ['100m', '1Gi'][random(2)];
    case 'IntOrString':
      return random(2) === 0 ? random(9000) : 'http';
    case 'RawExtension':
    case 'FieldsV1':
      return { a: [1, { b: TEXTS[random(TEXTS.length)] }] };
    case 'JSON':
      return [null, 1, 'x', { a: {} }, [1]][random(5)];
    default:
      return filled(schemaNamed(type), random, depth);
  }
}

function schemaNamed(name: string): TypeSchema {
  const schema = typeSchema(name);
  if (!schema) throw new Error(`there is no schema of ${name}`);
  return schema;
}

/** Of a kind, one object in both encodings and as it should be read. */
interface Sample {
  readonly kind: string;
  readonly message: Buffer;
  readonly expected: AnyObject;
  readonly take: (encoding: 'protobuf' | 'json', heard?: string[]) => Promise<Cached<AnyObject>>;
}

const kinds = builtinResources().filter(
  ({ schema }, i, all) => schema !== '' && all.findIndex((other) => other.schema === schema) === i && isObject(schema),
);

function isObject(schema: string): boolean {
  return typeSchema(schema)?.fields.some(({ json, wire }) => json === 'metadata' && wire === 1) ?? false;
}

function sampleOf({ group, version, plural, kind, schema: name }: (typeof kinds)[number], seed: number): Sample {
  const schema = schemaNamed(name);
  const random = randomOf(seed);
  const metadata = filled(schemaNamed('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'), random, 1) as Data;
  const { managedFields: _, ...kept } = metadata;
  const object = {
    ...(filled(schema, random, 0) as Data),
    metadata: { ...kept, name: `${kind.toLowerCase()}-${seed}`, namespace: 'team', uid: 'u-1', resourceVersion: '7' },
  };
  const apiVersion = apiVersionOf({ group, version });
  const message = encodeMessage(schema, object);
  const expected = new ObjectDecoder(schema, { type: { kind, apiVersion } }).decode(message) as AnyObject;
  const resource = defineResource<AnyObject>({ group, version, plural, kind });
  const take: Sample['take'] = async (encoding, heard = []) => {
    const codec = resourceCodec({ resource, onDamage: (cached) => heard.push(cached.key) });
    const body =
      encoding === 'protobuf'
        ? listBody(`${kind}List`, apiVersion, '1', [message])
        : Buffer.from(
            `{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":{},"items":[${JSON.stringify(expected)}]}`,
          );
    const type = encoding === 'protobuf' ? 'application/vnd.kubernetes.protobuf' : 'application/json';
    const [cached] = (await codec.readList(chunksOf(body), type)).items;
    if (cached === undefined) throw new Error(`the ${kind} is broken`);
    return cached;
  };
  return { kind, message, expected, take };
}

/** The paths to all values, also to those that hold others. */
function pathsIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]];
  return [[...path], ...Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name]))];
}

function shuffled<E>(list: readonly E[], random: Random): E[] {
  const result = [...list];
  for (let i = result.length - 1; i > 0; i--) {
    const j = random(i + 1);
    [result[i], result[j]] = [result[j] as E, result[i] as E];
  }
  return result;
}

function at(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Data)[name], object);
}

/** Changes everything within, as deep as it goes. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const name of Object.keys(value)) {
    spoil((value as Data)[name]);
    Object.defineProperty(value, name, { value: 'spoiled', writable: true, enumerable: true, configurable: true });
  }
}

describe.each(['protobuf', 'json'] as const)('views of %s, of every kind filled at random', (encoding) => {
  it.each(kinds.map((kind) => [kind.schema, kind] as const))('read each path of %s in any order', async (_, kind) => {
    for (let seed = 1; seed <= 2; seed++) {
      const { expected, take } = sampleOf(kind, seed * 7919 + kind.schema.length);
      const random = randomOf(seed);
      const cached = (await take(encoding)) as PackedCached<AnyObject>;
      const paths = shuffled(pathsIn(expected), random).slice(0, 150);
      const view = cached.view();
      for (const path of paths) assert.deepStrictEqual(at(view, path), at(expected, path), path.join('.'));
      assert.deepStrictEqual(view, expected);
      expect(JSON.stringify(cached.view())).toBe(JSON.stringify(expected));
      assert.deepStrictEqual(structuredClone(cached.view()), expected);
      for (const path of paths.slice(0, 40)) {
        const segments = path.map((segment) => (random(6) === 0 ? '*' : segment));
        if (segments.length === 0) continue;
        const followed = { segments, isPlural: segments.includes('*') };
        assert.deepStrictEqual(cached.valueAt(followed), valueAt(expected, followed), segments.join('.'));
      }
    }
  });

  it('show nobody what another reader has changed', async () => {
    for (const [i, kind] of kinds.entries()) {
      const { expected, take } = sampleOf(kind, i);
      const cached = await take(encoding);
      const [before, after] = [cached.view(), cached.view()];
      // Read in part before the other is changed, the rest after it.
      JSON.stringify(before.metadata);
      spoil(after);
      assert.deepStrictEqual(before, expected);
      assert.deepStrictEqual(cached.view(), expected);
    }
  });
});

describe('damage within a view', () => {
  it('is an error that names the object and the field, is reported, and leaves the rest readable', async () => {
    const pod = kinds.find(({ kind }) => kind === 'Pod');
    if (!pod) throw new Error('there are no pods');
    const { message } = sampleOf(pod, 5);
    const name = /pod-5/;
    let damagedReads = 0;
    for (let i = 0; i < message.length; i += 3) {
      const bytes = Buffer.from(message);
      bytes[i] = (bytes[i] as number) ^ 0x55;
      const heard: string[] = [];
      const resource = defineResource<AnyObject>({ version: 'v1', plural: 'pods', kind: 'Pod' });
      const codec = resourceCodec({ resource, onDamage: (cached) => heard.push(cached.key) });
      const body = listBody('PodList', 'v1', '1', [bytes]);
      const [cached] = (await codec.readList(chunksOf(body), 'application/vnd.kubernetes.protobuf')).items;
      if (cached === undefined) continue;
      try {
        JSON.stringify(cached.view());
        expect(heard).toEqual([]);
      } catch (error) {
        damagedReads++;
        expect(error).toBeInstanceOf(DecodeError);
        if (name.test(cached.key)) expect((error as Error).message).toMatch(name);
        expect(heard[0]).toBe(cached.key);
        expect(cached.view().kind).toBe('Pod');
      }
    }
    expect(damagedReads).toBeGreaterThan(10);
  });
});
