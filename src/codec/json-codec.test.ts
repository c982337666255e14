import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import type { CachedFrame } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { defineResource } from '../api/resource.ts';
import { DecodeError } from './decode-error.ts';
import { JsonCodec } from './json-codec.ts';

interface Pod extends KubernetesObject {
  spec?: unknown;
}

const pods = defineResource<Pod>({ version: 'v1', plural: 'pods', kind: 'Pod' });
const codec = new JsonCodec({ resource: pods });

async function* inChunks(bytes: Uint8Array, sizes: readonly number[] = []): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const size of sizes) {
    yield bytes.subarray(start, start + size);
    start += size;
  }
  yield bytes.subarray(start);
}

const bodyOf = (text: string, sizes?: readonly number[]) => inChunks(Buffer.from(text), sizes);
const list = (text: string, sizes?: readonly number[]) => codec.readList(bodyOf(text, sizes), 'application/json');

async function watch(text: string, sizes?: readonly number[], using = codec): Promise<CachedFrame<Pod>[]> {
  const frames: CachedFrame<Pod>[] = [];
  for await (const batch of using.readWatch(bodyOf(text, sizes), 'application/json')) frames.push(...batch);
  return frames;
}

function summary(frame: CachedFrame<Pod> | undefined): unknown {
  if (frame === undefined) return undefined;
  switch (frame.type) {
    case 'BROKEN':
      return { type: frame.type, key: frame.broken.key };
    case 'BOOKMARK':
    case 'ERROR':
      return frame;
    default:
      return { type: frame.type, object: frame.object.view() };
  }
}

const pod = (name: string, more: object = {}) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { namespace: 'default', name, uid: `uid-${name}`, resourceVersion: '7', ...more },
});

const name = fc.stringMatching(/^[a-z0-9]{1,12}$/);
const anything = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const podArbitrary = fc.record({
  kind: fc.constant('Pod'),
  apiVersion: fc.constant('v1'),
  metadata: fc.record(
    {
      name,
      namespace: name,
      uid: fc.string(),
      resourceVersion: fc.nat().map(String),
      labels: fc.oneof(fc.constant(null), fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }))),
      annotations: fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })),
    },
    { requiredKeys: ['name'] },
  ),
  spec: anything,
  '"metadata":': anything,
  'quoted \\"managedFields":[': anything,
});
const managed = fc.array(fc.record({ manager: fc.string(), fieldsV1: anything }), { minLength: 1 });
const sizes = fc.array(fc.nat(40), { maxLength: 60 });
const indent = fc.constantFrom('', ' ', '\t', '  ');

describe('reading a list', () => {
  it('gives the same items however the bytes are split, laid out and ordered', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(podArbitrary, fc.option(managed, { nil: undefined }), fc.boolean()), { maxLength: 5 }),
        fc.shuffledSubarray(['kind', 'apiVersion', 'metadata', 'other'], { minLength: 0 }),
        fc.nat(4),
        anything,
        sizes,
        indent,
        async (objects, order, itemsAt, other, splits, layout) => {
          const onTheWire = objects.map(([{ kind, apiVersion, metadata, ...rest }, managedFields, first]) => ({
            metadata: first ? { managedFields, ...metadata } : { ...metadata, managedFields },
            ...rest,
          }));
          const fields = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '12' }, other };
          const entries = order.map((field) => [field, fields[field as keyof typeof fields]] as const);
          const body = Object.fromEntries([
            ...entries.slice(0, itemsAt),
            ['items', onTheWire] as const,
            ...entries.slice(itemsAt),
          ]);
          const result = await list(JSON.stringify(body, undefined, layout), splits);
          expect(result.broken).toEqual([]);
          expect(result.items.map((item) => item.view())).toEqual(objects.map(([object]) => object));
          expect(result.metadata).toEqual(order.includes('metadata') ? { resourceVersion: '12' } : {});
        },
      ),
    );
  });

  it('reads what the stages need to know', async () => {
    const labels = { app: 'web', constructor: 'x' };
    const result = await list(JSON.stringify({ kind: 'PodList', items: [pod('a', { labels })] }));
    const [item] = result.items;
    expect(item).toMatchObject({
      key: 'default/a',
      namespace: 'default',
      name: 'a',
      uid: 'uid-a',
      resourceVersion: '7',
    });
    expect(item?.labels).toEqual(labels);
  });

  it('keeps keys like __proto__ as plain data', async () => {
    const result = await list(
      '{"items":[{"metadata":{"name":"a","labels":{"__proto__":"x"}},"data":{"__proto__":"y"}}]}',
    );
    const [item] = result.items;
    expect(Object.getOwnPropertyNames(item?.labels)).toEqual(['__proto__']);
    expect(JSON.stringify(item?.view())).toContain('"data":{"__proto__":"y"}');
  });

  it('fills in kind and apiVersion in the order of a watch, and reads null for them as missing', async () => {
    const body = '{"items":[{"metadata":{"name":"a"}},{"kind":null,"apiVersion":"","metadata":{"name":"b"}}]}';
    const views = (await list(body)).items.map((item) => JSON.stringify(item.view()));
    expect(views).toEqual([
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}',
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b"}}',
    ]);
  });

  it('keeps managedFields when told to', async () => {
    const keeping = new JsonCodec({ resource: pods, managedFields: 'keep' });
    const body = JSON.stringify({ items: [pod('a', { managedFields: [{ manager: 'x' }] })] });
    const { items } = await keeping.readList(bodyOf(body), '');
    expect(items[0]?.view().metadata?.managedFields).toEqual([{ manager: 'x' }]);
  });

  it('takes null for no items', async () => {
    expect(await list('{"kind":"PodList","metadata":{"resourceVersion":"3"},"items":null}')).toEqual({
      items: [],
      broken: [],
      metadata: { resourceVersion: '3' },
    });
  });

  it('hands over the continue token and the count of what remains', async () => {
    const { metadata } = await list(
      '{"metadata":{"continue":"c","remainingItemCount":4,"resourceVersion":"1"},"items":[]}',
    );
    expect(metadata).toEqual({ resourceVersion: '1', continue: 'c', remainingItemCount: 4 });
  });

  it('names the items that cannot be used and takes the others', async () => {
    const items = [
      pod('a'),
      null,
      7,
      { spec: {} },
      { metadata: {} },
      { ...pod('s'), kind: 'Service' },
      { ...pod('v'), apiVersion: 'v2' },
      pod('r', { resourceVersion: 7 }),
      pod('z'),
    ];
    const result = await list(JSON.stringify({ items }));
    expect(result.items.map((item) => item.name)).toEqual(['a', 'z']);
    expect(result.broken.map(({ key }) => key)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'default/s',
      'default/v',
      'default/r',
    ]);
    expect(result.broken[4]?.problem.message).toBe(
      'item 6 of the list of pods.v1 cannot be used (default/s): expected a Pod of v1 and got a Service of v1',
    );
  });

  it('calls an item broken whose brackets fit and which is no JSON, without quoting it', async () => {
    const result = await list('{"items":[{"metadata":{"name":"a"}},{"password":hunter2}]}');
    expect(result.items).toHaveLength(1);
    expect(result.broken[0]?.problem.message).toBe('item 2 of the list of pods.v1 is not valid JSON');
  });

  it.each([
    ['a Table', '{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[1', 'got a Table without "items"'],
    ['a single object', JSON.stringify(pod('a')), 'got a Pod without "items"'],
    ['an object without a kind', '{}', 'got something without a kind'],
    ['the page of a proxy', '<html>sign in</html>', 'expected a JSON object at byte 0, found "<html>'],
    ['items that are no array', '{"items":{}}', 'not an array'],
    [
      'a body that breaks off',
      '{"items":[{"metadata":{"name":"a"}},{"meta',
      'broke off after 42 bytes, after 1 whole item',
    ],
    ['an empty body', '', 'broke off after 0 bytes, before any item'],
    ['something after the list', '{"items":[]}{', 'nothing after the end'],
    ['two items without a comma', '{"items":[{} {}]}', 'expected "," or "]"'],
    ['a missing colon', '{"items" []}', 'expected ":"'],
  ])('refuses %s with a clear error', async (_, body, message) => {
    const failure = await list(body).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DecodeError);
    expect(String(failure)).toContain(message);
  });

  it('throws the ApiError that a Status in place of the list stands for', async () => {
    const status = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message: 'too old', details: {} };
    const failure = await list(JSON.stringify(status)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ code: 410, reason: 'Expired' });
  });

  it('refuses an object that is too large, also before it is whole', async () => {
    const small = new JsonCodec({ resource: pods, maxObjectBytes: 100 });
    const body = `{"items":[{"metadata":{"name":"a"}},{"x":"${'y'.repeat(200)}`;
    await expect(small.readList(bodyOf(body), '')).rejects.toThrow('item 1 of the list is larger than 100 bytes');
  });

  it('neither hangs nor crashes on garbage', async () => {
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc
        .array(
          fc.constantFrom(
            '{',
            '}',
            '[',
            ']',
            '"',
            '\\',
            ',',
            ':',
            '\n',
            ' ',
            '1',
            '"items"',
            'null',
            'é',
            '"kind":"x"',
          ),
        )
        .map((parts) => Buffer.from(parts.join(''))),
    );
    await fc.assert(
      fc.asyncProperty(garbage, sizes, async (bytes, splits) => {
        const failure = await codec.readList(inChunks(bytes, splits), '').then(
          ({ items }) => items.length,
          (error: unknown) => error,
        );
        if (typeof failure !== 'number') expect(failure).toBeInstanceOf(DecodeError);
        else JSON.parse(bytes.toString());
      }),
      { numRuns: 500 },
    );
  });

  it('lets the event loop turn while it reads a long list', async () => {
    const body = Buffer.from(JSON.stringify({ items: Array.from({ length: 20_000 }, (_, i) => pod(`p${i}`)) }));
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const { items } = await codec.readList(inChunks(body), '');
    clearInterval(counting);
    expect(items).toHaveLength(20_000);
    expect(turns).toBeGreaterThan(0);
  });
});

describe('reading a watch', () => {
  const eventArbitrary = fc.oneof(
    fc
      .tuple(fc.constantFrom('ADDED' as const, 'MODIFIED' as const, 'DELETED' as const), podArbitrary)
      .map(([type, object]) => ({ wire: { type, object }, frame: { type, object } as unknown })),
    fc.tuple(fc.nat().map(String), fc.boolean()).map(([resourceVersion, end]) => ({
      wire: {
        type: 'BOOKMARK',
        object: {
          kind: 'Pod',
          metadata: { resourceVersion, annotations: { 'k8s.io/initial-events-end': String(end) } },
        },
      },
      frame: { type: 'BOOKMARK', resourceVersion, initialEventsEnd: end } as unknown,
    })),
  );

  it('gives the same frames however the bytes are split and laid out', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(eventArbitrary, indent, fc.constantFrom('', '\n', '\r\n', '\n\n', ' ')), { maxLength: 6 }),
        sizes,
        async (events, splits) => {
          const text = events
            .map(([event, layout, gap]) => JSON.stringify(event.wire, undefined, layout) + gap)
            .join('');
          expect((await watch(text, splits)).map(summary)).toEqual(events.map(([event]) => event.frame));
        },
      ),
    );
  });

  it('drops managedFields and fills in kind and apiVersion, as a list does', async () => {
    const wire = { type: 'ADDED', object: { metadata: { name: 'a', managedFields: [{ manager: '}]' }], uid: 'u' } } };
    const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a', uid: 'u' } };
    expect((await watch(`${JSON.stringify(wire)}\n`)).map(summary)).toEqual([{ type: 'ADDED', object }]);
    expect((await watch(JSON.stringify(wire, undefined, 2))).map(summary)).toEqual([{ type: 'ADDED', object }]);
  });

  it('hands over a frame as soon as it is whole, before the next byte', async () => {
    let release: () => void = () => {};
    const more = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(JSON.stringify({ type: 'ADDED', object: pod('a') }));
      await more;
    }
    const frames = codec.readWatch(body(), '')[Symbol.asyncIterator]();
    const first = await frames.next();
    expect(first.value?.map(summary)).toEqual([{ type: 'ADDED', object: pod('a') }]);
    release();
    expect(await frames.next()).toEqual({ done: true, value: undefined });
  });

  it('throws on half a frame at the end, after the whole ones', async () => {
    const whole = JSON.stringify({ type: 'ADDED', object: pod('a') });
    const frames = codec.readWatch(bodyOf(`${whole}\n${whole.slice(0, -1)}`), '')[Symbol.asyncIterator]();
    expect((await frames.next()).value).toHaveLength(1);
    await expect(frames.next()).rejects.toThrow('broke off in the middle of a frame');
  });

  it('reports a damaged line and goes on with the next', async () => {
    const good = JSON.stringify({ type: 'MODIFIED', object: pod('a') });
    for (const damaged of [
      good.slice(0, -1),
      good.slice(0, 20),
      `${good}}`,
      'not json',
      good.replace(':', ''),
      '"text"',
      '3',
    ]) {
      const frames = await watch(`${good}\n${damaged}\n${good}\n`);
      expect(frames[0]).toMatchObject({ type: 'MODIFIED' });
      expect(frames.some((frame) => frame.type === 'BROKEN')).toBe(true);
      expect(frames.at(-1)).toMatchObject({ type: 'MODIFIED' });
    }
  });

  it.each([
    ['an unknown type', { type: 'REPLACED', object: pod('a') }, 'default/a'],
    ['no type', { object: pod('a') }, 'default/a'],
    ['another kind', { type: 'ADDED', object: { ...pod('a'), kind: 'Service' } }, 'default/a'],
    ['a Table', { type: 'ADDED', object: { kind: 'Table', apiVersion: 'meta.k8s.io/v1' } }, undefined],
    ['another version', { type: 'ADDED', object: { ...pod('a'), apiVersion: 'v2' } }, 'default/a'],
    ['no metadata', { type: 'DELETED', object: { kind: 'Pod', apiVersion: 'v1' } }, undefined],
    ['no name', { type: 'ADDED', object: { metadata: { namespace: 'x' } } }, undefined],
    ['no object', { type: 'ADDED' }, undefined],
    ['null', { type: 'ADDED', object: null }, undefined],
    ['labels that are no map', { type: 'ADDED', object: pod('a', { labels: 'x' }) }, 'default/a'],
  ])('calls a frame with %s broken', async (_, event, key) => {
    const [frame] = await watch(`${JSON.stringify(event)}\n`);
    expect(summary(frame)).toEqual({ type: 'BROKEN', key });
  });

  it('reads ERROR frames, with a Status or without, and a Status that comes bare', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired' };
    const text = [{ type: 'ERROR', object: status }, { type: 'ERROR', object: pod('a') }, status]
      .map((frame) => JSON.stringify(frame))
      .join('\n');
    const frames = await watch(text);
    expect(frames.map((frame) => frame.type)).toEqual(['ERROR', 'ERROR', 'ERROR']);
    expect(frames[0]).toEqual({ type: 'ERROR', status });
    expect(frames[2]).toEqual({ type: 'ERROR', status });
  });

  it('reads the annotation of the closing bookmark only when it is "true"', async () => {
    const bookmark = (annotations: unknown) => ({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: '5', annotations } },
    });
    const text = ['true', 'false', true].map((value) =>
      JSON.stringify(bookmark({ 'k8s.io/initial-events-end': value })),
    );
    expect(await watch([...text, '{"type":"BOOKMARK","object":null}'].join('\n'))).toEqual([
      { type: 'BOOKMARK', resourceVersion: '5', initialEventsEnd: true },
      { type: 'BOOKMARK', resourceVersion: '5', initialEventsEnd: false },
      { type: 'BOOKMARK', resourceVersion: '5', initialEventsEnd: false },
      { type: 'BOOKMARK', resourceVersion: '', initialEventsEnd: false },
    ]);
  });

  it('refuses a frame that is too large', async () => {
    const small = new JsonCodec({ resource: pods, maxObjectBytes: 100 });
    await expect(watch(`{"type":"ADDED","x":"${'y'.repeat(200)}`, [], small)).rejects.toThrow('larger than 100 bytes');
  });

  it('neither hangs nor crashes on garbage', async () => {
    const parts = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      '\n',
      ' ',
      '1',
      'null',
      'é',
      '{"type":"ADDED","object":',
    );
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.array(parts, { maxLength: 40 }).map((chosen) => Buffer.from(chosen.join(''))),
    );
    await fc.assert(
      fc.asyncProperty(garbage, sizes, async (bytes, splits) => {
        try {
          for await (const batch of codec.readWatch(inChunks(bytes, splits), '')) {
            for (const frame of batch) expect(frame.type).toBe('BROKEN');
          }
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('leaves the body when it is left', async () => {
    let closed = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from(`${JSON.stringify({ type: 'ADDED', object: pod('a') })}\n`);
      } finally {
        closed = true;
      }
    }
    for await (const _ of codec.readWatch(body(), '')) break;
    expect(closed).toBe(true);
  });
});

describe('metadata only', () => {
  const metadataCodec = new JsonCodec({ resource: pods, metadataOnly: true });
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } };

  it('asks for PartialObjectMetadata first', () => {
    expect(metadataCodec.accept).toBe(
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    );
    expect(metadataCodec.acceptWatch).toBe(
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    );
  });

  it('reduces whole objects of a server that cannot', async () => {
    const items = [partial, { metadata: { name: 'a' } }, { ...pod('a'), metadata: { name: 'a' }, spec: { x: 1 } }];
    const result = await metadataCodec.readList(bodyOf(JSON.stringify({ items })), '');
    expect(result.items.map((item) => item.view())).toEqual([partial, partial, partial]);
  });
});

describe('taking objects of the user', () => {
  it('completes a copy and leaves the object alone', () => {
    const own = { metadata: { name: 'a', managedFields: [] } };
    expect(codec.fromObject(own).view()).toEqual({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } });
    expect(own).toEqual({ metadata: { name: 'a', managedFields: [] } });
  });

  it('keeps the very object when nothing is missing', () => {
    const own = pod('a');
    expect(codec.fromObject(own).view()).toBe(own);
  });

  it('throws when no key can be made', () => {
    expect(() => codec.fromObject({})).toThrow('it has no metadata');
    expect(() => codec.fromObject(undefined as unknown as Pod)).toThrow('expected an object');
  });
});
