import {
  type Counter,
  type Gauge,
  type Histogram,
  type MetricDefinition,
  type MetricLabels,
  type Metrics,
  markSafe,
  noMetrics,
  type Series,
  safeMetrics,
} from './metrics.ts';

/** How many scopes use a series, by the name of the metric and the labels; for each `Metrics`. */
const users = new WeakMap<Metrics, Map<string, number>>();

/**
 * The metrics of something that ends: an informer, a handler, a queue. `end` removes every series that was used through it, and that no other scope
 * uses; after that it measures nothing.
 */
export class MetricScope implements Metrics {
  readonly #metrics: Metrics;
  readonly #users: Map<string, number>;
  /** What to remove, by series. */
  readonly #used = new Map<string, () => void>();
  #isOver = false;

  constructor(metrics: Metrics | undefined) {
    const safe = safeMetrics(metrics);
    this.#metrics = safe instanceof MetricScope ? safe.#metrics : safe;
    this.#users = users.get(this.#metrics) ?? new Map();
    users.set(this.#metrics, this.#users);
    markSafe(this);
  }

  /** Whether anything is measured at all. */
  get isIdle(): boolean {
    return this.#metrics === noMetrics;
  }

  counter(definition: MetricDefinition): Counter {
    const counter = this.#metrics.counter(definition);
    const uses = this.#tracker(definition.name, counter);
    return { add: (value, labels) => void (uses(labels) && counter.add(value, labels)) };
  }

  gauge(definition: MetricDefinition): Gauge {
    const gauge = this.#metrics.gauge(definition);
    const uses = this.#tracker(definition.name, gauge);
    return { set: (value, labels) => void (uses(labels) && gauge.set(value, labels)) };
  }

  histogram(definition: MetricDefinition & { buckets?: readonly number[] }): Histogram {
    const histogram = this.#metrics.histogram(definition);
    const uses = this.#tracker(definition.name, histogram);
    return { observe: (value, labels) => void (uses(labels) && histogram.observe(value, labels)) };
  }

  /** Idempotent. */
  end(): void {
    this.#isOver = true;
    for (const [key, remove] of this.#used) {
      const others = (this.#users.get(key) ?? 1) - 1;
      if (others > 0) this.#users.set(key, others);
      else {
        this.#users.delete(key);
        remove();
      }
    }
    this.#used.clear();
  }

  /** Notes each series that is used; false when all is over. Labels that are the same object as last time cost nothing. */
  #tracker(name: string, series: Series): (labels: MetricLabels | undefined) => boolean {
    if (this.isIdle) return () => false;
    let last: MetricLabels | undefined;
    return (labels = NO_LABELS) => {
      if (this.#isOver) return false;
      if (labels === last) return true;
      last = labels;
      const key = `${name} ${JSON.stringify(labels)}`;
      if (this.#used.has(key)) return true;
      this.#used.set(key, () => series.remove?.(labels));
      this.#users.set(key, (this.#users.get(key) ?? 0) + 1);
      return true;
    };
  }
}

const NO_LABELS: MetricLabels = {};
