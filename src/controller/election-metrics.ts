import { METRICS } from '../observe/metric-definitions.ts';
import { MetricScope } from '../observe/metric-scope.ts';
import type { MetricLabels, Metrics } from '../observe/metrics.ts';

/** What client-go tells of its electors, by the name of the Lease. The series are there while the elector runs, and from its making on until then. */
export class ElectionMetrics {
  readonly #metrics: Metrics;
  readonly #labels: MetricLabels;
  #scope: MetricScope | undefined;

  constructor(metrics: Metrics, name: string) {
    this.#metrics = metrics;
    this.#labels = { name };
    this.start();
  }

  start(): void {
    if (this.#scope !== undefined) return;
    this.#scope = new MetricScope(this.#metrics);
    this.leads(false);
  }

  leads(isLeader: boolean): void {
    this.#scope?.gauge(METRICS.leads).set(isLeader ? 1 : 0, this.#labels);
  }

  slowPath(): void {
    this.#scope?.counter(METRICS.electionSlowPaths).add(1, this.#labels);
  }

  /** It does not run any more: no series is left. */
  end(): void {
    this.#scope?.end();
    this.#scope = undefined;
  }
}
