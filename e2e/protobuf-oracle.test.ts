import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cached, CachedFrame } from '../src/api/cached.ts';
import type { KubernetesObject } from '../src/api/metadata.ts';
import { apiVersionOf, defineResource, type Resource, resourcePath } from '../src/api/resource.ts';
import type { Codec } from '../src/codec/codec.ts';
import { ObjectDecoder } from '../src/codec/protobuf/object-decoder.ts';
import {
  type CorpusObject,
  chunksOf,
  listBody,
  parseCorpus,
  schemaOf,
} from '../src/codec/protobuf/protobuf-fixture.ts';
import { WireReader } from '../src/codec/protobuf/wire-reader.ts';
import { resourceCodec } from '../src/codec/resource-codec.ts';
import { builtinResources } from '../src/generated/resources.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';
import { manifests } from './protobuf-oracle-corpus.ts';

type Json = Record<string, unknown>;

describe('Objects that Go has encoded both ways', () => {
  const seed = Number(process.env.CORPUS_SEED ?? 1);
  let corpus: (CorpusObject & { decoder: ObjectDecoder })[] = [];

  beforeAll(async () => {
    const { stdout } = await promisify(execFile)('go', ['run', '.', '-seed', String(seed), '-count', '12'], {
      cwd: fileURLToPath(new URL('../tools/corpus', import.meta.url)),
      maxBuffer: 2 ** 30,
    });
    const reader = new WireReader();
    corpus = parseCorpus(stdout).flatMap((object) => {
      const schema = schemaOf(object);
      const type = { kind: object.kind, apiVersion: apiVersionOf(object) };
      return schema ? [{ ...object, decoder: new ObjectDecoder(schema, { type, reader }) }] : [];
    });
    // On a new machine the program is compiled first.
  }, 600_000);

  function failures(check: (object: (typeof corpus)[number]) => boolean): string[] {
    const failed = corpus.filter((object) => {
      try {
        return !check(object);
      } catch {
        return true;
      }
    });
    return failed.map((object) => `${apiVersionOf(object)} ${object.kind} ${corpus.indexOf(object)} of seed ${seed}`);
  }

  it('are of every built-in kind', () => {
    const kinds = new Set(corpus.map((object) => `${apiVersionOf(object)} ${object.kind}`));
    const wanted = builtinResources().flatMap((resource) => [
      `${apiVersionOf(resource)} ${resource.kind}`,
      ...(resource.verbs.includes('list') ? [`${apiVersionOf(resource)} ${resource.kind}List`] : []),
    ]);
    expect(wanted.filter((kind) => !kinds.has(kind))).toEqual([]);
    expect(corpus.length).toBeGreaterThan(2500);
  });

  it('decode to the JSON that Go writes for them, in its order', () => {
    const differing = failures(({ decoder, message, json }) => {
      const decoded = decoder.decode(message);
      return isDeepStrictEqual(decoded, json) && JSON.stringify(decoded) === JSON.stringify(json);
    });
    expect(differing).toEqual([]);
  });

  it('decode field by field to the same', () => {
    const differing = failures(({ decoder, message, json }) => {
      const fields = Object.keys(json).map((name) => [name, decoder.decodeField(message, 0, message.length, name)]);
      return isDeepStrictEqual(Object.fromEntries(fields), json);
    });
    expect(differing).toEqual([]);
  });

  it.each(['packed', 'plain'] as const)('lose their managed fields and nothing else in a %s store', async (store) => {
    const differing: string[] = [];
    for (const object of corpus) {
      const { group, version, kind, message, json } = object;
      const isObject = schemaOf(object)?.fields.some(({ type, wire }) => type.endsWith('.ObjectMeta') && wire === 1);
      const { name, namespace = '', uid = '', resourceVersion = '', labels = {} } = json.metadata ?? {};
      if (!isObject || !name) continue;
      const codec = resourceCodec({ resource: defineResource({ group, version, plural: 'any', kind }), store });
      const body = listBody(`${kind}List`, apiVersionOf(object), '1', [message]);
      const { items } = await codec.readList(chunksOf(body), 'application/vnd.kubernetes.protobuf');
      const { managedFields, ...metadata } = json.metadata ?? {};
      const [item] = items;
      const found = item && [item.name, item.namespace, item.uid, item.resourceVersion, { ...item.labels }];
      const isSame =
        isDeepStrictEqual(found, [name, namespace, uid, resourceVersion, labels]) &&
        isDeepStrictEqual(structuredClone(item?.view()), { ...json, metadata });
      if (!isSame) differing.push(`${apiVersionOf(object)} ${kind} ${corpus.indexOf(object)} of seed ${seed}`);
    }
    expect(differing).toEqual([]);
  });
});

describe('On a real API server', () => {
  let plane: ControlPlane;
  let agent: Agent;

  beforeAll(async () => {
    plane = await ControlPlane.start({
      flags: { apiserver: ['--runtime-config=api/all=true', '--feature-gates=AllAlpha=true,AllBeta=true'] },
    });
    agent = new Agent({ connect: { ca: plane.ca } });
    const refused: string[] = [];
    for (const [path, object, status] of manifests()) {
      refused.push(...(await send('POST', path, object)));
      const { name } = object.metadata as { name: string };
      if (status) refused.push(...(await send('PATCH', `${path}/${name}/status`, { status })));
    }
    expect(refused).toEqual([]);
  });

  afterAll(async () => {
    await agent?.close();
    await plane?.stop();
  });

  /** What the server says against it, if anything. */
  async function send(method: 'POST' | 'PATCH', path: string, body: Json): Promise<string[]> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await fetchBody(method, path, { 'content-type': type }, JSON.stringify(body));
    const text = await answer.body.text();
    return answer.statusCode < 300 ? [] : [`${method} ${path}: ${text}`];
  }

  function fetchBody(method: 'GET' | 'POST' | 'PATCH', path: string, headers: Record<string, string>, body?: string) {
    return request(`${plane.server}${path}`, {
      dispatcher: agent,
      method,
      headers: { authorization: `Bearer ${plane.token}`, 'user-agent': 'tidewatch-e2e', ...headers },
      ...(body === undefined ? {} : { body }),
    });
  }

  async function list<T extends KubernetesObject>(resource: Resource<T>, codec: Codec<T>) {
    const answer = await fetchBody('GET', resourcePath(resource), { accept: codec.accept });
    const contentType = String(answer.headers['content-type']);
    if (answer.statusCode !== 200)
      return { contentType, status: answer.statusCode, items: [], text: await answer.body.text() };
    const { items, broken, metadata } = await codec.readList(answer.body, contentType);
    expect(broken).toEqual([]);
    return { contentType, status: 200, items, metadata };
  }

  function codecsFor(resource: Resource, metadataOnly = false) {
    const options = { resource, managedFields: 'keep', metadataOnly } as const;
    return { json: resourceCodec({ ...options, store: 'plain', encoding: 'json' }), protobuf: resourceCodec(options) };
  }

  it('every built-in list says the same in protobuf as in JSON', { timeout: 300_000 }, async () => {
    const seen: string[] = [];
    for (const resource of builtinResources().filter(({ verbs }) => verbs.includes('list'))) {
      const { json, protobuf } = codecsFor(resource);
      const inProtobuf = await list(resource, protobuf);
      const where = `${resource.plural}.${apiVersionOf(resource)}`;
      expect(inProtobuf.status, where).toBe(200);
      expect(inProtobuf.contentType, where).toBe('application/vnd.kubernetes.protobuf');
      if (inProtobuf.items.length > 0) seen.push(where);
      await expect
        .poll(async () => differences((await list(resource, protobuf)).items, (await list(resource, json)).items), {
          message: where,
          timeout: 20_000,
        })
        .toEqual([]);
    }
    expect(seen.length, `only ${seen.join(' ')}`).toBeGreaterThan(60);
  });

  it('a watch says the same in protobuf as in JSON', async () => {
    const resource = defineResource({ version: 'v1', plural: 'pods', kind: 'Pod' });
    const { json, protobuf } = codecsFor(resource);
    const initial = async (codec: Codec<KubernetesObject>) => {
      const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const answer = await fetchBody('GET', `${resourcePath(resource)}?${query}`, { accept: codec.acceptWatch });
      const contentType = String(answer.headers['content-type']);
      const frames: CachedFrame[] = [];
      for await (const batch of codec.readWatch(answer.body, contentType)) {
        frames.push(...batch);
        if (frames.some((frame) => frame.type === 'BOOKMARK' && frame.initialEventsEnd)) break;
      }
      return { contentType, frames };
    };
    const [ours, theirs] = [await initial(protobuf), await initial(json)];
    expect(ours.contentType).toBe('application/vnd.kubernetes.protobuf;stream=watch');
    expect(ours.frames.map(({ type }) => type)).toEqual(theirs.frames.map(({ type }) => type));
    const objects = (frames: CachedFrame[]) => frames.flatMap((frame) => ('object' in frame ? [frame.object] : []));
    expect(objects(ours.frames).length).toBeGreaterThan(0);
    expect(differences(objects(ours.frames), objects(theirs.frames))).toEqual([]);
  });

  it('custom resources come in JSON, and their metadata in protobuf', async () => {
    const widgets = defineResource({ group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget' });
    await expect
      .poll(async () => (await fetchBody('GET', resourcePath(widgets), {})).statusCode, { timeout: 30_000 })
      .toBe(200);
    const widget = { metadata: { name: 'w', labels: { a: 'b' } }, spec: { any: [1, null, 'x'] } };
    const path = '/apis/example.com/v1/namespaces/default/widgets';
    expect(await send('POST', path, { apiVersion: 'example.com/v1', kind: 'Widget', ...widget })).toEqual([]);
    const whole = await list(widgets, codecsFor(widgets).protobuf);
    expect(whole.contentType).toBe('application/json');
    expect(whole.items[0]?.view()).toMatchObject({ kind: 'Widget', spec: { any: [1, null, 'x'] } });
    const { json, protobuf } = codecsFor(widgets, true);
    const reduced = await list(widgets, protobuf);
    expect(reduced.contentType).toMatch(/^application\/vnd.kubernetes.protobuf/);
    expect(reduced.items).toHaveLength(1);
    expect(differences(reduced.items, (await list(widgets, json)).items)).toEqual([]);
  });

  it('a watch from too old a version gives the Status', async () => {
    // A restarted server knows no more than etcd does.
    await plane.compact();
    await plane.restart('apiserver');
    const resource = defineResource({ version: 'v1', plural: 'configmaps', kind: 'ConfigMap' });
    const { protobuf } = codecsFor(resource);
    const answer = await fetchBody('GET', `${resourcePath(resource)}?watch=1&resourceVersion=1`, {
      accept: protobuf.acceptWatch,
    });
    const frames: CachedFrame[] = [];
    for await (const batch of protobuf.readWatch(answer.body, String(answer.headers['content-type']))) {
      frames.push(...batch);
      break;
    }
    expect(frames[0]?.type === 'ERROR' ? frames[0].status : frames[0]?.type).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'Expired',
      code: 410,
    });
  });
});

/** What differs between two readings of the same objects. Those that have changed in between count as different. */
function differences(ours: readonly Cached[], theirs: readonly Cached[]): string[] {
  const known = new Map(theirs.map((item) => [`${item.key} ${item.resourceVersion}`, item]));
  const found = ours.flatMap((item) => {
    const other = known.get(`${item.key} ${item.resourceVersion}`);
    if (!other) return [`${item.key} is missing`];
    const facts = (cached: Cached) => [cached.key, cached.namespace, cached.name, cached.uid, cached.labels];
    if (!isDeepStrictEqual(facts(item), facts(other))) return [`${item.key} is another`];
    return unequal(item.view(), other.view(), item.key);
  });
  return ours.length === theirs.length ? found : [...found, `${ours.length} items instead of ${theirs.length}`];
}

/** Protobuf does not tell an empty list or map from none: ours is null where JSON has an empty one. */
function unequal(ours: unknown, theirs: unknown, path: string): string[] {
  if (isDeepStrictEqual(ours, theirs)) return [];
  if (ours === null && typeof theirs === 'object' && theirs !== null && Object.keys(theirs).length === 0) return [];
  if (typeof ours !== 'object' || typeof theirs !== 'object' || ours === null || theirs === null) {
    return [`${path}: ${JSON.stringify(ours)} instead of ${JSON.stringify(theirs)}`];
  }
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  return [...names].flatMap((name) => unequal((ours as Json)[name], (theirs as Json)[name], `${path}.${name}`));
}
