import type { Figure } from './measured-run.ts';
import type { Summary } from './summary.ts';

interface Panel {
  readonly title: string;
  readonly figure: Figure;
  readonly digits: number;
}

const PANELS: readonly Panel[] = [
  { title: 'Time to sync, seconds (less is better)', figure: 'syncSeconds', digits: 2 },
  { title: 'Memory a pod after garbage collection, bytes (less is better)', figure: 'heapBytesPerObject', digits: 0 },
  { title: 'Peak RSS, MB (less is better)', figure: 'peakRssMb', digits: 0 },
  { title: 'Events a second (more is better)', figure: 'eventsPerSecond', digits: 0 },
];

const WIDTH = 860;
const LABEL_WIDTH = 300;
const VALUE_WIDTH = 80;
const ROW = 22;
const MARGIN = 20;

/** Four groups of bars, one bar for each peer: an SVG that looks right on light and dark pages. */
export function chart(summary: Summary, objects: number, peers: readonly string[]): string {
  const parts: string[] = [];
  let y = MARGIN + 24;
  for (const panel of PANELS) {
    parts.push(text(MARGIN, y, panel.title, 'title'));
    y += 12;
    parts.push(...bars(summary, objects, peers, panel, y));
    y += peers.length * ROW + 34;
  }
  const height = y - 10;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>tidewatch beside other clients, ${objects.toLocaleString('en')} pods</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}" rx="8"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

const STYLE =
  'text{font:13px system-ui,sans-serif;fill:#24292f}.title{font-weight:600}.value{fill:#57606a}' +
  '.page{fill:#fff}.ours{fill:#0a7ea4}.theirs{fill:#b6bec8}' +
  '@media(prefers-color-scheme:dark){text{fill:#e6edf3}.value{fill:#9da7b3}.page{fill:#0d1117}.ours{fill:#39b6dd}.theirs{fill:#4a525c}}';

function bars(
  summary: Summary,
  objects: number,
  peers: readonly string[],
  { figure, digits }: Panel,
  top: number,
): string[] {
  const values = peers.map((peer) => summary.figure(peer, objects, figure) ?? 0);
  const scale = (WIDTH - 2 * MARGIN - LABEL_WIDTH - VALUE_WIDTH) / Math.max(...values, Number.MIN_VALUE);
  return peers.flatMap((peer, index) => {
    const value = values[index] ?? 0;
    const y = top + index * ROW;
    const width = Math.max(1, value * scale).toFixed(1);
    const left = MARGIN + LABEL_WIDTH;
    const shown = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
    return [
      text(MARGIN, y + 15, peer, ''),
      `<rect class="${peer.startsWith('tidewatch') ? 'ours' : 'theirs'}" x="${left}" y="${y + 3}" width="${width}" height="${ROW - 6}" rx="2"/>`,
      text(left + Number(width) + 6, y + 15, shown, 'value'),
    ];
  });
}

function text(x: number, y: number, content: string, style: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x}" y="${y}"${style === '' ? '' : ` class="${style}"`}>${escaped}</text>`;
}
