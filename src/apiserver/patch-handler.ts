import type { Api } from './api.ts';
import { mediaType, parseText } from './body.ts';
import { invalid } from './field-error.ts';
import { asString, isObject, type JsonObject, type JsonValue } from './json.ts';
import { jsonPatch } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';
import { metadataOf } from './object-meta.ts';
import { keyFor } from './object-writer.ts';
import type { ServerResponse } from './request.ts';
import type { ResourceScope } from './resource-scope.ts';
import { badRequest, invalidObject, notFound, StatusError, statusError } from './status-error.ts';
import { decodeObject, type WriteQuery, writeQuery } from './write-decoding.ts';
import { updateObject, writeResponse } from './write-handlers.ts';

type Patcher = (old: JsonObject, patch: JsonValue, scope: ResourceScope) => JsonObject;

const PATCHERS = new Map<string, Patcher>([
  ['application/json-patch+json', (old, patch) => jsonPatch(old, patch)],
  ['application/merge-patch+json', (old, patch) => mergePatch(old, patch) as JsonObject],
]);

export function handlePatch(api: Api, scope: ResourceScope): ServerResponse {
  const { resource, request, info } = scope;
  const type = mediaType(request.headers['content-type']);
  const patcher = PATCHERS.get(type);
  if (!patcher) throw statusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  const query = writeQuery(scope, 'PatchOptions');
  const { patch, duplicates } = parsePatch(request.body, type);
  if (!resource.table.objects.has(keyFor(scope.namespace, info.name))) throw notFound(resource, info.name);
  const stored = updateObject(api, scope, query, (old) => {
    const patched = patcher(old, patch, scope);
    return decodePatched(scope, patched, duplicates, query);
  });
  return writeResponse(api, scope, 200, stored);
}

function parsePatch(body: Uint8Array, type: string): { patch: JsonValue; duplicates: readonly string[] } {
  try {
    const { value, duplicates } = parseText(body, 'json');
    if (type === 'application/merge-patch+json' && !isObject(value)) {
      const what = Array.isArray(value) ? 'array' : typeof value;
      throw new Error(`json: cannot unmarshal ${what} into Go value of type map[string]interface {}`);
    }
    return { patch: value, duplicates: Array.isArray(value) ? [] : duplicates };
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A patched object that is no object of the kind any more is the patch's fault: 422, not 400. */
export function decodePatched(
  scope: ResourceScope,
  patched: JsonObject,
  duplicates: readonly string[],
  query: WriteQuery,
): JsonObject {
  let object: JsonObject;
  try {
    object = decodeObject(scope, patched, duplicates, query.fieldValidation);
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 400) throw error;
    if (error.message.includes('strict decoding error')) throw error;
    const why = error.message.replace(/^.*? cannot be handled as a [^:]*: /, '');
    const problem = invalid('patch', JSON.stringify(patched), why);
    throw invalidObject({ group: '', kind: '' }, '', [problem]);
  }
  const name = asString(metadataOf(object).name);
  if (name !== scope.info.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${scope.info.name})`);
  }
  const namespace = asString(metadataOf(object).namespace);
  if (namespace !== scope.namespace && scope.resource.namespaced) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return object;
}
