import { goType, goValue } from '../apply/go-value.ts';
import { getKey, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { strategicError } from './patch-error.ts';

/** What an item of a merged list is told apart by: the value of its merge key, or itself in a list of scalars. */
export function identityOf(item: JsonValue, mergeKey: string): JsonValue {
  if (mergeKey === '') return item;
  if (isObject(item)) return mergeValue(item, mergeKey);
  throw strategicError(`expected a map[string]interface {}, but received a ${goType(item)}`);
}

export function mergeValue(item: JsonObject, mergeKey: string): JsonValue {
  const value = getKey(item, mergeKey);
  if (value !== undefined) return value;
  throw strategicError(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);
}

/** The items that the order names, and those that it does not. */
export function splitByOrder(
  items: readonly JsonValue[],
  order: readonly JsonValue[],
  mergeKey: string,
): [named: JsonValue[], others: JsonValue[]] {
  const places = placesIn(order, mergeKey);
  const named: JsonValue[] = [];
  const others: JsonValue[] = [];
  for (const item of items) (places.has(identityOf(item, mergeKey)) ? named : others).push(item);
  return [named, others];
}

/**
 * One list of both: `named` in the order that the patch wants, `others` in the order that the object had, and the two
 * interleaved by the object's order where it knows them both. Where it does not, named items come first.
 */
export function orderElements(
  named: readonly JsonValue[],
  others: readonly JsonValue[],
  wanted: readonly JsonValue[],
  current: readonly JsonValue[],
  mergeKey: string,
): JsonValue[] {
  const wantedPlaces = placesIn(wanted, mergeKey);
  const currentPlaces = placesIn(current, mergeKey);
  const placeIn = (places: ReadonlyMap<JsonValue, number>, item: JsonValue) => places.get(identityOf(item, mergeKey));
  const sortBy = (items: readonly JsonValue[], places: ReadonlyMap<JsonValue, number>) =>
    [...items].sort((a, b) => (placeIn(places, a) ?? -1) - (placeIn(places, b) ?? -1));
  const left = sortBy(others, currentPlaces);
  const right = sortBy(named, wantedPlaces);
  const out: JsonValue[] = [];
  let taken = 0;
  for (const item of right) {
    const place = placeIn(currentPlaces, item);
    while (taken < left.length) {
      const other = left[taken] as JsonValue;
      const otherPlace = placeIn(currentPlaces, other);
      if (place === undefined || otherPlace === undefined || otherPlace >= place) break;
      out.push(other);
      taken++;
    }
    out.push(item);
  }
  return [...out, ...left.slice(taken)];
}

/** By identity, the first place of each item. */
function placesIn(list: readonly JsonValue[], mergeKey: string): Map<JsonValue, number> {
  const places = new Map<JsonValue, number>();
  for (const [index, item] of list.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!places.has(identity)) places.set(identity, index);
  }
  return places;
}
