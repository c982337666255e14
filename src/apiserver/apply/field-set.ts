import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { fieldName, type PathElement, parseElement, sortElements } from './path-element.ts';
import { childSchema, type MergeSchema } from './schema-node.ts';

/**
 * A set of paths into an object: what a manager owns, or what a change touched. A tree; a path may be a member whether
 * or not longer paths that begin with it are. Only `insert` changes a set, and only its maker calls it: the operations
 * return sets that share subtrees with their operands.
 */
export class FieldSet {
  /** Paths of one element. */
  readonly members = new Set<PathElement>();
  /** The longer paths, by their first element. Never an empty set. */
  readonly children = new Map<PathElement, FieldSet>();
  /** The JSON that the set was read from, when it would be written the same way. */
  #source: JsonObject | undefined;

  static of(...paths: readonly (readonly PathElement[])[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }

  /** Nobody owns an object as a whole: the empty path is no member of any set. */
  insert(path: readonly PathElement[]): void {
    const last = path.length - 1;
    let set: FieldSet = this;
    for (let index = 0; index < last; index++) set = set.#descend(path[index] as PathElement);
    if (last >= 0) set.members.add(path[last] as PathElement);
  }

  #descend(element: PathElement): FieldSet {
    let child = this.children.get(element);
    if (!child) {
      child = new FieldSet();
      this.children.set(element, child);
    }
    return child;
  }

  get isEmpty(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }

  has(path: readonly PathElement[]): boolean {
    let set: FieldSet | undefined = this;
    for (const element of path.slice(0, -1)) set = set?.children.get(element);
    const last = path.at(-1);
    return last !== undefined && set?.members.has(last) === true;
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    if (this.isEmpty) return other;
    const out = new FieldSet();
    for (const element of this.members) out.members.add(element);
    for (const element of other.members) out.members.add(element);
    for (const [element, child] of this.children) out.children.set(element, child);
    for (const [element, child] of other.children) {
      const mine = out.children.get(element);
      out.children.set(element, mine ? mine.union(child) : child);
    }
    return out;
  }

  intersection(other: FieldSet): FieldSet {
    const out = new FieldSet();
    for (const element of this.members) if (other.members.has(element)) out.members.add(element);
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      if (theirs) out.#attach(element, child.intersection(theirs));
    }
    return out;
  }

  /** The members that `other` lacks. A member goes alone: the longer paths under it stay. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    const out = new FieldSet();
    for (const element of this.members) if (!other.members.has(element)) out.members.add(element);
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      out.#attach(element, theirs ? child.difference(theirs) : child);
    }
    return out;
  }

  /** Like `difference`, but a member of `other` takes with it everything under it. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    const out = new FieldSet();
    for (const element of this.members) if (!other.members.has(element)) out.members.add(element);
    for (const [element, child] of this.children) {
      if (other.members.has(element)) continue;
      const theirs = other.children.get(element);
      out.#attach(element, theirs ? child.recursiveDifference(theirs) : child);
    }
    return out;
  }

  #attach(element: PathElement, child: FieldSet): void {
    if (!child.isEmpty) this.children.set(element, child);
  }

  /** Adds the declared fields on the way to a member: `spec.a` brings `spec`, but `labels.x` does not bring `x`'s map. */
  withNamedFields(schema: MergeSchema | undefined): FieldSet {
    const out = new FieldSet();
    for (const element of this.members) out.members.add(element);
    for (const [element, child] of this.children) {
      const name = fieldName(element);
      let next: MergeSchema | undefined;
      if (name !== undefined && schema?.map) {
        if (schema.map.field(name)) out.members.add(element);
        next = childSchema(schema.map, name);
      } else if (element.startsWith('k:')) {
        next = schema?.list?.items;
      }
      out.children.set(element, child.withNamedFields(next));
    }
    return out;
  }

  /** Members before the longer paths, each in the order of the real server. */
  *paths(prefix: readonly PathElement[] = []): Generator<readonly PathElement[]> {
    for (const element of sortElements(this.members)) yield [...prefix, element];
    for (const element of sortElements(this.children.keys())) {
      yield* this.children.get(element)?.paths([...prefix, element]) ?? [];
    }
  }

  /** As `fieldsV1`: `.` marks a member that has longer paths under it. */
  toFields(): JsonObject {
    return this.#source ?? this.#encode(false);
  }

  #encode(isMember: boolean): JsonObject {
    const out: JsonObject = {};
    if (isMember) out['.'] = {};
    const elements = [...this.members];
    for (const element of this.children.keys()) if (!this.members.has(element)) elements.push(element);
    for (const element of elements.sort()) {
      const child = this.children.get(element);
      out[element] = child ? child.#encode(this.members.has(element)) : {};
    }
    return out;
  }

  /** Reads `fieldsV1`. Throws when a key is no path element or a value no object. */
  static fromFields(fields: JsonValue | undefined): FieldSet {
    const { set, isExact } = decode(fields);
    if (isExact && isObject(fields)) set.#source = fields;
    return set;
  }
}

interface Decoded {
  readonly set: FieldSet;
  readonly isMember: boolean;
  /** Whether every element was understood, and is written as we would write it. */
  readonly isExact: boolean;
}

function decode(fields: JsonValue | undefined): Decoded {
  const set = new FieldSet();
  if (fields === null || fields === undefined) return { set, isMember: true, isExact: false };
  if (!isObject(fields)) throw new Error(`fields are nested objects, not ${JSON.stringify(fields)}`);
  let isMember = false;
  let isExact = true;
  for (const key in fields) {
    if (key === '.') {
      isMember = true;
      continue;
    }
    const element = parseElement(key);
    isExact &&= element === key;
    if (element === undefined) continue;
    const child = decode(fields[key]);
    isExact &&= child.isExact;
    if (child.isMember) set.members.add(element);
    if (!child.set.isEmpty) set.children.set(element, child.set);
  }
  return { set, isMember: isMember || set.isEmpty, isExact };
}
