/**
 * Writes docs/grafana-dashboard.json from the definitions of the metrics, or with `--check` says whether it is up to date.
 *
 *     tsx scripts/generate-dashboard.ts [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type KnownMetric, METRICS } from '../src/observe/metric-definitions.ts';

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

interface Panel {
  readonly title: string;
  readonly description: string;
  readonly unit: string;
  readonly targets: readonly Target[];
  readonly stacked?: boolean;
}

type Of<T extends KnownMetric['type']> = KnownMetric & { readonly type: T };
/** A label of the metric, or the one that Prometheus adds for the process. */
type LabelOf<M extends KnownMetric> = M['labelNames'][number] | 'instance';

const FILE = 'docs/grafana-dashboard.json';
const DATA_SOURCE = { type: 'prometheus', uid: `\${datasource}` };
/** Go programs export some of the same names: the variables hold only the jobs and instances that have informers of tidewatch. */
const CHOSEN = '{job=~"$job", instance=~"$instance"}';
const RATE_OVER = '[$__rate_interval]';
const WIDTH = 8;
const HEIGHT = 8;
const COLUMNS = 24;

const legend = (labels: readonly string[], ...more: string[]) =>
  [...labels.map((label) => `{{${label}}}`), ...more].join(' ');

/** The value of a gauge, as the sum or the highest of those that have the same labels. */
function level<M extends Of<'gauge'>>(combine: 'sum' | 'max', metric: M, by: readonly LabelOf<M>[], what = ''): Target {
  const expr = `${combine} by (${by.join(', ')}) (${metric.name}${CHOSEN})`;
  return { expr, legendFormat: legend(by, ...(what ? [what] : [])) };
}

function rate<M extends Of<'counter'>>(metric: M, by: readonly LabelOf<M>[]): Target {
  return { expr: `sum by (${by.join(', ')}) (rate(${metric.name}${CHOSEN}${RATE_OVER}))`, legendFormat: legend(by) };
}

function quantiles<M extends Of<'histogram'>>(metric: M, by: readonly LabelOf<M>[]): Target[] {
  return [0.5, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (${[...by, 'le'].join(', ')}) (rate(${metric.name}_bucket${CHOSEN}${RATE_OVER})))`,
    legendFormat: legend(by, `p${quantile * 100}`),
  }));
}

function panel(title: string, { help }: KnownMetric, unit: string, ...targets: Target[]): Panel {
  return { title, description: help, unit, targets };
}

const M = METRICS;
const ROWS: Readonly<Record<string, readonly Panel[]>> = {
  Informers: [
    { ...panel('Informers by phase', M.phase, 'short', level('sum', M.phase, ['phase'])), stacked: true },
    panel('Behind', M.behind, 's', level('max', M.behind, ['instance', 'name'])),
    panel('Objects', M.storeObjects, 'short', level('sum', M.storeObjects, ['instance', 'name'])),
    panel('Queued items', M.queuedItems, 'short', level('sum', M.queuedItems, ['instance', 'name'])),
    panel('Relists by cause', M.relists, 'ops', rate(M.relists, ['name', 'cause'])),
    panel('Failures by kind', M.failures, 'ops', rate(M.failures, ['name', 'kind'])),
    panel(
      'Handler backlog',
      M.handlerPending,
      'short',
      level('sum', M.handlerPending, ['instance', 'name', 'handler']),
    ),
    panel('Handler lag', M.handlerLag, 's', level('max', M.handlerLag, ['instance', 'name', 'handler'])),
    panel('Handler failures', M.handlerFailures, 'ops', rate(M.handlerFailures, ['name', 'handler'])),
  ],
  Requests: [
    panel('Requests by status', M.requests, 'reqps', rate(M.requests, ['code'])),
    panel('Requests by method', M.requests, 'reqps', rate(M.requests, ['method'])),
    panel('Time to the head of the answer', M.requestSeconds, 's', ...quantiles(M.requestSeconds, ['verb'])),
  ],
  'Work queues': [
    panel('Depth', M.queueDepth, 'short', level('sum', M.queueDepth, ['instance', 'name'])),
    panel('Adds', M.queueAdds, 'ops', rate(M.queueAdds, ['name'])),
    panel('Retries', M.queueRetries, 'ops', rate(M.queueRetries, ['name'])),
    panel('Time in the queue', M.queueDuration, 's', ...quantiles(M.queueDuration, ['name'])),
    panel('Time of work', M.workDuration, 's', ...quantiles(M.workDuration, ['name'])),
    panel('Longest work now', M.longestRunning, 's', level('max', M.longestRunning, ['instance', 'name'])),
  ],
  Controllers: [
    panel('Runs by result', M.runs, 'ops', rate(M.runs, ['controller', 'result'])),
    panel('Errors', M.runErrors, 'ops', rate(M.runErrors, ['controller'])),
    panel('Time of a run', M.runSeconds, 's', ...quantiles(M.runSeconds, ['controller'])),
    panel(
      'Active workers',
      M.activeRuns,
      'short',
      level('sum', M.activeRuns, ['instance', 'controller']),
      level('sum', M.maxConcurrentRuns, ['instance', 'controller'], 'at most'),
    ),
  ],
  Leadership: [
    panel('Who leads', M.leads, 'short', level('max', M.leads, ['instance', 'name'])),
    panel('Renewals that had to read first', M.electionSlowPaths, 'ops', rate(M.electionSlowPaths, ['name'])),
  ],
};

function drawn(panels: readonly Panel[], top: number): object[] {
  return panels.map(({ title, description, unit, targets, stacked = false }, index) => ({
    type: 'timeseries',
    title,
    description,
    datasource: DATA_SOURCE,
    gridPos: {
      x: (index * WIDTH) % COLUMNS,
      y: top + Math.floor((index * WIDTH) / COLUMNS) * HEIGHT,
      w: WIDTH,
      h: HEIGHT,
    },
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        custom: { fillOpacity: stacked ? 30 : 0, stacking: { mode: stacked ? 'normal' : 'none' } },
      },
      overrides: [],
    },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: targets.map((target, at) => ({ refId: String.fromCharCode(65 + at), datasource: DATA_SOURCE, ...target })),
  }));
}

function allPanels(): object[] {
  const panels: object[] = [];
  let top = 0;
  for (const [title, row] of Object.entries(ROWS)) {
    panels.push({ type: 'row', title, collapsed: false, gridPos: { x: 0, y: top, w: COLUMNS, h: 1 }, panels: [] });
    panels.push(...drawn(row, top + 1));
    top += 1 + Math.ceil((row.length * WIDTH) / COLUMNS) * HEIGHT;
  }
  return panels.map((each, index) => ({ id: index + 1, ...each }));
}

function choice(name: string, label: string, series: string): object {
  return {
    type: 'query',
    name,
    label,
    datasource: DATA_SOURCE,
    query: { query: `label_values(${series}, ${name})`, refId: name },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    current: { text: ['All'], value: ['$__all'] },
  };
}

const dashboard = {
  uid: 'tidewatch',
  title: 'tidewatch',
  tags: ['kubernetes', 'tidewatch'],
  schemaVersion: 39,
  editable: true,
  graphTooltip: 1,
  refresh: '30s',
  time: { from: 'now-1h', to: 'now' },
  templating: {
    list: [
      { type: 'datasource', name: 'datasource', label: 'Data source', query: 'prometheus' },
      choice('job', 'Job', M.phase.name),
      choice('instance', 'Instance', `${M.phase.name}{job=~"$job"}`),
    ],
  },
  panels: allPanels(),
};

const wanted = `${JSON.stringify(dashboard, null, 2)}\n`;
if (!process.argv.includes('--check')) writeFileSync(FILE, wanted);
else if (readFileSync(FILE, 'utf8') !== wanted) {
  console.error(`${FILE} does not show the metrics as they are: run npm run generate:docs.`);
  process.exitCode = 1;
}
