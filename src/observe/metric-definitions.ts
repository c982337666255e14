import type { MetricDefinition } from './metrics.ts';

/** A metric of tidewatch: all that those who register, document or draw it need. */
export interface KnownMetric extends MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labelNames: readonly string[];
  /** Of a histogram, in ascending order. */
  readonly buckets?: readonly number[];
}

const NAME = ['name'] as const;
const QUEUE = ['name', 'controller'] as const;
const CONTROLLER = ['controller'] as const;
const INFORMER = ['name', 'group', 'version', 'resource'] as const;
const HANDLER = ['name', 'handler'] as const;

/** 10 ns to 1,000 s, as Go multiplies: not all of them are powers of ten to the last digit. */
const QUEUE_SECONDS: readonly number[] = exponentialBounds(1e-8, 10, 12);
const RUN_SECONDS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5, 1.75,
  2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

const counter = <const L extends readonly string[]>(name: string, labelNames: L, help: string) =>
  ({ type: 'counter', name, help, labelNames }) as const;
const gauge = <const L extends readonly string[]>(name: string, labelNames: L, help: string) =>
  ({ type: 'gauge', name, help, labelNames }) as const;
const histogram = <const L extends readonly string[]>(
  name: string,
  labelNames: L,
  buckets: readonly number[],
  help: string,
) => ({ type: 'histogram', name, help, labelNames, buckets }) as const;

/**
 * Everything that is measured. The first ones have the names, labels and bounds of controller-runtime and of Kubernetes' component-base; the rest is ours.
 * docs/metrics.md, the Grafana dashboard and the tests come from this table.
 */
export const METRICS = {
  queueDepth: gauge('workqueue_depth', [...QUEUE, 'priority'], 'How many items wait.'),
  queueAdds: counter('workqueue_adds_total', QUEUE, 'Items added; one that waits already does not count.'),
  queueRetries: counter('workqueue_retries_total', QUEUE, 'Items added with a delay.'),
  queueDuration: histogram(
    'workqueue_queue_duration_seconds',
    QUEUE,
    QUEUE_SECONDS,
    'From the first add of an item to its start.',
  ),
  workDuration: histogram(
    'workqueue_work_duration_seconds',
    QUEUE,
    QUEUE_SECONDS,
    'From the start of an item to its end.',
  ),
  unfinishedWork: gauge('workqueue_unfinished_work_seconds', QUEUE, 'The time spent so far on all that runs.'),
  longestRunning: gauge(
    'workqueue_longest_running_processor_seconds',
    QUEUE,
    'The time spent so far on what runs longest.',
  ),

  runs: counter('controller_runtime_reconcile_total', ['controller', 'result'], 'Runs, by result.'),
  runErrors: counter('controller_runtime_reconcile_errors_total', CONTROLLER, 'Runs that failed.'),
  terminalErrors: counter(
    'controller_runtime_terminal_reconcile_errors_total',
    CONTROLLER,
    'Runs that failed and are not retried.',
  ),
  runPanics: counter(
    'controller_runtime_reconcile_panics_total',
    CONTROLLER,
    'Always 0: whatever a run throws is an error.',
  ),
  runTimeouts: counter(
    'controller_runtime_reconcile_timeouts_total',
    CONTROLLER,
    'Runs that failed because their time was up.',
  ),
  runSeconds: histogram('controller_runtime_reconcile_time_seconds', CONTROLLER, RUN_SECONDS, 'How long runs take.'),
  maxConcurrentRuns: gauge(
    'controller_runtime_max_concurrent_reconciles',
    CONTROLLER,
    'How many keys are run at a time.',
  ),
  activeRuns: gauge('controller_runtime_active_workers', CONTROLLER, 'How many keys are run now.'),

  leads: gauge('leader_election_master_status', NAME, 'Whether this process leads: 1, or 0. By the name of the Lease.'),
  electionSlowPaths: counter(
    'leader_election_slowpath_total',
    NAME,
    'Renewals that had to read the Lease first. By the name of the Lease.',
  ),

  requests: counter(
    'rest_client_requests_total',
    ['code', 'method', 'host'],
    'Requests sent to the API server, by status, or <error> when no answer came.',
  ),
  requestSeconds: histogram(
    'rest_client_request_duration_seconds',
    ['verb', 'host'],
    [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
    'From a request to the head of its answer; watches do not count.',
  ),

  queuedItems: gauge('informer_queued_items', INFORMER, 'How many objects have changes on their way to the store.'),
  processingSeconds: histogram(
    'informer_processing_latency_seconds',
    INFORMER,
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    'How long it takes to store the changes of an object and to hand them to the queues of the handlers.',
  ),
  storeVersion: gauge(
    'informer_store_resource_version',
    INFORMER,
    'The last 15 digits of the resource version that the store has reached.',
  ),

  lists: counter('tidewatch_reflector_lists_total', NAME, 'Whole states fetched, by LIST or WatchList.'),
  listSeconds: histogram(
    'tidewatch_reflector_list_duration_seconds',
    NAME,
    [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
    'How long fetching the whole state took.',
  ),
  listItems: histogram(
    'tidewatch_reflector_items_per_list',
    NAME,
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000],
    'How many objects a whole state had.',
  ),
  relists: counter(
    'tidewatch_reflector_relists_total',
    ['name', 'cause'],
    'Whole states fetched again because a watch could not go on, by the kind of failure.',
  ),
  watches: counter('tidewatch_reflector_watches_total', NAME, 'Watches opened.'),
  shortWatches: counter(
    'tidewatch_reflector_short_watches_total',
    NAME,
    'Watches that ended within a second without an event.',
  ),
  watchSeconds: histogram(
    'tidewatch_reflector_watch_duration_seconds',
    NAME,
    [1, 10, 60, 300, 450, 600],
    'How long watches lasted.',
  ),
  watchEvents: histogram(
    'tidewatch_reflector_events_per_watch',
    NAME,
    [1, 10, 100, 1_000, 10_000, 100_000],
    'How many events a watch brought.',
  ),
  failures: counter(
    'tidewatch_reflector_failures_total',
    ['name', 'kind'],
    'Failed lists and watches, errors in streams, and objects that could not be used.',
  ),
  frames: counter('tidewatch_decoded_frames_total', NAME, 'Frames of watches decoded, bookmarks included.'),
  bytes: counter('tidewatch_decoded_bytes_total', NAME, 'Bytes of lists and watches decoded, after decompression.'),

  phase: gauge(
    'tidewatch_informer_phase',
    ['name', 'phase'],
    '1 for the phase that an informer is in, 0 for those that it was in.',
  ),
  behind: gauge(
    'tidewatch_informer_behind_seconds',
    NAME,
    'For how long an informer has had no open watch; 0 while it has one.',
  ),
  lastContact: gauge(
    'tidewatch_informer_last_contact_timestamp_seconds',
    NAME,
    'When the server last sent something of use, in seconds since the epoch.',
  ),
  storeObjects: gauge('tidewatch_store_objects', NAME, 'How many objects the store of an informer holds.'),
  heldBytes: gauge(
    'tidewatch_store_held_bytes',
    NAME,
    'Memory outside the heap that a packed store has set aside for objects.',
  ),
  liveBytes: gauge('tidewatch_store_live_bytes', NAME, 'How much of it the stored objects take.'),
  views: counter('tidewatch_views_total', NAME, 'Objects of a packed store that somebody has looked at: views made.'),

  handlerLag: gauge(
    'tidewatch_handler_lag_seconds',
    HANDLER,
    'How long the oldest change that waits for a handler has waited.',
  ),
  handlerPending: gauge(
    'tidewatch_handler_pending',
    HANDLER,
    'How many calls wait for a handler, the running one included.',
  ),
  handlerFailures: counter(
    'tidewatch_handler_failures_total',
    HANDLER,
    'Calls of a handler or its filter that threw or rejected.',
  ),
  coalesced: counter(
    'tidewatch_handler_coalesced_total',
    HANDLER,
    "Changes that were merged into one that waited, for a handler with delivery: 'latest'.",
  ),

  longSlices: counter(
    'tidewatch_long_slices_total',
    ['name', 'stage'],
    'How often a stage held the event loop for more than 10 ms: reflector, store, handlers or controllers.',
  ),
  ownWriteWaits: counter(
    'tidewatch_own_writes_waits_total',
    ['controller', 'result'],
    'Keys that waited until the caches held what their last run wrote: caught_up, or gave_up after 5 s.',
  ),
} satisfies Record<string, KnownMetric>;

/** client_golang's `ExponentialBuckets`. */
function exponentialBounds(first: number, factor: number, count: number): number[] {
  const bounds: number[] = [];
  for (let bound = first; bounds.length < count; bound *= factor) bounds.push(bound);
  return bounds;
}
