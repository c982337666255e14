import { readFileSync } from 'node:fs';
import { V1Deployment, V1MicroTime, V1Pod, V1PodList } from '@kubernetes/client-node';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { KubernetesList, KubernetesObject } from '../api/metadata.ts';
import { apiVersionOf, defineResource } from '../api/resource.ts';
import type { FieldSchema } from '../api/type-schema.ts';
import { type Deployment, deployments } from '../generated/api/apps/v1.ts';
import { leases } from '../generated/api/coordination/v1.ts';
import { type Pod, pods } from '../generated/api/core/v1.ts';
import { builtinResources } from '../generated/resources.ts';
import { typeSchema } from '../generated/type-schemas.ts';
import { clientNodeName } from './conversion.ts';
import { fromClientNode, toClientNode } from './index.ts';

interface Attribute {
  readonly name: string;
  readonly baseName: string;
}
interface Model {
  new (): object;
  readonly attributeTypeMap?: readonly Attribute[];
}
interface Serializer {
  deserialize(data: unknown, type: string, format: string): object;
  serialize(data: unknown, type: string, format: string): object;
}

/** The models of both major versions; the second one's door needs a newer Node than they do. */
const VERSIONS = await Promise.all(
  ['@kubernetes/client-node', 'client-node-2'].map(async (name) => {
    const models = (await import(`${name}/dist/gen/models/ObjectSerializer.js`)) as Record<string, Model>;
    return { name, models, serializer: models.ObjectSerializer as unknown as Serializer };
  }),
);

const VALUES: Readonly<Record<string, unknown>> = {
  string: 'text',
  bool: true,
  int32: 7,
  int64: 8,
  float: 0.5,
  double: 0.25,
  bytes: 'YQ==',
  Time: '2024-05-06T07:08:09Z',
  MicroTime: '2024-05-06T07:08:09.123456Z',
  Duration: '1h0m0s',
  Quantity: '100m',
  IntOrString: '25%',
  RawExtension: { from: 'x', default: '2024-05-06T07:08:09Z' },
  FieldsV1: { 'f:metadata': {} },
  JSON: { enum: [1] },
};

/** An object with every field of its schema, to a depth. */
function filled(type: string, depth: number): Record<string, unknown> {
  const entries = (typeSchema(type)?.fields ?? []).flatMap((field): [string, unknown][] => {
    if (field.inline) return Object.entries(filled(field.type, depth));
    const value = valueFor(field, depth);
    return value === undefined ? [] : [[field.json, value]];
  });
  return Object.fromEntries(entries);
}

function valueFor({ type, shape }: FieldSchema, depth: number): unknown {
  const schema = typeSchema(type);
  if (schema?.form !== undefined || (schema && depth === 0)) return undefined;
  const value = schema ? filled(type, depth - 1) : VALUES[type];
  return shape === 'list' ? [value, value] : shape === 'map' ? { from: value, _continue: value } : value;
}

const CORPUS: readonly KubernetesObject[] = [
  ...builtinResources().map(({ group, version, kind, schema }) => ({
    ...filled(schema, 6),
    apiVersion: apiVersionOf({ group, version }),
    kind,
  })),
  ...readFileSync(new URL('../codec/protobuf/testdata/corpus.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { json: KubernetesObject; kind: string; group: string; version: string })
    .map(({ json, group, version, kind }) => ({ ...json, kind, apiVersion: apiVersionOf({ group, version }) })),
];

describe.each(VERSIONS)('objects of tidewatch and $name', ({ models, serializer }) => {
  it('have the same names for the same fields', () => {
    const attributes = Object.values(models).flatMap((model) => model.attributeTypeMap ?? []);
    expect(attributes.length).toBeGreaterThan(1000);
    for (const { name, baseName } of attributes) expect(clientNodeName(baseName)).toBe(name);
  });

  it('come back equal, for every kind', () => {
    for (const object of CORPUS) {
      const resource = resourceOf(object);
      const there = toClientNode(object, classOf(object, models) ?? Object);
      expect(fromClientNode(there, resource)).toEqual(object);
    }
  });

  it('are what client-node itself makes of an answer, and what it sends to the server is equal', () => {
    let compared = 0;
    for (const object of CORPUS) {
      const type = classOf(object, models);
      if (type === undefined) continue;
      compared++;
      const own = toClientNode(object, type);
      expect(own).toBeInstanceOf(type);
      expect(asData(own)).toMatchObject(asData(serializer.deserialize(object, type.name, '')));
      const theirs = serializer.deserialize(object, type.name, '');
      const sent = (instance: object) => asData(serializer.serialize(instance, type.name, ''));
      expect(sent(own)).toEqual(sent(theirs));
    }
    expect(compared).toBeGreaterThan(40);
  });
});

/** Times with fewer decimals, which client-node reads as plain dates. */
function asData(value: object): object {
  return JSON.parse(
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'string' ? inner.replace(/(\.\d{3})\d{3}Z$/, '$1Z') : inner,
    ),
  ) as object;
}

function resourceOf({ apiVersion = '', kind = '' }: KubernetesObject) {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return defineResource({ group: group ?? '', version: version ?? '', plural: 'things', kind });
}

/** `V1Pod`; some classes carry their group, since others have the same kind. */
function classOf({ apiVersion = '', kind }: KubernetesObject, models: Record<string, Model>): Model | undefined {
  const version = apiVersion.split('/').at(-1) ?? '';
  const group = apiVersion.includes('/') ? (apiVersion.split('.')[0]?.split('/')[0] ?? '') : 'core';
  const [short, long] = [`${upper(version)}${kind}`, `${upper(group)}${upper(version)}${kind}`];
  return models[long] ?? models[short];
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

describe('toClientNode', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', creationTimestamp: '2024-05-06T07:08:09Z' } };

  it('is typed by the class', () => {
    const there = toClientNode(pod, V1Pod);
    expectTypeOf(there).toEqualTypeOf<V1Pod>();
    expect(there).toBeInstanceOf(V1Pod);
    expect(there.metadata?.creationTimestamp).toEqual(new Date('2024-05-06T07:08:09Z'));
    expect(pod.metadata.creationTimestamp).toBe('2024-05-06T07:08:09Z');
  });

  it('keeps microseconds, and takes the dates of client-node', () => {
    const lease = (renewTime: string) => ({
      ...pod,
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      spec: { renewTime },
    });
    const there = toClientNode(lease('2024-05-06T07:08:09.123456Z'), Object) as { spec: { renewTime: Date } };
    expect(there.spec.renewTime.toISOString()).toBe('2024-05-06T07:08:09.123456Z');
    expect(JSON.stringify(there.spec)).toBe('{"renewTime":"2024-05-06T07:08:09.123456Z"}');
    const own: object = { spec: { renewTime: new V1MicroTime('2024-05-06T07:08:09.123Z') } };
    expect(fromClientNode(own, leases).spec?.renewTime).toBe('2024-05-06T07:08:09.123000Z');
  });

  it('renames the token of a list, and leaves maps alone', () => {
    const list = {
      apiVersion: 'v1',
      kind: 'PodList',
      metadata: { continue: 'x' },
      items: [{ ...pod, metadata: { labels: { from: 'b' } } }],
    };
    const there = toClientNode(list, V1PodList);
    expect(there.metadata?._continue).toBe('x');
    expect(there.items[0]?.metadata?.labels).toEqual({ from: 'b' });
    const back = fromClientNode(there, pods);
    expectTypeOf(back).toEqualTypeOf<KubernetesList<Pod>>();
    expect(back).toEqual(list);
  });

  it('wants to know the kind', () => {
    expect(() => toClientNode({ metadata: { name: 'a' } }, V1Pod)).toThrow('needs an object with kind and apiVersion');
  });

  it('converts the metadata of a custom resource, and nothing else', () => {
    const tab = {
      ...pod,
      apiVersion: 'stable.example.com/v1',
      kind: 'CronTab',
      spec: { from: '2024-05-06T07:08:09Z' },
    };
    const there = toClientNode(tab, Object);
    expect(there).toMatchObject({ metadata: { creationTimestamp: expect.any(Date) }, spec: tab.spec });
    expect(
      fromClientNode(
        there,
        defineResource({ group: 'stable.example.com', version: 'v1', plural: 'crontabs', kind: 'CronTab' }),
      ),
    ).toEqual(tab);
  });
});

describe('fromClientNode', () => {
  it('is typed by the resource, and fills in what the items of a list leave out', () => {
    const made = Object.assign(new V1Deployment(), { metadata: { name: 'web' }, spec: { replicas: 2 } });
    const back = fromClientNode(made, deployments);
    expectTypeOf(back).toEqualTypeOf<Deployment>();
    expect(back).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { replicas: 2 },
    });
  });
});
