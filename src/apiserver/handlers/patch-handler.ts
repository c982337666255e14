import { typeSchema } from '../../generated/type-schemas.ts';
import type { Api } from '../api.ts';
import { jsonPatch } from '../patch/json-patch.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { strategicMergePatch } from '../patch/strategic-merge.ts';
import { mediaType, parseText } from '../request/body.ts';
import { invalid } from '../request/field-error.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import {
  badRequest,
  invalidObject,
  notFound,
  StatusError,
  unroutableMediaType,
  unsupportedMediaType,
} from '../request/status-error.ts';
import { keyFor } from '../storage/object-writer.ts';
import { asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { jsonText } from '../values/json-text.ts';
import { metadataOf } from '../values/object-meta.ts';
import { jsonTypeName } from '../values/scalar-values.ts';
import { APPLY, handleApply } from './apply-handler.ts';
import {
  type BodyKind,
  decodeObject,
  matchName,
  matchNamespace,
  type WriteQuery,
  writeQuery,
} from './write-decoding.ts';
import { updateObject, writeResponse } from './write-handlers.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

/** Changes an object as a patch says, before the result is read as an object of the kind. */
export type Patcher = (old: JsonObject) => JsonObject;

export async function handlePatch(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const { resource, request, info } = scope;
  const type = mediaType(request.headers['content-type']);
  if (type === APPLY) return handleApply(api, scope);
  checkPatchType(scope, type);
  const query = writeQuery(scope, 'PatchOptions');
  if (!resource.table.objects.has(keyFor(scope.namespace, info.name))) throw notFound(resource, info.name);
  // The real server looks at a patch when it has the object.
  const { patcher, duplicates } = patcherOf(scope, type);
  const stored = await updateObject(api, scope, query, (old) => decodePatched(scope, patcher(old), duplicates, query));
  return writeResponse(api, scope, 200, stored);
}

/** Throws 415 for a kind of patch that the resource does not take. */
export function checkPatchType({ resource }: Pick<ResourceScope, 'resource'>, type: string): void {
  const { custom } = resource.init;
  const accepted = [JSON_PATCH, MERGE_PATCH, ...(custom ? [] : [STRATEGIC]), APPLY];
  if (accepted.includes(type)) return;
  throw custom ? unsupportedMediaType(accepted) : unroutableMediaType();
}

/** Reads the patch of a request, of a type that was checked. */
export function patcherOf(
  { resource, request }: Pick<ResourceScope, 'resource' | 'request'>,
  type: string,
  schemaName = resource.init.schema,
): { patcher: Patcher; duplicates: readonly string[] } {
  const { patch, duplicates } = parsePatch(request.body, type);
  if (type === JSON_PATCH) return { patcher: (old) => jsonPatch(old, patch), duplicates: [] };
  const object = patch as JsonObject;
  if (type === MERGE_PATCH) return { patcher: (old) => mergePatch(old, object), duplicates };
  const schema = typeSchema(schemaName);
  if (!schema) throw new Error(`there is no type schema ${schemaName}: generate the tables again`);
  // What is merged is the Go struct, whose type is not among its fields.
  const { kind: _kind, apiVersion: _apiVersion, ...fields } = object;
  return { patcher: (old) => strategicMergePatch(old, fields, schema, typeSchema), duplicates };
}

function parsePatch(body: Uint8Array, type: string): { patch: JsonValue; duplicates: readonly string[] } {
  const prefix = type === STRATEGIC ? '' : 'error decoding patch: ';
  let parsed: ReturnType<typeof parseText>;
  try {
    parsed = parseText(body, 'json');
  } catch (error) {
    throw badRequest(prefix + (error instanceof Error ? error.message : String(error)));
  }
  const { value, duplicates } = parsed;
  if (value === null) {
    if (type === MERGE_PATCH) throw badRequest('Invalid JSON Patch');
    return { patch: type === JSON_PATCH ? [] : {}, duplicates: [] };
  }
  if (type !== JSON_PATCH && !isObject(value)) {
    throw badRequest(
      `${prefix}json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`,
    );
  }
  return { patch: value, duplicates };
}

/** When the patched object no longer fits the kind, the patch is at fault: 422, not 400. */
export function decodePatched(
  scope: Pick<ResourceScope, 'warnings' | 'info' | 'namespace'> & { resource: BodyKind & { namespaced: boolean } },
  patched: JsonObject,
  duplicates: readonly string[],
  query: Pick<WriteQuery, 'fieldValidation'>,
): JsonObject {
  const { info } = scope;
  const object = decodeOrBlame(scope, patched, duplicates, query);
  matchName(asString(metadataOf(object).name), info.name);
  matchNamespace(object, scope);
  return object;
}

function decodeOrBlame(
  scope: { resource: BodyKind; warnings: string[] },
  patched: JsonObject,
  duplicates: readonly string[],
  query: Pick<WriteQuery, 'fieldValidation'>,
): JsonObject {
  try {
    return decodeObject(scope, patched, { duplicates }, query.fieldValidation);
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 400) throw error;
    const why = error.message.replace(/^.*? cannot be handled as a [^:]*: /, '');
    throw invalidObject({ group: '', kind: '' }, '', [invalid('patch', jsonText(patched), why)]);
  }
}
