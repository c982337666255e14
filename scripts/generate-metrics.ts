/**
 * Writes the tables of docs/metrics.md from the definitions and from what differs from Go, or with `--check` says whether it is up to date.
 *
 *     tsx scripts/generate-metrics.ts [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { withSection } from '../benchmarks/marked-section.ts';
import { type KnownMetric, METRICS } from '../src/observe/metric-definitions.ts';
import { differenceTable } from '../tools/go-metrics/differences.ts';

const PAGE = 'docs/metrics.md';

function row({ name, type, labelNames, help, buckets }: KnownMetric): string {
  const bounds = buckets === undefined ? '' : ` ${buckets.length} bounds, ${buckets[0]} to ${buckets.at(-1)}.`;
  return `| \`${name}\` | ${type} | ${labelNames.map((label) => `\`${label}\``).join(', ')} | ${help}${bounds} |\n`;
}

const rows = Object.values(METRICS).map((metric) => row(metric));
const table = `\n| metric | type | labels | what |\n|---|---|---|---|\n${rows.join('')}`;
const page = readFileSync(PAGE, 'utf8');
const wanted = withSection(withSection(page, 'metrics', table), 'differences', differenceTable());
if (!process.argv.includes('--check')) writeFileSync(PAGE, wanted);
else if (wanted !== page) {
  console.error(`${PAGE} does not show the metrics as they are: run npm run generate:docs.`);
  process.exitCode = 1;
}
