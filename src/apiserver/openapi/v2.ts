import type { JsonObject, JsonValue } from '../values/json.ts';
import { type ApiOperation, groupVersionOperations, type QueryParameter } from './api-operations.ts';
import { addCustomDefinitions } from './custom-definitions.ts';
import { kindNames } from './kind-names.ts';
import type { OpenApiResource } from './open-api-resource.ts';
import { sorted, TypeDefinitions } from './type-definitions.ts';
import { MEDIA_TYPES, RESPONSES } from './v3.ts';

/** The OpenAPI v2 (Swagger) document: every group and version in one. */
export function openApiV2(resources: readonly OpenApiResource[], serverVersion: string): JsonObject {
  const definitions = new TypeDefinitions('v2', kindNames(resources));
  for (const resource of resources) addCustomDefinitions(definitions, resource, 'v2');
  const paths = new Map<string, JsonObject>();
  for (const group of byGroupVersion(resources)) {
    for (const operation of groupVersionOperations(group)) {
      const item = paths.get(operation.path) ?? pathItem(operation.path);
      paths.set(operation.path, { ...item, [operation.method]: renderOperation(operation, definitions) });
    }
  }
  const schemas = Object.fromEntries(
    [...definitions.schemas].map(([name, schema]): [string, JsonValue] => [name, withoutDefaults(schema)]),
  );
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: serverVersion },
    paths: sorted(Object.fromEntries(paths)),
    definitions: sorted(schemas),
    securityDefinitions: {
      BearerToken: { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' },
    },
    security: [{ BearerToken: [] }],
  };
}

function byGroupVersion(resources: readonly OpenApiResource[]): OpenApiResource[][] {
  const groups = new Map<string, OpenApiResource[]>();
  for (const resource of resources) {
    const key = `${resource.group}/${resource.version}`;
    groups.set(key, [...(groups.get(key) ?? []), resource]);
  }
  return [...groups.values()];
}

/** The real server leaves them out: clients of this generation would send them back. */
function withoutDefaults(schema: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'default' || value === undefined) continue;
    if (key === 'properties') copy[key] = ofEach(value as JsonObject);
    else if (key === 'items' || key === 'additionalProperties') {
      copy[key] = typeof value === 'object' ? withoutDefaults(value as JsonObject) : value;
    } else copy[key] = value;
  }
  return copy;
}

function ofEach(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]): [string, JsonValue] => [
      name,
      withoutDefaults(value as JsonObject),
    ]),
  );
}

function pathItem(path: string): JsonObject {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();
  if (inPath.length === 0 && path.endsWith('/')) return {};
  return {
    parameters: [
      ...inPath.map((name) => ({ uniqueItems: true, type: 'string', name, in: 'path', required: true })),
      queryParameter({ name: 'pretty', type: 'string' }),
    ],
  };
}

function queryParameter({ name, type }: QueryParameter): JsonObject {
  return { uniqueItems: true, type, name, in: 'query' };
}

function renderOperation(operation: ApiOperation, definitions: TypeDefinitions): JsonObject {
  const { action, kind, body, query, watchable } = operation;
  const parameters: JsonObject[] = query.map(queryParameter);
  if (body !== undefined) {
    const schema = definitions.refer(body.schema);
    parameters.unshift({ name: 'body', in: 'body', ...(body.required ? { required: true } : {}), schema });
  }
  const responses: JsonObject = { '401': { description: 'Unauthorized' } };
  for (const [code, schema] of operation.responses) {
    responses[code] = { description: RESPONSES[code] ?? '', schema: definitions.refer(schema) };
  }
  return {
    consumes: [...(body?.formats ?? ['*/*'])],
    produces: watchable ? [...MEDIA_TYPES, 'application/json;stream=watch'] : [...MEDIA_TYPES],
    schemes: ['https'],
    tags: [operation.tag],
    operationId: operation.operationId,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses,
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(kind === undefined ? {} : { 'x-kubernetes-group-version-kind': { ...kind } }),
  };
}
