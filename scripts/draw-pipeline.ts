/**
 * Draws the path of one event, docs/images/pipeline.svg.
 *
 *     tsx scripts/draw-pipeline.ts [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../docs/images/pipeline.svg', import.meta.url));

interface Stage {
  readonly title: string;
  readonly lines: readonly string[];
  readonly folder: string;
}

const STAGES: readonly Stage[] = [
  { title: 'http', lines: ['bytes of one', 'LIST and WATCH'], folder: 'src/http' },
  { title: 'codec', lines: ['bytes → objects,', 'frame by frame'], folder: 'src/codec' },
  { title: 'reflector', lines: ['list, then watch,', 'forever'], folder: 'src/reflector' },
  { title: 'queue', lines: ['what changed,', 'object by object'], folder: 'src/queue' },
  { title: 'store', lines: ['the last state,', 'with indexes'], folder: 'src/store' },
  { title: 'processor', lines: ['one change,', 'every listener'], folder: 'src/processor' },
];

const BOX = { width: 134, height: 92, gap: 26, top: 118 };
const LEFT = 24;
const WIDTH = LEFT * 2 + STAGES.length * BOX.width + (STAGES.length - 1) * BOX.gap;
const HEIGHT = 418;

const out: string[] = [];

function escaped(value: string): string {
  return value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function text(x: number, y: number, content: string, kind: string, anchor = 'middle'): void {
  out.push(`<text x="${x}" y="${y}" class="${kind}" text-anchor="${anchor}">${escaped(content)}</text>`);
}

function box(x: number, y: number, width: number, height: number, kind: string): void {
  out.push(`<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" class="${kind}"/>`);
}

function arrow(...points: readonly (readonly [number, number])[]): void {
  const path = points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join(' ');
  out.push(`<path d="${path}" class="arrow" marker-end="url(#head)"/>`);
}

function leftOf(index: number): number {
  return LEFT + index * (BOX.width + BOX.gap);
}

function middleOf(index: number): number {
  return leftOf(index) + BOX.width / 2;
}

/** Readers and handlers stand below the stage that serves them. */
function consumer(index: number, y: number, title: string, line: string): void {
  box(leftOf(index) - 8, y, BOX.width + 16, 52, 'consumer');
  text(middleOf(index), y + 22, title, 'code');
  text(middleOf(index), y + 41, line, 'note');
}

function drawStages(): void {
  box(leftOf(0) - 10, 14, BOX.width + 20, 58, 'outside');
  text(middleOf(0), 39, 'API server', 'title');
  text(middleOf(0), 58, 'a pod has changed', 'note');
  arrow([middleOf(0), 72], [middleOf(0), BOX.top]);
  text(middleOf(0) + 10, 100, 'one watch for all readers', 'note', 'start');
  const frameLeft = leftOf(1) - 12;
  for (const [index, { title, lines, folder }] of STAGES.entries()) {
    const x = middleOf(index);
    box(leftOf(index), BOX.top, BOX.width, BOX.height, 'stage');
    text(x, BOX.top + 25, title, 'title');
    for (const [row, line] of lines.entries()) text(x, BOX.top + 46 + row * 16, line, 'note');
    text(x, BOX.top + BOX.height - 8, folder, 'small');
    if (index > 0) arrow([leftOf(index) - BOX.gap, BOX.top + 46], [leftOf(index), BOX.top + 46]);
  }
  out.push(
    `<rect x="${frameLeft}" y="${BOX.top - 14}" width="${WIDTH - frameLeft - LEFT + 12}" height="${BOX.height + 28}" rx="12" class="frame"/>`,
  );
  text(WIDTH - LEFT, BOX.top - 22, 'SharedIndexInformer (src/informer)', 'small', 'end');
}

function drawRecovery(): void {
  const [from, to] = [leftOf(2) + 34, leftOf(0) + BOX.width - 30];
  const y = BOX.top + BOX.height;
  arrow([from, y], [from, y + 44], [to, y + 44], [to, y]);
  text((from + to) / 2, y + 62, 'broken off: watch again from the last version;', 'note');
  text((from + to) / 2, y + 78, 'forgotten (410): list again; failed: wait, then try again', 'note');
}

function drawConsumers(): void {
  const y = BOX.top + BOX.height;
  const storeX = middleOf(4);
  arrow([storeX, y], [storeX, y + 62]);
  consumer(4, y + 62, 'lister().list()', 'from memory');
  consumer(4, y + 132, 'waitFor(version)', 'when it is here');
  const processorX = middleOf(5);
  arrow([processorX, y], [processorX, y + 62]);
  text(processorX - 8, y + 40, '2. told', 'note', 'end');
  text(storeX + 8, y + 40, '1. stored', 'note', 'start');
  consumer(5, y + 62, 'onUpdate(old, pod)', 'each at its own pace');
  consumer(5, y + 132, 'events()', 'for await');
}

function svg(): string {
  drawStages();
  drawRecovery();
  drawConsumers();
  const style = [
    'text { font-family: system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }',
    '.title { font-size: 15px; font-weight: 600; }',
    '.note { font-size: 12px; fill: #424a53; }',
    '.small { font-size: 10.5px; fill: #6e7781; }',
    '.code { font-size: 12.5px; font-family: ui-monospace, SFMono-Regular, Menlo, monospace; }',
    '.background { fill: #ffffff; }',
    '.stage { fill: #ddf4ff; stroke: #0969da; stroke-width: 1.2; }',
    '.outside { fill: #f6f8fa; stroke: #6e7781; stroke-width: 1.2; }',
    '.consumer { fill: #fff8c5; stroke: #9a6700; stroke-width: 1.2; }',
    '.frame { fill: none; stroke: #8c959f; stroke-width: 1; stroke-dasharray: 4 4; }',
    '.arrow { fill: none; stroke: #1f2328; stroke-width: 1.4; }',
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title">`,
    '<title id="title">From the API server through HTTP, codec, reflector, queue, store and processor to listers and handlers</title>',
    `<style>${style.join(' ')}</style>`,
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#1f2328"/></marker></defs>',
    `<rect width="${WIDTH}" height="${HEIGHT}" class="background"/>`,
    ...out,
    '</svg>',
    '',
  ].join('\n');
}

const drawn = svg();
if (!process.argv.includes('--check')) {
  writeFileSync(file, drawn);
} else if (readFileSync(file, 'utf8') !== drawn) {
  console.error('docs/images/pipeline.svg is not what scripts/draw-pipeline.ts draws: run it without --check.');
  process.exitCode = 1;
} else console.log('docs/images/pipeline.svg is up to date.');
