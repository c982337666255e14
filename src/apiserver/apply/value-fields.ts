import { isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { FieldSet } from './field-set.ts';
import { itemElement } from './list-item.ts';
import { PathCursor } from './path-cursor.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { childSchema, kindOf, type ListSchema, type MapSchema, type MergeSchema } from './schema-node.ts';

/** Every leaf, list item and map key that the value mentions: what whoever applies it owns. Throws `SchemaMismatch`. */
export function fieldsOf(value: JsonValue, schema: MergeSchema): FieldSet {
  const walk = new FieldsWalk();
  walk.run({ value, schema, element: undefined });
  return walk.set;
}

interface Pending {
  readonly value: JsonValue;
  readonly schema: MergeSchema;
  /** The step that leads to the value; undefined at the root. */
  readonly element: PathElement | undefined;
}

/** Walks without recursion: values may nest more deeply than the stack reaches. */
class FieldsWalk {
  readonly set = new FieldSet();
  readonly #at = new PathCursor(this.set);
  /** What is still to be visited, the next one last; undefined where the walk steps back. */
  readonly #open: (Pending | undefined)[] = [];

  run(root: Pending): void {
    this.#open.push(root);
    while (this.#open.length > 0) {
      const next = this.#open.pop();
      if (!next) {
        this.#at.leave();
        continue;
      }
      if (next.element !== undefined) {
        this.#at.enter(next.element);
        this.#open.push(undefined);
      }
      this.#visit(next);
    }
  }

  #visit({ value, schema }: Pending): void {
    const kind = kindOf(schema, value);
    if (kind === 'map' && schema.map && !schema.map.atomic) {
      if (isObject(value)) this.#visitMap(value, schema.map);
    } else if (kind === 'list' && schema.list && schema.list.kind !== 'atomic') {
      if (Array.isArray(value)) this.#visitList(value, schema.list);
    } else {
      this.#at.insertInto(this.set);
    }
  }

  #visitMap(value: JsonObject, map: MapSchema): void {
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      const element = fieldElement(key);
      const isEmpty = item === null || (isObject(item) && Object.keys(item).length === 0);
      if (isEmpty || !map.field(key)) this.#at.insertBelow(this.set, element);
      this.#open.push({ value: item, schema: childSchema(map, key), element });
    }
  }

  /** Items that share their keys are owned together: only their common key is a member. */
  #visitList(value: readonly JsonValue[], list: ListSchema): void {
    const elements = value.map((item) => itemElement(list, item));
    const counts = new Map<PathElement, number>();
    for (const element of elements) counts.set(element, (counts.get(element) ?? 0) + 1);
    for (const [index, element] of elements.entries()) {
      this.#at.insertBelow(this.set, element);
      if (counts.get(element) === 1) {
        this.#open.push({ value: value[index] as JsonValue, schema: list.items, element });
      }
    }
  }
}
