import { getKey, isObject, type JsonValue } from '../values/json.ts';
import { quote } from './go-value.ts';
import { keyElement, type PathElement, valueElement } from './path-element.ts';
import type { ListSchema } from './schema-node.ts';

/** A value that its schema has no place for. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
}

/** What identifies an item of a set or of a list that is a map. Throws `SchemaMismatch` for an item without identity. */
export function itemElement(list: ListSchema, item: JsonValue): PathElement {
  return list.kind === 'map' ? keyedItemElement(list, item) : setItemElement(item);
}

function keyedItemElement(list: ListSchema, item: JsonValue): PathElement {
  if (item === null) throw new SchemaMismatch('associative list with keys may not have a null element');
  if (!isObject(item)) throw new SchemaMismatch('associative list with keys may not have non-map elements');
  const fields: [string, JsonValue][] = [];
  for (const name of list.keys) {
    const given = getKey(item, name);
    const value = given === undefined ? defaultKey(list, name) : given;
    // An item without the key is another item than one that has it.
    if (value !== undefined) fields.push([name, value]);
  }
  if (fields.length === 0) {
    const names = list.keys.map(quote).join(' ');
    throw new SchemaMismatch(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(fields);
}

function defaultKey(list: ListSchema, name: string): JsonValue | undefined {
  const fallback = list.items.map?.field(name)?.default;
  return fallback === null ? undefined : fallback;
}

function setItemElement(item: JsonValue): PathElement {
  if (Array.isArray(item)) throw new SchemaMismatch('not supported: associative list with lists as elements');
  if (isObject(item)) throw new SchemaMismatch("associative list without keys has an element that's a map type");
  if (item === null) {
    throw new SchemaMismatch("associative list without keys has an element that's an explicit null");
  }
  return valueElement(item);
}
