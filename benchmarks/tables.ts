import type { Contestant } from './contestants.ts';
import type { Figure } from './measured-run.ts';
import type { Row } from './outcome.ts';
import { type Shown, withUnit } from './promise.ts';
import type { Summary } from './summary.ts';

interface Column {
  readonly title: string;
  readonly figure: Figure;
  readonly digits: number;
}

const SYNC = { title: 'sync, s', figure: 'syncSeconds', digits: 2 } as const;
const BYTES = { title: 'bytes a pod', figure: 'heapBytesPerObject', digits: 0 } as const;
const RSS = { title: 'peak RSS, MB', figure: 'peakRssMb', digits: 0 } as const;
const EVENTS = { title: 'events/s', figure: 'eventsPerSecond', digits: 0 } as const;

const RESULTS: readonly Column[] = [
  SYNC,
  { title: 'CPU, s', figure: 'cpuSeconds', digits: 2 },
  BYTES,
  RSS,
  EVENTS,
  { title: 'loop delay p99, ms', figure: 'eventLoopP99Ms', digits: 1 },
  { title: 'max, ms', figure: 'eventLoopMaxMs', digits: 0 },
];

const READS: readonly Column[] = [
  { title: 'get and metadata, µs', figure: 'readGetMicros', digits: 2 },
  { title: 'first read of spec, µs', figure: 'readFirstSpecMicros', digits: 1 },
  { title: 'again, µs', figure: 'readSpecAgainMicros', digits: 2 },
  { title: 'list and all names, ms', figure: 'readListNamesMs', digits: 1 },
  { title: 'by index, µs', figure: 'readByIndexMicros', digits: 0 },
  { title: 'hits', figure: 'readByIndexHits', digits: 0 },
];

const READS_DURING_SYNC: readonly Column[] = [
  { title: 'reads while it synced', figure: 'readsDuringSync', digits: 0 },
  { title: 'with objects', figure: 'readsDuringSyncWithObjects', digits: 0 },
  { title: 'the slowest, ms', figure: 'readDuringSyncWorstMs', digits: 1 },
];

/** With a row, and a note below, for each that has no figures. */
export function resultTable(summary: Summary, objects: number, rows: readonly Row[]): string {
  const reasons = [...new Set(rows.flatMap((row) => row.without ?? []))];
  const marked = rows.map((row) => {
    if (row.without === undefined) return row;
    return { name: row.name, title: `${row.name} (${reasons.indexOf(row.without) + 1})` };
  });
  const notes = reasons.map((reason, index) => `${index + 1}. ${reason}`);
  return [table(summary, objects, RESULTS, marked), ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

/** The figures that say most, of those that have a label. */
export function shortTable(summary: Summary, objects: number, contestants: readonly Contestant[]): string {
  const rows = contestants
    .filter(({ name }) => summary.rounds(name, objects) > 0)
    .flatMap(({ name, label }) => (label === undefined ? [] : [{ name, title: label }]));
  return table(summary, objects, [SYNC, BYTES, RSS, EVENTS], rows);
}

/** Empty when no peer reports reads. */
export function readTables(summary: Summary, objects: number, rows: readonly Row[]): string[] {
  return [READS, READS_DURING_SYNC].flatMap((columns) => {
    const readers = rows.filter(({ name }) =>
      columns.every(({ figure }) => summary.figure(name, objects, figure) !== undefined),
    );
    return readers.length === 0 ? [] : [table(summary, objects, columns, readers)];
  });
}

export function ratioTable(ratios: readonly Shown[]): string {
  const lines = ratios.map(({ what, concerned: [ours, theirs], value, limit, atLeast, holds }) => {
    const bound = `${atLeast ? 'at least' : 'at most'} ${limit}`;
    return `| ${what} | ${ours} | ${theirs} | ${withUnit(value, '')} | ${bound} | ${verdict(holds)} |`;
  });
  return ['| what | of | to that of | ratio | promised | |', '|---|---|---|--:|--:|---|', ...lines].join('\n');
}

export function targetTable(targets: readonly Shown[]): string {
  const lines = targets.map(({ what, objects, value, unit, limit, holds }) => {
    const pods = objects.toLocaleString('en');
    return `| ${what} | ${pods} | ${withUnit(value, unit)} | at most ${withUnit(limit, unit)} | ${verdict(holds)} |`;
  });
  return ['| what | pods | measured | promised | |', '|---|--:|--:|--:|---|', ...lines].join('\n');
}

function verdict(holds: boolean): string {
  return holds ? 'holds' : 'missed';
}

interface TitledRow {
  readonly name: string;
  readonly title?: string;
}

function table(summary: Summary, objects: number, columns: readonly Column[], rows: readonly TitledRow[]): string {
  const lines = rows.map(({ name, title = name }) => {
    const cells = columns.map(({ figure, digits }) => number(summary.figure(name, objects, figure), digits));
    return `| ${title} | ${cells.join(' | ')} |`;
  });
  const head = `| ${objects.toLocaleString('en')} pods | ${columns.map(({ title }) => title).join(' | ')} |`;
  return [head, `|---|${columns.map(() => '--:').join('|')}|`, ...lines].join('\n');
}

export function number(value: number | undefined, digits: number): string {
  if (value === undefined) return '–';
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
