/** Whose metrics ours are compared with. */
export type GoRegistry = 'controller-runtime' | 'component-base';

/** What can differ. */
export type DifferenceKind = 'only in Go' | 'only here' | 'labels' | 'bounds' | 'labels and bounds' | 'type';

/** One row of the table in docs/metrics.md. */
export interface Difference {
  /** A `*` stands for any text. */
  readonly metrics: readonly string[];
  readonly registry: GoRegistry;
  readonly kind: DifferenceKind;
  readonly why: string;
}

/** All that differs between ours and the metrics of Go programs that do the same work: e2e/go-metrics.test.ts compares them. */
export const DIFFERENCES: readonly Difference[] = [
  {
    metrics: ['informer_*'],
    registry: 'controller-runtime',
    kind: 'only here',
    why: 'its registry does not have the metrics of client-go’s informers',
  },
  {
    metrics: ['leader_election_slowpath_total'],
    registry: 'controller-runtime',
    kind: 'only here',
    why: 'it counts them and does not register the metric',
  },
  {
    metrics: ['controller_runtime_webhook_*', 'controller_runtime_conversion_webhook_*'],
    registry: 'controller-runtime',
    kind: 'only in Go',
    why: 'there is no server of webhooks here',
  },
  {
    metrics: ['controller_runtime_*'],
    registry: 'component-base',
    kind: 'only here',
    why: 'they are controller-runtime’s',
  },
  {
    metrics: [
      'workqueue_depth',
      'workqueue_adds_total',
      'workqueue_retries_total',
      'workqueue_unfinished_work_seconds',
      'workqueue_longest_running_processor_seconds',
    ],
    registry: 'component-base',
    kind: 'labels',
    why: 'ours are those of controller-runtime: `controller` beside `name`, and `priority` of the depth; component-base has `name` alone',
  },
  {
    metrics: ['workqueue_queue_duration_seconds', 'workqueue_work_duration_seconds'],
    registry: 'component-base',
    kind: 'labels and bounds',
    why: 'the same, and controller-runtime has two bounds more, 100 s and 1,000 s',
  },
  {
    metrics: ['rest_client_rate_limiter_duration_seconds'],
    registry: 'component-base',
    kind: 'only in Go',
    why: 'there is no rate limiter in the client: the server’s priority and fairness decides',
  },
  {
    metrics: ['rest_client_request_size_bytes', 'rest_client_response_size_bytes'],
    registry: 'component-base',
    kind: 'only in Go',
    why: '`tidewatch_decoded_bytes_total` counts what lists and watches bring',
  },
  {
    metrics: ['rest_client_exec_plugin_*', 'rest_client_transport_*'],
    registry: 'component-base',
    kind: 'only in Go',
    why: 'they are about a cache of transports and certificates that there is not here: a `Cluster` has one transport',
  },
];

/** The table of docs/metrics.md. */
export function differenceTable(): string {
  const rows = DIFFERENCES.map(
    ({ metrics, registry, kind, why }) =>
      `| ${metrics.map((name) => `\`${name}\``).join(', ')} | ${registry} | ${kind} | ${why} |`,
  );
  return ['| metric | beside | what differs | why |', '|---|---|---|---|', ...rows].join('\n');
}

export function isOf({ metrics }: Difference, name: string): boolean {
  return metrics.some((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name));
}
