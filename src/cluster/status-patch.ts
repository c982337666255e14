import type { KubernetesObject } from '../api/metadata.ts';
import { reductionOf } from '../api/origin.ts';

/**
 * The merge patch that makes the status of the object what is wanted, or undefined when it is that already. Carries the resourceVersion when it
 * has a list in it: a merge patch replaces a list whole, and would remove what somebody else has added since.
 */
export function statusPatch(object: KubernetesObject, status: object): object | undefined {
  if (typeof status !== 'object' || status === null || Array.isArray(status)) {
    throw new TypeError('patchStatus needs an object with the fields of the status that are to change');
  }
  const current = (object as { readonly status?: unknown }).status;
  // What a cache left out cannot be compared; the server finds out itself that nothing changes.
  const isKnown = reductionOf(object)?.concernsStatus !== true;
  if (isKnown && !changes(current ?? {}, status)) return undefined;
  const resourceVersion = object.metadata?.resourceVersion;
  return { status, ...(resourceVersion !== undefined && hasList(status) && { metadata: { resourceVersion } }) };
}

/** Whether a merge patch (RFC 7396) changes the value, as JSON sees both: a field that is undefined is not there. */
function changes(current: unknown, patch: unknown): boolean {
  if (!isMap(patch)) return !isEqual(current, patch);
  if (!isMap(current)) return true;
  return Object.entries(patch).some(([field, wanted]) => {
    if (wanted === undefined) return false;
    const value = Object.hasOwn(current, field) ? current[field] : undefined;
    if (wanted === null) return value !== undefined && value !== null;
    // A patch of nothing to nothing makes an empty map.
    return value === undefined || changes(value, wanted);
  });
}

function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqual(item ?? null, other[index] ?? null));
  }
  if (!isMap(one) || !isMap(other)) return Object.is(json(one), json(other));
  const fields = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...fields].every((field) => isEqual(own(one, field), own(other, field)));
}

function own(map: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(map, field) ? map[field] : undefined;
}

/** As it goes over the wire: a Date is its text. */
function json(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value === 0 ? 0 : value;
}

function hasList(value: unknown): boolean {
  return Array.isArray(value) || (isMap(value) && Object.values(value).some(hasList));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
