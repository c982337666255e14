import { asObject, asString, type JsonObject, type JsonValue, jsonEqual } from '../values/json.ts';
import { timestamp } from '../values/object-meta.ts';
import { type Comparison, isSame } from './compare.ts';
import { FieldSet } from './field-set.ts';
import { SchemaMismatch } from './list-item.ts';
import { capUpdateManagers, decodeManagers, encodeManagers, isReset, type Managers, managerId } from './managers.ts';
import type { MergeSchema } from './merge-schema.ts';
import { changeBetween, concede, reconcileManagers, takenFrom, withoutUnowned } from './ownership.ts';
import { resetFields } from './reset-fields.ts';

export interface TrackUpdateOptions {
  /** The stored object; undefined when `after` is being created. */
  readonly before: JsonObject | undefined;
  /**
   * What the client wants to be stored, with its defaults, but before the server adds what clients do not own (addresses,
   * a first status). Its own `managedFields` count as the client's wish.
   */
  readonly after: JsonObject;
  readonly schema: MergeSchema;
  /** See `managerName`. */
  readonly manager: string;
  /** Unset for writes to the object itself. */
  readonly subresource?: string;
  /** The version that the request came in. */
  readonly apiVersion: string;
  /** Default: that of `after`. */
  readonly kind?: string;
  /** Whether writes to the object itself leave its status alone. Default false. */
  readonly hasStatusSubresource?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * `after` with the `managedFields` that it should be stored with: the manager owns what changed, and whoever owned that
 * before no longer does. An object whose owners were reset is not tracked until somebody applies to it. Changes nothing
 * that it is given; the result shares most of itself with its arguments.
 */
export function trackUpdate(options: TrackUpdateOptions): JsonObject {
  const { before, after, schema } = options;
  const next = withManagedFields(after, undefined);
  const asked = asObject(after.metadata).managedFields;
  const stored = asObject(before?.metadata).managedFields;
  const isCreate = asString(asObject(before?.metadata).uid) === '';
  try {
    const change = changeBetween({
      before: before ? withManagedFields(before, undefined) : (schema.map?.zero ?? {}),
      after: next,
      schema,
      ignored: resetFields(options, asString(after.kind)),
    });
    const asksNothing = asked === undefined || asked === null || jsonEqual(asked, stored);
    if (isSame(change) && asksNothing) return withManagedFields(next, asEntries(stored));
    const managers = startingManagers(stored, asked, options.subresource !== undefined);
    if (managers.size === 0 && !isCreate) return next;
    recordUpdate(managers, change, options);
    return withManagedFields(next, encodeManagers(managers));
  } catch (error) {
    // An object that its schema cannot explain is stored all the same, without owners.
    if (error instanceof SchemaMismatch) return next;
    throw error;
  }
}

function asEntries(entries: JsonValue | undefined): JsonValue[] | undefined {
  return Array.isArray(entries) && entries.length > 0 ? entries : undefined;
}

/** Gives the change to its manager, in place. */
export function recordUpdate(
  managers: Managers,
  change: Comparison,
  options: Omit<TrackUpdateOptions, 'before' | 'after'>,
): void {
  const { schema, apiVersion, manager, subresource = '' } = options;
  reconcileManagers(managers, schema);
  concede(managers, change, takenFrom(managers, change));
  const mine = withoutUnowned(change.modified.union(change.added));
  if (!mine.isEmpty) {
    const entry = { manager: manager || 'unknown', operation: 'Update' as const, apiVersion, subresource };
    const id = managerId(entry);
    const previous = managers.get(id);
    managers.set(id, {
      ...entry,
      time: timestamp(options.now),
      fields: mine.union(previous?.fields ?? new FieldSet()),
    });
  }
  capUpdateManagers(managers);
}

/** A client's own `managedFields` win unless they are empty, invalid, or come in through a subresource. */
function startingManagers(
  stored: JsonValue | undefined,
  asked: JsonValue | undefined,
  isSubresource: boolean,
): Managers {
  if (!isSubresource) {
    if (isReset(asked)) return new Map();
    const wanted = decodeOrNone(asked);
    if (wanted.size > 0) return wanted;
  }
  return decodeOrNone(stored);
}

function decodeOrNone(entries: JsonValue | undefined): Managers {
  try {
    return decodeManagers(entries);
  } catch {
    return new Map();
  }
}

export function withManagedFields(object: JsonObject, entries: JsonValue[] | undefined): JsonObject {
  const { managedFields: _old, ...metadata } = asObject(object.metadata);
  return { ...object, metadata: entries ? { ...metadata, managedFields: entries } : metadata };
}

const MAX_MANAGER_BYTES = 128;

/** Who writes: the `fieldManager` of the request, else the program that its User-Agent begins with. */
export function managerName(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager) return fieldManager;
  let name = '';
  for (const char of (userAgent ?? '').split('/')[0] ?? '') {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)) continue;
    if (Buffer.byteLength(name + char) > MAX_MANAGER_BYTES) break;
    name += char;
  }
  return name;
}
