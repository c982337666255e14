import type { TypeSchema } from '../../api/type-schema.ts';
import { goType, goValue } from '../apply/go-value.ts';
import type { ResolveType } from '../apply/merge-schema.ts';
import { cloneJson, getKey, isObject, type JsonObject, type JsonValue, setKey } from '../values/json.ts';
import { identityOf, mergeValue, orderElements, splitByOrder } from './element-order.ts';
import { badFormat, strategicError, unprocessable } from './patch-error.ts';
import { type PatchMeta, PatchType } from './patch-meta.ts';
import { withoutNulls } from './without-nulls.ts';

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
  return new StrategicMerge().run(cloneJson(original), cloneJson(patch), new PatchType(schema, resolve));
}

/** Works in place, on copies, and without recursion: types may contain themselves, and objects nest by them. */
class StrategicMerge {
  readonly #open: [original: JsonObject, patch: JsonObject, type: PatchType][] = [];

  run(original: JsonObject, patch: JsonObject, type: PatchType): JsonObject {
    const merged = this.mergeMap(original, patch, type);
    // In the order in which they were found: two items of a patch may change the same object.
    for (const next of this.#open) this.#mergeFields(...next);
    return merged;
  }

  /** The object that is to stand in the place of the original; its fields are merged later. */
  mergeMap(original: JsonObject, patch: JsonObject, type: PatchType): JsonObject {
    const directive = getKey(patch, DIRECTIVE);
    if (directive !== undefined) return followDirective(directive, patch);
    this.#open.push([original, patch, type]);
    return original;
  }

  #mergeFields(original: JsonObject, patch: JsonObject, type: PatchType): void {
    retainKeys(original, patch);
    mergeOrderedLists(this, original, patch, type);
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
        setKey(original, key, meta.strategy === 'replace' ? value : this.mergeMap(current, value, meta.type));
      } else if (Array.isArray(current) && Array.isArray(value)) {
        setKey(original, key, mergeList(this, current, value, type.ofList(key), deletes).list);
      } else if (!deletes) {
        const plain = withoutDirectives(withoutNulls(value));
        if (plain === undefined) delete original[key];
        else setKey(original, key, plain);
      }
    }
  }
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
function mergeOrderedLists(merge: StrategicMerge, original: JsonObject, patch: JsonObject, type: PatchType): void {
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
        ? mergeList(merge, currentList, changeList, meta, false)
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

function mergeList(
  merge: StrategicMerge,
  current: JsonValue[],
  change: JsonValue[],
  meta: PatchMeta,
  deletes: boolean,
): MergedList {
  const whole = (list: JsonValue[]) => ({ list, order: current });
  if (meta.strategy !== 'merge' && !deletes) return whole(change);
  if (current.length === 0 && change.length === 0) return whole(current);
  if (elementKind([...current, ...change]) !== 'map') {
    const deleted = new Set(change);
    if (deletes) return whole(current.filter((item) => !deleted.has(item)));
    return whole(inPatchOrder([...new Set([...current, ...change])], change, current, meta.mergeKey));
  }
  if (meta.mergeKey === '') throw strategicError('cannot merge lists without merge key for struct');
  const { replaces, remaining, items } = followItemDirectives(current, change as JsonObject[], meta.mergeKey);
  if (replaces) return whole(items);
  const merged = [...remaining];
  const places = new Map<JsonValue, number>();
  for (const [place, item] of merged.entries()) addPlace(places, item, meta.mergeKey, place);
  for (const item of items) {
    const place = places.get(mergeValue(item, meta.mergeKey));
    if (place === undefined) addPlace(places, item, meta.mergeKey, merged.push(item) - 1);
    else merged[place] = merge.mergeMap(merged[place] as JsonObject, item, meta.type);
  }
  return { list: inPatchOrder(merged, items, remaining, meta.mergeKey), order: merged.slice(0, current.length) };
}

/** The first item of a key is the one that counts. */
function addPlace(places: Map<JsonValue, number>, item: JsonValue, mergeKey: string, place: number): void {
  const key = isObject(item) ? getKey(item, mergeKey) : undefined;
  if (key !== undefined && !places.has(key)) places.set(key, place);
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
  const deleted = new Set<JsonValue>();
  const items: JsonObject[] = [];
  let replaces = false;
  for (const item of change) {
    const directive = getKey(item, DIRECTIVE);
    if (directive === undefined) {
      items.push(item);
    } else if (directive === 'delete') {
      deleted.add(mergeValue(item, mergeKey));
    } else if (directive === 'replace') {
      replaces = true;
    } else if (directive === 'merge') {
      throw strategicError('merging lists cannot yet be specified in the patch');
    } else {
      throw strategicError(`unknown patch type: ${goValue(directive)} in map: ${goValue(item)}`);
    }
  }
  const remaining = current.filter((other) => !isObject(other) || !deleted.has(getKey(other, mergeKey) ?? NO_KEY));
  return { replaces, remaining, items };
}

/** Equal to no key of an item. */
const NO_KEY: JsonValue = {};

/** Lists may mix neither maps and scalars nor scalars of several types, nor hold lists. */
function elementKind(items: readonly JsonValue[]): 'map' | 'scalar' {
  const [first] = items;
  if (first === undefined) throw strategicError('no elements in any of the given slices');
  if (Array.isArray(first)) throw unprocessable('lists of lists are not supported');
  const kinds = new Set(items.map((item) => (typeof item === 'number' ? 'number' : goType(item))));
  if (kinds.size > 1) throw strategicError(`list element types are not identical: ${goValue([...items])}`);
  return isObject(first) ? 'map' : 'scalar';
}

/** What is new to the object is taken as it is, in place; undefined for an object that is itself a directive. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  const holder: JsonValue[] = [value];
  const open: (JsonObject | JsonValue[])[] = [holder];
  for (let next = open.pop(); next; next = open.pop()) {
    if (Array.isArray(next)) {
      const kept = next.filter((item) => !isDirective(item));
      next.length = 0;
      for (const item of kept) next.push(item);
      for (const item of kept) if (typeof item === 'object' && item !== null) open.push(item);
      continue;
    }
    for (const [key, item] of Object.entries(next)) {
      if (item === undefined || isDirective(item)) delete next[key];
      else if (typeof item === 'object' && item !== null) open.push(item);
    }
  }
  return holder[0];
}

function isDirective(value: JsonValue): boolean {
  return isObject(value) && getKey(value, DIRECTIVE) !== undefined;
}

function plainItems(items: readonly JsonValue[]): JsonValue[] {
  return items.map(withoutDirectives).filter((item) => item !== undefined);
}
