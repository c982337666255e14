import { badRequest, statusError } from '../request/status-error.ts';
import { asObject, asString, cloneJson, isObject, type JsonObject, type JsonValue, jsonEqual } from '../values/json.ts';
import { timestamp } from '../values/object-meta.ts';
import { validate } from './applied-value.ts';
import { ApplyConflict, conflictAt, type FieldConflict, sortedIds } from './apply-conflict.ts';
import { FieldSet } from './field-set.ts';
import { fieldsLastApplied, KUBECTL, syncLastApplied } from './last-applied.ts';
import { SchemaMismatch } from './list-item.ts';
import { recordUpdate, withManagedFields } from './managed-fields.ts';
import { decodeManagers, encodeManagers, type ManagerEntry, type Managers, managerId } from './managers.ts';
import { merge } from './merge.ts';
import type { MergeSchema } from './merge-schema.ts';
import { changeBetween, concede, reconcileManagers, takenFrom, withoutUnowned } from './ownership.ts';
import { removeItems } from './remove-items.ts';
import { resetFields } from './reset-fields.ts';
import { fieldsOf } from './value-fields.ts';

export interface ApplyPatchOptions {
  /** The stored object; undefined when the apply creates it. */
  readonly live: JsonObject | undefined;
  /** The body: what the manager wants, and nothing else. */
  readonly config: JsonObject;
  readonly schema: MergeSchema;
  readonly manager: string;
  /** Takes fields from others instead of refusing. */
  readonly force: boolean;
  /** Unset for the object itself. */
  readonly subresource?: string;
  /** Whether the object has a status endpoint, and an apply to the object itself leaves the status alone. Default false. */
  readonly hasStatusSubresource?: boolean;
  /** Those of the endpoint; the config must have the same. `kind` defaults to that of the config. */
  readonly apiVersion: string;
  readonly kind?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Server-side apply. The result is `live` with the config merged in, without what this manager applied before and no
 * longer does (unless somebody else owns it too), and with the new `managedFields`. A map or list that lost its last
 * item may be null in it. Throws `ApplyConflict` when the config would change what others own, another `StatusError` when
 * the config is unfit. Changes nothing that it is given, and the result shares nothing with it.
 */
export function applyPatch(options: ApplyPatchOptions): JsonObject {
  checkConfig(options);
  const live = withManagedFields(options.live ?? options.schema.map?.zero ?? {}, undefined);
  try {
    const { object, managers } = applyWithTakeover(options, live, liveManagers(options, live));
    return cloneJson(withManagedFields(object, encodeManagers(managers)));
  } catch (error) {
    if (error instanceof SchemaMismatch) throw unfit('live', options.live ?? live, options, error);
    throw error;
  }
}

interface Applied {
  readonly object: JsonObject;
  readonly managers: Managers;
}

function checkConfig(options: ApplyPatchOptions): void {
  const { config, apiVersion } = options;
  const [version, kind] = [asString(config.apiVersion), asString(config.kind)];
  if (version !== apiVersion || (options.kind !== undefined && kind !== options.kind)) {
    throw badRequest(`invalid object type: ${gvkText(version, kind)}`);
  }
  const { managedFields } = asObject(config.metadata);
  if (managedFields !== undefined && managedFields !== null) throw badRequest('metadata.managedFields must be nil');
  try {
    validate(config, options.schema, { allowDuplicates: false });
  } catch (error) {
    if (error instanceof SchemaMismatch) throw unfit('patch', config, options, error);
    throw error;
  }
}

function unfit(which: 'patch' | 'live', object: JsonObject, options: ApplyPatchOptions, error: SchemaMismatch): Error {
  const { namespace, name } = asObject(object.metadata);
  const kind = options.kind ?? asString(options.config.kind);
  const what = `${asString(namespace)}/${asString(name)}; ${gvkText(options.apiVersion, kind)}`;
  return statusError(500, '', `failed to create typed ${which} object (${what}): ${error.message}`);
}

/** `apps/v1, Kind=Deployment`, `/v1, Kind=Pod` */
function gvkText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`;
}

/** An object that nobody has tracked so far belongs to `before-first-apply`. */
function liveManagers(options: ApplyPatchOptions, live: JsonObject): Managers {
  let managers: Managers;
  try {
    managers = decodeManagers(asObject(options.live?.metadata).managedFields);
  } catch (error) {
    throw statusError(500, '', `failed to decode managed fields: ${error instanceof Error ? error.message : error}`);
  }
  if (managers.size === 0 && options.live) {
    const { schema } = options;
    const ignored = resetFields(options, asString(options.config.kind));
    const change = changeBetween({ before: schema.map?.zero ?? {}, after: live, schema, ignored });
    recordUpdate(managers, change, { ...options, manager: 'before-first-apply' });
  }
  return managers;
}

/** kubectl may take without force what its own client-side apply had set. */
function applyWithTakeover(options: ApplyPatchOptions, live: JsonObject, managers: Managers): Applied {
  const { config, schema, manager, apiVersion } = options;
  let attempt = applyOnce(options, live, managers, options.force);
  if (manager === KUBECTL && attempt.conflicts.length > 0) {
    const own = fieldsLastApplied(live, schema, apiVersion);
    const others = attempt.conflicts.filter(({ path }) => !own.has(path));
    if (others.length > 0) throw new ApplyConflict(others.map(({ conflict }) => conflict));
    attempt = applyOnce(options, live, managers, true);
  }
  if (attempt.conflicts.length > 0) throw new ApplyConflict(attempt.conflicts.map(({ conflict }) => conflict));
  const { applied } = attempt;
  return manager === KUBECTL ? { ...applied, object: syncLastApplied(applied.object, config) } : applied;
}

interface Attempt {
  readonly applied: Applied;
  /** Empty when forced. */
  readonly conflicts: readonly { conflict: FieldConflict; path: readonly string[] }[];
}

function applyOnce(options: ApplyPatchOptions, live: JsonObject, liveManagers: Managers, force: boolean): Attempt {
  const { config, schema, manager, apiVersion, subresource = '' } = options;
  const managers: Managers = new Map(liveManagers);
  reconcileManagers(managers, schema);
  const entry = { manager: manager || 'unknown', operation: 'Apply' as const, apiVersion, subresource };
  const self = managerId(entry);
  const last = managers.get(self);
  const ignored = resetFields(options, asString(config.kind));
  const mine: ManagerEntry = {
    ...entry,
    time: last?.time,
    fields: fieldsOf(config, schema).recursiveDifference(ignored),
  };
  managers.set(self, mine);
  const object = prune(merge(live, config, schema), schema, managers, last?.fields);
  const change = changeBetween({ before: live, after: object, schema, ignored });
  const taken = takenFrom(managers, change, self);
  const conflicts = force ? [] : conflictsOf(taken, managers);
  if (conflicts.length === 0) {
    concede(managers, change, taken, self);
    const fields = withoutUnowned(mine.fields);
    if (fields.isEmpty) managers.delete(self);
    else managers.set(self, { ...mine, fields, time: jsonEqual(live, object) ? mine.time : timestamp(options.now) });
  }
  return { applied: { object, managers }, conflicts };
}

function conflictsOf(taken: ReadonlyMap<string, FieldSet>, managers: Managers): Attempt['conflicts'] {
  return sortedIds(taken.keys()).flatMap((id) => {
    const entry = managers.get(id);
    const paths = taken.get(id)?.paths() ?? [];
    return entry ? [...paths].map((path) => ({ path, conflict: conflictAt(entry, path) })) : [];
  });
}

/** Takes out what the manager owned by its last apply and what nobody owns now. */
function prune(merged: JsonValue, schema: MergeSchema, managers: Managers, last: FieldSet | undefined): JsonObject {
  if (!last || last.isEmpty) return asObject(merged);
  const owned = [...managers.values()].reduce((all, { fields }) => all.union(fields), new FieldSet());
  const all = fieldsOf(merged, schema).withNamedFields(schema);
  const lastNamed = last.withNamedFields(schema);

  const bare = removeItems(merged, lastNamed, schema);
  const kept = fieldsOf(bare, schema).withNamedFields(schema).union(owned.withNamedFields(schema));
  const withOwned = removeItems(merged, all.difference(kept), schema);
  const keptWithOwned = fieldsOf(withOwned, schema).withNamedFields(schema);
  // Only what the last apply owned may go: taking a parent away would take unowned children with it.
  const pruned = removeItems(merged, all.difference(keptWithOwned).intersection(lastNamed), schema);
  return isObject(pruned) ? pruned : {};
}
