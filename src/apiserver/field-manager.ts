import type { JsonObject } from './json.ts';
import type { ResourceScope } from './resource-scope.ts';
import type { WriteQuery } from './write-decoding.ts';

export interface TrackedWrite {
  readonly scope: ResourceScope;
  /** In the storage version; unset when the object is created. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
  readonly query: WriteQuery;
}

/** Keeps `metadata.managedFields`. */
export interface FieldManager {
  /** The object with its managedFields brought up to date after an ordinary write. */
  updated(write: TrackedWrite): JsonObject;
}

/** Keeps no record of who set what. */
export const noFieldManager: FieldManager = {
  updated({ before, after }) {
    const metadata = after.metadata;
    if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return after;
    const { managedFields: _dropped, ...rest } = metadata;
    const kept = (before?.metadata as JsonObject | undefined)?.managedFields;
    return { ...after, metadata: kept === undefined ? rest : { ...rest, managedFields: kept } };
  },
};
