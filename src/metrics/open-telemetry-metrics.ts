import type { MetricDefinition, MetricLabels, Metrics } from '../observe/metrics.ts';
import { SeriesTable } from './series-table.ts';

/** What a callback of OpenTelemetry is given. */
export interface OpenTelemetryObserver {
  observe(value: number, attributes?: Record<string, string>): void;
}

/** An instrument that is asked for its values. */
export interface OpenTelemetryObservable {
  addCallback(callback: (result: OpenTelemetryObserver) => void): void;
}

/** What OpenTelemetry's `Meter` is asked for. */
export interface OpenTelemetryMeter {
  createObservableCounter(name: string, options?: { description?: string | undefined }): OpenTelemetryObservable;
  createObservableGauge(name: string, options?: { description?: string | undefined }): OpenTelemetryObservable;
  createHistogram(
    name: string,
    options?: {
      description?: string | undefined;
      advice?: { explicitBucketBoundaries?: number[] | undefined } | undefined;
    },
  ): { record(value: number, attributes?: Record<string, string>): void };
}

/** So that one meter has each instrument once, however many informers measure. */
const instruments = new WeakMap<OpenTelemetryMeter, Map<string, unknown>>();

/**
 * Measures with a meter of OpenTelemetry. Counters and gauges are observable instruments: a series that has been removed is not observed any more, and a reader
 * with delta temporality forgets it. OpenTelemetry's SDK has no way to forget a series of a reader with cumulative temporality.
 */
export function openTelemetryMetrics(meter: OpenTelemetryMeter): Metrics {
  if (typeof meter?.createObservableCounter !== 'function' || typeof meter.createHistogram !== 'function') {
    throw new TypeError('openTelemetryMetrics needs a Meter: metrics.getMeter(name)');
  }
  const known = instruments.get(meter) ?? new Map<string, unknown>();
  instruments.set(meter, known);
  const once = <I>(name: string, make: () => I): I => {
    const made = (known.get(name) as I | undefined) ?? make();
    known.set(name, made);
    return made;
  };
  const observed = ({ name, labelNames = [] }: MetricDefinition, make: () => OpenTelemetryObservable) =>
    once(name, () => {
      const table = new SeriesTable(labelNames, () => ({ value: 0 }));
      make().addCallback((result) => {
        for (const [labels, { value }] of table) result.observe(value, { ...labels });
      });
      return table;
    });
  return {
    counter: (definition) => {
      const { name, help: description } = definition;
      const table = observed(definition, () => meter.createObservableCounter(name, { description }));
      return {
        add: (value, labels) => {
          table.of(labels).value += value;
        },
        remove: (labels) => table.remove(labels),
      };
    },
    gauge: (definition) => {
      const { name, help: description } = definition;
      const table = observed(definition, () => meter.createObservableGauge(name, { description }));
      return {
        set: (value, labels) => {
          table.of(labels).value = value;
        },
        remove: (labels) => table.remove(labels),
      };
    },
    histogram: ({ name, help: description, buckets }) => {
      const advice = buckets === undefined ? {} : { advice: { explicitBucketBoundaries: [...buckets] } };
      const histogram = once(name, () => meter.createHistogram(name, { description, ...advice }));
      return { observe: (value, labels: MetricLabels = {}) => histogram.record(value, labels) };
    },
  };
}
