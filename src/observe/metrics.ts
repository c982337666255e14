export type MetricLabels = Readonly<Record<string, string>>;

export interface Counter {
  add(value: number, labels?: MetricLabels): void;
}

export interface Gauge {
  set(value: number, labels?: MetricLabels): void;
}

export interface Histogram {
  observe(value: number, labels?: MetricLabels): void;
}

export interface MetricDefinition {
  /** Prometheus style, with its unit: `tidewatch_list_duration_seconds`. */
  name: string;
  help: string;
  labelNames?: readonly string[];
}

/**
 * Where measurements go. Asked for each metric once, at construction; an adapter to prom-client or OpenTelemetry is a
 * dozen lines. Implementations must accept the same definition twice and return the same series.
 */
export interface Metrics {
  counter(definition: MetricDefinition): Counter;
  gauge(definition: MetricDefinition): Gauge;
  histogram(definition: MetricDefinition & { buckets?: readonly number[] }): Histogram;
}

const ignore = () => {};
const nothing: Counter & Gauge & Histogram = { add: ignore, set: ignore, observe: ignore };

/** Measures nothing; the default. */
export const noMetrics: Metrics = { counter: () => nothing, gauge: () => nothing, histogram: () => nothing };
