/**
 * Writes the table of docs/metrics.md from the definitions, or with `--check` says whether it is up to date.
 *
 *     tsx scripts/generate-metrics.ts [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type KnownMetric, METRICS } from '../src/observe/metric-definitions.ts';

const PAGE = 'docs/metrics.md';
const BEGIN = '<!-- metrics: begin -->\n';
const END = '<!-- metrics: end -->';

function row({ name, type, labelNames, help, buckets }: KnownMetric): string {
  const bounds = buckets === undefined ? '' : ` ${buckets.length} bounds, ${buckets[0]} to ${buckets.at(-1)}.`;
  return `| \`${name}\` | ${type} | ${labelNames.map((label) => `\`${label}\``).join(', ')} | ${help}${bounds} |\n`;
}

const rows = Object.values(METRICS).map((metric) => row(metric));
const table = `\n| metric | type | labels | what |\n|---|---|---|---|\n${rows.join('')}\n`;
const page = readFileSync(PAGE, 'utf8');
const [before = '', rest = ''] = page.split(BEGIN);
const [, after = ''] = rest.split(END);
const wanted = `${before}${BEGIN}${table}${END}${after}`;
if (!process.argv.includes('--check')) writeFileSync(PAGE, wanted);
else if (wanted !== page) {
  console.error(`${PAGE} does not show the metrics as they are: run npm run generate:docs.`);
  process.exitCode = 1;
}
