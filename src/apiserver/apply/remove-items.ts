import { isObject, type JsonObject, type JsonValue, setKey } from '../values/json.ts';
import type { FieldSet } from './field-set.ts';
import { itemElement } from './list-item.ts';
import { fieldElement } from './path-element.ts';
import { childSchema, kindOf, type ListSchema, type MapSchema, type MergeSchema } from './schema-node.ts';

/** A value that is still to be taken apart, and where the rest of it goes. */
interface Pending {
  readonly value: JsonValue;
  readonly set: FieldSet;
  readonly schema: MergeSchema;
  put(rest: JsonValue): void;
}

/** The value without the members of the set. A map or list that loses everything becomes null. */
export function removeItems(value: JsonValue, set: FieldSet, schema: MergeSchema): JsonValue {
  let root: JsonValue = null;
  const open: Pending[] = [{ value, set, schema, put: (rest) => (root = rest) }];
  // Without recursion: values may nest more deeply than the stack reaches.
  for (let next = open.pop(); next; next = open.pop()) next.put(restOf(next, open));
  return root;
}

function restOf({ value, set, schema }: Pending, open: Pending[]): JsonValue {
  const kind = kindOf(schema, value);
  if (kind === 'scalar') return value;
  if (kind === 'map') {
    return schema.map && !schema.map.atomic && isObject(value) ? fromMap(value, set, schema.map, open) : null;
  }
  return schema.list && schema.list.kind !== 'atomic' && Array.isArray(value)
    ? fromList(value, set, schema.list, open)
    : null;
}

function fromMap(value: JsonObject, set: FieldSet, map: MapSchema, open: Pending[]): JsonValue {
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const element = fieldElement(key);
    if (item === undefined || set.members.has(element)) continue;
    const below = set.children.get(element);
    setKey(out, key, item);
    if (!below) continue;
    open.push({ value: item, set: below, schema: childSchema(map, key), put: (rest) => setKey(out, key, rest) });
  }
  return Object.keys(out).length > 0 ? out : null;
}

function fromList(value: readonly JsonValue[], set: FieldSet, list: ListSchema, open: Pending[]): JsonValue {
  const out: JsonValue[] = [];
  for (const item of value) {
    const element = itemElement(list, item);
    if (set.members.has(element)) continue;
    const below = set.children.get(element);
    const place = out.push(item) - 1;
    if (!below) continue;
    const put = (rest: JsonValue) => {
      out[place] = rest;
    };
    open.push({ value: item, set: below, schema: list.items, put });
  }
  return out.length > 0 ? out : null;
}
