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
const BYTES = { title: 'bytes each', figure: 'heapBytesPerObject', digits: 0 } as const;
const RSS = { title: 'peak RSS, MB', figure: 'peakRssMb', digits: 0 } as const;
const EVENTS = { title: 'events/s', figure: 'eventsPerSecond', digits: 0 } as const;

const RESULTS: readonly Column[] = [
  SYNC,
  { title: 'CPU, s', figure: 'cpuSeconds', digits: 2 },
  BYTES,
  { title: 'of V8, bytes', figure: 'v8BytesPerObject', digits: 0 },
  RSS,
  EVENTS,
  { title: 'loop delay p99, ms', figure: 'eventLoopP99Ms', digits: 1 },
  { title: 'max, ms', figure: 'eventLoopMaxMs', digits: 0 },
];

const READS: readonly Column[] = [
  { title: 'get and metadata, µs', figure: 'readGetMicros', digits: 2 },
  { title: 'first image, µs', figure: 'readFirstImageMicros', digits: 2 },
  { title: 'again, µs', figure: 'readImageAgainMicros', digits: 2 },
  { title: 'all names, ms', figure: 'readListNamesMs', digits: 1 },
  { title: 'two fields of all, ms', figure: 'readTwoFieldsMs', digits: 1 },
  { title: 'by `project`, ms', figure: 'readProjectMs', digits: 1 },
  { title: 'by index, µs', figure: 'readByIndexMicros', digits: 0 },
  { title: 'hits', figure: 'readByIndexHits', digits: 0 },
];

const READS_DURING_SYNC: readonly Column[] = [
  { title: 'reads while it synced', figure: 'readsDuringSync', digits: 0 },
  { title: 'with objects', figure: 'readsDuringSyncWithObjects', digits: 0 },
  { title: 'the slowest, ms', figure: 'readDuringSyncWorstMs', digits: 1 },
];

/** With a row, and a note below, for each that has no figures. */
export function resultTable(summary: Summary, scene: string, rows: readonly Row[]): string {
  const reasons = [...new Set(rows.flatMap((row) => row.without ?? []))];
  const marked = rows.map((row) => {
    if (row.without === undefined) return row;
    return { name: row.name, title: `${row.name} (${reasons.indexOf(row.without) + 1})` };
  });
  const notes = reasons.map((reason, index) => `${index + 1}. ${reason}`);
  return [table(summary, scene, RESULTS, marked), ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

/** The figures that say most, of those that have a label. */
export function shortTable(summary: Summary, scene: string, contestants: readonly Contestant[]): string {
  const rows = contestants
    .filter(({ name }) => summary.rounds(name, scene) > 0)
    .flatMap(({ name, label }) => (label === undefined ? [] : [{ name, title: label }]));
  return table(summary, scene, [SYNC, BYTES, RSS, EVENTS], rows);
}

/** Empty when no peer reports reads. */
export function readTables(summary: Summary, scene: string, rows: readonly Row[]): string[] {
  return [READS, READS_DURING_SYNC].flatMap((columns) => {
    const readers = rows.filter(({ name }) =>
      columns.slice(0, 1).every(({ figure }) => summary.figure(name, scene, figure) !== undefined),
    );
    return readers.length === 0 ? [] : [table(summary, scene, columns, readers)];
  });
}

/** What reads cost beside client-go's, and beside those of objects that are decoded already. */
export function lossTable(summary: Summary, scene: string): string {
  const [packed, plain, go] = ['tidewatch, packed, protobuf', 'tidewatch, plain, protobuf', 'client-go, protobuf'];
  const lines = READS.flatMap(({ title, figure, digits }) => {
    const values = [packed, plain, go].map((peer) => summary.figure(peer, scene, figure));
    const [own, , other] = values;
    if (own === undefined || other === undefined) return [];
    const times = withUnit(own / other, '');
    return [`| ${title} | ${values.map((value) => number(value, digits)).join(' | ')} | ${times} |`];
  });
  return [`| read | ${packed} | ${plain} | ${go} | times client-go |`, '|---|--:|--:|--:|--:|', ...lines].join('\n');
}

export function ratioTable(ratios: readonly Shown[]): string {
  const lines = ratios.map(({ what, scene, concerned: [ours, theirs], value, limit, atLeast, holds }) => {
    const bound = `${atLeast ? 'at least' : 'at most'} ${limit}`;
    return `| ${what} | ${scene} | ${ours} | ${theirs} | ${withUnit(value, '')} | ${bound} | ${verdict(holds)} |`;
  });
  return ['| what | with | of | to that of | ratio | promised | |', '|---|---|---|---|--:|--:|---|', ...lines].join(
    '\n',
  );
}

export function targetTable(targets: readonly Shown[]): string {
  const lines = targets.map(({ what, scene, value, unit, limit, holds }) => {
    return `| ${what} | ${scene} | ${withUnit(value, unit)} | at most ${withUnit(limit, unit)} | ${verdict(holds)} |`;
  });
  return ['| what | with | measured | promised | |', '|---|---|--:|--:|---|', ...lines].join('\n');
}

function verdict(holds: boolean): string {
  return holds ? 'holds' : 'missed';
}

interface TitledRow {
  readonly name: string;
  readonly title?: string;
}

function table(summary: Summary, scene: string, columns: readonly Column[], rows: readonly TitledRow[]): string {
  const lines = rows.map(({ name, title = name }) => {
    const cells = columns.map(({ figure, digits }) => number(summary.figure(name, scene, figure), digits));
    return `| ${title} | ${cells.join(' | ')} |`;
  });
  const head = `| ${scene} | ${columns.map(({ title }) => title).join(' | ')} |`;
  return [head, `|---|${columns.map(() => '--:').join('|')}|`, ...lines].join('\n');
}

export function number(value: number | undefined, digits: number): string {
  if (value === undefined) return '–';
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
