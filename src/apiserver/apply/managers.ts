import { asArray, asString, getKey, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { FieldSet } from './field-set.ts';
import { goJson, quote } from './go-value.ts';

/** One entry of `metadata.managedFields`. */
export interface ManagerEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/**
 * Entries by `managerId`. An entry of another version than that of a request is read as if it were of this one: versions
 * of a kind that differ in the paths of their fields do not see each other's owners.
 */
export type Managers = Map<string, ManagerEntry>;

/**
 * Who an entry belongs to: manager, operation, subresource and, for updates, the version. The text is JSON in the real
 * server's order of fields, by which conflicts are sorted.
 */
export function managerId(entry: Pick<ManagerEntry, 'manager' | 'operation' | 'apiVersion' | 'subresource'>): string {
  const parts: [string, string][] = [
    ['manager', entry.manager],
    ['operation', entry.operation],
    ['apiVersion', entry.operation === 'Apply' ? '' : entry.apiVersion],
    ['subresource', entry.subresource],
  ];
  const given = parts.filter(([, value]) => value !== '');
  return `{${given.map(([name, value]) => `"${name}":${goJson(value)}`).join(',')}}`;
}

/** Reads `metadata.managedFields`. Throws with the words of the real server when an entry is invalid. */
export function decodeManagers(entries: JsonValue | undefined): Managers {
  const managers: Managers = new Map();
  for (const [index, entry] of asArray(entries).entries()) {
    const decoded = decodeEntry(isObject(entry) ? entry : {}, index);
    managers.set(managerId(decoded), decoded);
  }
  return managers;
}

function decodeEntry(entry: JsonObject, index: number): ManagerEntry {
  const operation = entry.operation;
  if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
  const apiVersion = asString(entry.apiVersion);
  if (apiVersion === '') throw new Error('apiVersion must not be empty');
  const fieldsType = asString(entry.fieldsType);
  if (fieldsType === '') throw new Error(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1')
    throw new Error(`invalid fieldsType ${quote(fieldsType)} in managed fields entry ${index}`);
  return {
    manager: asString(entry.manager),
    operation,
    apiVersion,
    subresource: asString(entry.subresource),
    time: typeof entry.time === 'string' ? entry.time : undefined,
    fields: FieldSet.fromFields(getKey(entry, 'fieldsV1') ?? {}),
  };
}

/** As `metadata.managedFields`: applies before updates, older before newer; undefined when nobody owns anything. */
export function encodeManagers(managers: Managers): JsonValue[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].sort(compareEntries).map((entry) => ({
    manager: entry.manager,
    operation: entry.operation,
    apiVersion: entry.apiVersion,
    ...(entry.time === undefined ? {} : { time: entry.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: entry.fields.toFields(),
    ...(entry.subresource === '' ? {} : { subresource: entry.subresource }),
  }));
}

function compareEntries(a: ManagerEntry, b: ManagerEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** An entry without a time counts as the oldest. */
function secondsOf(entry: ManagerEntry): number {
  const ms = entry.time === undefined ? 0 : Date.parse(entry.time);
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}

/** Whether a client asks to forget all owners: `managedFields: []` or `[{}]`. */
export function isReset(entries: JsonValue | undefined): boolean {
  if (!Array.isArray(entries)) return false;
  const [only] = entries;
  return entries.length === 0 || (entries.length === 1 && isObject(only) && Object.keys(only).length === 0);
}

const MAX_UPDATE_MANAGERS = 10;
const ANCIENT = 'ancient-changes';

/** Keeps the entries of updates at ten, by putting the oldest of a version together as `ancient-changes`. */
export function capUpdateManagers(managers: Managers): void {
  const updates = [...managers].filter(([, entry]) => entry.operation === 'Update');
  let count = updates.length;
  if (count <= MAX_UPDATE_MANAGERS) return;
  updates.sort(([idA, a], [idB, b]) => secondsOf(a) - secondsOf(b) || compareText(idA, idB));
  const firstOfVersion = new Map<string, string>();
  for (const [id, entry] of updates) {
    if (count <= MAX_UPDATE_MANAGERS) return;
    const first = firstOfVersion.get(entry.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(entry.apiVersion, id);
      continue;
    }
    const ancient = { ...entry, manager: ANCIENT, subresource: '' };
    const bucket = managerId(ancient);
    const older = managers.get(bucket) ?? managers.get(first);
    if (!managers.has(bucket)) managers.delete(first);
    managers.delete(id);
    managers.set(bucket, { ...ancient, fields: older ? entry.fields.union(older.fields) : entry.fields });
    count--;
  }
}
