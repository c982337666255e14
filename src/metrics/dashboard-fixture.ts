import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import type { Registry } from 'prom-client';

/** Of each series that a scrape brings, the name and the labels: those of a histogram are `_bucket`, `_sum` and `_count`. */
export type Exported = ReadonlyMap<string, ReadonlySet<string>>;

/** What Prometheus adds to every series that it scrapes. */
const TARGET_LABELS = ['job', 'instance'];

export async function exportedBy(registry: Registry): Promise<Exported> {
  const exported = new Map<string, Set<string>>();
  for (const { name, values } of await registry.getMetricsAsJSON()) {
    for (const { metricName = name, labels } of values as { metricName?: string; labels: object }[]) {
      const known = exported.get(metricName) ?? new Set(TARGET_LABELS);
      for (const label of Object.keys(labels)) known.add(label);
      exported.set(metricName, known);
    }
  }
  return exported;
}

/** Everything that docs/grafana-dashboard.json asks Prometheus for: the queries of its panels, and the series whose labels are its variables. */
export function dashboardQueries(): string[] {
  const { panels, templating } = JSON.parse(
    readFileSync(new URL('../../docs/grafana-dashboard.json', import.meta.url), 'utf8'),
  ) as {
    panels: { targets?: { expr: string }[] }[];
    templating: { list: { type: string; query: { query: string } }[] };
  };
  const variables = templating.list.filter(({ type }) => type === 'query');
  return [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...variables.map(({ query: { query } }) => query.replace(/^label_values\((.*), (\w+)\)$/, 'group by ($2) ($1)')),
  ];
}

/** What is wrong with a query of one metric: a sentence for each, none when it parses and asks for what is exported. */
export function problemsOf(query: string, exported: Exported): string[] {
  const promql = query.replaceAll('$__rate_interval', '5m');
  const problems: string[] = [];
  const metrics: string[] = [];
  const labels: string[] = [];
  parser.parse(promql).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) problems.push(`does not parse at ${from}`);
      else if (type.name === 'Identifier') metrics.push(promql.slice(from, to));
      else if (type.name === 'LabelName' || type.name === 'QuotedLabelName') labels.push(promql.slice(from, to));
    },
  });
  const [metric] = metrics;
  if (metric === undefined || metrics.length > 1) return [...problems, `names ${metrics.length} metrics`];
  const known = exported.get(metric);
  if (known === undefined) return [...problems, `${metric} is not exported`];
  const unknown = labels.filter((label) => !known.has(label));
  return [...problems, ...unknown.map((label) => `${metric} has no label ${label}`)];
}
