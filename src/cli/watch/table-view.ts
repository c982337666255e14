import { humanDuration } from '../../apiserver/table/human-duration.ts';
import type { StyleName } from '../terminal/style.ts';
import { CELLS, type TableColumn, type TableRow } from './table-rows.ts';

export interface TableViewOptions {
  /** Also the columns that only `-o wide` shows. */
  wide: boolean;
  /** A first column with the namespace. */
  namespaces: boolean;
  labelColumns: readonly string[];
  showLabels: boolean;
}

/** A column as it is shown: its heading, and how to read it from a row. */
export interface ViewColumn {
  readonly heading: string;
  readonly text: (row: TableRow, nowMs: number) => string;
  /** A hint for the eye. */
  readonly style?: (text: string) => StyleName | undefined;
}

/** The columns that `kubectl get` would show. */
export function viewColumns(columns: readonly TableColumn[], options: TableViewOptions): ViewColumn[] {
  const own = columns.flatMap((column, at): ViewColumn[] =>
    (column.priority ?? 0) > 0 && !options.wide ? [] : [ownColumn(column, at)],
  );
  return [
    ...(options.namespaces ? [{ heading: 'NAMESPACE', text: (row: TableRow) => row.metadata?.namespace ?? '' }] : []),
    ...own,
    ...options.labelColumns.map(labelColumn),
    ...(options.showLabels ? [{ heading: 'LABELS', text: (row: TableRow) => labelsText(row.metadata?.labels) }] : []),
  ];
}

function ownColumn(column: TableColumn, at: number): ViewColumn {
  const heading = column.name.toUpperCase();
  const style = styleOf(heading);
  const age = isAge(column);
  return {
    heading,
    text: (row, nowMs) => (age ? (ageOf(row, nowMs) ?? cellText(row[CELLS][at])) : cellText(row[CELLS][at])),
    ...(style && { style }),
  };
}

/**
 * The server computes an age when it sends the row, and says nothing as it grows. Where a column is known to count from
 * the creation of the object, it is counted here instead.
 */
function isAge({ name, description = '' }: TableColumn): boolean {
  return (
    name === 'Age' &&
    (description.startsWith('CreationTimestamp is a timestamp') || description.includes('.metadata.creationTimestamp'))
  );
}

function ageOf(row: TableRow, nowMs: number): string | undefined {
  const createdMs = Date.parse(row.metadata?.creationTimestamp ?? '');
  // A clock that is behind the server's does not make an object invalid.
  return Number.isNaN(createdMs) ? undefined : humanDuration(Math.max(0, nowMs - createdMs));
}

/** One line, as kubectl cuts it; what may harm a terminal is made safe where it is painted. */
export function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  const text = typeof cell === 'string' ? cell : typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
  const end = text.search(/[\f\n\r]/);
  return end < 0 ? text : `${text.slice(0, end)}...`;
}

function labelColumn(label: string): ViewColumn {
  return {
    heading: label.slice(label.lastIndexOf('/') + 1).toUpperCase(),
    text: (row) => {
      const labels = row.metadata?.labels ?? {};
      return Object.hasOwn(labels, label) ? String(labels[label]) : '';
    },
  };
}

function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}

const BAD = /crash|error|err|fail|evicted|oomkilled|unknown|notready|lost|invalid|backoff|false/i;
const WAITING = /pending|creating|terminating|init|progressing|waiting|released|unschedulable|disabled/i;
const GOOD = /running|ready|active|bound|succeeded|complete|available|true|healthy/i;

function styleOf(heading: string): ViewColumn['style'] {
  if (heading === 'STATUS' || heading === 'PHASE' || heading === 'STATE') {
    return (text) => (BAD.test(text) ? 'red' : WAITING.test(text) ? 'yellow' : GOOD.test(text) ? 'green' : undefined);
  }
  if (heading !== 'READY') return undefined;
  return (text) => {
    const [, ready, wanted] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
    return ready === wanted ? undefined : 'yellow';
  };
}
