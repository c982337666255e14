import { typeSchema } from '../../generated/type-schemas.ts';
import { inputFormat, parseObject } from '../request/body.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import type { JsonObject } from '../values/json.ts';
import { readTyped } from '../values/typed-object.ts';
import { type BodyKind, decodeObject, type WriteQuery } from './write-decoding.ts';

/** The kinds that only subresources have. */
export const SCALE: BodyKind = bodyKind('autoscaling', 'Scale', 'io.k8s.api.autoscaling.v1.Scale');
export const EVICTION: BodyKind = bodyKind('policy', 'Eviction', 'io.k8s.api.policy.v1.Eviction');
export const BINDING: BodyKind = bodyKind('', 'Binding', 'io.k8s.api.core.v1.Binding');
export const TOKEN_REQUEST: BodyKind = bodyKind(
  'authentication.k8s.io',
  'TokenRequest',
  'io.k8s.api.authentication.v1.TokenRequest',
);

/** The object that a client sent to a subresource, read as the real server reads it. Throws 400. */
export function subresourceBody(
  { request, warnings }: ResourceScope,
  kind: BodyKind,
  { fieldValidation }: Pick<WriteQuery, 'fieldValidation'>,
): JsonObject {
  const { object, strict } = parseObject(request.body, inputFormat(request.headers['content-type']), kind.kind);
  return decodeObject({ resource: kind, warnings }, object, strict, fieldValidation);
}

function bodyKind(group: string, kind: string, schemaName: string): BodyKind {
  const decode = (object: JsonObject) => {
    const schema = typeSchema(schemaName);
    if (!schema) throw new Error(`there is no type schema ${schemaName}: generate the tables again`);
    return readTyped(schema, object);
  };
  return {
    group,
    version: 'v1',
    kind,
    apiVersion: group === '' ? 'v1' : `${group}/v1`,
    init: { custom: false, decode },
  };
}
