import type { Counter, Gauge, Histogram, Metrics } from '../observe/metrics.ts';

/** controller-runtime's. */
const SECONDS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5, 1.75,
  2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const RESULTS = ['success', 'error', 'requeue', 'requeue_after'] as const;

export type ResultLabel = (typeof RESULTS)[number];

/** What controller-runtime tells of its controllers, with its names and labels. All series exist from the start. */
export class ControllerMetrics {
  readonly #labels: { readonly controller: string };
  readonly #byResult: ReadonlyMap<ResultLabel, { readonly controller: string; readonly result: ResultLabel }>;
  readonly #total: Counter;
  readonly #errors: Counter;
  readonly #terminal: Counter;
  readonly #timeouts: Counter;
  readonly #seconds: Histogram;
  readonly #active: Gauge;

  constructor(metrics: Metrics, controller: string, concurrency: number) {
    const labelNames = ['controller'];
    this.#labels = { controller };
    const counter = (name: string, help: string) => {
      const made = metrics.counter({ name: `controller_runtime_${name}`, help, labelNames });
      made.add(0, this.#labels);
      return made;
    };
    this.#total = metrics.counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Runs, by result.',
      labelNames: [...labelNames, 'result'],
    });
    this.#byResult = new Map(RESULTS.map((result) => [result, { controller, result }]));
    for (const labels of this.#byResult.values()) this.#total.add(0, labels);
    this.#errors = counter('reconcile_errors_total', 'Runs that failed.');
    this.#terminal = counter('terminal_reconcile_errors_total', 'Runs that failed and are not retried.');
    counter('reconcile_panics_total', 'Always 0: whatever a run throws is an error.');
    this.#timeouts = counter('reconcile_timeouts_total', 'Runs that failed because their time was up.');
    this.#seconds = metrics.histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'How long runs take.',
      labelNames,
      buckets: SECONDS,
    });
    const most = 'controller_runtime_max_concurrent_reconciles';
    metrics.gauge({ name: most, help: 'How many keys are run at a time.', labelNames }).set(concurrency, this.#labels);
    this.#active = metrics.gauge({
      name: 'controller_runtime_active_workers',
      help: 'How many keys are run now.',
      labelNames,
    });
    this.#active.set(0, this.#labels);
  }

  active(count: number): void {
    this.#active.set(count, this.#labels);
  }

  ended(result: ResultLabel, seconds: number): void {
    this.#total.add(1, this.#byResult.get(result));
    this.#seconds.observe(seconds, this.#labels);
  }

  failed({ isTerminal, isTimeout }: { isTerminal: boolean; isTimeout: boolean }): void {
    this.#errors.add(1, this.#labels);
    if (isTerminal) this.#terminal.add(1, this.#labels);
    if (isTimeout) this.#timeouts.add(1, this.#labels);
  }
}
