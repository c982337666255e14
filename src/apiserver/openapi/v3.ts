import type { JsonObject } from '../values/json.ts';
import { type ApiOperation, groupVersionOperations, type QueryParameter } from './api-operations.ts';
import { addCustomDefinitions } from './custom-definitions.ts';
import { kindNames } from './kind-names.ts';
import type { OpenApiResource } from './open-api-resource.ts';
import { sorted, TypeDefinitions } from './type-definitions.ts';

/** What the server can write. */
export const MEDIA_TYPES = ['application/json', 'application/yaml'];

/** The OpenAPI v3 document of one group and version; `resources` are those it serves. */
export function openApiV3(resources: readonly OpenApiResource[], serverVersion: string): JsonObject {
  const definitions = new TypeDefinitions('v3', kindNames(resources));
  for (const resource of resources) addCustomDefinitions(definitions, resource, 'v3');
  const paths = new Map<string, JsonObject>();
  for (const operation of groupVersionOperations(resources)) {
    const item = paths.get(operation.path) ?? pathItem(operation.path);
    paths.set(operation.path, { ...item, [operation.method]: renderOperation(operation, definitions) });
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: serverVersion },
    paths: sorted(Object.fromEntries(paths)),
    components: {
      schemas: sorted(Object.fromEntries(definitions.schemas)),
      securitySchemes: {
        BearerToken: {
          type: 'apiKey',
          description: 'Bearer Token authentication',
          name: 'authorization',
          in: 'header',
        },
      },
    },
  };
}

function pathItem(path: string): JsonObject {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();
  if (inPath.length === 0 && path.endsWith('/')) return {};
  return {
    parameters: [
      ...inPath.map((name) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string', uniqueItems: true },
      })),
      queryParameter({ name: 'pretty', type: 'string' }),
    ],
  };
}

function queryParameter({ name, type }: QueryParameter): JsonObject {
  return { name, in: 'query', schema: { type, uniqueItems: true } };
}

function renderOperation(operation: ApiOperation, definitions: TypeDefinitions): JsonObject {
  const { action, kind, body, query } = operation;
  const output = operation.watchable ? [...MEDIA_TYPES, 'application/json;stream=watch'] : MEDIA_TYPES;
  const content = (schema: string, types: readonly string[]): JsonObject =>
    Object.fromEntries(types.map((type) => [type, { schema: definitions.refer(schema) }]));
  const responses: JsonObject = { '401': { description: 'Unauthorized' } };
  for (const [code, schema] of operation.responses) {
    responses[code] = { description: RESPONSES[code] ?? '', content: content(schema, output) };
  }
  return {
    tags: [operation.tag],
    operationId: operation.operationId,
    ...(query.length === 0 ? {} : { parameters: query.map(queryParameter) }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            content: content(body.schema, body.formats),
            ...(body.required ? { required: true } : {}),
          },
        }),
    responses,
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(kind === undefined ? {} : { 'x-kubernetes-group-version-kind': { ...kind } }),
  };
}

export const RESPONSES: Readonly<Record<string, string>> = { '200': 'OK', '201': 'Created', '202': 'Accepted' };
