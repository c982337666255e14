import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { FieldSet } from './field-set.ts';
import { itemElement } from './list-item.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { childSchema, kindOf, type ListSchema, type MapSchema, type MergeSchema } from './schema-node.ts';

/** Every leaf, list item and map key that the value mentions: what whoever applies it owns. Throws `SchemaMismatch`. */
export function fieldsOf(value: JsonValue, schema: MergeSchema): FieldSet {
  const set = new FieldSet();
  visit(value, schema, [], set);
  return set;
}

function visit(value: JsonValue, schema: MergeSchema, path: PathElement[], set: FieldSet): void {
  const kind = kindOf(schema, value);
  if (kind === 'map' && schema.map && !schema.map.atomic) {
    if (isObject(value)) visitMap(value, schema.map, path, set);
  } else if (kind === 'list' && schema.list && schema.list.kind !== 'atomic') {
    if (Array.isArray(value)) visitList(value, schema.list, path, set);
  } else {
    set.insert(path);
  }
}

function visitMap(value: JsonObject, map: MapSchema, path: PathElement[], set: FieldSet): void {
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    path.push(fieldElement(key));
    visit(item, childSchema(map, key), path, set);
    const isEmpty = item === null || (isObject(item) && Object.keys(item).length === 0);
    if (isEmpty || !map.field(key)) set.insert(path);
    path.pop();
  }
}

/** Items that share their keys are owned together: only their common key is a member. */
function visitList(value: readonly JsonValue[], list: ListSchema, path: PathElement[], set: FieldSet): void {
  const elements = value.map((item) => itemElement(list, item));
  const counts = new Map<PathElement, number>();
  for (const element of elements) counts.set(element, (counts.get(element) ?? 0) + 1);
  for (const [index, element] of elements.entries()) {
    path.push(element);
    if (counts.get(element) === 1) visit(value[index] as JsonValue, list.items, path, set);
    set.insert(path);
    path.pop();
  }
}
