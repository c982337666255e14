import type { JsonObject } from '../values/json.ts';
import { type Comparison, compare } from './compare.ts';
import { FieldSet } from './field-set.ts';
import type { ManagerEntry, Managers } from './managers.ts';
import { fieldElement } from './path-element.ts';
import { reconcileWithSchema } from './schema-change.ts';
import type { MergeSchema } from './schema-node.ts';

/** Fields that are nobody's: identity, and what the server itself fills. */
const UNOWNED = FieldSet.of(
  ...[
    ['apiVersion'],
    ['kind'],
    ['metadata'],
    ['metadata', 'name'],
    ['metadata', 'namespace'],
    ['metadata', 'creationTimestamp'],
    ['metadata', 'selfLink'],
    ['metadata', 'uid'],
    ['metadata', 'clusterName'],
    ['metadata', 'generation'],
    ['metadata', 'managedFields'],
    ['metadata', 'resourceVersion'],
  ].map((path) => path.map(fieldElement)),
);

export function withoutUnowned(fields: FieldSet): FieldSet {
  return fields.difference(UNOWNED);
}

export interface States {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly schema: MergeSchema;
  /** See `resetFields`. */
  readonly ignored: FieldSet;
}

/** What a write changes, but for what the server would put back. Throws `SchemaMismatch`. */
export function changeBetween({ before, after, schema, ignored }: States): Comparison {
  const { removed, modified, added } = compare(before, after, schema);
  return {
    removed: removed.recursiveDifference(ignored),
    modified: modified.recursiveDifference(ignored),
    added: added.recursiveDifference(ignored),
  };
}

/** By manager id, what a change sets of that which others than `self` own; never empty sets. */
export function takenFrom(managers: Managers, { modified, added }: Comparison, self?: string): Map<string, FieldSet> {
  const touched = modified.union(added);
  const taken = new Map<string, FieldSet>();
  for (const [id, entry] of managers) {
    if (id === self) continue;
    const fields = entry.fields.intersection(touched);
    if (!fields.isEmpty) taken.set(id, fields);
  }
  return taken;
}

/** Lets a change have what it took: others lose it, with everything that the change removed, and the empty ones go. */
export function concede(
  managers: Managers,
  { removed }: Comparison,
  taken: ReadonlyMap<string, FieldSet>,
  self?: string,
): void {
  for (const [id, entry] of managers) {
    const lost = taken.get(id);
    let fields = lost ? entry.fields.difference(lost) : entry.fields;
    if (id !== self) fields = fields.difference(removed);
    setFields(managers, id, entry, fields);
  }
}

function setFields(managers: Managers, id: string, entry: ManagerEntry, fields: FieldSet): void {
  if (fields.isEmpty) managers.delete(id);
  else if (fields !== entry.fields) managers.set(id, { ...entry, fields });
}

/** See `reconcileWithSchema`. */
export function reconcileManagers(managers: Managers, schema: MergeSchema): void {
  if (schema.fixed) return;
  for (const [id, entry] of managers) setFields(managers, id, entry, reconcileWithSchema(entry.fields, schema));
}
