import type { Cached } from '../api/cached.ts';
import type { FieldPath, FieldValue } from '../api/field-path.ts';
import type { KubernetesObject } from '../api/metadata.ts';
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

/** One row for each object, from its bytes where it has them. Throws `IndexError` when a path cannot be followed. */
export function project<T extends KubernetesObject, const Paths extends readonly FieldPath<T>[]>(
  objects: readonly Cached<T>[],
  paths: Paths,
): ProjectedRow<T, Paths>[] {
  const readers = paths.map((path) => valueReader<T>(parseIndexPath('project', path)));
  return objects.map((cached) => rowOf(cached, readers) as ProjectedRow<T, Paths>);
}

function rowOf<T extends KubernetesObject>(
  cached: Cached<T>,
  readers: readonly ((cached: Cached<T>) => unknown)[],
): unknown[] {
  const row: unknown[] = new Array(readers.length);
  for (let i = 0; i < readers.length; i++) row[i] = readers[i]?.(cached);
  return row;
}
