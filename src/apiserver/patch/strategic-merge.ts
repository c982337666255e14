import type { TypeSchema } from '../../api/type-schema.ts';
import { goType, goValue } from '../apply/go-text.ts';
import type { ResolveType } from '../apply/merge-schema.ts';
import { cloneJson, getKey, isObject, type JsonObject, type JsonValue, setKey } from '../json.ts';
import { identityOf, mergeValue, orderElements, splitByOrder } from './element-order.ts';
import { badFormat, strategicError, unprocessable } from './patch-error.ts';
import { type PatchMeta, PatchType } from './patch-meta.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
const SET_ELEMENT_ORDER = '$setElementOrder';

/**
 * Strategic merge patch: merges maps, and lists whose field says so (by merge key, or as a set of scalars); null and the
 * `$` directives take things away. Changes nothing that it is given, and the result shares nothing with it. Throws a
 * `StatusError` with the code of the real server.
 */
export function strategicMergePatch(
  original: JsonObject,
  patch: JsonObject,
  schema: TypeSchema,
  resolve: ResolveType,
): JsonObject {
  return mergeMap(cloneJson(original), cloneJson(patch), new PatchType(schema, resolve));
}

/** Works in place, on copies. */
function mergeMap(original: JsonObject, patch: JsonObject, type: PatchType): JsonObject {
  const directive = getKey(patch, DIRECTIVE);
  if (directive !== undefined) return followDirective(directive, patch);
  retainKeys(original, patch);
  mergeOrderedLists(original, patch, type);
  for (const [patchKey, value] of Object.entries(patch)) {
    const deletes = patchKey.startsWith(DELETE_FROM_LIST);
    const key = deletes ? listOfDirective(patchKey, DELETE_FROM_LIST) : patchKey;
    if (value === null || value === undefined) {
      delete original[key];
      continue;
    }
    const current = getKey(original, key);
    if (isObject(current) && isObject(value)) {
      const meta = type.ofObject(key);
      setKey(original, key, meta.strategy === 'replace' ? value : mergeMap(current, value, meta.type));
    } else if (Array.isArray(current) && Array.isArray(value)) {
      setKey(original, key, mergeList(current, value, type.ofList(key), deletes).list);
    } else if (!deletes) {
      const plain = withoutDirectives(withoutNulls(value));
      if (plain === undefined) delete original[key];
      else setKey(original, key, plain);
    }
  }
  return original;
}

function followDirective(directive: JsonValue, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {};
  if (directive !== 'replace') {
    throw strategicError(`unknown patch type: ${goValue(directive)} in map: ${goValue(patch)}`);
  }
  delete patch[DIRECTIVE];
  return patch;
}

/** Takes every key away that the list does not name; the patch itself may set no other. */
function retainKeys(original: JsonObject, patch: JsonObject): void {
  const listed = getKey(patch, RETAIN_KEYS);
  if (listed === undefined) return;
  delete patch[RETAIN_KEYS];
  if (!Array.isArray(listed)) throw badFormat('retainKeys');
  const kept = new Set<JsonValue>(listed);
  for (const [key, value] of Object.entries(patch)) {
    const isDirective = key.startsWith(DELETE_FROM_LIST) || key.startsWith(SET_ELEMENT_ORDER);
    if (value !== null && !isDirective && !kept.has(key)) throw badFormat('retainKeys');
  }
  for (const key of Object.keys(original)) if (!kept.has(key)) delete original[key];
}

/** Merges the lists that come with a `$setElementOrder`, brings them into that order, and takes both from the patch. */
function mergeOrderedLists(original: JsonObject, patch: JsonObject, type: PatchType): void {
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(SET_ELEMENT_ORDER)) continue;
    delete patch[directive];
    const wanted = asList(order);
    const key = listOfDirective(directive, SET_ELEMENT_ORDER);
    const [current, change] = [getKey(original, key), getKey(patch, key)];
    const currentList = current === undefined ? undefined : asList(current);
    const changeList = change === undefined ? undefined : asList(change);
    const meta = type.ofList(key);
    checkOrder(changeList ?? [], wanted, meta.mergeKey);
    if (!currentList && !changeList) continue;
    const merged =
      currentList && changeList
        ? mergeList(currentList, changeList, meta, false)
        : { list: currentList ?? plainItems(changeList ?? []), order: currentList ?? [] };
    const [named, others] = splitByOrder(merged.list, wanted, meta.mergeKey);
    elementKind([...(currentList ?? []), ...(changeList ?? [])]);
    setKey(original, key, orderElements(named, others, wanted, merged.order, meta.mergeKey));
    delete patch[key];
  }
}

function asList(value: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw strategicError(`expected a []interface {}, but received a ${goType(value)}`);
}

/** `containers` of `$setElementOrder/containers` */
function listOfDirective(key: string, directive: string): string {
  const slash = key.indexOf('/');
  if (slash >= 0 && key.slice(0, slash) === directive) return key.slice(slash + 1);
  throw badFormat(directive === SET_ELEMENT_ORDER ? 'setElementOrder' : 'primitiveList');
}

/**
 * The items that the patch sets must stand in the order, and in that order. Deletions do not count; another directive
 * does when nothing of the order is left for it, as in the real server.
 */
function checkOrder(change: readonly JsonValue[], wanted: readonly JsonValue[], mergeKey: string): void {
  if (wanted.length === 0 || change.length === 0) return;
  const directiveOf = (item: JsonValue) => (isObject(item) ? getKey(item, DIRECTIVE) : undefined);
  const items = change.filter((item) => directiveOf(item) !== 'delete');
  let next = 0;
  for (const item of items) {
    if (next < wanted.length && directiveOf(item) !== undefined) continue;
    while (next < wanted.length && identityOf(wanted[next] as JsonValue, mergeKey) !== identityOf(item, mergeKey))
      next++;
    if (next >= wanted.length) {
      throw strategicError(
        `The order in patch list:\n${goValue([...change])}\n doesn't match ${SET_ELEMENT_ORDER} list:\n${goValue([...wanted])}\n`,
      );
    }
    next++;
  }
}

interface MergedList {
  readonly list: JsonValue[];
  /**
   * Where the object had its items, for a `$setElementOrder` to place those that it does not name. In the real server
   * the first items that are new stand in for those that were deleted.
   */
  readonly order: readonly JsonValue[];
}

function mergeList(current: JsonValue[], change: JsonValue[], meta: PatchMeta, deletes: boolean): MergedList {
  const whole = (list: JsonValue[]) => ({ list, order: current });
  if (meta.strategy !== 'merge' && !deletes) return whole(change);
  if (current.length === 0 && change.length === 0) return whole(current);
  if (elementKind([...current, ...change]) !== 'map') {
    if (deletes) return whole(current.filter((item) => !change.includes(item)));
    return whole(inPatchOrder([...new Set([...current, ...change])], change, current, meta.mergeKey));
  }
  if (meta.mergeKey === '') throw strategicError('cannot merge lists without merge key for struct');
  const { replaces, remaining, items } = followItemDirectives(current, change as JsonObject[], meta.mergeKey);
  if (replaces) return whole(items);
  const merged = [...remaining];
  for (const item of items) {
    const key = mergeValue(item, meta.mergeKey);
    const place = merged.findIndex((other) => isObject(other) && getKey(other, meta.mergeKey) === key);
    if (place < 0) merged.push(item);
    else merged[place] = mergeMap(merged[place] as JsonObject, item, meta.type);
  }
  return { list: inPatchOrder(merged, items, remaining, meta.mergeKey), order: merged.slice(0, current.length) };
}

function inPatchOrder(
  merged: JsonValue[],
  change: readonly JsonValue[],
  current: readonly JsonValue[],
  mergeKey: string,
): JsonValue[] {
  const [named, others] = splitByOrder(merged, change, mergeKey);
  return orderElements(named, others, change, current, mergeKey);
}

/** `$patch: delete` items take theirs away; one `$patch: replace` item makes the others the whole list. */
function followItemDirectives(
  current: readonly JsonValue[],
  change: readonly JsonObject[],
  mergeKey: string,
): { replaces: boolean; remaining: JsonValue[]; items: JsonObject[] } {
  let remaining = [...current];
  const items: JsonObject[] = [];
  let replaces = false;
  for (const item of change) {
    const directive = getKey(item, DIRECTIVE);
    if (directive === undefined) {
      items.push(item);
    } else if (directive === 'delete') {
      const key = mergeValue(item, mergeKey);
      remaining = remaining.filter((other) => !isObject(other) || getKey(other, mergeKey) !== key);
    } else if (directive === 'replace') {
      replaces = true;
    } else if (directive === 'merge') {
      throw strategicError('merging lists cannot yet be specified in the patch');
    } else {
      throw strategicError(`unknown patch type: ${goValue(directive)} in map: ${goValue(item)}`);
    }
  }
  return { replaces, remaining, items };
}

/** Lists may mix neither maps and scalars nor scalars of several types, nor hold lists. */
function elementKind(items: readonly JsonValue[]): 'map' | 'scalar' {
  const [first] = items;
  if (first === undefined) throw strategicError('no elements in any of the given slices');
  if (Array.isArray(first)) throw unprocessable('lists of lists are not supported');
  const kinds = new Set(items.map((item) => (typeof item === 'number' ? 'number' : goType(item))));
  if (kinds.size > 1) throw strategicError(`list element types are not identical: ${goValue([...items])}`);
  return isObject(first) ? 'map' : 'scalar';
}

/** What is new to the object is taken as it is; undefined for an object that is itself a directive. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return plainItems(value);
  if (!isObject(value)) return value;
  if (getKey(value, DIRECTIVE) !== undefined) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const plain = item === undefined ? undefined : withoutDirectives(item);
    if (plain === undefined) delete value[key];
    else setKey(value, key, plain);
  }
  return value;
}

function plainItems(items: readonly JsonValue[]): JsonValue[] {
  return items.map(withoutDirectives).filter((item) => item !== undefined);
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    for (const item of value) withoutNulls(item);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (item === null || item === undefined) delete value[key];
      else withoutNulls(item);
    }
  }
  return value;
}
