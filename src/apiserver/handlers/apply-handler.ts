import type { Api } from '../api.ts';
import { applyPatch } from '../apply/server-side-apply.ts';
import { parseText } from '../request/body.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { badRequest, conflict, notFound } from '../request/status-error.ts';
import { keyFor, ObjectWriter } from '../storage/object-writer.ts';
import { finish } from '../storage/steps.ts';
import { asString, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { jsonTypeName } from '../values/scalar-values.ts';
import { checkNamespace } from './namespace-lifecycle.ts';
import { decodeObject, type WriteQuery, warningsOf, writeQuery } from './write-decoding.ts';
import { fromStorage, toStorage, writeOptions, writeResponse } from './write-handlers.ts';

export const APPLY = 'application/apply-patch+yaml';

/** Server-side apply: creates the object when it is not there, else merges what the manager wants into it. */
export async function handleApply(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const { resource, info } = scope;
  const query = writeQuery(scope, 'PatchOptions', true);
  const { config, problem } = readConfig(scope);
  if (problem !== undefined) judgeDuplicates(scope, problem, query);
  const existing = resource.table.objects.get(keyFor(scope.namespace, info.name));
  const writer = new ObjectWriter(api);
  // Who applies owns what it applied: such an object is not stored without its owners.
  const kind = existing ? 'UpdateOptions' : 'CreateOptions';
  const options = { ...writeOptions(scope, query, kind), mayForgetOwners: false };
  if (!existing) {
    if (info.subresource !== '') throw notFound(resource, info.name);
    checkNamespace(api, resource, scope.namespace, info.name);
    const object = applied(api, scope, undefined, config, query);
    const uid = asString(metadataOf(config).uid);
    if (uid !== '') {
      const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
      throw conflict(resource, info.name, why);
    }
    return writeResponse(api, scope, 201, await finish(writer.creation(resource, object, options)));
  }
  const steps = writer.updating(resource, info.name, options, (old) => applied(api, scope, old, config, query));
  return writeResponse(api, scope, 200, await finish(steps));
}

/** The body, as YAML; its name and namespace must be those of the URL, or absent. */
export function readConfig({ request, info, namespace, resource }: ResourceScope): {
  config: JsonObject;
  problem: string | undefined;
} {
  let value: JsonValue;
  let problem: string | undefined;
  try {
    ({ value, yamlProblem: problem } = parseText(request.body, 'yaml'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${why}`);
  }
  value ??= {};
  if (!isObject(value)) {
    const why = `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
  }
  const given = metadataOf(value);
  const name = asString(given.name);
  if (name !== '' && name !== info.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
  }
  const own = asString(given.namespace);
  if (resource.namespaced && own !== '' && own !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return { config: value, problem };
}

/** Keys that stand twice in what is applied. */
export function judgeDuplicates({ warnings }: ResourceScope, problem: string, query: WriteQuery): void {
  if (query.fieldValidation === 'Warn') warnings.push(...warningsOf(problem));
  if (query.fieldValidation !== 'Strict') return;
  throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${problem}`);
}

/** The object after the apply, in the storage version and with its defaults. */
function applied(
  api: Api,
  scope: ResourceScope,
  old: JsonObject | undefined,
  config: JsonObject,
  query: WriteQuery,
): JsonObject {
  const { resource, info } = scope;
  const live = old && fromStorage(resource, old);
  const merged = applyPatch({
    live,
    config,
    schema: resource.mergeSchema,
    manager: query.fieldManager,
    force: query.force ?? false,
    ...(info.subresource === '' ? {} : { subresource: info.subresource }),
    hasStatusSubresource: resource.hasStatus,
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    now: api.clock.now(),
  });
  // Only now: what the manager owns, and what a refusal quotes, is the configuration as it was sent.
  const place = { name: info.name, ...(resource.namespaced ? { namespace: scope.namespace } : {}) };
  const placed = { ...merged, metadata: { ...metadataOf(merged), ...place } };
  const decoded = decodeObject(scope, placed, { duplicates: [] }, query.fieldValidation);
  const object = toStorage(resource, decoded);
  resource.strategy.defaults?.(object);
  return object;
}
