import type { Api } from '../api.ts';
import { inputFormat, parseObject } from '../request/body.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { keyFor, ObjectWriter, type WriteOptions } from '../storage/object-writer.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import { finish } from '../storage/steps.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { asString, type JsonObject } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { checkNamespace } from './namespace-lifecycle.ts';
import { objectResponse } from './object-response.ts';
import { storedWithOtherUid } from './stored-uid.ts';
import { tableResponse } from './table-response.ts';
import { withOwners } from './tracked-write.ts';
import { decodeObject, matchName, matchNamespace, type WriteQuery, writeQuery } from './write-decoding.ts';

export async function handleCreate(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const { resource, request } = scope;
  const format = inputFormat(request.headers['content-type']);
  const query = writeQuery(scope, 'CreateOptions');
  const { object: sent, strict } = parseObject(request.body, format, resource.kind);
  const decoded = decodeObject(scope, sent, strict, query.fieldValidation);
  matchNamespace(decoded, scope);
  return writeResponse(api, scope, 201, await createObject(api, scope, decoded, query));
}

/** Creates what a client sent (in the version of the request); also the create half of PUT and apply. */
export function createObject(
  api: Api,
  scope: ResourceScope,
  decoded: JsonObject,
  query: WriteQuery,
): StoredObject | Promise<StoredObject> {
  const { resource } = scope;
  checkNamespace(api, resource, scope.namespace, asString(metadataOf(decoded).name));
  const metadata = metadataOf(decoded);
  for (const field of ['uid', 'creationTimestamp']) delete metadata[field];
  const object = toStorage(resource, decoded);
  resource.strategy.defaults?.(object);
  const managed = withOwners({ scope, before: undefined, after: object, query, nowMs: api.clock.now() });
  return finish(new ObjectWriter(api).creation(resource, managed, writeOptions(scope, query, 'CreateOptions')));
}

export async function handleUpdate(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const { resource, request, info } = scope;
  const query = writeQuery(scope, 'UpdateOptions');
  const format = inputFormat(request.headers['content-type']);
  const { object: sent, strict } = parseObject(request.body, format, resource.kind);
  const decoded = decodeObject(scope, sent, strict, query.fieldValidation);
  matchNamespace(decoded, scope);
  matchName(asString(metadataOf(decoded).name), info.name);
  const exists = resource.table.objects.has(keyFor(scope.namespace, info.name));
  if (!exists && resource.strategy.createOnUpdate && info.subresource === '') {
    return writeResponse(api, scope, 201, await createObject(api, scope, decoded, query));
  }
  const uid = asString(metadataOf(decoded).uid);
  const present = resource.table.objects.get(keyFor(scope.namespace, info.name));
  if (present && uid !== '' && uid !== present.uid) {
    throw storedWithOtherUid(scope, uid, present.uid);
  }
  const stored = await updateObject(api, scope, query, () => decoded);
  return writeResponse(api, scope, 200, stored);
}

/** Replaces the object that the path names by what `change` makes of it, in the version of the request. */
export function updateObject(
  api: Api,
  scope: ResourceScope,
  query: WriteQuery,
  change: (old: JsonObject) => JsonObject,
): StoredObject | Promise<StoredObject> {
  const { resource, info } = scope;
  const steps = new ObjectWriter(api).updating(resource, info.name, writeOptions(scope, query), (old) => {
    const changed = change(fromStorage(resource, old));
    const object = toStorage(resource, changed);
    resource.strategy.defaults?.(object);
    return withOwners({ scope, before: old, after: object, query, nowMs: api.clock.now() });
  });
  return finish(steps);
}

export function writeOptions(
  scope: ResourceScope,
  query: Pick<WriteQuery, 'dryRun'>,
  kind: 'CreateOptions' | 'UpdateOptions' = 'UpdateOptions',
): WriteOptions {
  return {
    namespace: scope.namespace,
    dryRun: query.dryRun,
    user: scope.user,
    asked: askedOptions(scope.request.query, kind),
    ...(scope.info.subresource === '' ? {} : { subresource: scope.info.subresource }),
    warn: (message) => scope.warnings.push(message),
  };
}

/** What the query of a write says, as an object. */
function askedOptions(query: URLSearchParams, kind: string): JsonObject {
  const dryRun = query.getAll('dryRun').filter((text) => text !== '');
  const text = (name: string) => {
    const value = query.get(name) ?? '';
    return value === '' ? {} : { [name]: value };
  };
  const given = { ...text('fieldManager'), ...text('fieldValidation') };
  return { kind, apiVersion: 'meta.k8s.io/v1', ...(dryRun.length > 0 ? { dryRun } : {}), ...given };
}

export function writeResponse(
  api: Api,
  scope: ResourceScope,
  status: number,
  stored: StoredObject,
): ServerResponse | Promise<ServerResponse> {
  if (scope.output.accepted.transform === 'Table') {
    return tableResponse(api, scope, [stored], { resourceVersion: String(stored.revision) }, status);
  }
  return objectResponse(status, scope.resource, stored, scope.output);
}

export function toStorage(resource: ServedResource, object: JsonObject): JsonObject {
  return resource.init.conversion ? resource.init.conversion.toStorage(object) : object;
}

export function fromStorage(resource: ServedResource, object: JsonObject): JsonObject {
  const shaped = resource.init.conversion ? resource.init.conversion.fromStorage(object) : object;
  return { ...shaped, kind: resource.kind, apiVersion: resource.apiVersion };
}
