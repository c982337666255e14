import { describe, expect, it } from 'vitest';
import type { TypeSchema } from '../../api/type-schema.ts';
import { typeSchema } from '../../generated/type-schemas.ts';
import type { JsonObject } from './json.ts';
import { readTyped, zeroObject } from './typed-object.ts';

function schema(name: string): TypeSchema {
  const found = typeSchema(`io.k8s.api.${name}`);
  if (!found) throw new Error(`no schema ${name}`);
  return found;
}

const read = (name: string, object: JsonObject) => readTyped(schema(name), object);

describe('readTyped', () => {
  it('writes an object as Go does: known fields in order, nothing that omitempty leaves out', () => {
    const { object, unknownFields } = read('core.v1.Pod', {
      spec: { containers: [{ image: 'b', name: 'a', foo: 1 }], hostNetwork: false, nodeName: '', volumes: [] },
      metadata: { labels: {}, name: 'x', creationTimestamp: null },
      bar: {},
    });
    expect(JSON.stringify(object)).toBe(
      '{"metadata":{"name":"x"},"spec":{"containers":[{"name":"a","image":"b","resources":{}}]},"status":{}}',
    );
    expect(unknownFields).toEqual(['spec.containers[0].foo', 'bar']);
  });

  it('drops the zeros of protobuf also inside of values that have two forms', () => {
    const type = typeSchema('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps');
    if (!type) throw new Error('no schema of schemas');
    const inner = { id: '', type: 'string', nullable: false, foo: 1 };
    const { object, unknownFields } = readTyped(type, {
      type: 'array',
      items: inner,
      additionalProperties: inner,
      dependencies: { a: ['b'], c: inner },
    });
    const read = { type: 'string' };
    expect(object).toEqual({
      type: 'array',
      items: read,
      additionalProperties: read,
      dependencies: { a: ['b'], c: read },
    });
    // Go's own method for such values says nothing of fields that it does not know.
    expect(unknownFields).toEqual([]);
    expect(readTyped(type, { additionalProperties: true }).object).toEqual({ additionalProperties: true });
  });

  it('shows an empty list that must be there as null, as protobuf has it, and in definitions, which are stored as JSON, as it is', () => {
    expect(read('core.v1.Pod', { spec: { containers: [] } }).object.spec).toEqual({ containers: null });
    const type = typeSchema('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition');
    if (!type) throw new Error('no schema of definitions');
    expect(readTyped(type, { spec: { versions: [] } }).object.spec).toMatchObject({ versions: [] });
  });

  it('keeps the zero behind a pointer', () => {
    const { object } = read('apps.v1.Deployment', { spec: { replicas: 0, paused: false } });
    expect(object.spec).toMatchObject({ replicas: 0 });
    expect(object.spec).not.toHaveProperty('paused');
  });

  it('shows the zero value of a kind, for bookmarks', () => {
    expect(zeroObject(schema('core.v1.Pod'))).toEqual({ metadata: {}, spec: { containers: null }, status: {} });
  });

  it('puts quantities and times into their one form', () => {
    const { object } = read('core.v1.Node', {
      status: {
        capacity: { cpu: 0.5, memory: '1024Mi' },
        conditions: [{ lastHeartbeatTime: '2024-01-01T01:00:00.7+01:00' }],
      },
    });
    expect(object.status).toMatchObject({
      capacity: { cpu: '500m', memory: '1Gi' },
      conditions: [{ lastHeartbeatTime: '2024-01-01T00:00:00Z' }],
    });
  });

  it.each([
    [
      { spec: { replicas: '3' } },
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      { spec: { replicas: 1.5 } },
      'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [{ spec: [] }, 'json: cannot unmarshal array into Go struct field Deployment.spec of type v1.DeploymentSpec'],
    [
      { metadata: { labels: { a: 1 } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      { spec: { template: { spec: { containers: { name: 'a' } } } } },
      'json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container',
    ],
  ])('complains about %j as Go does', (object, message) => {
    expect(() => read('apps.v1.Deployment', object as JsonObject)).toThrow(message);
  });

  it('takes a key named __proto__ for what it is', () => {
    const sent = JSON.parse('{"data":{"__proto__":"x"},"__proto__":{"a":1}}') as JsonObject;
    const { object, unknownFields } = read('core.v1.ConfigMap', sent);
    expect(Object.keys(object.data as JsonObject)).toEqual(['__proto__']);
    expect(unknownFields).toEqual(['__proto__']);
    expect(({} as JsonObject).a).toBeUndefined();
  });
});
