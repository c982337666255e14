import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import { defineResource } from '../../api/resource.ts';
import { DecodeError } from '../decode-error.ts';
import { resourceCodec } from '../resource-codec.ts';
import {
  anything,
  bodyOf,
  inChunks,
  indent,
  jsonCodec,
  listWith,
  managed,
  pod,
  podArbitrary,
  sizes,
  stores,
} from './json-codec-fixture.ts';

describe.each(stores)('reading a list into a %s store', (store) => {
  const codec = jsonCodec({ store });
  const list = (text: string, splits?: readonly number[]) => listWith(codec, text, splits);

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
    const keeping = jsonCodec({ store, managedFields: 'keep' });
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

  it('calls an item broken whose brackets fit and which is not JSON, without quoting it', async () => {
    const result = await list('{"items":[{"metadata":{"name":"a"}},{"password":hunter2}]}');
    expect(result.items).toHaveLength(1);
    expect(result.broken[0]?.problem.message).toBe('item 2 of the list of pods.v1 is not valid JSON');
  });

  it.each([
    ['a Table', '{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[1', 'got a Table without "items"'],
    ['a single object', JSON.stringify(pod('a')), 'got a Pod without "items"'],
    ['an object without a kind', '{}', 'got something without a kind'],
    ['the page of a proxy', '<html>sign in</html>', 'expected a JSON object at byte 0, found "<html>'],
    ['items that are not an array', '{"items":{}}', 'not an array'],
    [
      'a body that breaks off',
      '{"items":[{"metadata":{"name":"a"}},{"meta',
      'broke off after 42 bytes, after 1 whole item',
    ],
    ['an empty body', '', 'broke off after 0 bytes, before any item'],
    ['something after the list', '{"items":[]}{', 'nothing after the end'],
    ['two items without a comma', '{"items":[{} {}]}', 'expected "," or "]"'],
    ['a missing colon', '{"items" []}', 'expected ":"'],
    ['a list of another kind', '{"kind":"NodeList","items":[{"metadata":{"name":"a"}}]}', 'and got a NodeList'],
    [
      'one that says so at its end',
      '{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}],"kind":"NodeList"}',
      'and got a NodeList',
    ],
    ['one that is empty', '{"kind":"NodeList","items":[]}', 'expected a list of pods.v1 and got a NodeList'],
  ])('refuses %s with a clear error', async (_, body, message) => {
    const failure = await list(body).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DecodeError);
    expect(String(failure)).toContain(message);
  });

  it.each(['List', 'PodList'])('takes a list that calls itself %s', async (kind) => {
    expect((await list(JSON.stringify({ kind, items: [pod('a')] }))).items).toHaveLength(1);
  });

  it('takes a list of a custom resource under any name, which its definition may choose', async () => {
    const sheep = defineResource({ group: 'example.com', version: 'v1', plural: 'sheep', kind: 'Sheep' });
    const body = '{"kind":"FlockList","items":[{"metadata":{"name":"a"}}]}';
    const ofSheep = resourceCodec({ resource: sheep, encoding: 'json', store });
    expect((await ofSheep.readList(bodyOf(body), '')).items).toHaveLength(1);
  });

  it('throws the ApiError that a Status in place of the list stands for', async () => {
    const status = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message: 'too old', details: {} };
    const failure = await list(JSON.stringify(status)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ code: 410, reason: 'Expired' });
  });

  it('refuses an object that is too large, also before it is whole', async () => {
    const small = jsonCodec({ store, maxObjectBytes: 100 });
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
