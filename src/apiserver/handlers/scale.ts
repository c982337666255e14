import { LabelSelector, type LabelSelectorObject } from '../../api/label-selector.ts';
import { typeSchema } from '../../generated/type-schemas.ts';
import type { Api } from '../api.ts';
import { inputFormat, mediaType, parseObject } from '../request/body.ts';
import { invalid } from '../request/field-error.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { badRequest, invalidObject, notFound, unsupportedMediaType } from '../request/status-error.ts';
import { keyFor, ObjectWriter } from '../storage/object-writer.ts';
import type { ScaleAccess } from '../storage/served-resource.ts';
import { finish, type Steps } from '../storage/steps.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { asObject, asString, cloneJson, ensureObject, getPath, isObject, type JsonObject } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { DecodeProblem, readTyped } from '../values/typed-object.ts';
import { documentResponse } from './object-response.ts';
import { patcherOf } from './patch-handler.ts';
import { readObject } from './read-handlers.ts';
import { withOwners } from './tracked-write.ts';
import { type WriteQuery, writeQuery } from './write-decoding.ts';
import { fromStorage, toStorage, writeOptions } from './write-handlers.ts';

const SCALE_SCHEMA = 'io.k8s.api.autoscaling.v1.Scale';
const SCALE_KIND = { group: 'autoscaling', kind: 'Scale' };

export async function handleScale(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const { info } = scope;
  if (info.verb === 'get') return scaleResponse(scope, await readObject(api, scope));
  const query = writeQuery(scope, info.verb === 'patch' ? 'PatchOptions' : 'UpdateOptions');
  const change = info.verb === 'patch' ? patchedScale(scope) : sentScale(scope);
  return scaleResponse(scope, await finish(writeScale(api, scope, query, change)));
}

const builtinScale: ScaleAccess = {
  read: scaleOf,
  readForUpdate: scaleOf,
  write(object, scale) {
    ensureObject(object, 'spec').replicas = getPath(scale, 'spec', 'replicas') ?? 0;
  },
};

function scaleOf(object: JsonObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadataOf(object);
  const metadata = Object.entries({ name, namespace, uid, resourceVersion, creationTimestamp });
  const selector = selectorText(object);
  const replicas = getPath(object, 'spec', 'replicas');
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(metadata.filter(([, value]) => value !== undefined)),
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: {
      replicas: getPath(object, 'status', 'replicas') ?? 0,
      ...(selector === '' ? {} : { selector }),
    },
  };
}

function selectorText(object: JsonObject): string {
  const own = getPath(object, 'spec', 'selector');
  if (!isObject(own)) return '';
  // A ReplicationController's selector is a plain map.
  const plain = !isObject(own.matchLabels) && !Array.isArray(own.matchExpressions);
  const form = plain ? { matchLabels: own as Record<string, string> } : (own as LabelSelectorObject);
  return LabelSelector.fromObject(form).toString();
}

function accessOf({ resource }: ResourceScope): ScaleAccess {
  return resource.init.scale ?? builtinScale;
}

function scaleResponse(scope: ResourceScope, stored: StoredObject): ServerResponse {
  const scale = accessOf(scope).read(scope.resource.decodeStored(stored));
  return documentResponse(200, Buffer.from(JSON.stringify(scale)), scope.output);
}

/** From the present Scale to the wanted one. */
type ScaleChange = (present: JsonObject) => JsonObject;

function sentScale(scope: ResourceScope): ScaleChange {
  const { request, info } = scope;
  const { object } = parseObject(request.body, inputFormat(request.headers['content-type']), 'Scale');
  const name = asString(metadataOf(object).name);
  if (name !== info.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
  }
  return () => object;
}

function patchedScale(scope: ResourceScope): ScaleChange {
  const type = mediaType(scope.request.headers['content-type']);
  if (type === 'application/apply-patch+yaml') {
    throw unsupportedMediaType(['application/json-patch+json', 'application/merge-patch+json']);
  }
  const { patcher } = patcherOf(scope, type, SCALE_SCHEMA);
  return patcher;
}

function writeScale(api: Api, scope: ResourceScope, query: WriteQuery, change: ScaleChange): Steps<StoredObject> {
  const { resource, info } = scope;
  const access = accessOf(scope);
  if (!resource.table.objects.has(keyFor(scope.namespace, info.name))) throw notFound(resource, info.name);
  return new ObjectWriter(api).updating(resource, info.name, writeOptions(scope, query), (old) => {
    const shown = fromStorage(resource, cloneJson(old));
    const wanted = readScale(change(access.readForUpdate(shown)));
    const replicas = getPath(wanted, 'spec', 'replicas') ?? 0;
    if (typeof replicas !== 'number' || replicas < 0) {
      const problem = invalid('spec.replicas', replicas, 'must be greater than or equal to 0');
      throw invalidObject(SCALE_KIND, info.name, [problem]);
    }
    access.write(shown, wanted);
    const version = asString(metadataOf(wanted).resourceVersion);
    const object = toStorage(resource, shown);
    if (version !== '') metadataOf(object).resourceVersion = version;
    return withOwners({ scope, before: old, after: object, query, nowMs: api.clock.now() });
  });
}

function readScale(scale: JsonObject): JsonObject {
  const schema = typeSchema(SCALE_SCHEMA);
  if (!schema) return asObject(scale);
  try {
    return readTyped(schema, scale).object;
  } catch (error) {
    if (error instanceof DecodeProblem) throw badRequest(error.message);
    throw error;
  }
}
