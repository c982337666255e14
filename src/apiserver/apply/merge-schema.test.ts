import { describe, expect, it } from 'vitest';
import type { FieldSchema, TypeSchema } from '../../api/type-schema.ts';
import { typeSchema } from '../../generated/type-schemas.ts';
import { mergeSchemaOf, mergeSchemaOfStructural } from './merge-schema.ts';
import type { MergeSchema } from './schema-node.ts';
import { fieldsOf } from './value-fields.ts';

function at(schema: MergeSchema | undefined, ...path: string[]): MergeSchema {
  let node = schema;
  for (const step of path) node = step === '[]' ? node?.list?.items : node?.map?.field(step)?.schema;
  if (!node) throw new Error(`nothing at ${path.join('.')}`);
  return node;
}

const core = (name: string) => mergeSchemaOf(`io.k8s.api.core.v1.${name}`, typeSchema);

describe('mergeSchemaOf', () => {
  it('takes list types, keys and their defaults from the type', () => {
    const ports = at(core('Pod'), 'spec', 'containers', '[]', 'ports');
    expect(ports.list).toMatchObject({ kind: 'map', keys: ['containerPort', 'protocol'] });
    expect(ports.list?.items.map?.field('protocol')?.default).toBe('TCP');
    expect(at(core('Pod'), 'spec', 'containers', '[]', 'args').list?.kind).toBe('atomic');
    expect(at(core('Pod'), 'metadata', 'finalizers').list?.kind).toBe('set');
    expect(at(core('Pod'), 'metadata', 'ownerReferences').list).toMatchObject({ kind: 'map', keys: ['uid'] });
  });

  it('knows atomic types, and maps that a field makes atomic', () => {
    expect(at(core('Pod'), 'spec', 'nodeSelector').map?.atomic).toBe(true);
    expect(at(core('Pod'), 'metadata', 'labels').map?.atomic).toBe(false);
    const deployment = mergeSchemaOf('io.k8s.api.apps.v1.Deployment', typeSchema);
    expect(at(deployment, 'spec', 'selector').map?.atomic).toBe(true);
  });

  it('shows the fields of embedded structs in the parent', () => {
    expect(at(core('Pod'), 'spec', 'volumes', '[]', 'emptyDir').map?.struct).toBe(true);
  });

  it('gives the zero value as Go prints it', () => {
    expect(mergeSchemaOf('io.k8s.api.apps.v1.Deployment', typeSchema).map?.zero).toEqual({
      metadata: {},
      spec: { selector: null, strategy: {}, template: { metadata: {}, spec: { containers: null } } },
      status: {},
    });
    expect(core('ConfigMap').map?.zero).toEqual({ metadata: {} });
    expect(core('PodCondition').map?.zero).toEqual({
      type: '',
      status: '',
      lastProbeTime: null,
      lastTransitionTime: null,
    });
  });

  it('falls back on the patch strategy where no list type is declared', () => {
    const field = (json: string, rest: Partial<FieldSchema>): FieldSchema => ({
      json,
      wire: 1,
      shape: 'list',
      type: 'string',
      pointer: false,
      omit: 'empty',
      required: false,
      ...rest,
    });
    const type: TypeSchema = {
      name: 'T',
      fields: [
        field('keyed', { type: 'T', patchStrategy: 'merge,retainKeys', patchMergeKey: 'name' }),
        field('scalars', { patchStrategy: 'merge' }),
        field('plain', { patchStrategy: 'replace' }),
      ],
    };
    const schema = mergeSchemaOf('T', (name) => (name === 'T' ? type : undefined));
    expect(at(schema, 'keyed').list).toMatchObject({ kind: 'map', keys: ['name'] });
    expect(at(schema, 'scalars').list?.kind).toBe('set');
    expect(at(schema, 'plain').list?.kind).toBe('atomic');
    expect(at(schema, 'keyed', '[]', 'keyed', '[]', 'plain').list?.kind).toBe('atomic');
  });

  it('treats what it cannot resolve as anything', () => {
    const schema = mergeSchemaOf('Unknown', () => undefined);
    expect(fieldsOf({ a: { b: [1] }, c: 1 }, schema).toFields()).toEqual({
      'f:a': { '.': {}, 'f:b': {} },
      'f:c': {},
    });
  });
});

describe('mergeSchemaOfStructural', () => {
  const schema = mergeSchemaOfStructural({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          items: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name', 'kind'],
            items: {
              type: 'object',
              properties: { name: { type: 'string' }, kind: { type: 'string', default: 'k' }, v: { type: 'integer' } },
            },
          },
          tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          plain: { type: 'array', items: { type: 'string' } },
          whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          port: { 'x-kubernetes-int-or-string': true },
          pod: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
  });

  it('follows the extensions of the schema', () => {
    const value = {
      metadata: { name: 'x', labels: { a: 'b' }, finalizers: ['f'], ownerReferences: [{ uid: 'u', name: 'n' }] },
      spec: {
        items: [{ name: 'a', v: 1 }],
        tags: ['t'],
        plain: ['p'],
        whole: { a: 'b' },
        free: { a: { b: [1] } },
        port: 80,
        pod: { metadata: { finalizers: ['g'] }, spec: { x: 1 } },
      },
    };
    expect(fieldsOf(value, schema).toFields()).toEqual({
      'f:metadata': {
        'f:name': {},
        'f:labels': { 'f:a': {} },
        'f:finalizers': { 'v:"f"': {} },
        'f:ownerReferences': { 'k:{"uid":"u"}': {} },
      },
      'f:spec': {
        'f:items': { 'k:{"kind":"k","name":"a"}': { '.': {}, 'f:name': {}, 'f:v': {} } },
        'f:tags': { 'v:"t"': {} },
        'f:plain': {},
        'f:whole': {},
        'f:free': { 'f:a': { '.': {}, 'f:b': {} } },
        'f:port': {},
        'f:pod': { 'f:metadata': { 'f:finalizers': { 'v:"g"': {} } }, 'f:spec': { '.': {}, 'f:x': {} } },
      },
    });
  });

  it('allows unknown fields only where the schema does', () => {
    expect(at(schema, 'spec').map?.elements).toBeUndefined();
    expect(at(schema, 'spec', 'free').map?.elements).toBeDefined();
  });

  it('deduces everything without a schema: lists whole, maps key by key', () => {
    const fields = fieldsOf({ spec: { list: [{ name: 'a' }], map: { k: {} } } }, mergeSchemaOfStructural(undefined));
    expect(fields.toFields()).toEqual({
      'f:spec': { '.': {}, 'f:list': {}, 'f:map': { '.': {}, 'f:k': {} } },
    });
  });
});
