import { trackUpdate, withManagedFields } from '../apply/managed-fields.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { asArray, type JsonObject } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import type { WriteQuery } from './write-decoding.ts';

export interface TrackedWrite {
  readonly scope: ResourceScope;
  /** As it is stored; unset when the object is created. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
  readonly query: Pick<WriteQuery, 'fieldManager'>;
  readonly nowMs: number;
}

/**
 * The object with its managedFields brought up to date after an ordinary write. Objects come and go in the storage
 * version; owners own fields of the version that they write in.
 */
export function withOwners({ scope, before, after, query, nowMs }: TrackedWrite): JsonObject {
  const { resource, info } = scope;
  const { kind, apiVersion } = resource;
  const inRequestVersion = (object: JsonObject) => ({
    ...(resource.init.conversion?.fromStorage(object) ?? object),
    kind,
    apiVersion,
  });
  const tracked = trackUpdate({
    before: before && inRequestVersion(before),
    after: inRequestVersion(after),
    schema: resource.mergeSchema,
    manager: query.fieldManager,
    ...(info.subresource === '' ? {} : { subresource: info.subresource }),
    apiVersion,
    kind,
    hasStatusSubresource: resource.hasStatus,
    now: nowMs,
  });
  const { managedFields } = metadataOf(tracked);
  return withManagedFields(after, managedFields === undefined ? undefined : asArray(managedFields));
}
