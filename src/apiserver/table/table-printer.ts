import type { JsonObject, JsonValue } from '../values/json.ts';

/** One heading of a Table (`metav1.TableColumnDefinition`). */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  /** `name` marks the column that names the object; else mostly empty. */
  readonly format: string;
  readonly description: string;
  /** 0 is shown always, anything greater only by `kubectl get -o wide`. */
  readonly priority: number;
}

export interface TableRowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** How objects of one kind become rows. Pure: neither method changes the object, and `nowMs` is the only clock. */
export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** As many cells as columns, in their order. */
  cells(object: JsonObject, nowMs: number): JsonValue[];
  /** What a client may want to know of the row without reading its object: that a pod has completed. */
  conditions?(object: JsonObject): readonly TableRowCondition[] | undefined;
  /** The order of the rows; unset: that of the objects. */
  compare?(a: JsonObject, b: JsonObject): number;
  /** The real server's default printer answers an empty list with `rows: null`, all others with `[]`. */
  readonly emptyRowsAreNull?: boolean;
}

/** A heading together with what stands below it. */
export interface PrintedColumn {
  readonly column: TableColumn;
  cell(object: JsonObject, nowMs: number): JsonValue;
}

export interface ColumnOptions {
  /** Default `string`. */
  type?: 'string' | 'integer' | 'boolean' | 'number' | 'date';
  format?: string;
  description?: string;
  /** Shown only in wide output. Default false. */
  wide?: boolean;
}

export function heading(name: string, options: ColumnOptions = {}): TableColumn {
  const { type = 'string', format = '', description = '', wide = false } = options;
  return { name, type, format, description, priority: wide ? 1 : 0 };
}

export function column(name: string, cell: PrintedColumn['cell'], options: ColumnOptions = {}): PrintedColumn {
  return { column: heading(name, options), cell };
}

export function printer(
  printed: readonly PrintedColumn[],
  extras: Pick<TablePrinter, 'conditions' | 'compare' | 'emptyRowsAreNull'> = {},
): TablePrinter {
  return {
    ...extras,
    columns: printed.map(({ column }) => column),
    cells: (object, nowMs) => printed.map(({ cell }) => cell(object, nowMs)),
  };
}
