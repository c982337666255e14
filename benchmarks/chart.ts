import type { Contestant } from './contestants.ts';
import type { Figure } from './measured-run.ts';
import { MILLION, titleOf } from './scene.ts';
import type { Summary } from './summary.ts';
import { number } from './tables.ts';

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly figure: Figure;
  readonly shown: (value: number) => string;
}

const PANELS: readonly Panel[] = [
  {
    title: 'Time to sync',
    unit: 'seconds, shorter is better',
    figure: 'syncSeconds',
    shown: (seconds) => `${seconds.toFixed(seconds < 9.95 ? 2 : 1)} s`,
  },
  {
    title: 'Memory a pod',
    unit: 'after garbage collection, shorter is better',
    figure: 'heapBytesPerObject',
    shown: (bytes) => `${(bytes / 1000).toFixed(1)} KB`,
  },
  {
    title: 'Events a second',
    unit: 'that reach a handler, longer is better',
    figure: 'eventsPerSecond',
    shown: (rate) => number(rate, 0),
  },
];

const WIDTH = 1000;
const MARGIN = 24;
const LABELS = 218;
const PANEL = (WIDTH - 2 * MARGIN - LABELS) / PANELS.length;
/** Beside the longest bar there is room for its value. */
const LONGEST = PANEL - 88;
const TOP = 104;
const ROW = 30;
const BAR = 18;
/** From the middle of a line of text down to where its letters stand. */
const BASELINE = 4.5;

/** A line for each client that has a label, with a bar for each figure: an SVG for light and dark pages. */
export function chart(summary: Summary, scene: string, contestants: readonly Contestant[]): string {
  const clients = contestants.filter((it) => it.label !== undefined && summary.rounds(it.name, scene) > 0);
  const note = millionNote(summary);
  const height = TOP + clients.length * ROW + (note === '' ? 14 : 44);
  const title = `${scene} in one cache, the same bytes over TLS for every client`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>`,
    text(MARGIN, 34, title, 'head'),
    ...clients.map(({ label = '' }, row) => text(MARGIN, middle(row), label, isOurs(label) ? 'strong' : '')),
    ...PANELS.flatMap((panel, index) => column(summary, scene, clients, panel, MARGIN + LABELS + index * PANEL)),
    ...(note === '' ? [] : [text(MARGIN, height - 18, note, 'quiet')]),
    '</svg>',
    '',
  ].join('\n');
}

const STYLE = [
  'text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1f2328}',
  '.head{font-size:16px;font-weight:600}.strong{font-weight:600}.quiet{fill:#59636e}.small{font-size:11px;fill:#59636e}',
  '.page{fill:#fff;stroke:#d1d9e0}.ours{fill:#0a7ea4}.theirs{fill:#b4bdc7}',
  '@media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet,.small{fill:#9da7b3}',
  '.page{fill:#0d1117;stroke:#30363d}.ours{fill:#39b6dd}.theirs{fill:#565f6a}}',
].join('');

function column(
  summary: Summary,
  scene: string,
  clients: readonly Contestant[],
  { title, unit, figure, shown }: Panel,
  left: number,
): string[] {
  const values = clients.map(({ name }) => summary.figure(name, scene, figure));
  const scale = LONGEST / Math.max(...values.map((value) => value ?? 0), Number.MIN_VALUE);
  const bars = clients.flatMap(({ label = '' }, row) => {
    const value = values[row];
    if (value === undefined) return [text(left, middle(row), '–', 'quiet')];
    const width = Math.max(2, value * scale);
    const kind = isOurs(label) ? 'ours' : 'theirs';
    const bar = `<rect class="${kind}" x="${left}" y="${middle(row) - BAR / 2}" width="${width.toFixed(1)}" height="${BAR}" rx="2"/>`;
    return [bar, text(left + width + 6, middle(row), shown(value), isOurs(label) ? 'strong' : 'quiet')];
  });
  return [text(left, 66, title, 'strong'), text(left, 84, unit, 'small'), ...bars];
}

/** Empty when a million was not tried. */
function millionNote(summary: Summary): string {
  const peer = 'tidewatch, packed, protobuf';
  const seconds = summary.figure(peer, titleOf(MILLION), 'syncSeconds');
  const megabytes = summary.figure(peer, titleOf(MILLION), 'peakRssMb');
  if (seconds === undefined || megabytes === undefined) return '';
  return `A million of these pods: tidewatch syncs in ${number(seconds, 0)} s with ${number(megabytes / 1024, 1)} GB, in one Node process.`;
}

function middle(row: number): number {
  return TOP + row * ROW + ROW / 2;
}

function isOurs(label: string): boolean {
  return label.startsWith('tidewatch');
}

function text(x: number, y: number, content: string, kind: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x.toFixed(1)}" y="${y + BASELINE}"${kind === '' ? '' : ` class="${kind}"`}>${escaped}</text>`;
}
