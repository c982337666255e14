import { LabelSelector, type LabelSelectorObject } from '../../api/label-selector.ts';
import type { Api } from '../api.ts';
import { withManagedFields } from '../apply/managed-fields.ts';
import { parentManagers, scaleManagers } from '../apply/scale-managers.ts';
import { invalid } from '../request/field-error.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { conflict, invalidObject, notFound } from '../request/status-error.ts';
import { keyFor, ObjectWriter } from '../storage/object-writer.ts';
import type { ScaleAccess } from '../storage/served-resource.ts';
import { finish, type Steps } from '../storage/steps.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { asString, cloneJson, ensureObject, getPath, isObject, type JsonObject } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { documentResponse } from './object-response.ts';
import { readObject } from './read-handlers.ts';
import { type ScaleChange, scaleChange } from './scale-change.ts';
import { otherUid, storedWithOtherUid } from './stored-uid.ts';
import { fromStorage, toStorage, writeOptions } from './write-handlers.ts';

const SCALE_KIND = { group: 'autoscaling', kind: 'Scale' };

export async function handleScale(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  if (scope.info.verb === 'get') return scaleResponse(scope, await readObject(api, scope));
  return scaleResponse(scope, await finish(writeScale(api, scope, scaleChange(api, scope))));
}

const builtinScale: ScaleAccess = {
  replicasPath: ['spec', 'replicas'],
  read: scaleOf,
  readForUpdate: scaleOf,
  write(object, scale) {
    const replicas = getPath(scale, 'spec', 'replicas') ?? 0;
    const { name } = metadataOf(object);
    if (Number(replicas) < 0) {
      const problem = invalid('spec.replicas', replicas, 'must be greater than or equal to 0');
      throw invalidObject(SCALE_KIND, asString(name), [problem]);
    }
    ensureObject(object, 'spec').replicas = replicas;
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

function writeScale(api: Api, scope: ResourceScope, { query, change }: ScaleChange): Steps<StoredObject> {
  const { resource, info } = scope;
  const access = accessOf(scope);
  const scaled = { apiVersion: resource.apiVersion, replicasPath: access.replicasPath };
  if (!resource.table.objects.has(keyFor(scope.namespace, info.name))) throw notFound(resource, info.name);
  return new ObjectWriter(api).updating(resource, info.name, writeOptions(scope, query), (old) => {
    const shown = fromStorage(resource, cloneJson(old));
    const { managedFields, uid } = metadataOf(shown);
    const present = withManagedFields(access.readForUpdate(shown), scaleManagers(managedFields, scaled));
    const wanted = change(present);
    access.write(shown, wanted);
    const { resourceVersion: version, uid: sameUid, managedFields: entries } = metadataOf(wanted);
    if (asString(sameUid) !== '' && sameUid !== uid) refuseUid(scope, asString(sameUid), asString(uid));
    const object = toStorage(resource, shown);
    if (asString(version) !== '') metadataOf(object).resourceVersion = asString(version);
    return withManagedFields(object, parentManagers(managedFields, entries, scaled));
  });
}

/** The real server leaves the identity in a PUT to its storage, and forgets that in a patch of a custom resource. */
function refuseUid(scope: ResourceScope, wanted: string, present: string): void {
  const { resource, info } = scope;
  if (info.verb !== 'patch') throw storedWithOtherUid(scope, wanted, present);
  if (resource.init.custom) return;
  throw conflict({ group: resource.group, plural: `${resource.plural}/scale` }, info.name, otherUid(wanted, present));
}
