import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CachedFrame } from '../../api/cached.ts';
import { valueAt } from '../../api/object-path.ts';
import { DecodeError } from '../decode-error.ts';
import {
  anything,
  inChunks,
  indent,
  managed,
  watch as plainWatch,
  pod,
  podArbitrary,
  sizes,
} from '../json/json-codec-fixture.ts';
import { PackedCached } from './packed-cached.ts';
import { type AnyObject, type Options, packed, takeJson, whole } from './packed-fixture.ts';

async function framesOf(
  text: string,
  codec = packed(),
  cuts: readonly number[] = [],
): Promise<CachedFrame<AnyObject>[]> {
  const frames: CachedFrame<AnyObject>[] = [];
  for await (const batch of codec.readWatch(inChunks(Buffer.from(text), cuts), 'application/json'))
    frames.push(...batch);
  return frames;
}

const listed = async (items: readonly string[], codec = packed()) =>
  codec.readList(inChunks(Buffer.from(`{"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[${items}]}`)), '');

/** Everything that a stage or a user sees of an object. */
function seen(frame: CachedFrame<AnyObject> | undefined): unknown {
  if (frame === undefined || !('object' in frame))
    return frame?.type === 'BROKEN' ? [frame.type, frame.broken.key] : frame;
  const { key, namespace, name, uid, resourceVersion, labels } = frame.object;
  const view = frame.object.view();
  return [frame.type, { key, namespace, name, uid, resourceVersion, labels }, Object.keys(view).sort(), { ...view }];
}

describe('a packed store of JSON', () => {
  it('shows what is nested deep, lists within lists above all', async () => {
    for (const [open, close, depth] of [
      ['[', ']', 3_000],
      ['[{"a":', '}]', 500],
      ['{"a":', '}', 500],
    ] as const) {
      const deep = `${open.repeat(depth)}"${'x'.repeat(100)}"${close.repeat(depth)}`;
      const object = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"u","resourceVersion":"1"},"spec":${deep}}`;
      const [frame] = await framesOf(`{"type":"ADDED","object":${object}}\n`);
      assert(frame !== undefined && 'object' in frame);
      const view = frame.object.view();
      expect(JSON.stringify(view)).toBe(JSON.stringify(JSON.parse(object)));
    }
  });

  it('shows what the plain codec shows, for any object, however it is written and cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        podArbitrary,
        fc.option(managed),
        indent,
        sizes,
        fc.boolean(),
        async (object, fields, space, cuts, last) => {
          const metadata = fields === null ? object.metadata : { ...object.metadata, managedFields: fields };
          const { metadata: _, ...rest } = object;
          const ordered = last ? { ...rest, metadata } : { metadata, ...rest, '"more"': fields };
          const text = `${JSON.stringify({ type: 'ADDED', object: ordered }, undefined, space)}\n`;
          const [actual] = await framesOf(text, packed(), cuts);
          const [expected] = await plainWatch(text);
          assert.deepStrictEqual(seen(actual), seen(expected as CachedFrame<AnyObject>));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('shows what the plain codec shows, for any metadata at all', async () => {
    const odd = fc.constantFrom(
      'metadata',
      'name',
      'namespace',
      'uid',
      'labels',
      'managedFields',
      '__proto__',
      'a/b',
      '',
      'é',
    );
    const value = fc.oneof(anything, odd, fc.dictionary(odd, fc.oneof(odd, anything)));
    const metadata = fc.dictionary(odd, value).map((fields) => ({ name: 'a', ...fields }));
    const object = fc.record(
      { kind: fc.constantFrom('Pod', '', 'Node'), apiVersion: fc.constant('v1'), metadata, spec: value },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(object, async (pod) => {
        const text = `${JSON.stringify({ type: 'MODIFIED', object: pod })}\n`;
        const [actual] = await framesOf(text);
        const [expected] = await plainWatch(text);
        assert.deepStrictEqual(seen(actual), seen(expected as CachedFrame<AnyObject>));
      }),
      { numRuns: 500 },
    );
  });

  it('finds managed fields whatever is written in them', async () => {
    for (const text of ['}]}', '}],', '"}],"', '[', '\\"}]}', ']', '}],"spec":{']) {
      const object = pod('a', { managedFields: [{ manager: text, fieldsV1: { [`f:${text}`]: {}, '.': {} } }] });
      const cached = await takeJson(JSON.stringify({ ...object, spec: { text } })).then(whole);
      assert.deepStrictEqual({ ...cached.view() }, { ...pod('a'), spec: { text } });
    }
  });

  it('keeps managed fields when it is told to', async () => {
    const object = pod('a', { managedFields: [{ manager: 'm' }] });
    const codec = packed({ managedFields: 'keep' });
    expect((await takeJson(JSON.stringify(object), codec).then(whole)).view()).toStrictEqual(object);
  });

  it('takes of a field or an object that comes twice the last, as JSON.parse does', async () => {
    const large = (first: string) => JSON.stringify({ first, rest: 'x'.repeat(200) });
    for (const text of [
      `{"metadata":{"name":"a"},"spec":${large('1')},"spec":${large('2')}}`,
      `{"metadata":{"name":"a"},"spec":{"template":${large('1')},"other":${large('2')},"template":${large('3')}}}`,
      '{"metadata":{"name":"a"},"spec":1,"spec":2}',
      '{"metadata":{"name":"a","name":"b","\\u006eame":"c"}}',
      '{"metadata":{"name":"a"},"metadata":{"name":"b"}}',
      '{"metadata":{"name":"a","labels":{"x":"1"},"labels":{"y":"2"}}}',
    ]) {
      const cached = await takeJson(text).then(whole);
      const expected = JSON.parse(text);
      assert.deepStrictEqual({ ...cached.view() }, { kind: 'Pod', apiVersion: 'v1', ...expected });
      expect(cached.name).toBe(expected.metadata.name);
      assert.deepStrictEqual(cached.labels, expected.metadata.labels ?? {});
    }
  });

  it('reports damage below the metadata to its reader, by the name of the object, and to the codec', async () => {
    const heard: string[] = [];
    const codec = packed({ onDamage: (cached, error) => heard.push(`${cached.key}: ${error.message}`) });
    const cached = await takeJson(
      '{"metadata":{"name":"a","namespace":"b"},"spec":{"x":truth},"status":{}}',
      codec,
    ).then(whole);
    const view = cached.view();
    expect(view.metadata).toEqual({ name: 'a', namespace: 'b' });
    expect(view.status).toEqual({});
    expect(() => view.spec).toThrow(DecodeError);
    expect(() => view.spec).toThrow('spec of b/a cannot be decoded');
    expect(heard).toHaveLength(2);
    expect(heard[0]).toBe('b/a: spec of b/a cannot be decoded: its JSON is damaged');
  });

  it('refuses damage in the top-level fields and the metadata on arrival', async () => {
    for (const text of [
      '{"metadata":{"name":"a","annotations":{"x":tru}},"spec":{}}',
      '{"metadata":{"name":"a","labels":{"x":"\\q"}},"spec":{}}',
      '{"metadata":{"name":"a"},"spec":{},}',
      '{"metadata":{"name":"a"}"spec":{}}',
      '{"metadata":{"name":"a"},"spec"{}}',
      '{"metadata":{"name":1}}',
      '{"metadata":{"name":"a","labels":["x"]}}',
      '{"spec":{}}',
      '[]',
    ]) {
      const [frame, next] = await framesOf(
        `{"type":"ADDED","object":${text}}\n${JSON.stringify({ type: 'ADDED', object: pod('b') })}\n`,
      );
      expect(frame?.type, text).toBe('BROKEN');
      expect(next?.type).toBe('ADDED');
    }
  });

  it('never crashes, hangs or poisons what comes after, whatever bytes are flipped or lost', async () => {
    const object = JSON.stringify({
      ...pod('a', { labels: { x: 'y' }, managedFields: [{ manager: 'm' }] }),
      spec: { a: [{ b: 'c' }] },
    });
    const frame = Buffer.from(`{"type":"ADDED","object":${object}}\n`);
    const next = Buffer.from(`{"type":"ADDED","object":${JSON.stringify(pod('next'))}}\n`);
    const damage = fc.array(fc.record({ at: fc.nat(frame.length - 2), to: fc.nat(255) }), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(damage, fc.nat(frame.length), async (changes, cut) => {
        const bytes = Buffer.from(frame);
        for (const { at, to } of changes) bytes[at] = to;
        const text = Buffer.concat([bytes.subarray(0, frame.length - 1 - (cut % 5)), Buffer.from('\n'), next]);
        const codec = packed();
        const frames: CachedFrame<AnyObject>[] = [];
        try {
          for await (const batch of codec.readWatch(inChunks(text), 'application/json')) frames.push(...batch);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
        for (const each of frames) {
          if (!('object' in each)) continue;
          each.object.stored?.();
          try {
            JSON.stringify([each.object.view(), each.object.labels]);
          } catch (error) {
            expect(error).toBeInstanceOf(DecodeError);
          }
        }
        const last = frames.at(-1);
        if (last !== undefined && 'object' in last && last.object.name === 'next') {
          assert.deepStrictEqual({ ...last.object.view() }, pod('next'));
        }
        for (const each of frames) if ('object' in each) each.object.dropped?.();
        expect(codec.memory?.liveBytes).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps objects that others have made, and refuses those that JSON cannot hold', () => {
    const codec = packed();
    const object: AnyObject = { ...pod('a', { managedFields: [] }), spec: { at: new Date(0), none: undefined } };
    const cached = codec.fromTransform(object);
    expect(cached).toBeInstanceOf(PackedCached);
    assert.deepStrictEqual({ ...cached.view() }, { ...pod('a'), spec: { at: '1970-01-01T00:00:00.000Z' } });
    expect(() => codec.fromTransform({ ...pod('a'), spec: 1n })).toThrow('default/a cannot be stored as JSON');
    expect(() => codec.fromTransform({ kind: 'Pod', apiVersion: 'v1' })).toThrow('it has no metadata');
    expect(() => codec.fromTransform({ ...pod('a'), kind: 'Node' })).toThrow('expected a Pod of v1');
    assert.deepStrictEqual({ ...codec.fromTransform(cached.view()).view() }, { ...cached.view() });
  });

  it('reduces whole objects when only metadata were asked for', async () => {
    const codec = packed({ metadataOnly: true });
    const { items } = await listed([JSON.stringify({ ...pod('a'), spec: {} }), '{"metadata":{"name":"b"}}'], codec);
    const type = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };
    expect(items.map((item) => item.view())).toStrictEqual([
      { ...type, metadata: pod('a').metadata },
      { ...type, metadata: { name: 'b' } },
    ]);
  });

  it('counts the bytes of what is stored, and detaches what is deleted', async () => {
    const codec = packed();
    const [added, deleted] = await framesOf(
      ['ADDED', 'DELETED'].map((type) => JSON.stringify({ type, object: pod('a') })).join('\n'),
      codec,
    );
    if (added?.type !== 'ADDED' || deleted?.type !== 'DELETED') throw new Error('other frames');
    expect(codec.memory?.liveBytes).toBe(0);
    added.object.stored?.();
    added.object.stored?.();
    expect(codec.memory?.liveBytes).toBeGreaterThan(100);
    expect(codec.memory?.heldBytes).toBeGreaterThanOrEqual(codec.memory?.liveBytes ?? 0);
    expect((deleted.object as PackedCached<AnyObject>).home.bytes.length).toBeLessThan(300);
    added.object.dropped?.();
    added.object.dropped?.();
    expect(codec.memory?.liveBytes).toBe(0);
    expect(added.object.view()).toStrictEqual(pod('a'));
  });

  it('follows paths as in the view', async () => {
    const segments = fc.array(
      fc.oneof(fc.constantFrom('*', 'a', 'b', '0', 'length', '__proto__', 'name'), fc.string()),
      { minLength: 1, maxLength: 4 },
    );
    const inner = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(1, true, null, 'x', -0.5),
        fc.dictionary(fc.constantFrom('a', 'b', '0', '"', '__proto__'), tie('value')),
        fc.array(tie('value')),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(inner, segments, async (spec, path) => {
        const object = { ...pod('a', { labels: { app: 'x' } }), spec } as AnyObject;
        const cached = (await takeJson(JSON.stringify(object)).then(whole)) as PackedCached<AnyObject>;
        for (const full of [['spec', ...path], ['metadata', 'labels', 'app'], path]) {
          const followed = { segments: full, isPlural: full.includes('*') };
          assert.deepStrictEqual(cached.valueAt(followed), valueAt(JSON.parse(JSON.stringify(object)), followed));
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('drop and keep on JSON', () => {
  const object = {
    ...pod('a', { annotations: { x: '1', 'y.z/w': '2' }, labels: { app: 'web' }, managedFields: [{ manager: 'm' }] }),
    spec: { nodeName: 'n', containers: [{ name: 'c', env: [1], ports: [] }, { name: 'd' }], volumes: [] },
    status: { phase: 'Running' },
  };
  const filtered = async (options: Options) =>
    (await takeJson(JSON.stringify(object), packed(options)).then(whole)).view();
  const metadata = { ...pod('a').metadata };

  it('leaves out what is dropped, and never the identity', async () => {
    assert.deepStrictEqual(
      { ...(await filtered({ drop: ['metadata', 'spec', 'status.none', 'kind'] })) },
      { ...pod('a'), status: object.status },
    );
    assert.deepStrictEqual(
      {
        ...(await filtered({
          drop: ['metadata.annotations.y.z/w', 'metadata.labels', 'spec.containers.*.env', 'spec.volumes.*', 'status'],
        })),
      },
      {
        ...pod('a'),
        metadata: { ...metadata, annotations: { x: '1' } },
        spec: { nodeName: 'n', containers: [{ name: 'c', ports: [] }, { name: 'd' }] },
      },
    );
  });

  it('keeps nothing but what is kept, and the identity', async () => {
    assert.deepStrictEqual(
      { ...(await filtered({ keep: ['spec.nodeName', 'spec.containers.*.name'] })) },
      {
        ...pod('a'),
        spec: { nodeName: 'n', containers: [{ name: 'c' }, { name: 'd' }] },
      },
    );
    assert.deepStrictEqual(
      { ...(await filtered({ keep: ['metadata'], drop: ['metadata.annotations'] })) },
      {
        ...pod('a'),
        metadata: { ...metadata, labels: { app: 'web' } },
      },
    );
    const whole = await filtered({ keep: ['metadata'], managedFields: 'keep' });
    assert.deepStrictEqual({ ...whole }, { ...pod('a'), metadata: object.metadata });
  });

  it('holds for objects that others have made, and refuses paths that lead nowhere', () => {
    assert.deepStrictEqual(
      {
        ...packed({ drop: ['spec', 'status'] })
          .fromTransform(object)
          .view().metadata,
      },
      {
        ...metadata,
        annotations: { x: '1', 'y.z/w': '2' },
        labels: { app: 'web' },
      },
    );
    expect(() => packed({ drop: ['spec..x'] })).toThrow('empty segment');
  });
});
