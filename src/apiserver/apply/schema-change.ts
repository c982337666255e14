import { FieldSet } from './field-set.ts';
import { PathCursor } from './path-cursor.ts';
import { fieldName, type PathElement } from './path-element.ts';
import { type MergeSchema, untypedAtomic } from './schema-node.ts';

/**
 * What a manager owns after the schema changed under its feet: where a map or list has become atomic since, whoever
 * owned parts of it owns the whole. Returns the same set when nothing changed.
 */
export function reconcileWithSchema(set: FieldSet, schema: MergeSchema): FieldSet {
  const nowAtomic = new FieldSet();
  const at = new PathCursor(nowAtomic);
  // Without recursion: sets may nest more deeply than the stack reaches. Undefined is where the walk steps back.
  const open: (Pending | undefined)[] = [{ set, isMember: false, schema, element: undefined }];
  while (open.length > 0) {
    const next = open.pop();
    if (!next) {
      at.leave();
      continue;
    }
    if (next.element !== undefined) {
      at.enter(next.element);
      open.push(undefined);
    }
    visit(next, at, nowAtomic, open);
  }
  return nowAtomic.isEmpty ? set : set.recursiveDifference(nowAtomic).union(nowAtomic);
}

interface Pending {
  readonly set: FieldSet | undefined;
  /** The path itself is owned, and nothing under it. */
  readonly isMember: boolean;
  readonly schema: MergeSchema;
  /** The step that leads here; undefined at the root. */
  readonly element: PathElement | undefined;
}

function visit(
  { set, isMember, schema }: Pending,
  at: PathCursor,
  nowAtomic: FieldSet,
  open: (Pending | undefined)[],
): void {
  if (schema.map) {
    if (isFree(schema)) return;
    if (!isMember && schema.map.atomic) {
      if (set) at.insertInto(nowAtomic);
      return;
    }
    const { map } = schema;
    openChildren(set, open, (element) => {
      const name = fieldName(element);
      return (name === undefined ? undefined : map.field(name)?.schema) ?? map.elements;
    });
  } else if (schema.list) {
    if (!isMember && schema.list.kind === 'atomic') {
      at.insertInto(nowAtomic);
      return;
    }
    const { items } = schema.list;
    openChildren(set, open, () => items);
  }
}

function openChildren(
  set: FieldSet | undefined,
  open: (Pending | undefined)[],
  schemaOf: (element: PathElement) => MergeSchema | undefined,
): void {
  if (!set) return;
  for (const element of new Set([...set.children.keys(), ...set.members])) {
    const schema = schemaOf(element);
    const child = set.children.get(element);
    if (schema) open.push({ set: child, isMember: set.members.has(element) && !child, schema, element });
  }
}

/** A map of anything, whose values have no schema either. */
function isFree(schema: MergeSchema): boolean {
  const elements = schema.map?.elements;
  if (schema.map?.struct !== false || elements === untypedAtomic) return false;
  return elements?.scalar === 'untyped' && elements.map !== undefined;
}
