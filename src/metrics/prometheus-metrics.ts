import { TidewatchError } from '../api/tidewatch-error.ts';
import type { MetricDefinition, MetricLabels, Metrics } from '../observe/metrics.ts';
import { SeriesTable } from './series-table.ts';

/** What prom-client's registry is asked for. */
export interface PrometheusRegistry {
  getSingleMetric(name: string): unknown;
  registerMetric(metric: { get(): Promise<unknown>; reset(): void }): void;
}

/** prom-client, or an object with a registry of one's own: `{ register: registry }`. */
export interface PrometheusClient {
  readonly register: PrometheusRegistry;
}

/** prom-client's default. */
const DEFAULT_BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Value {
  readonly value: number;
  /** @external */
  readonly labels: MetricLabels;
  /** @external */
  readonly metricName?: string;
}

/**
 * Measures into a registry of prom-client: `prometheusMetrics(promClient)`, or `prometheusMetrics({ register: registry })`. Called again for the same
 * registry, it means the same series. A name that somebody else has registered, or that was registered with other labels, is an error, which is reported
 * once; that metric is not measured then.
 */
export function prometheusMetrics(client: PrometheusClient): Metrics {
  const register = client?.register;
  if (typeof register?.registerMetric !== 'function' || typeof register.getSingleMetric !== 'function') {
    throw new TypeError('prometheusMetrics needs prom-client, or { register } with a Registry of it');
  }
  const metric = <M extends PrometheusMetric>(wanted: M): M => {
    const known = register.getSingleMetric(wanted.name);
    if (known === undefined) {
      register.registerMetric(wanted);
      return wanted;
    }
    if (known instanceof PrometheusMetric && known.isLike(wanted)) return known as M;
    throw new TidewatchError(
      'misuse',
      `the registry has another metric of the name ${wanted.name}, or one with other labels. Give tidewatch a registry of its own`,
    );
  };
  const number = (type: 'counter' | 'gauge', definition: MetricDefinition) =>
    metric(new NumberMetric(type, definition));
  return {
    counter: (definition) => {
      const { table } = number('counter', definition);
      return {
        add: (value, labels) => {
          table.of(labels).value += value;
        },
        remove: (labels) => table.remove(labels),
      };
    },
    gauge: (definition) => {
      const { table } = number('gauge', definition);
      return {
        set: (value, labels) => {
          table.of(labels).value = value;
        },
        remove: (labels) => table.remove(labels),
      };
    },
    histogram: (definition) => {
      const { table } = metric(new HistogramMetric(definition));
      return {
        observe: (value, labels) => table.of(labels).observe(value),
        remove: (labels) => table.remove(labels),
      };
    },
  };
}

/** What a registry holds. It has series of its own, because prom-client's look their labels up again for each measurement. */
abstract class PrometheusMetric {
  readonly name: string;
  readonly #definition: MetricDefinition;
  readonly #type: string;

  constructor(type: string, definition: MetricDefinition) {
    this.name = definition.name;
    this.#type = type;
    this.#definition = definition;
  }

  isLike(other: PrometheusMetric): boolean {
    return this.#type === other.#type && String(this.labelNames) === String(other.labelNames);
  }

  get labelNames(): readonly string[] {
    return this.#definition.labelNames ?? [];
  }

  /** As prom-client's own metrics answer. @external */
  async get(): Promise<unknown> {
    const { name, help } = this.#definition;
    return { name, help, type: this.#type, aggregator: 'sum', values: [...this.values()] };
  }

  /** @external prom-client's registry calls it. */
  abstract reset(): void;
  protected abstract values(): Iterable<Value>;
}

class NumberMetric extends PrometheusMetric {
  readonly table: SeriesTable<{ value: number }>;

  constructor(type: 'counter' | 'gauge', definition: MetricDefinition) {
    super(type, definition);
    this.table = new SeriesTable(this.labelNames, () => ({ value: 0 }));
  }

  /** @external */
  reset(): void {
    this.table.clear();
  }

  protected *values(): Iterable<Value> {
    for (const [labels, { value }] of this.table) yield { value, labels };
  }
}

class HistogramMetric extends PrometheusMetric {
  readonly table: SeriesTable<Buckets>;
  readonly #boundTexts: readonly string[];

  constructor(definition: MetricDefinition & { buckets?: readonly number[] | undefined }) {
    super('histogram', definition);
    const bounds = definition.buckets ?? DEFAULT_BUCKETS;
    this.#boundTexts = [...bounds.map(goFloat), '+Inf'];
    this.table = new SeriesTable(this.labelNames, () => new Buckets(bounds));
  }

  /** @external */
  reset(): void {
    this.table.clear();
  }

  protected *values(): Iterable<Value> {
    for (const [labels, buckets] of this.table) yield* this.#valuesOf(labels, buckets);
  }

  *#valuesOf(labels: MetricLabels, { counts, sum }: Buckets): Iterable<Value> {
    const metricName = `${this.name}_bucket`;
    let count = 0;
    for (const [index, le] of this.#boundTexts.entries()) {
      count += counts[index] ?? 0;
      yield { value: count, labels: { le, ...labels }, metricName };
    }
    yield { value: sum, labels, metricName: `${this.name}_sum` };
    yield { value: count, labels, metricName: `${this.name}_count` };
  }
}

class Buckets {
  readonly counts: number[];
  readonly #bounds: readonly number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    this.sum += value;
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] as number)) index++;
    this.counts[index] = (this.counts[index] as number) + 1;
  }
}

/**
 * A number as Go's client writes it: `1e-08`, `9.999999999999999e-06`, `0.005`, `1e+06`. Prometheus tells the buckets of a histogram apart by this text, and adds up
 * those of Go programs and of ours where it is the same.
 */
function goFloat(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
