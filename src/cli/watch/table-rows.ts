import type { KubernetesObject, ListMeta } from '../../api/metadata.ts';

/** `metav1.Table`, as far as it is needed. */
export interface Table {
  readonly kind: 'Table';
  readonly metadata?: ListMeta;
  /** Only in the first event of a watch. */
  readonly columnDefinitions?: readonly TableColumn[] | null;
  readonly rows?: readonly WireRow[] | null;
}

export interface TableColumn {
  readonly name: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  /** 0 for those that are always shown, more for `-o wide`. */
  readonly priority?: number;
}

interface WireRow {
  readonly cells?: readonly unknown[] | null;
  readonly object?: KubernetesObject | null;
}

/** An object with the cells of its row. */
export interface TableRow extends KubernetesObject {
  readonly [CELLS]: readonly unknown[];
}

/** Not a name: no field of an object can be mistaken for it, and it is not part of the object's JSON. */
export const CELLS = Symbol('cells');

export function isTable(body: unknown): body is Table {
  return typeof body === 'object' && body !== null && (body as { kind?: unknown }).kind === 'Table';
}

/** What servers without tables get: kubectl's columns for a kind that it knows nothing of. */
export const PLAIN_COLUMNS: readonly TableColumn[] = [
  { name: 'Name', type: 'string', format: 'name' },
  { name: 'Age', type: 'string', description: 'CreationTimestamp is a timestamp representing the server time' },
];

export function tableRow(object: KubernetesObject, cells: readonly unknown[]): TableRow {
  // About half of an object, and never shown.
  if (object.metadata) delete object.metadata.managedFields;
  return Object.assign(object, { [CELLS]: cells });
}

export function rowsOf(table: Table): TableRow[] {
  return (table.rows ?? []).flatMap(({ object, cells }) => (object ? [tableRow(object, cells ?? [])] : []));
}

export function plainRow(object: KubernetesObject): TableRow {
  return tableRow(object, [object.metadata?.name ?? '', '']);
}
