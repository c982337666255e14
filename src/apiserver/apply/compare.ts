import { getKey, isObject, type JsonObject, type JsonValue, jsonEqual } from '../values/json.ts';
import { FieldSet } from './field-set.ts';
import { itemElement } from './list-item.ts';
import { PathCursor } from './path-cursor.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import {
  childSchema,
  kindOf,
  type ListSchema,
  type MapSchema,
  type MergeSchema,
  type ValueKind,
} from './schema-node.ts';

/** What differs between two states of an object. No path is in more than one of the sets. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

type Maybe = JsonValue | undefined;

/** How many maps and lists are compared at a glance; with no limit, a deep object would be walked once for each level. */
const GLANCE = 64;

/** Compares by schema: items of keyed lists by their keys, atomic values as a whole. Throws `SchemaMismatch`. */
export function compare(before: Maybe, after: Maybe, schema: MergeSchema): Comparison {
  const walk = new CompareWalk();
  walk.run({ before, after, schema, element: undefined });
  return walk;
}

export function isSame(comparison: Comparison): boolean {
  return comparison.removed.isEmpty && comparison.modified.isEmpty && comparison.added.isEmpty;
}

/** Two values that are still to be compared. Undefined is absence; null is a value. */
interface Pending {
  readonly before: Maybe;
  readonly after: Maybe;
  readonly schema: MergeSchema;
  /** The step that leads to them; undefined at the root. */
  readonly element: PathElement | undefined;
}

/** Walks without recursion: objects may nest more deeply than the stack reaches. */
class CompareWalk implements Comparison {
  readonly removed = new FieldSet();
  readonly modified = new FieldSet();
  readonly added = new FieldSet();
  readonly #at = new PathCursor(this.removed, this.modified, this.added);
  /** What is still to be compared, the next one last; undefined where the walk steps back. */
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

  #visit({ before, after, schema }: Pending): void {
    if (before === after) return;
    const was = kindOf(schema, before);
    const is = kindOf(schema, after);
    let isLeaf: boolean;
    if (after === undefined) {
      isLeaf = this.#handle(was, before, after, schema);
    } else {
      // A value that changed its kind counts under both.
      if (before !== undefined && was !== is) this.#handle(was, before, after, schema);
      isLeaf = this.#handle(is, before, after, schema);
    }
    if (isLeaf) return;
    if (before === undefined) this.#at.insertInto(this.added);
    else if (after === undefined) this.#at.insertInto(this.removed);
  }

  /** Returns whether the value was compared as a whole. */
  #handle(kind: ValueKind, before: Maybe, after: Maybe, schema: MergeSchema): boolean {
    if (kind === 'map' && schema.map) {
      const [was, is] = [mapOf(before), mapOf(after)];
      // Two empty ones are compared as a whole, to tell null from {}.
      if (!schema.map.atomic && (was || is)) {
        this.#openMap(was, is, schema.map);
        return false;
      }
    } else if (kind === 'list' && schema.list) {
      const [was, is] = [listOf(before), listOf(after)];
      if (schema.list.kind !== 'atomic' && (was.length > 0 || is.length > 0)) {
        this.#openList(was, is, schema.list);
        return false;
      }
    }
    if (before === undefined) this.#at.insertInto(this.added);
    else if (after === undefined) this.#at.insertInto(this.removed);
    else if (!jsonEqual(before, after)) this.#at.insertInto(this.modified);
    return true;
  }

  #openMap(before: JsonObject | undefined, after: JsonObject | undefined, map: MapSchema): void {
    for (const key in before) {
      const was = before[key];
      const is = after && getKey(after, key);
      // Most of an object does not change: that is found out before any path is made, unless it takes long.
      if (!jsonEqual(was, is, GLANCE)) this.#later(fieldElement(key), was, is, childSchema(map, key));
    }
    for (const key in after) {
      if (before && getKey(before, key) !== undefined) continue;
      this.#later(fieldElement(key), undefined, after[key], childSchema(map, key));
    }
  }

  #later(element: PathElement, before: Maybe, after: Maybe, schema: MergeSchema): void {
    this.#open.push({ before, after, schema, element });
  }

  #openList(before: readonly JsonValue[], after: readonly JsonValue[], list: ListSchema): void {
    const was = itemsByElement(before, list);
    const is = itemsByElement(after, list);
    for (const element of new Set([...was.keys(), ...is.keys()])) {
      this.#openItems(element, was.get(element) ?? [], is.get(element) ?? [], list.items);
    }
  }

  /** Items that share their keys are owned together, as one. */
  #openItems(element: PathElement, was: readonly JsonValue[], is: readonly JsonValue[], items: MergeSchema): void {
    if (was.length <= 1 && is.length <= 1) {
      this.#later(element, was[0], is[0], items);
    } else if (was.length >= 2 && is.length >= 2) {
      if (!jsonEqual([...was], [...is])) this.#at.insertBelow(this.modified, element);
    } else if (was.length >= 2) {
      if (is.length > 0) this.#later(element, undefined, is[0], items);
      this.#at.insertBelow(this.removed, element);
    } else {
      if (was.length > 0) this.#later(element, was[0], undefined, items);
      this.#at.insertBelow(this.added, element);
    }
  }
}

/** The map when it has keys; undefined for an empty one, null and anything else. */
function mapOf(value: Maybe): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  for (const key in value) if (value[key] !== undefined) return value;
  return undefined;
}

function listOf(value: Maybe): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function itemsByElement(items: readonly JsonValue[], list: ListSchema): Map<PathElement, JsonValue[]> {
  const out = new Map<PathElement, JsonValue[]>();
  for (const item of items) {
    const element = itemElement(list, item);
    const same = out.get(element);
    if (same) same.push(item);
    else out.set(element, [item]);
  }
  return out;
}
