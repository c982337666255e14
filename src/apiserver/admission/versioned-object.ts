import type { ServedResource } from '../storage/served-resource.ts';
import { cloneJson, type JsonObject, jsonEqual } from '../values/json.ts';
import type { AdmissionRequest } from './admission.ts';

/** A stored object as clients of a version see it. */
export function inVersion({ kind, apiVersion, init }: ServedResource, state: JsonObject): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = init.conversion?.fromStorage(cloneJson(state)) ?? state;
  return init.custom ? { apiVersion, kind, ...rest } : { kind, apiVersion, ...rest };
}

/** Puts what was made of an object, in some version, in its place, with its defaults. Whether anything is different. */
export function replaceObject(
  { object = {} }: AdmissionRequest,
  { init, strategy }: ServedResource,
  before: JsonObject,
  after: JsonObject,
): boolean {
  const isChanged = !jsonEqual(before, after);
  const stored = init.conversion?.toStorage(after) ?? after;
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, stored);
  strategy.defaults?.(object);
  return isChanged;
}
