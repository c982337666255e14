import { AggregationTemporality, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { Registry } from 'prom-client';
import type { MetricDefinition, MetricLabels, Metrics, Series } from '../observe/metrics.ts';
import { openTelemetryMetrics } from './open-telemetry-metrics.ts';
import { prometheusMetrics } from './prometheus-metrics.ts';

/** By name and labels; a histogram is its `_count`, its `_sum`, and as `_bucket` how many values lie between two bounds. */
export type Numbers = Record<string, number>;

export function seriesKey(name: string, labels: object): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${name} ${pairs.map(([label, value]) => `${label}=${value}`).join()}`;
}

class DeltaReader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.DELTA });
  }
  protected override async onShutdown() {}
  protected override async onForceFlush() {}
}

/** A registry of prom-client and OpenTelemetry's SDK, both of which get every measurement of `metrics`. */
export class BothReaders {
  readonly registry = new Registry();
  readonly #reader = new DeltaReader();
  readonly #provider = new MeterProvider({ readers: [this.#reader] });
  readonly metrics: Metrics = both(
    prometheusMetrics({ register: this.registry }),
    openTelemetryMetrics(this.#provider.getMeter('test')),
  );

  async prometheus(): Promise<Numbers> {
    const numbers: Numbers = {};
    for (const { name, values } of await this.registry.getMetricsAsJSON()) {
      /** Of the bounds before, of the same series. */
      let below = 0;
      for (const { value, labels, metricName } of values as PromValue[]) {
        const { le, ...others } = labels;
        if (le === undefined) numbers[seriesKey(metricName ?? name, others)] = value;
        else {
          // Prometheus counts all that is below a bound, OpenTelemetry what lies between two.
          numbers[seriesKey(`${name}_bucket`, { ...others, le: le === '+Inf' ? le : Number(le) })] = value - below;
          below = le === '+Inf' ? 0 : value;
        }
      }
    }
    return numbers;
  }

  /** What has come since it was last called, of histograms; of the others, what is. */
  async openTelemetry(): Promise<Numbers> {
    const numbers: Numbers = {};
    const { resourceMetrics, errors } = await this.#reader.collect();
    if (errors.length > 0) throw new Error(String(errors[0]));
    for (const { descriptor, dataPoints } of resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics)) {
      const { name } = descriptor;
      for (const { attributes, value } of dataPoints) {
        if (typeof value === 'number') numbers[seriesKey(name, attributes)] = value;
        else {
          const { count, sum, buckets } = value as OtelHistogram;
          numbers[seriesKey(`${name}_count`, attributes)] = count;
          numbers[seriesKey(`${name}_sum`, attributes)] = sum;
          for (const [at, bound] of [...buckets.boundaries, '+Inf'].entries()) {
            numbers[seriesKey(`${name}_bucket`, { ...attributes, le: bound })] = buckets.counts[at] ?? 0;
          }
        }
      }
    }
    return numbers;
  }

  async close(): Promise<void> {
    await this.#provider.shutdown();
  }
}

interface PromValue {
  value: number;
  labels: Record<string, string>;
  metricName?: string;
}

interface OtelHistogram {
  count: number;
  sum: number;
  buckets: { boundaries: number[]; counts: number[] };
}

/** Every measurement to both. */
function both(a: Metrics, b: Metrics): Metrics {
  const removal = (x: Series, y: Series) => ({
    remove: (labels: MetricLabels) => {
      x.remove?.(labels);
      y.remove?.(labels);
    },
  });
  return {
    counter: (definition) => {
      const [x, y] = [a.counter(definition), b.counter(definition)];
      return {
        add: (value, labels) => {
          x.add(value, labels);
          y.add(value, labels);
        },
        ...removal(x, y),
      };
    },
    gauge: (definition) => {
      const [x, y] = [a.gauge(definition), b.gauge(definition)];
      return {
        set: (value, labels) => {
          x.set(value, labels);
          y.set(value, labels);
        },
        ...removal(x, y),
      };
    },
    histogram: (definition: MetricDefinition & { buckets?: readonly number[] }) => {
      const [x, y] = [a.histogram(definition), b.histogram(definition)];
      return {
        observe: (value, labels) => {
          x.observe(value, labels);
          y.observe(value, labels);
        },
        ...removal(x, y),
      };
    },
  };
}
