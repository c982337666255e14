import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cached } from '../api/cached.ts';
import { apiVersionOf, defineResource } from '../api/resource.ts';
import { DecodeError } from './decode-error.ts';
import { fieldRules, filterData } from './filter/field-filter.ts';
import { inChunks, indent } from './json/json-codec-fixture.ts';
import { type AnyObject, type Options, takeJson, takeProtobuf, whole } from './packed/packed-fixture.ts';
import {
  bytesField,
  chunksOf,
  envelope,
  frame,
  listBody,
  numberField,
  sampleCorpus,
  sampleOf,
  schemaOf,
} from './protobuf/protobuf-fixture.ts';
import { resourceCodec } from './resource-codec.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const pods = defineResource<AnyObject>({ version: 'v1', plural: 'pods', kind: 'Pod' });
const cronTabs = defineResource<AnyObject>({
  group: 'example.com',
  version: 'v1',
  plural: 'crontabs',
  kind: 'CronTab',
});

const stores = ['packed', 'plain'] as const;
const combinations = stores.flatMap((store) =>
  (['protobuf', 'json'] as const).flatMap((encoding) =>
    [pods, cronTabs].flatMap((resource) =>
      [false, true].map((metadataOnly) => ({ store, encoding, resource, metadataOnly, kind: resource.kind })),
    ),
  ),
);

const metadata = {
  name: 'a',
  namespace: 'b',
  uid: 'u',
  resourceVersion: '7',
  labels: { app: 'web' },
  annotations: { note: 'n' },
};
const managedFields = [{ manager: 'm', operation: 'Update' }];
const spec = { nodeName: 'n', containers: null };

const metadataMessage = bytesField(
  1,
  bytesField(1, 'a'),
  bytesField(3, 'b'),
  bytesField(5, 'u'),
  bytesField(6, '7'),
  bytesField(11, bytesField(1, 'app'), bytesField(2, 'web')),
  bytesField(12, bytesField(1, 'note'), bytesField(2, 'n')),
  bytesField(17, bytesField(1, 'm'), bytesField(2, 'Update')),
);
const podMessage = Buffer.concat([metadataMessage, bytesField(2, bytesField(10, 'n')), bytesField(3)]);

describe.each(combinations)('a $store store of $kind in $encoding, metadata only: $metadataOnly', (combination) => {
  const { store, encoding, resource, metadataOnly } = combination;
  const isProtobuf = encoding === 'protobuf' && (metadataOnly || resource === pods);
  const type = metadataOnly
    ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }
    : { kind: resource.kind, apiVersion: apiVersionOf(resource) };
  const contentType = isProtobuf ? PROTOBUF : 'application/json';
  /** As a server would send it that was asked with the codec's own header. */
  const wire = { ...type, metadata: { ...metadata, managedFields }, ...(!metadataOnly && { spec, status: {} }) };
  const message = metadataOnly ? metadataMessage : podMessage;
  const codecWith = (options: Options = {}) => resourceCodec({ store, encoding, resource, metadataOnly, ...options });

  async function listed(options?: Options): Promise<Cached<AnyObject>> {
    const { kind: _kind, apiVersion: _apiVersion, ...item } = wire;
    const list = { kind: `${type.kind}List`, apiVersion: type.apiVersion, metadata: {}, items: [item] };
    const body = isProtobuf
      ? listBody(`${type.kind}List`, type.apiVersion, '1', [message])
      : Buffer.from(JSON.stringify(list));
    const { items, broken } = await codecWith(options).readList(chunksOf(body), contentType);
    expect(broken).toEqual([]);
    return whole(items[0]);
  }

  async function watched(options?: Options): Promise<Cached<AnyObject>> {
    const body = isProtobuf
      ? frame('ADDED', envelope(type.kind, type.apiVersion, message))
      : Buffer.from(`${JSON.stringify({ type: 'ADDED', object: wire })}\n`);
    for await (const [first] of codecWith(options).readWatch(chunksOf(body), contentType)) {
      if (first?.type === 'ADDED') return first.object;
    }
    throw new Error('there is no such frame');
  }

  it('asks for what it can read', () => {
    const { accept, acceptWatch } = codecWith();
    expect(accept.startsWith(PROTOBUF)).toBe(isProtobuf);
    expect(acceptWatch.startsWith(PROTOBUF)).toBe(isProtobuf);
    expect(accept.includes('as=PartialObjectMetadataList')).toBe(metadataOnly);
    expect(acceptWatch.endsWith('application/json')).toBe(true);
  });

  it('shows the same object from a list and from a watch', async () => {
    const expected = { ...type, metadata, ...(!metadataOnly && { spec, status: {} }) };
    for (const cached of [await listed(), await watched()]) {
      assert.deepStrictEqual(structuredClone(cached.view()), expected);
      const { key, namespace, name, uid, resourceVersion, labels } = cached;
      expect({ key, namespace, name, uid, resourceVersion }).toEqual({
        key: 'b/a',
        namespace: 'b',
        name: 'a',
        uid: 'u',
        resourceVersion: '7',
      });
      assert.deepStrictEqual({ ...labels }, metadata.labels);
      const own = cached.view();
      expect(cached.view() === own).toBe(store === 'plain');
      if (own.metadata) own.metadata.uid = 'changed';
      expect(cached.view().metadata?.uid).toBe(store === 'plain' ? 'changed' : 'u');
    }
  });

  it('keeps, drops and leaves out what it is told to', async () => {
    const kept = await listed({ managedFields: 'keep' });
    expect(kept.view().metadata?.managedFields).toMatchObject(managedFields);
    const { annotations, ...rest } = metadata;
    for (const take of [listed, watched]) {
      const dropped = await take({ drop: ['metadata.annotations', 'spec.nodeName', 'status'] });
      assert.deepStrictEqual(structuredClone(dropped.view()), {
        ...type,
        metadata: rest,
        ...(!metadataOnly && { spec: { containers: null } }),
      });
      const only = await take({ keep: ['metadata.annotations', 'none.at.all'] });
      const { labels, ...identity } = metadata;
      assert.deepStrictEqual(structuredClone(only.view()), { ...type, metadata: identity });
      assert.deepStrictEqual({ ...only.labels }, {});
    }
  });

  it('takes objects that others have made, and fills in their kind', () => {
    const object = { metadata: { ...metadata, managedFields } };
    const cached = codecWith({ drop: ['metadata.annotations'] }).fromTransform(object);
    const { annotations, ...rest } = metadata;
    assert.deepStrictEqual(structuredClone(cached.view()), { ...type, metadata: rest });
    expect(object.metadata).toEqual({ ...metadata, managedFields });
    expect(() => codecWith().fromTransform({ metadata: {} })).toThrow('it has no metadata.name');
  });

  it('refuses objects that are too large', async () => {
    await expect(listed({ maxObjectBytes: 40 })).rejects.toThrow(DecodeError);
    await expect(watched({ maxObjectBytes: 40 })).rejects.toThrow(DecodeError);
  });

  it('says what it holds outside the heap', async () => {
    expect(codecWith().memory).toEqual(store === 'packed' ? expect.objectContaining({ liveBytes: 0 }) : undefined);
  });

  it('reads a Status in protobuf, and leaves everything else to others', () => {
    const codec = codecWith();
    const body = envelope('Status', 'v1', bytesField(3, 'no'), bytesField(4, 'Forbidden'), numberField(6, 403));
    expect(codec.readStatus?.(body, PROTOBUF)).toMatchObject({ kind: 'Status', reason: 'Forbidden', code: 403 });
    expect(codec.readStatus?.(body, 'application/json')).toBeUndefined();
    expect(codec.readStatus?.(body.subarray(0, 9), PROTOBUF)).toBeUndefined();
    expect(codec.readStatus?.(envelope('Pod', 'v1'), PROTOBUF)).toBeUndefined();
  });
});

describe('a plain store', () => {
  const corpus = sampleCorpus().filter((object) => schemaOf(object) && object.json.metadata?.name);
  const kinds = corpus.map((object) => [object.kind, object] as const);

  it.each(kinds)('shows a %s in protobuf as Go writes it to JSON', async (_, object) => {
    const { managedFields: _managed, ...rest } = object.json.metadata ?? {};
    const expected = { ...object.json, metadata: rest };
    const cached = await takeProtobuf(object, { store: 'plain' }).then(whole);
    assert.deepStrictEqual(cached.view(), expected);
    const { name, namespace = '', uid = '', resourceVersion = '', labels = {} } = rest;
    expect(cached).toMatchObject({ name, namespace, uid, resourceVersion });
    assert.deepStrictEqual({ ...cached.labels }, labels);
    const kept = await takeProtobuf(object, { store: 'plain', managedFields: 'keep' }).then(whole);
    assert.deepStrictEqual(kept.view(), object.json);
  });

  it.each(kinds)('leaves out of a %s what a packed store leaves out', async (_, object) => {
    const names = Object.keys(object.json).filter((name) => !['kind', 'apiVersion'].includes(name));
    const second = (name: string) => {
      const value = object.json[name];
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
    };
    const paths = names.flatMap((name) => [name, ...second(name).flatMap((inner) => deeper(`${name}.${inner}`))]);
    const some = fc.uniqueArray(fc.constantFrom(...paths.filter((path) => !/\.\.|\.$/.test(path))), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(some, fc.boolean(), fc.boolean(), indent, async (chosen, isKeep, isJson, space) => {
        const options: Options = isKeep ? { keep: chosen } : { drop: chosen };
        const resource = { kind: object.kind, group: object.group, version: object.version };
        const take = (store: 'packed' | 'plain') =>
          isJson
            ? takeJson(
                JSON.stringify(object.json, undefined, space),
                resourceCodec({
                  ...options,
                  store,
                  resource: defineResource<AnyObject>({ ...resource, plural: 'any' }),
                }),
              ).then(whole)
            : takeProtobuf(object, { ...options, store }).then(whole);
        const view = (await take('plain')).view();
        assert.deepStrictEqual(view, structuredClone((await take('packed')).view()));
        if (isJson) assert.deepStrictEqual(view, filterData(object.json, fieldRules(options) ?? 'keep'));
      }),
      { numRuns: 30 },
    );
  });

  it('calls an object broken that is damaged anywhere, and names it', async () => {
    const codec = resourceCodec({ resource: pods, store: 'plain' });
    const container = bytesField(2, bytesField(2, Buffer.from([0x0a, 9, 0x61])));
    const body = listBody('PodList', 'v1', '1', [Buffer.concat([metadataMessage, container]), podMessage]);
    const { items, broken } = await codec.readList(chunksOf(body), PROTOBUF);
    expect(items).toHaveLength(1);
    expect(broken).toMatchObject([{ key: 'b/a' }]);
    expect(broken[0]?.problem.message).toMatch(
      /^item 1 of the list of pods.v1 cannot be used \(b\/a\): .* in spec.containers\[0\].name\)$/,
    );
    const text = '{"items":[{"metadata":{"name":"a"},"spec":{"x":truth}},{"metadata":{"name":"b"}}]}';
    const list = await codec.readList(inChunks(Buffer.from(text)), 'application/json');
    expect(list.items.map(({ name }) => name)).toEqual(['b']);
    expect(list.broken.map(({ problem }) => problem.message)).toEqual([
      'item 1 of the list of pods.v1 is not valid JSON',
    ]);
  });

  it('is not concerned with damage in what it leaves out', async () => {
    const container = bytesField(2, bytesField(2, Buffer.from([0x0a, 9, 0x61])));
    const { message } = sampleOf('Pod');
    const body = listBody('PodList', 'v1', '1', [Buffer.concat([metadataMessage, container]), message]);
    const codec = resourceCodec({ resource: pods, store: 'plain', drop: ['spec'] });
    expect((await codec.readList(chunksOf(body), PROTOBUF)).items).toHaveLength(2);
  });
});

/** The path itself, and all that is inside when that can be written as a path. */
function deeper(path: string): string[] {
  return [path, `${path}.*.name`];
}
