import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { asObject, getPath, isObject, type JsonObject, type JsonValue } from '../src/apiserver/values/json.ts';
import { EVENTUALLY, TwoServers } from './two-servers-fixture.ts';

const group = `open-api-${process.pid}.example.com`;
const text = (description: string, more: JsonObject = {}): JsonObject => ({ type: 'string', description, ...more });
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

const SCHEMAS: Record<string, JsonObject> = {
  described: object(
    {
      spec: object(
        {
          bars: {
            type: 'array',
            description: 'All bars.',
            items: object(
              { name: text('Of the bar.'), feeling: text('Of it.', { enum: ['Good', 'Bad'] }) },
              { required: ['name'] },
            ),
          },
        },
        { description: 'What is wanted.' },
      ),
      status: object({
        kind: text('Which.', { pattern: 'a|b' }),
        count: { type: 'integer', format: 'int32', minimum: 1 },
      }),
    },
    { description: 'A kind to describe.' },
  ),
  open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { spec: object({}) } },
  nested: object({
    spec: object({ dummy: { type: 'object' } }, { 'x-kubernetes-preserve-unknown-fields': true, description: 'Open.' }),
    list: { type: 'array', items: { type: 'object' }, 'x-kubernetes-preserve-unknown-fields': true },
  }),
  special: object({
    maybe: text('Or null.', { nullable: true }),
    needed: object({ a: text('x', { nullable: true }), b: text('y') }, { required: ['a', 'b'] }),
    port: { 'x-kubernetes-int-or-string': true },
    choice: object({ a: text('x') }, { oneOf: [{ required: ['a'] }] }),
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    whole: object({ spec: object({ a: text('x') }) }, { 'x-kubernetes-embedded-resource': true }),
    map: { type: 'object', additionalProperties: text('Of any name.') },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: object({ name: text('Key.'), size: { type: 'integer', default: 3 } }, { required: ['name'] }),
    },
    atomic: object({ a: text('x') }, { 'x-kubernetes-map-type': 'atomic' }),
    ruled: object({ a: { type: 'integer' } }, { 'x-kubernetes-validations': [{ rule: 'self.a > 1', message: 'no' }] }),
    standard: text('With a default.', { default: 'x', maxLength: 10, minLength: 1, example: 'y', title: 't' }),
    number: { type: 'number', maximum: 5, exclusiveMaximum: true, multipleOf: 0.5 },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' }, maxItems: 3, uniqueItems: false },
    free: { type: 'object', maxProperties: 2, minProperties: 1, additionalProperties: true },
    linked: { type: 'string', externalDocs: { url: 'https://example.com', description: 'More.' } },
  }),
};

function definitionOf(kind: string): JsonObject {
  const schema = { openAPIV3Schema: SCHEMAS[kind] ?? {} };
  return {
    metadata: { name: `${kind}s.${group}` },
    spec: {
      group,
      scope: kind === 'open' ? 'Cluster' : 'Namespaced',
      names: { plural: `${kind}s`, kind: `My-${kind}` },
      versions: [
        { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } },
        { name: 'v1beta1', served: true, storage: false, schema, selectableFields: [] },
      ],
    },
  };
}

/** In our own words: what every kind has. */
function withoutCommonWords(value: JsonValue, key = ''): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutCommonWords(item));
  if (!isObject(value)) return value;
  const kept = ['apiVersion', 'kind', 'metadata', 'items'].includes(key) ? { ...value, description: undefined } : value;
  const entries = Object.entries(kept).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutCommonWords(item ?? null, name)]));
}

const ofGroup = (all: JsonValue | undefined) =>
  withoutCommonWords(
    Object.fromEntries(Object.entries(asObject(all)).filter(([name]) => name.includes(`open-api-${process.pid}`))),
  );

describe('the embedded server and the real one publish the same schemas of custom resources', () => {
  let servers: TwoServers;
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  /** Both documents, as soon as the real server's has this many definitions: it publishes each document on its own, later. */
  const published = async (count: number, path: string, ...way: string[]) => {
    const real = await vi.waitFor(async () => {
      const { body } = await servers.askReal({ method: 'GET', path });
      const found = asObject(ofGroup(getPath(body, ...way)));
      expect(Object.keys(found), `definitions at ${path} of the real server`).toHaveLength(count);
      return found;
    }, EVENTUALLY);
    const { body } = await servers.askOurs({ method: 'GET', path });
    return { real, ours: ofGroup(getPath(body, ...way)) };
  };
  const kinds = Object.keys(SCHEMAS).length;

  beforeAll(async () => {
    servers = await TwoServers.start({ controllers: false });
    for (const kind of Object.keys(SCHEMAS)) {
      const { real, ours } = await servers.ask({ method: 'POST', path: definitions, body: definitionOf(kind) });
      expect([real.status, ours.status], JSON.stringify(real.body)).toEqual([201, 201]);
    }
  });
  afterAll(() => servers?.stop());

  it('in the second generation', async () => {
    // Two versions, each with an object and a list.
    const { real, ours } = await published(4 * kinds, '/openapi/v2', 'definitions');
    expect(ours).toEqual(real);
  });

  it('in the third', async () => {
    const { real, ours } = await published(2 * kinds, `/openapi/v3/apis/${group}/v1`, 'components', 'schemas');
    expect(ours).toEqual(real);
  });

  it('without a version that is not served any longer', async () => {
    const patch = [{ op: 'replace', path: '/spec/versions/1/served', value: false }];
    const path = `${definitions}/describeds.${group}`;
    await servers.ask({ method: 'PATCH', path, body: patch, type: 'application/json-patch+json' });
    const { real, ours } = await published(4 * kinds - 2, '/openapi/v2', 'definitions');
    expect(ours).toEqual(real);
  });
});
