import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CachedFrame } from '../../api/cached.ts';
import { valueAt } from '../../api/object-path.ts';
import { DecodeError } from '../decode-error.ts';
import { fieldRules, filterData } from '../filter/field-filter.ts';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import {
  bytesField,
  type CorpusObject,
  chunksOf,
  envelope,
  frame,
  numberField,
  sampleCorpus,
  sampleOf,
  schemaOf,
} from '../protobuf/protobuf-fixture.ts';
import type { PackedCached } from './packed-cached.ts';
import { type AnyObject, type Options, packed as packedBy, takeProtobuf as takeBy, whole } from './packed-fixture.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf;stream=watch';

/** Those that a store can hold. */
const corpus = sampleCorpus().filter((object) => schemaOf(object) && object.json.metadata?.name);

function decoded({ group, version, kind, message }: CorpusObject): AnyObject {
  const schema = schemaOf({ group, version, kind, message, json: {} });
  if (!schema) throw new Error(`there is no schema of ${kind}`);
  const type = { kind, apiVersion: group === '' ? version : `${group}/${version}` };
  return new ObjectDecoder(schema, { type }).decode(message) as AnyObject;
}

function withoutManagedFields(object: AnyObject): AnyObject {
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

const podFrame = (...message: Uint8Array[]) => frame('ADDED', envelope('Pod', 'v1', ...message));

describe.each(['packed', 'shared'] as const)('a %s store of protobuf', (store) => {
  const packed = (options: Options = {}) => packedBy({ store, ...options });
  const takeProtobuf = (object: CorpusObject, options: Options = {}) => takeBy(object, { store, ...options });

  async function framesOf(bytes: Buffer, codec = packed()): Promise<CachedFrame<AnyObject>[]> {
    const frames: CachedFrame<AnyObject>[] = [];
    for await (const batch of codec.readWatch(chunksOf(bytes), PROTOBUF)) frames.push(...batch);
    return frames;
  }

  it.each(corpus.map((object) => [object.kind, object] as const))(
    'shows a %s as Go writes it to JSON',
    async (_, object) => {
      const cached = await takeProtobuf(object).then(whole);
      const expected = withoutManagedFields(object.json);
      const view = cached.view();
      assert.deepStrictEqual(view, expected);
      assert.deepStrictEqual(Object.keys(view), Object.keys(decoded(object)));
      expect(JSON.stringify(view)).toBe(JSON.stringify(withoutManagedFields(decoded(object))));
      expect(inspect(cached.view(), { depth: null })).toBe(
        inspect(withoutManagedFields(decoded(object)), { depth: null }),
      );
      assert.deepStrictEqual(structuredClone(cached.view()), expected);
      assert.deepStrictEqual({ ...cached.view().metadata }, expected.metadata);
      expect(Object.keys(cached.view().metadata ?? {})).toEqual(
        Object.keys(decoded(object).metadata ?? {}).filter((field) => field !== 'managedFields'),
      );
      const { name, namespace = '', uid = '', resourceVersion = '', labels = {} } = expected.metadata ?? {};
      expect(cached).toMatchObject({ name, namespace, uid, resourceVersion });
      expect(cached.key).toBe(namespace === '' ? name : `${namespace}/${name}`);
      assert.deepStrictEqual({ ...cached.labels }, labels);
      const kept = await takeProtobuf(object, { managedFields: 'keep' }).then(whole);
      assert.deepStrictEqual(kept.view(), object.json);
    },
  );

  it.each(corpus.map((object) => [object.kind, object] as const))(
    'follows paths in a %s as in its view',
    async (_, object) => {
      const cached = (await takeProtobuf(object).then(whole)) as PackedCached<AnyObject>;
      const view = withoutManagedFields(decoded(object));
      const paths = pathsIn(view);
      expect(paths.length).toBeGreaterThan(3);
      fc.assert(
        fc.property(
          fc.constantFrom(...paths),
          fc.array(fc.nat(9), { maxLength: 3 }),
          fc.boolean(),
          (path, stars, more) => {
            const starred = path.map((segment, i) => (stars.includes(i) ? '*' : segment));
            const segments = more ? [...starred, 'none'] : starred;
            const followed = { segments, isPlural: segments.includes('*') };
            assert.deepStrictEqual(cached.valueAt(followed), valueAt(view, followed));
          },
        ),
      );
    },
  );

  it.each(corpus.map((object) => [object.kind, object] as const))(
    'drops and keeps fields of a %s as on the plain object',
    async (_, object) => {
      const paths = pathsIn(decoded(object)).filter(
        (path) => !path.some((segment) => segment.includes('.') || segment === ''),
      );
      const some = fc.array(
        fc.record({
          path: fc.constantFrom(...paths),
          length: fc.integer({ min: 1, max: 5 }),
          stars: fc.array(fc.nat(5)),
        }),
        { minLength: 1, maxLength: 4 },
      );
      await fc.assert(
        fc.asyncProperty(some, fc.boolean(), async (chosen, isKeep) => {
          const texts = chosen.map(({ path, length, stars }) =>
            path
              .slice(0, length)
              .map((segment, i) => (/^\d+$/.test(segment) || (i > 0 && stars.includes(i)) ? '*' : segment))
              .join('.'),
          );
          const options = isKeep ? { keep: texts } : { drop: texts };
          const cached = await takeProtobuf(object, options).then(whole);
          const rules = fieldRules(options);
          const expected = filterData(decoded(object), rules ?? 'keep');
          assert.deepStrictEqual(withoutEmptied(structuredClone(cached.view())), withoutEmptied(expected));
        }),
        { numRuns: 40 },
      );
    },
  );

  it('reports damage below the metadata to its reader, by the name of the object, and to the codec', async () => {
    const heard: string[] = [];
    const codec = packed({ onDamage: (cached) => heard.push(cached.key) });
    const metadata = bytesField(1, bytesField(1, 'a'), bytesField(3, 'b'));
    const [first] = await framesOf(podFrame(metadata, bytesField(2, bytesField(2, Buffer.from([0xff])))), codec);
    if (first?.type !== 'ADDED') throw new Error('a broken frame');
    const view = first.object.view();
    expect(view.metadata?.name).toBe('a');
    expect(() => view.spec).toThrow(DecodeError);
    expect(() => view.spec).toThrow(/^spec of b\/a cannot be decoded: .*spec\.containers\[0\]/);
    expect(heard).toEqual(['b/a', 'b/a']);
  });

  it('reports damage in what is inside the metadata', async () => {
    const damaged = bytesField(13, bytesField(1, Buffer.from([0xff])), Buffer.from([0x0a, 0x7f]));
    const [first] = await framesOf(podFrame(bytesField(1, bytesField(1, 'a'), damaged)));
    if (first?.type !== 'ADDED') throw new Error('a broken frame');
    const { metadata } = first.object.view();
    expect(metadata?.name).toBe('a');
    expect(() => metadata?.ownerReferences).toThrow(/^metadata\.ownerReferences of a cannot be decoded/);
  });

  it('reads metadata in any order', async () => {
    const fields = [
      bytesField(11, bytesField(1, 'k'), bytesField(2, 'v')),
      bytesField(3, 'ns'),
      numberField(7, 2),
      bytesField(1, 'a'),
    ];
    const [first] = await framesOf(podFrame(bytesField(1, ...fields)));
    if (first?.type !== 'ADDED') throw new Error('a broken frame');
    assert.deepStrictEqual(first.object.view().metadata, {
      name: 'a',
      namespace: 'ns',
      generation: 2,
      labels: { k: 'v' },
    });
  });

  it('tells apart names with slashes in them', async () => {
    for (const [namespace, name] of [
      ['', 'x'],
      ['', 'a/b'],
      ['n', 'a/b'],
      ['n/m', 'a'],
      ['n', 'a'],
    ]) {
      const fields = [bytesField(1, name ?? ''), bytesField(3, namespace ?? '')];
      const [first] = await framesOf(podFrame(bytesField(1, ...fields)));
      if (first?.type !== 'ADDED') throw new Error('a broken frame');
      expect([first.object.namespace, first.object.name]).toEqual([namespace, name]);
    }
  });

  it('takes managed fields out wherever they lie, and everything else as it is', async () => {
    const managed = bytesField(17, bytesField(1, 'm'));
    const unknown = numberField(900, 7);
    const metadata = [
      managed,
      bytesField(1, 'a'),
      managed,
      managed,
      bytesField(11, bytesField(1, 'k'), bytesField(2, 'v')),
      managed,
    ];
    const [first] = await framesOf(podFrame(unknown, bytesField(1, ...metadata), unknown));
    if (first?.type !== 'ADDED') throw new Error('a broken frame');
    expect(first.object.view().metadata).toEqual({ name: 'a', labels: { k: 'v' } });
  });

  it('never crashes, hangs or poisons what comes after, whatever bytes are flipped or lost', async () => {
    const { message } = sampleOf('Pod');
    const small = message.subarray(0, message.length);
    const next = bytesField(1, bytesField(1, 'next'));
    const changes = fc.array(fc.record({ at: fc.nat(small.length - 1), to: fc.nat(255) }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(changes, fc.option(fc.nat(small.length)), fc.boolean(), async (flips, cut, isFiltered) => {
        const bytes = Buffer.from(small);
        for (const { at, to } of flips) bytes[at] = to;
        const damaged = cut === null ? bytes : bytes.subarray(0, cut);
        const codec = packed(isFiltered ? { drop: ['spec.containers.*.env', 'metadata.annotations.x', 'status'] } : {});
        const frames = await framesOf(Buffer.concat([podFrame(damaged), podFrame(next)]), codec);
        expect(frames).toHaveLength(2);
        for (const each of frames) {
          if (each.type !== 'ADDED') continue;
          each.object.stored?.();
          try {
            const object = each.object as PackedCached<AnyObject>;
            JSON.stringify([
              object.view(),
              object.labels,
              object.valueAt({ segments: ['spec', 'containers', '*', 'image'], isPlural: true }),
            ]);
          } catch (error) {
            expect(error).toBeInstanceOf(DecodeError);
          }
        }
        const last = frames[1];
        if (last?.type !== 'ADDED') throw new Error('the next frame is broken');
        expect(last.object.view().metadata).toEqual({ name: 'next' });
      }),
      { numRuns: 300 },
    );
  });

  it('asks for what it is told to, and reads what it gets', async () => {
    expect(packed().accept).toBe('application/vnd.kubernetes.protobuf,application/json');
    expect(packed({ encoding: 'json' }).accept).toBe('application/json');
    expect(packed({ encoding: 'json' }).acceptWatch).toBe('application/json');
    const [first] = await framesOf(podFrame(bytesField(1, bytesField(1, 'a'))), packed({ encoding: 'json' }));
    expect(first?.type).toBe('ADDED');
  });

  it('reads a Status in protobuf, and leaves everything else to others', () => {
    const codec = packed();
    const body = envelope('Status', 'v1', bytesField(3, 'no'), bytesField(4, 'Forbidden'), numberField(6, 403));
    expect(codec.readStatus?.(body, 'application/vnd.kubernetes.protobuf')).toMatchObject({
      kind: 'Status',
      message: 'no',
      reason: 'Forbidden',
      code: 403,
    });
    expect(codec.readStatus?.(body, 'application/json')).toBeUndefined();
    expect(codec.readStatus?.(body.subarray(0, 9), 'application/vnd.kubernetes.protobuf')).toBeUndefined();
    expect(codec.readStatus?.(envelope('Pod', 'v1'), 'application/vnd.kubernetes.protobuf')).toBeUndefined();
  });
});

/** The paths to all values, those of lists by their index. */
function pathsIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]];
  const inner = Object.entries(value).flatMap(([name, each]) => pathsIn(each).map((path) => [name, ...path]));
  return inner.length > 0 ? inner : [[]];
}

/** On the wire a map or a list of which nothing is left cannot be told from one that never was. */
function withoutEmptied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutEmptied);
  const entries = Object.entries(value).map(([name, inner]) => [name, withoutEmptied(inner)] as const);
  const isEmpty = (inner: unknown) => inner === null || (typeof inner === 'object' && Object.keys(inner).length === 0);
  return Object.fromEntries(entries.filter(([, inner]) => !isEmpty(inner)));
}
