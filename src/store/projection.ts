import type { Cached } from '../api/cached.ts';
import type { FieldPath, FieldValue } from '../api/field-path.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { PathReadable } from '../api/object-path.ts';
import { parseIndexPath, valueReader } from './index-path.ts';

/** What the paths lead to in one object, in their order. */
export type ProjectedRow<T extends KubernetesObject, Paths extends readonly string[]> = {
  -readonly [I in keyof Paths]: FieldValue<T, Paths[I]>;
};

/** Which objects a projection is of: those that an index has under a value. */
export interface ProjectionOptions {
  /** The name of the index. */
  index: string;
  /** One of its values. */
  value: string;
}

/** How many objects are looked at before the first of them is read. */
const TOUCHED_AT_ONCE = 64;

/** One row for each object, from its bytes where it has them. Throws `IndexError` when a path cannot be followed. */
export function project<T extends KubernetesObject, const Paths extends readonly FieldPath<T>[]>(
  objects: readonly Cached<T>[],
  paths: Paths,
): ProjectedRow<T, Paths>[] {
  const readers = paths.map((path) => valueReader<T>(parseIndexPath('project', path)));
  const rows: unknown[][] = [];
  for (let from = 0; from < objects.length; from += TOUCHED_AT_ONCE) {
    const to = Math.min(from + TOUCHED_AT_ONCE, objects.length);
    if (!touch(objects, from, to)) break;
    for (let i = from; i < to; i++) rows.push(rowOf(objects[i] as Cached<T>, readers));
  }
  return rows as ProjectedRow<T, Paths>[];
}

/** True: V8 leaves out what has no result. */
function touch(objects: readonly (Cached & Partial<PathReadable>)[], from: number, to: number): boolean {
  let seen = 0;
  for (let i = from; i < to; i++) seen |= objects[i]?.touch?.() ?? 0;
  return seen >= 0;
}

function rowOf<T extends KubernetesObject>(
  cached: Cached<T>,
  readers: readonly ((cached: Cached<T>) => unknown)[],
): unknown[] {
  const row: unknown[] = new Array(readers.length);
  for (let i = 0; i < readers.length; i++) row[i] = readers[i]?.(cached);
  return row;
}
