import { getKey, isObject, type JsonObject, type JsonValue } from '../json.ts';
import { FieldSet } from './field-set.ts';
import { itemElement } from './list-item.ts';
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

/** Compares by schema: items of keyed lists by their keys, atomic values as a whole. Throws `SchemaMismatch`. */
export function compare(before: Maybe, after: Maybe, schema: MergeSchema): Comparison {
  const walk = new CompareWalk();
  walk.visit(before, after, schema);
  return walk;
}

export function isSame(comparison: Comparison): boolean {
  return comparison.removed.isEmpty && comparison.modified.isEmpty && comparison.added.isEmpty;
}

class CompareWalk implements Comparison {
  readonly removed = new FieldSet();
  readonly modified = new FieldSet();
  readonly added = new FieldSet();
  /** Where the walk stands. */
  readonly #path: PathElement[] = [];

  /** Undefined is absence; null is a value. */
  visit(before: Maybe, after: Maybe, schema: MergeSchema): void {
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
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
  }

  /** Returns whether the value was compared as a whole. */
  #handle(kind: ValueKind, before: Maybe, after: Maybe, schema: MergeSchema): boolean {
    if (kind === 'map' && schema.map) {
      const [was, is] = [mapOf(before), mapOf(after)];
      // Two empty ones are compared as a whole, to tell null from {}.
      if (!schema.map.atomic && (was || is)) {
        this.#visitMap(was, is, schema.map);
        return false;
      }
    } else if (kind === 'list' && schema.list) {
      const [was, is] = [listOf(before), listOf(after)];
      if (schema.list.kind !== 'atomic' && (was.length > 0 || is.length > 0)) {
        this.#visitList(was, is, schema.list);
        return false;
      }
    }
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
    else if (!same(before, after)) this.modified.insert(this.#path);
    return true;
  }

  #visitMap(before: JsonObject | undefined, after: JsonObject | undefined, map: MapSchema): void {
    for (const key in before) {
      const was = before[key];
      const is = after && getKey(after, key);
      // Most of an object does not change: that is found out before any path is made.
      if (!same(was, is)) this.#visitChild(fieldElement(key), was, is, childSchema(map, key));
    }
    for (const key in after) {
      if (before && getKey(before, key) !== undefined) continue;
      this.#visitChild(fieldElement(key), undefined, after[key], childSchema(map, key));
    }
  }

  #visitChild(element: PathElement, before: Maybe, after: Maybe, schema: MergeSchema): void {
    this.#path.push(element);
    this.visit(before, after, schema);
    this.#path.pop();
  }

  #visitList(before: readonly JsonValue[], after: readonly JsonValue[], list: ListSchema): void {
    const was = itemsByElement(before, list);
    const is = itemsByElement(after, list);
    for (const element of new Set([...was.keys(), ...is.keys()])) {
      this.#visitItems(element, was.get(element) ?? [], is.get(element) ?? [], list.items);
    }
  }

  /** Items that share their keys are owned together, as one. */
  #visitItems(element: PathElement, was: readonly JsonValue[], is: readonly JsonValue[], items: MergeSchema): void {
    if (was.length <= 1 && is.length <= 1) {
      this.#visitChild(element, was[0], is[0], items);
    } else if (was.length >= 2 && is.length >= 2) {
      if (!same([...was], [...is])) this.modified.insert([...this.#path, element]);
    } else if (was.length >= 2) {
      if (is.length > 0) this.#visitChild(element, undefined, is[0], items);
      this.removed.insert([...this.#path, element]);
    } else {
      if (was.length > 0) this.#visitChild(element, was[0], undefined, items);
      this.added.insert([...this.#path, element]);
    }
  }
}

/** `jsonEqual`, without making anything: every write compares two whole objects. */
export function same(a: Maybe, b: Maybe): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index++) if (!same(a[index], b[index])) return false;
    return true;
  }
  let surplus = 0;
  for (const key in a) {
    const value = a[key];
    if (value === undefined) continue;
    if (!Object.hasOwn(b, key) || !same(value, b[key])) return false;
    surplus--;
  }
  for (const key in b) if (b[key] !== undefined) surplus++;
  return surplus === 0;
}

/** The map when it has keys; an empty one, null and anything else are no map. */
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
