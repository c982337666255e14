import { type KnownMetric, METRICS } from '../observe/metric-definitions.ts';
import { MetricScope } from '../observe/metric-scope.ts';
import type { Counter, Gauge, Histogram, Metrics } from '../observe/metrics.ts';

const RESULTS = ['success', 'error', 'requeue', 'requeue_after'] as const;

export type ResultLabel = (typeof RESULTS)[number];

/** What controller-runtime tells of its controllers, with its names and labels. All series exist from the start. */
export class ControllerMetrics {
  readonly #scope: MetricScope;
  readonly #ownWriteWaits: Counter;
  readonly #labels: { readonly controller: string };
  readonly #byResult: ReadonlyMap<ResultLabel, { readonly controller: string; readonly result: ResultLabel }>;
  readonly #total: Counter;
  readonly #errors: Counter;
  readonly #terminal: Counter;
  readonly #timeouts: Counter;
  readonly #seconds: Histogram;
  readonly #active: Gauge;

  constructor(metrics: Metrics, controller: string, concurrency: number) {
    const scope = new MetricScope(metrics);
    this.#scope = scope;
    this.#labels = { controller };
    this.#total = scope.counter(METRICS.runs);
    this.#byResult = new Map(RESULTS.map((result) => [result, { controller, result }]));
    for (const labels of this.#byResult.values()) this.#total.add(0, labels);
    const zero = (definition: KnownMetric) => {
      const counter = scope.counter(definition);
      counter.add(0, this.#labels);
      return counter;
    };
    this.#errors = zero(METRICS.runErrors);
    this.#terminal = zero(METRICS.terminalErrors);
    zero(METRICS.runPanics);
    this.#timeouts = zero(METRICS.runTimeouts);
    this.#seconds = scope.histogram(METRICS.runSeconds);
    scope.gauge(METRICS.maxConcurrentRuns).set(concurrency, this.#labels);
    this.#active = scope.gauge(METRICS.activeRuns);
    this.#active.set(0, this.#labels);
    this.#ownWriteWaits = scope.counter(METRICS.ownWriteWaits);
  }

  /** A key that had to wait for its own writes goes on. */
  waited(result: 'caught_up' | 'gave_up'): void {
    this.#ownWriteWaits.add(1, { ...this.#labels, result });
  }

  /** It has stopped: no series is left. */
  end(): void {
    this.#scope.end();
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
