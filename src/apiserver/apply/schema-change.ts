import { FieldSet } from './field-set.ts';
import { fieldName, type PathElement } from './path-element.ts';
import { type MergeSchema, untypedAtomic } from './schema-node.ts';

/**
 * What a manager owns after the schema changed under its feet: where a map or list has become atomic since, whoever
 * owned parts of it owns the whole. Returns the same set when nothing changed.
 */
export function reconcileWithSchema(set: FieldSet, schema: MergeSchema): FieldSet {
  const nowAtomic = new FieldSet();
  visit(set, false, schema, [], nowAtomic);
  return nowAtomic.isEmpty ? set : set.recursiveDifference(nowAtomic).union(nowAtomic);
}

/** `isMember`: the path itself is owned, and nothing under it. */
function visit(
  set: FieldSet | undefined,
  isMember: boolean,
  schema: MergeSchema,
  path: readonly PathElement[],
  nowAtomic: FieldSet,
): void {
  if (schema.map) {
    if (isFree(schema)) return;
    if (!isMember && schema.map.atomic) {
      if (set) nowAtomic.insert(path);
      return;
    }
    const { map } = schema;
    visitChildren(set, path, nowAtomic, (element) => {
      const name = fieldName(element);
      return (name === undefined ? undefined : map.field(name)?.schema) ?? map.elements;
    });
  } else if (schema.list) {
    if (!isMember && schema.list.kind === 'atomic') {
      nowAtomic.insert(path);
      return;
    }
    const { items } = schema.list;
    visitChildren(set, path, nowAtomic, () => items);
  }
}

function visitChildren(
  set: FieldSet | undefined,
  path: readonly PathElement[],
  nowAtomic: FieldSet,
  schemaOf: (element: PathElement) => MergeSchema | undefined,
): void {
  if (!set) return;
  for (const element of new Set([...set.children.keys(), ...set.members])) {
    const schema = schemaOf(element);
    const child = set.children.get(element);
    if (schema) visit(child, set.members.has(element) && !child, schema, [...path, element], nowAtomic);
  }
}

/** A map of anything, whose values have no schema either. */
function isFree(schema: MergeSchema): boolean {
  const elements = schema.map?.elements;
  if (schema.map?.struct !== false || elements === untypedAtomic) return false;
  return elements?.scalar === 'untyped' && elements.map !== undefined;
}
