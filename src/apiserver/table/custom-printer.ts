import type { JsonObject, JsonValue } from '../values/json.ts';
import { since } from './cell-text.ts';
import { nameAndAge, nameColumn } from './common-columns.ts';
import { goJson, goNumber } from './go-number.ts';
import { JsonPath } from './json-path.ts';
import { type PrintedColumn, printer, type TablePrinter } from './table-printer.ts';

/** An entry of `additionalPrinterColumns` of a CustomResourceDefinition. */
export interface CustomColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** The printer of a custom resource: Name and its own columns, or Name and Age when it declares none. Throws on a bad path. */
export function customPrinter(columns: readonly CustomColumn[] | undefined): TablePrinter {
  if (columns === undefined || columns.length === 0) return DEFAULT;
  return printer([nameColumn, ...columns.map(printedColumn)]);
}

const DEFAULT = withoutColumns();

/** The real server fills in an Age column of type `date`, where built-in kinds have a string. */
function withoutColumns(): TablePrinter {
  const columns = nameAndAge.columns.map((column) => (column.name === 'Age' ? { ...column, type: 'date' } : column));
  return { ...nameAndAge, columns };
}

function printedColumn(custom: CustomColumn): PrintedColumn {
  const { name, type, jsonPath, format = '', priority = 0 } = custom;
  const path = new JsonPath(jsonPath);
  const description = custom.description || `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return {
    column: { name, type, format, description, priority },
    cell(object: JsonObject, nowMs: number): JsonValue {
      const value = firstResult(path, object);
      return value === undefined ? null : cellOf(type, value, nowMs);
    },
  };
}

/** A path that cannot be applied to this object leaves its cell empty, as on the real server. */
function firstResult(path: JsonPath, object: JsonObject): JsonValue | undefined {
  try {
    return path.find(object)[0];
  } catch {
    return undefined;
  }
}

function cellOf(type: string, value: JsonValue, nowMs: number): JsonValue {
  switch (type) {
    case 'string':
      return textOf(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateText(value, nowMs) : null;
    default:
      return null;
  }
}

function textOf(value: JsonValue): string {
  if (value === null) return '<no value>';
  if (typeof value === 'number') return goNumber(value);
  return typeof value === 'object' ? goJson(value) : String(value);
}

function dateText(value: string, nowMs: number): string {
  if (value === '' || value === 'null') return '<unknown>';
  return Number.isNaN(Date.parse(value)) ? '<invalid>' : since(nowMs, value);
}
