import type { Figure } from './measured-run.ts';
import type { Ratio } from './ratios.ts';
import type { Summary } from './summary.ts';

interface Column {
  readonly title: string;
  readonly figure: Figure;
  readonly digits: number;
}

const COLUMNS: readonly Column[] = [
  { title: 'sync, s', figure: 'syncSeconds', digits: 2 },
  { title: 'CPU, s', figure: 'cpuSeconds', digits: 2 },
  { title: 'bytes a pod', figure: 'heapBytesPerObject', digits: 0 },
  { title: 'peak RSS, MB', figure: 'peakRssMb', digits: 0 },
  { title: 'events/s', figure: 'eventsPerSecond', digits: 0 },
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

export function resultTable(summary: Summary, objects: number): string {
  return table(summary, objects, COLUMNS, 'syncSeconds');
}

/** Empty when no peer reports reads. */
export function readTable(summary: Summary, objects: number): string {
  return table(summary, objects, READS, 'readGetMicros');
}

export function ratioTable(ratios: readonly Ratio[]): string {
  const lines = ratios.map(({ what, ours, theirs, value, limit, atLeast, holds }) => {
    const bound = `${atLeast ? 'at least' : 'at most'} ${limit}`;
    return `| ${what} | ${ours} | ${theirs} | ${value.toPrecision(2)} | ${bound} | ${holds ? 'holds' : 'missed'} |`;
  });
  return ['| what | of | to that of | ratio | promised | |', '|---|---|---|--:|--:|---|', ...lines].join('\n');
}

function table(summary: Summary, objects: number, columns: readonly Column[], needed: Figure): string {
  const peers = summary.peers(objects).filter((peer) => summary.figure(peer, objects, needed) !== undefined);
  if (peers.length === 0) return '';
  const rows = peers.map((peer) => {
    const cells = columns.map(({ figure, digits }) => number(summary.figure(peer, objects, figure), digits));
    return `| ${peer} | ${cells.join(' | ')} |`;
  });
  const head = `| ${objects.toLocaleString('en')} pods | ${columns.map(({ title }) => title).join(' | ')} |`;
  return [head, `|---|${columns.map(() => '--:').join('|')}|`, ...rows].join('\n');
}

function number(value: number | undefined, digits: number): string {
  if (value === undefined) return '–';
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
