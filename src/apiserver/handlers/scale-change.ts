import { typeSchema } from '../../generated/type-schemas.ts';
import type { Api } from '../api.ts';
import { trackUpdate } from '../apply/managed-fields.ts';
import { type MergeSchema, mergeSchemaOf } from '../apply/merge-schema.ts';
import { applyPatch } from '../apply/server-side-apply.ts';
import { mediaType } from '../request/body.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { notFound, type StatusError, statusError } from '../request/status-error.ts';
import { keyFor } from '../storage/object-writer.ts';
import { asString, type JsonObject } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { APPLY, judgeDuplicates, readConfig } from './apply-handler.ts';
import { checkPatchType, decodePatched, patcherOf } from './patch-handler.ts';
import { SCALE, subresourceBody } from './subresource-body.ts';
import { decodeObject, matchName, type WriteQuery, writeQuery } from './write-decoding.ts';

const SCHEMA = 'io.k8s.api.autoscaling.v1.Scale';

/** What a request does to a Scale. */
export interface ScaleChange {
  readonly query: WriteQuery;
  /** From the present Scale to the wanted one, each with its owners. */
  readonly change: (present: JsonObject) => JsonObject;
}

/** Reads a PUT, a patch or an apply of a Scale. Throws 400, 404, 415 and 422. */
export function scaleChange(api: Api, scope: ResourceScope): ScaleChange {
  const { verb } = scope.info;
  if (verb !== 'patch') return sentScale(api, scope);
  const type = mediaType(scope.request.headers['content-type']);
  return type === APPLY ? appliedScale(api, scope) : patchedScale(api, scope, type);
}

function sentScale(api: Api, scope: ResourceScope): ScaleChange {
  const { info } = scope;
  const query = writeQuery(scope, 'UpdateOptions');
  const object = subresourceBody(scope, SCALE, query);
  matchName(asString(metadataOf(object).name), info.name);
  return { query, change: (present) => tracked(api, query, present, object) };
}

function patchedScale(api: Api, scope: ResourceScope, type: string): ScaleChange {
  checkPatchType(scope, type);
  const { resource, info } = scope;
  const query = writeQuery(scope, 'PatchOptions');
  if (!resource.table.objects.has(keyFor(scope.namespace, info.name))) throw notFound(resource, info.name);
  const { patcher, duplicates } = patcherOf(scope, type, SCHEMA);
  const asScale = { ...scope, resource: { ...SCALE, namespaced: resource.namespaced } };
  return {
    query,
    change: (present) => tracked(api, query, present, decodePatched(asScale, patcher(present), duplicates, query)),
  };
}

function appliedScale(api: Api, scope: ResourceScope): ScaleChange {
  const query = writeQuery(scope, 'PatchOptions', true);
  const { config, problem } = readConfig(scope);
  if (problem !== undefined) judgeDuplicates(scope, problem, query);
  const { custom } = scope.resource.init;
  const change = (live: JsonObject) => {
    if (custom && metadataOf(live).managedFields === undefined) {
      throw unconvertible('failed to create manager for existing fields: failed to convert live object');
    }
    const merged = applyPatch({ ...ownership(api, query), live, config, force: query.force ?? false });
    if (custom) throw unconvertible('failed to convert new object');
    return decodeObject({ resource: SCALE, warnings: scope.warnings }, merged, { duplicates: [] }, 'Ignore');
  };
  return { query, change };
}

/** The real server cannot apply to the Scale of a custom resource: it takes the Scale for a version of the resource. */
function unconvertible(what: string): StatusError {
  const why = `request to convert CR to an invalid group/version: ${SCALE.apiVersion}`;
  return statusError(500, '', `${what} (/; ${SCALE.apiVersion}, Kind=${SCALE.kind}) to proper version: ${why}`);
}

/** `after` with the owners that it has when the writer is given what differs. */
function tracked(api: Api, query: WriteQuery, before: JsonObject, after: JsonObject): JsonObject {
  return trackUpdate({ ...ownership(api, query), before, after });
}

function ownership(api: Api, query: WriteQuery) {
  return {
    schema: mergeSchema(),
    manager: query.fieldManager,
    subresource: 'scale',
    apiVersion: SCALE.apiVersion,
    kind: SCALE.kind,
    now: api.clock.now(),
  };
}

let schema: MergeSchema | undefined;

function mergeSchema(): MergeSchema {
  schema ??= mergeSchemaOf(SCHEMA, typeSchema);
  return schema;
}
