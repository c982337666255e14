import { METRICS } from '../observe/metric-definitions.ts';
import { MetricScope } from '../observe/metric-scope.ts';
import type { MetricLabels, Metrics } from '../observe/metrics.ts';
import type { Listener } from '../processor/listener.ts';

export type MeasuredListener = Pick<Listener<never>, 'label' | 'lagMs' | 'pending'>;

/** The series of the handlers that have one label. */
function seriesOf(metrics: Metrics, labels: MetricLabels) {
  const scope = new MetricScope(metrics);
  return {
    scope,
    labels,
    lag: scope.gauge(METRICS.handlerLag),
    pending: scope.gauge(METRICS.handlerPending),
    failures: scope.counter(METRICS.handlerFailures),
    coalesced: scope.counter(METRICS.coalesced),
    handlers: 1,
  };
}

/** The pace of the handlers of an informer. The series of a label are removed with the last handler that has it. */
export class HandlerMetrics {
  readonly #metrics: Metrics;
  readonly #name: string;
  readonly #byLabel = new Map<string, ReturnType<typeof seriesOf>>();

  constructor(metrics: Metrics, name: string) {
    this.#metrics = metrics;
    this.#name = name;
  }

  added(label: string): void {
    const known = this.#byLabel.get(label);
    if (known !== undefined) known.handlers++;
    else this.#byLabel.set(label, seriesOf(this.#metrics, { name: this.#name, handler: label }));
  }

  removed(label: string): void {
    const labelled = this.#byLabel.get(label);
    if (labelled === undefined || --labelled.handlers > 0) return;
    labelled.scope.end();
    this.#byLabel.delete(label);
  }

  failed(label: string): void {
    const labelled = this.#byLabel.get(label);
    labelled?.failures.add(1, labelled.labels);
  }

  coalesced(label: string): void {
    const labelled = this.#byLabel.get(label);
    labelled?.coalesced.add(1, labelled.labels);
  }

  show(handlers: Iterable<MeasuredListener>): void {
    const slowest = new Map<string, { lagMs: number; pending: number }>();
    for (const { label, lagMs, pending } of handlers) {
      const known = slowest.get(label);
      slowest.set(label, { lagMs: Math.max(lagMs, known?.lagMs ?? 0), pending: pending + (known?.pending ?? 0) });
    }
    for (const [label, { lagMs, pending }] of slowest) {
      const labelled = this.#byLabel.get(label);
      labelled?.lag.set(lagMs / 1000, labelled.labels);
      labelled?.pending.set(pending, labelled.labels);
    }
  }

  /** No series is left. */
  end(): void {
    for (const { scope } of this.#byLabel.values()) scope.end();
    this.#byLabel.clear();
  }
}
