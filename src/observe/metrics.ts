import { guarded, guardedFunction, warnOnce } from './guarded.ts';

/** The values of the labels of a metric, by their names. */
export type MetricLabels = Readonly<Record<string, string>>;

/** What every kind of metric may offer. */
export interface Series {
  /** Forgets the series with exactly these labels, whose owner has ended. Optional: without it, series stay until the process ends. */
  remove?(labels: MetricLabels): void;
}

/** A number that only grows. */
export interface Counter extends Series {
  add(value: number, labels?: MetricLabels): void;
}

/** A number that goes up and down. */
export interface Gauge extends Series {
  set(value: number, labels?: MetricLabels): void;
}

/** How often values fall into each of some ranges. */
export interface Histogram extends Series {
  observe(value: number, labels?: MetricLabels): void;
}

/** The name of a metric, and what it says. */
export interface MetricDefinition {
  /** Prometheus style, with its unit: `tidewatch_list_duration_seconds`. */
  name: string;
  /** What it says, in a sentence. */
  help: string;
  /** The names of its labels. Default: none. */
  labelNames?: readonly string[] | undefined;
}

/**
 * Where measurements go. Asked for each metric when something that measures it begins; `tidewatch/metrics` has adapters to prom-client and
 * OpenTelemetry. Implementations must accept the same definition again and return the same series. The same object of labels means the same series,
 * so that it may be looked up by identity.
 */
export interface Metrics {
  counter(definition: MetricDefinition): Counter;
  gauge(definition: MetricDefinition): Gauge;
  histogram(definition: MetricDefinition & { buckets?: readonly number[] | undefined }): Histogram;
}

const ignore = () => {};
const nothing: Counter & Gauge & Histogram = { add: ignore, set: ignore, observe: ignore };

/** Measures nothing; the default. */
export const noMetrics: Metrics = { counter: () => nothing, gauge: () => nothing, histogram: () => nothing };

/** So that the same metrics are wrapped once, however many ways they come in. */
const wrapped = new WeakMap<Metrics, Metrics>();

/** These are safe: they are made of safe ones. */
export function markSafe(metrics: Metrics): void {
  wrapped.set(metrics, metrics);
}

/**
 * Metrics that may be used anywhere: a failure of `metrics` or of one of its series, thrown or as a rejected promise, never
 * reaches the caller and never goes unhandled. The first one is reported as a warning of the process. A series that could
 * not be made measures nothing. To be used wherever metrics come in.
 */
export function safeMetrics(metrics: Metrics = noMetrics): Metrics {
  if (metrics === noMetrics) return metrics;
  const known = wrapped.get(metrics);
  if (known !== undefined) return known;
  const onFailure = warnOnce('The metrics');
  const made = <S>(make: () => S): S | undefined => {
    try {
      return make();
    } catch (thrown) {
      onFailure(thrown);
      return undefined;
    }
  };
  const removal = (series: Series | undefined): Required<Series> => ({
    remove: (labels) => guarded(() => series?.remove?.(labels), onFailure),
  });
  const safe: Metrics = {
    counter: (definition) => {
      const counter = made(() => metrics.counter(definition));
      return {
        add: guardedFunction((value, labels) => counter?.add(value, labels), onFailure),
        ...removal(counter),
      };
    },
    gauge: (definition) => {
      const gauge = made(() => metrics.gauge(definition));
      return { set: guardedFunction((value, labels) => gauge?.set(value, labels), onFailure), ...removal(gauge) };
    },
    histogram: (definition) => {
      const histogram = made(() => metrics.histogram(definition));
      return {
        observe: guardedFunction((value, labels) => histogram?.observe(value, labels), onFailure),
        ...removal(histogram),
      };
    },
  };
  wrapped.set(metrics, safe).set(safe, safe);
  return safe;
}
