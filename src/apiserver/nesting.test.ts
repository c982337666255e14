import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { typeSchema } from '../generated/type-schemas.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { ApiServer } from './apiserver.ts';
import { trackUpdate } from './apply/managed-fields.ts';
import { mergeSchemaOfStructural } from './apply/merge-schema.ts';
import { untypedDeduced } from './apply/schema-node.ts';
import { applyPatch } from './apply/server-side-apply.ts';
import { jsonPatch } from './patch/json-patch.ts';
import { mergePatch } from './patch/merge-patch.ts';
import { strategicMergePatch } from './patch/strategic-merge.ts';
import { parseProtobufBody } from './request/protobuf-body.ts';
import { StoredObject } from './storage/stored-object.ts';
import { recursiveStep, runSteps } from './table/json-path-steps.ts';
import { asObject, cloneJson, type JsonObject, type JsonValue, jsonEqual } from './values/json.ts';
import { jsonText } from './values/json-text.ts';

/** More than the stack of any function that calls itself would bear. */
const DEPTH = 20_000;
/** What the real server takes through all its walks, too. */
const SERVED_DEPTH = 3_000;

const mapText = (depth: number, leaf = '1') => `${'{"a":'.repeat(depth)}${leaf}${'}'.repeat(depth)}`;
const listText = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const nested = (depth: number, leaf = '1') => JSON.parse(mapText(depth, leaf)) as JsonObject;

function leafOf(value: JsonValue | undefined): JsonValue | undefined {
  let at = value;
  while (typeof at === 'object' && at !== null && !Array.isArray(at) && 'a' in at) at = at.a;
  return at;
}

describe('values that nest without end', () => {
  it('are copied, compared and written', () => {
    const value = { map: nested(DEPTH), list: JSON.parse(listText(DEPTH)) as JsonValue };
    const copy = cloneJson(value);
    expect(jsonEqual(copy, value)).toBe(true);
    expect(jsonEqual(nested(DEPTH, '2'), value.map)).toBe(false);
    expect(jsonText(copy)).toBe(`{"map":${mapText(DEPTH)},"list":${listText(DEPTH)}}`);
  });

  it('are stored and read again', () => {
    const stored = new StoredObject({ metadata: { name: 'x', uid: 'u' }, data: nested(DEPTH) }, 1, []);
    expect(leafOf(stored.decode().data)).toBe(1);
  });

  it('are patched by each kind of patch', () => {
    const original = { x: nested(DEPTH) };
    expect(leafOf(mergePatch(original, { x: nested(DEPTH, '2') }).x)).toBe(2);
    expect(leafOf(mergePatch(original, { y: nested(DEPTH, '{"n":null}') }).y)).toEqual({});
    const patched = jsonPatch(original, [
      { op: 'test', path: '/x', value: nested(DEPTH) },
      { op: 'copy', from: '/x', path: '/y' },
      { op: 'replace', path: `/x${'/a'.repeat(DEPTH)}`, value: 2 },
    ]);
    expect([leafOf(patched.x), leafOf(patched.y), leafOf(original.x)]).toEqual([2, 1, 1]);
    const schema = typeSchema('io.k8s.api.core.v1.ConfigMap');
    if (!schema) throw new Error('the schema of config maps is missing');
    const merged = strategicMergePatch(
      { data: {} },
      { new: nested(DEPTH, '{"n":null,"d":{"$patch":"delete"}}') },
      schema,
      typeSchema,
    );
    expect(leafOf(merged.new)).toEqual({});
  });

  it('are merged along a type that contains itself', () => {
    const type = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
    const schema = typeSchema(type);
    if (!schema) throw new Error('the schema of schemas is missing');
    const not = (depth: number, title: string) =>
      JSON.parse(`${'{"not":'.repeat(depth)}{"title":"${title}"}${'}'.repeat(depth)}`) as JsonObject;
    let at = strategicMergePatch(not(DEPTH, 'old'), not(DEPTH, 'new'), schema, typeSchema);
    while (at.not !== undefined) at = asObject(at.not);
    expect(at).toEqual({ title: 'new' });
  });

  describe('in objects with owners', () => {
    const depth = 6_000;
    const object = (leaf: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Deep',
      metadata: { name: 'd', uid: 'u' },
      x: nested(depth, leaf),
    });
    const common = { schema: untypedDeduced, apiVersion: 'v1', kind: 'Deep', now: 0 };

    it('are tracked through updates', () => {
      const created = trackUpdate({ ...common, before: undefined, after: object('1'), manager: 'one' });
      const updated = trackUpdate({ ...common, before: created, after: object('2'), manager: 'two' });
      const managers = (updated.metadata as { managedFields: { manager: string }[] }).managedFields;
      expect(managers.map(({ manager }) => manager)).toEqual(['one', 'two']);
    });

    it('are applied, refused for conflicts, and taken back', () => {
      const apply = (live: JsonObject | undefined, manager: string, leaf: string, at = depth) => {
        const config = { ...object(leaf), x: nested(at, leaf), metadata: { name: 'd' } };
        return applyPatch({ ...common, live, config, manager, force: false });
      };
      const first = apply(undefined, 'one', '1');
      const live = { ...first, metadata: { ...asObject(first.metadata), uid: 'u' } };
      const second = apply(live, 'one', '2');
      expect(leafOf(second.x)).toBe(2);
      expect(() => apply(second, 'other', '3')).toThrow(
        /^Apply failed with 1 conflict: conflict with "one": \.x\.a\.a/,
      );
      expect(leafOf(apply(second, 'one', '{}', 10).x)).not.toBe(2);
    });
  });

  it('are found by paths that look everywhere', () => {
    expect(runSteps([recursiveStep], [nested(DEPTH)])).toHaveLength(DEPTH);
  });

  it('have a merge schema that is made as far as it is needed', () => {
    const schema = JSON.parse(
      `${'{"type":"object","properties":{"a":'.repeat(DEPTH)}{"type":"string"}${'}}'.repeat(DEPTH)}`,
    ) as JsonObject;
    const node = mergeSchemaOfStructural(schema).map?.field('a')?.schema.map?.field('a')?.schema;
    expect(node?.map?.struct).toBe(true);
  });
});

describe('objects that nest deeply', () => {
  const OBJECTS = '/api/v1/namespaces/default/configmaps';
  const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
  let server: ApiServer;

  beforeAll(async () => {
    server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const answer = await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: JSON.stringify({
        metadata: { name: 'widgets.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      }),
    });
    expect(answer.status).toBe(201);
  });
  afterAll(() => server.stop());

  const send = async (
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    target: string,
    { body, type = 'json', accept = 'application/json' }: { body?: string; type?: string; accept?: string } = {},
  ) => {
    const [path = '', query = ''] = target.split('?');
    const headers = { accept, 'content-type': `application/${type}` };
    const response = await server
      .transport()
      .request({ method, path, query, headers, ...(body === undefined ? {} : { body }) });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    return { status: response.status, text, body: text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {} };
  };
  const widget = (name: string, leaf: string, depth = SERVED_DEPTH) =>
    `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"${name}"},"x":${mapText(depth, leaf)}}`;

  it('live through every kind of request', async () => {
    expect(await send('POST', WIDGETS, { body: widget('w', '1') })).toMatchObject({ status: 201 });
    const path = `${WIDGETS}/w`;
    expect(leafOf((await send('GET', path)).body.x)).toBe(1);
    expect(leafOf((await send('GET', `${path}?pretty=1`)).body.x)).toBe(1);
    const yaml = await send('GET', path, { accept: 'application/yaml' });
    expect(yaml.text).toContain(mapText(SERVED_DEPTH));
    const table = await send('GET', `${WIDGETS}?includeObject=Object`, {
      accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
    });
    expect(table.body).toMatchObject({ kind: 'Table' });
    const merge = await send('PATCH', path, { body: `{"x":${mapText(SERVED_DEPTH, '2')}}`, type: 'merge-patch+json' });
    expect(leafOf(merge.body.x)).toBe(2);
    const operations = `[{"op":"replace","path":"/x${'/a'.repeat(SERVED_DEPTH)}","value":3}]`;
    expect(leafOf((await send('PATCH', path, { body: operations, type: 'json-patch+json' })).body.x)).toBe(3);
    const apply = { body: widget('w', '4'), type: 'apply-patch+yaml' };
    expect((await send('PATCH', `${path}?fieldManager=m`, apply)).status).toBe(409);
    expect(leafOf((await send('PATCH', `${path}?fieldManager=m&force=true`, apply)).body.x)).toBe(4);
    expect((await send('DELETE', path)).status).toBe(200);
  });

  it('may bring their own owners', async () => {
    const fields = `${'{"f:a":'.repeat(SERVED_DEPTH)}{}${'}'.repeat(SERVED_DEPTH)}`;
    const entry = `{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":${fields}}`;
    const body = `{"metadata":{"name":"owned","managedFields":[${entry}]},"data":{"a":"b"}}`;
    expect((await send('POST', OBJECTS, { body })).status).toBe(201);
    const patched = await send('PATCH', `${OBJECTS}/owned`, { body: '{"data":{"c":"d"}}', type: 'merge-patch+json' });
    expect(patched.status).toBe(200);
    expect(patched.text).toContain(fields);
  });

  it('are refused beyond 10,000 levels, in the words of the real server', async () => {
    const tooDeep = `{"metadata":{"name":"deep"},"x":${mapText(100_000)}}`;
    const parse = "couldn't get version/kind; json parse error: invalid character '{' exceeded max depth";
    expect((await send('POST', OBJECTS, { body: tooDeep })).body).toMatchObject({
      code: 400,
      message: `the object provided is unrecognized (must be of type ConfigMap): ${parse} ({"metadata":{"name":"deep"},"x ...)`,
    });
    const list = `{"metadata":{"name":"deep"},"x":${listText(10_000)}}`;
    expect((await send('POST', OBJECTS, { body: list })).body.message).toContain(
      "invalid character '[' exceeded max depth",
    );
    const fits = `{"metadata":{"name":"deep"},"x":${listText(9_999)}}`;
    expect((await send('POST', OBJECTS, { body: fits })).status).toBe(201);
    const patch = async (type: string, body = tooDeep) => {
      const query = type === 'apply-patch+yaml' ? '?fieldManager=m' : '';
      return (await send('PATCH', `${OBJECTS}/deep${query}`, { body, type })).body.message;
    };
    const problem = "invalid character '{' exceeded max depth";
    expect(await patch('merge-patch+json')).toBe(`error decoding patch: ${problem}`);
    expect(await patch('strategic-merge-patch+json')).toBe(problem);
    const operations = `[{"op":"add","path":"/x","value":${mapText(100_000)}}]`;
    expect(await patch('json-patch+json', operations)).toBe(`error decoding patch: ${problem}`);
    expect(await patch('apply-patch+yaml')).toBe(
      'error decoding YAML: error converting YAML to JSON: yaml: exceeded max depth of 10000',
    );
  });

  it('are refused where a type contains itself, before the stack ends', async () => {
    const definition = (depth: number) => {
      const schema = `${'{"type":"object","properties":{"a":'.repeat(depth)}{"type":"string"}${'}}'.repeat(depth)}`;
      const version = `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${schema}}}`;
      const names = '{"plural":"nests","singular":"nest","kind":"Nest","listKind":"NestList"}';
      return `{"metadata":{"name":"nests.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":${names},"versions":[${version}]}}`;
    };
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
    expect((await send('POST', definitions, { body: definition(100) })).status).toBe(201);
    expect((await send('POST', definitions, { body: definition(4_000) })).body).toMatchObject({
      code: 400,
      message: expect.stringContaining('cannot be handled as a CustomResourceDefinition: exceeded max depth of 1000'),
    });
  });

  it('are refused in protobuf, too', () => {
    // Each level is the field `not` of the schema around it.
    const field = (number: number, bytes: Uint8Array) =>
      Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
    const notField = typeSchema(
      'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps',
    )?.fields.find(({ json }) => json === 'not');
    let schema: Uint8Array = new Uint8Array();
    for (let depth = 0; depth < 2_000; depth++) schema = field(notField?.wire ?? 0, schema);
    const inner = field(2, field(7, field(4, field(1, schema))));
    const type = Buffer.concat([
      field(1, Buffer.from('apiextensions.k8s.io/v1')),
      field(2, Buffer.from('CustomResourceDefinition')),
    ]);
    const body = Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, inner)]);
    expect(() => parseProtobufBody(body)).toThrow('proto: exceeded max depth of 500');
  });

  it('are shown in YAML that any reader takes', async () => {
    await send('POST', WIDGETS, { body: widget('yaml', '{"text":"a: b"}', 20) });
    const { text } = await send('GET', `${WIDGETS}/yaml`, { accept: 'application/yaml' });
    expect(leafOf(parse(text).x)).toEqual({ text: 'a: b' });
  });
});

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
}
