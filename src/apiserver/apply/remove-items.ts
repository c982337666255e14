import { isObject, type JsonObject, type JsonValue, setKey } from '../json.ts';
import type { FieldSet } from './field-set.ts';
import { itemElement } from './list-item.ts';
import { fieldElement } from './path-element.ts';
import { childSchema, kindOf, type ListSchema, type MapSchema, type MergeSchema } from './schema-node.ts';

/** The value without the members of the set. A map or list that loses everything becomes null. */
export function removeItems(value: JsonValue, set: FieldSet, schema: MergeSchema): JsonValue {
  const kind = kindOf(schema, value);
  if (kind === 'scalar') return value;
  if (kind === 'map') {
    return schema.map && !schema.map.atomic && isObject(value) ? fromMap(value, set, schema.map) : null;
  }
  return schema.list && schema.list.kind !== 'atomic' && Array.isArray(value)
    ? fromList(value, set, schema.list)
    : null;
}

function fromMap(value: JsonObject, set: FieldSet, map: MapSchema): JsonValue {
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const element = fieldElement(key);
    if (item === undefined || set.members.has(element)) continue;
    const below = set.children.get(element);
    setKey(out, key, below ? removeItems(item, below, childSchema(map, key)) : item);
  }
  return Object.keys(out).length > 0 ? out : null;
}

function fromList(value: readonly JsonValue[], set: FieldSet, list: ListSchema): JsonValue {
  const out: JsonValue[] = [];
  for (const item of value) {
    const element = itemElement(list, item);
    if (set.members.has(element)) continue;
    const below = set.children.get(element);
    out.push(below ? removeItems(item, below, list.items) : item);
  }
  return out.length > 0 ? out : null;
}
