import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiVersionOf, type Resource, resourcePath } from '../src/api/resource.ts';
import type { Transport } from '../src/api/transport.ts';
import { ServerSnapshot } from '../src/apiserver/storage/server-snapshot.ts';
import { StoredObject } from '../src/apiserver/storage/stored-object.ts';
import type { JsonObject, JsonValue } from '../src/apiserver/values/json.ts';
import { isObject, setKey } from '../src/apiserver/values/json.ts';
import { readTyped } from '../src/apiserver/values/typed-object.ts';
import { parseCorpus, schemaOf } from '../src/codec/protobuf/protobuf-fixture.ts';
import { resourceCodec } from '../src/codec/resource-codec.ts';
import { builtinResources } from '../src/generated/resources.ts';
import { ApiServer } from '../src/testing/api-server.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const CORPUS = fileURLToPath(new URL('../tools/corpus', import.meta.url));
const seed = Number(process.env.CORPUS_SEED ?? 1);
const resources = builtinResources().filter(({ optIn, verbs }) => !optIn && verbs.includes('list'));

/** The embedded server reads integers as JavaScript does. */
function withSafeIntegers(value: JsonValue): JsonValue {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER || value % 1 !== 0 ? value : 7;
  if (Array.isArray(value)) return value.map(withSafeIntegers);
  if (!isObject(value)) return value;
  const safe: JsonObject = {};
  for (const [key, item] of Object.entries(value)) if (item !== undefined) setKey(safe, key, withSafeIntegers(item));
  return safe;
}

/** Random objects of every kind, put under the validation of the server, which would refuse most of them. */
function stored(corpus: ReturnType<typeof parseCorpus>): Map<string, Map<string, StoredObject>> {
  const tables = new Map<string, Map<string, StoredObject>>();
  let revision = 100;
  for (const { group, version, plural, kind, namespaced } of resources) {
    // Two versions of these share what is stored; the other one is converted when it is read.
    if (plural === 'horizontalpodautoscalers' && version === 'v1') continue;
    if (plural === 'events' && group !== '') continue;
    const objects = corpus.filter((one) => one.group === group && one.version === version && one.kind === kind);
    const table = new Map<string, StoredObject>();
    for (const [index, one] of objects.entries()) {
      const schema = schemaOf(one);
      if (!schema) continue;
      const { object } = readTyped(schema, withSafeIntegers(one.json as unknown as JsonObject) as JsonObject);
      const { generation: _generation, ...metadata } = object.metadata as JsonObject;
      const { namespace: _namespace, ...rest } = { ...metadata, name: `o-${index}`, uid: `uid-${index}` } as JsonObject;
      object.metadata = namespaced ? { ...rest, namespace: 'default' } : rest;
      const made = new StoredObject(object, revision++, []);
      table.set(made.key, made);
    }
    tables.set(group === '' ? plural : `${plural}.${group}`, table);
  }
  return tables;
}

describe('What the embedded server sends in protobuf', () => {
  let server: ApiServer;
  let transport: Transport;

  beforeAll(async () => {
    const { stdout } = await promisify(execFile)('go', ['run', '.', '-seed', String(seed), '-count', '6'], {
      cwd: CORPUS,
      maxBuffer: 2 ** 30,
    });
    server = await ApiServer.start({ listen: false, controllers: false });
    const tables = stored(parseCorpus(stdout));
    // A definition would be served, and a policy would be obeyed: they are read by themselves below.
    const { content } = server.snapshot();
    for (const name of tables.keys()) expect([...content.tables.keys()]).toContain(name);
    server.restore(new ServerSnapshot({ revision: 100_000, tables }));
    transport = server.transport();
    // On a new machine the program is compiled first.
  }, 600_000);

  afterAll(() => server?.stop());

  async function get(path: string, accept: string): Promise<{ type: string; body: Buffer }> {
    const response = await transport.request({ method: 'GET', path, headers: { accept } });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk.slice());
    return { type: response.headers.get('content-type') ?? '', body: Buffer.concat(chunks) };
  }

  const itemPath = (resource: Resource, namespaced: boolean, name: string) =>
    `${resourcePath(resource, namespaced ? { namespace: 'default' } : {})}/${name}`;

  it('is read by Go as what it sends in JSON: lists and objects of every kind', { timeout: 300_000 }, async () => {
    const lines: string[] = [];
    const kinds = new Set<string>();
    for (const resource of resources) {
      const { group, version, kind, namespaced } = resource;
      const paths: [string, string][] = [[`${kind}List`, resourcePath(resource)]];
      for (let index = 0; index < 6; index++) paths.push([kind, itemPath(resource, namespaced, `o-${index}`)]);
      for (const [documentKind, path] of paths) {
        const protobuf = await get(path, PROTOBUF);
        const json = JSON.parse((await get(path, 'application/json')).body.toString());
        if (json.kind === 'Status') continue;
        expect(protobuf.type, path).toBe(PROTOBUF);
        kinds.add(`${documentKind} of ${apiVersionOf(resource)}`);
        lines.push(
          JSON.stringify({ group, version, kind: documentKind, json, protobuf: protobuf.body.toString('base64') }),
        );
      }
    }
    expect(kinds.size).toBe(2 * resources.length);
    const input = `${lines.join('\n')}\n`;
    const output = execFileSync('go', ['run', '.', '-compare'], { cwd: CORPUS, input, maxBuffer: 2 ** 28 }).toString();
    expect(output).toBe('');
  });

  it('is read by our decoder as what it sends in JSON', { timeout: 300_000 }, async () => {
    const differing: string[] = [];
    for (const resource of resources) {
      const options = { resource, managedFields: 'keep', store: 'plain' } as const;
      const read = async (encoding: 'json' | 'protobuf') => {
        const codec = resourceCodec({ ...options, encoding });
        const { type, body } = await get(resourcePath(resource), codec.accept);
        expect(type).toBe(encoding === 'protobuf' ? PROTOBUF : 'application/json');
        const { items, broken } = await codec.readList(chunks(body), type);
        expect(broken).toEqual([]);
        return items.map((item) => settled(JSON.parse(JSON.stringify(item.view()))));
      };
      const [json, protobuf] = [await read('json'), await read('protobuf')];
      expect(protobuf.length, resource.plural).toBeGreaterThan(0);
      if (!isDeepStrictEqual(json, protobuf)) differing.push(`${apiVersionOf(resource)} ${resource.kind}`);
    }
    expect(differing).toEqual([]);
  });

  it('of metadata alone says the same in both encodings', async () => {
    for (const resource of resources.slice(0, 20)) {
      const read = async (encoding: 'json' | 'protobuf') => {
        const codec = resourceCodec({ resource, managedFields: 'keep', metadataOnly: true, store: 'plain', encoding });
        const { type, body } = await get(resourcePath(resource), codec.accept);
        expect(type).toBe(encoding === 'protobuf' ? PROTOBUF : 'application/json');
        const { items } = await codec.readList(chunks(body), type);
        return items.map((item) => settled(JSON.parse(JSON.stringify(item.view()))));
      };
      expect(await read('protobuf'), resource.plural).toEqual(await read('json'));
    }
  });
});

async function* chunks(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body;
}

/** Protobuf does not tell an empty list or map from none. */
function settled(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => settled(item) ?? null);
  if (!isObject(value)) return value ?? undefined;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const kept = item === undefined ? undefined : settled(item);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
