import { isObject, type JsonObject, type JsonValue } from '../values/json.ts';
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

  /** Nobody owns an object as a whole: no set contains the empty path. */
  insert(path: readonly PathElement[]): void {
    const last = path.length - 1;
    let set: FieldSet = this;
    for (let index = 0; index < last; index++) set = set.below(path[index] as PathElement);
    if (last >= 0) set.members.add(path[last] as PathElement);
  }

  /** The set of the longer paths that begin with the element, made when absent: for whoever inserts into it at once. */
  below(element: PathElement): FieldSet {
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
    return build<FieldSet>([this, other], ([mine, theirs], out, descend) => {
      for (const element of mine.members) out.members.add(element);
      for (const element of theirs.members) out.members.add(element);
      for (const [element, child] of mine.children) {
        const other = theirs.children.get(element);
        if (other) descend(element, child, other);
        else out.children.set(element, child);
      }
      for (const [element, child] of theirs.children) {
        if (!mine.children.has(element)) out.children.set(element, child);
      }
    });
  }

  intersection(other: FieldSet): FieldSet {
    return build<FieldSet>([this, other], ([mine, theirs], out, descend) => {
      for (const element of mine.members) if (theirs.members.has(element)) out.members.add(element);
      for (const [element, child] of mine.children) {
        const other = theirs.children.get(element);
        if (other) descend(element, child, other);
      }
    });
  }

  /** The members that `other` lacks. A member goes alone: the longer paths under it stay. */
  difference(other: FieldSet): FieldSet {
    return this.#without(other, false);
  }

  /** Like `difference`, but a member of `other` takes with it everything under it. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.#without(other, true);
  }

  #without(other: FieldSet, recursive: boolean): FieldSet {
    if (other.isEmpty) return this;
    return build<FieldSet>([this, other], ([mine, theirs], out, descend) => {
      for (const element of mine.members) if (!theirs.members.has(element)) out.members.add(element);
      for (const [element, child] of mine.children) {
        if (recursive && theirs.members.has(element)) continue;
        const other = theirs.children.get(element);
        if (other) descend(element, child, other);
        else out.children.set(element, child);
      }
    });
  }

  /** Adds the declared fields on the way to a member: `spec.a` brings `spec`, but `labels.x` does not bring `x`'s map. */
  withNamedFields(schema: MergeSchema | undefined): FieldSet {
    return build<MergeSchema | undefined>([this, schema], ([set, at], out, descend) => {
      for (const element of set.members) out.members.add(element);
      for (const [element, child] of set.children) {
        const name = fieldName(element);
        let next: MergeSchema | undefined;
        if (name !== undefined && at?.map) {
          if (at.map.field(name)) out.members.add(element);
          next = childSchema(at.map, name);
        } else if (element.startsWith('k:')) {
          next = at?.list?.items;
        }
        descend(element, child, next);
      }
    });
  }

  /** Members before the longer paths, each in the order of the real server. */
  *paths(): Generator<readonly PathElement[]> {
    const path: PathElement[] = [];
    const open: (readonly [element: PathElement, set: FieldSet] | undefined)[] = [['', this]];
    while (open.length > 0) {
      const next = open.pop();
      if (!next) {
        path.pop();
        continue;
      }
      const [step, set] = next;
      if (set !== this) {
        path.push(step);
        open.push(undefined);
      }
      for (const element of sortElements(set.members)) yield [...path, element];
      for (const element of sortElements(set.children.keys()).reverse()) {
        open.push([element, set.children.get(element) as FieldSet]);
      }
    }
  }

  /** As `fieldsV1`: `.` marks a member that has longer paths under it. */
  toFields(): JsonObject {
    if (this.#source) return this.#source;
    const root: JsonObject = {};
    const open: [set: FieldSet, into: JsonObject][] = [[this, root]];
    for (let next = open.pop(); next; next = open.pop()) {
      const [set, into] = next;
      const elements = [...set.members];
      for (const element of set.children.keys()) if (!set.members.has(element)) elements.push(element);
      for (const element of elements.sort()) {
        const child = set.children.get(element);
        const fields: JsonObject = child && set.members.has(element) ? { '.': {} } : {};
        into[element] = fields;
        if (child) open.push([child, fields]);
      }
    }
    return root;
  }

  /** Reads `fieldsV1`. Throws when a key is not a path element or a value is not an object. */
  static fromFields(fields: JsonValue | undefined): FieldSet {
    const { set, isExact } = decode(fields);
    if (isExact && isObject(fields)) set.#source = fields;
    return set;
  }
}

/** One step of a walk over a set and whatever goes along with it: another set, a schema. */
interface Step<T> {
  readonly operands: readonly [FieldSet, T];
  readonly out: FieldSet;
  readonly into: FieldSet | undefined;
  readonly element: PathElement;
}

/** Makes a set level by level, without recursion; what `descend` is called for becomes a child unless it stays empty. */
function build<T>(
  operands: readonly [FieldSet, T],
  level: (
    operands: readonly [FieldSet, T],
    out: FieldSet,
    descend: (element: PathElement, child: FieldSet, other: T) => void,
  ) => void,
): FieldSet {
  const root = new FieldSet();
  const steps: Step<T>[] = [{ operands, out: root, into: undefined, element: '' }];
  for (const { operands: at, out } of steps) {
    level(at, out, (element, child, other) => {
      steps.push({ operands: [child, other], out: new FieldSet(), into: out, element });
    });
  }
  for (let index = steps.length - 1; index > 0; index--) {
    const { out, into, element } = steps[index] as Step<T>;
    if (!out.isEmpty) into?.children.set(element, out);
  }
  return root;
}

interface Decoding {
  readonly fields: JsonValue | undefined;
  readonly set: FieldSet;
  readonly into: FieldSet | undefined;
  readonly element: PathElement;
  isMember: boolean;
}

/** `isExact`: every element was understood, and is written as we would write it. */
function decode(root: JsonValue | undefined): { set: FieldSet; isExact: boolean } {
  const steps: Decoding[] = [{ fields: root, set: new FieldSet(), into: undefined, element: '', isMember: false }];
  let isExact = true;
  for (const step of steps) {
    const { fields, set } = step;
    if (fields === null || fields === undefined) {
      step.isMember = true;
      isExact = false;
      continue;
    }
    if (!isObject(fields)) throw new Error(`fields are nested objects, not ${JSON.stringify(fields)}`);
    for (const key in fields) {
      if (key === '.') {
        step.isMember = true;
        continue;
      }
      const element = parseElement(key);
      isExact &&= element === key;
      if (element === undefined) continue;
      steps.push({ fields: fields[key], set: new FieldSet(), into: set, element, isMember: false });
    }
  }
  for (let index = steps.length - 1; index > 0; index--) {
    const { set, into, element, isMember } = steps[index] as Decoding;
    if (isMember || set.isEmpty) into?.members.add(element);
    if (!set.isEmpty) into?.children.set(element, set);
  }
  return { set: (steps[0] as Decoding).set, isExact };
}
