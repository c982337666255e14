import type { JsonValue } from '../values/json.ts';
import { FieldSet } from './field-set.ts';
import { decodeManagers, encodeManagers, type ManagerEntry, type Managers } from './managers.ts';
import { fieldElement } from './path-element.ts';

const SCALE_VERSION = 'autoscaling/v1';
const IN_SCALE = pathOf(['spec', 'replicas']);

/** Where the replicas of the object are that a Scale stands for. */
export interface ScaledObject {
  /** Of the request. */
  readonly apiVersion: string;
  readonly replicasPath: readonly string[];
}

/** The owners of an object's replicas, as owners of the replicas of its Scale. */
export function scaleManagers(parentEntries: JsonValue | undefined, object: ScaledObject): JsonValue[] | undefined {
  const path = pathOf(object.replicasPath);
  const managers: Managers = new Map();
  for (const [id, entry] of decodeManagers(parentEntries)) {
    if (!entry.fields.has(path)) continue;
    managers.set(id, { ...entry, apiVersion: SCALE_VERSION, fields: FieldSet.of(IN_SCALE) });
  }
  return encodeManagers(managers);
}

/**
 * The owners of an object after the owners of its Scale have become `scaleEntries`. As on the real server, who comes in by the
 * Scale has no time, and one who updated the object and still owns the replicas has a second entry for them.
 */
export function parentManagers(
  parentEntries: JsonValue | undefined,
  scaleEntries: JsonValue | undefined,
  object: ScaledObject,
): JsonValue[] | undefined {
  const path = pathOf(object.replicasPath);
  const ofScale = decodeManagers(scaleEntries);
  const before = decodeManagers(parentEntries);
  const managers: Managers = new Map();
  for (const [id, entry] of before) {
    if (!entry.fields.has(path) || ofScale.delete(id)) {
      managers.set(id, entry);
      continue;
    }
    const fields = entry.fields.difference(FieldSet.of(path));
    if (!fields.isEmpty) managers.set(id, { ...entry, fields });
  }
  for (const [id, entry] of ofScale) {
    if (!entry.fields.has(IN_SCALE)) continue;
    const own: ManagerEntry = { ...entry, apiVersion: object.apiVersion, fields: FieldSet.of(path) };
    managers.set(id, { ...own, time: before.get(id)?.time });
  }
  return encodeManagers(managers);
}

function pathOf(names: readonly string[]): string[] {
  return names.map(fieldElement);
}
