import type { MetricLabels } from '../observe/metrics.ts';

const NO_LABELS: MetricLabels = {};

/** The series of one metric, by their labels. Labels that are the same object as before are found by identity, which is what makes a measurement cheap. */
export class SeriesTable<S> implements Iterable<readonly [MetricLabels, S]> {
  readonly #make: () => S;
  readonly #labelNames: readonly string[];
  readonly #byKey = new Map<string, readonly [MetricLabels, S]>();
  #byLabels = new WeakMap<MetricLabels, S>();
  /** The last that was asked for: most metrics are measured many times in a row with the same labels. */
  #last: { readonly labels: MetricLabels; readonly series: S } | undefined;

  constructor(labelNames: readonly string[], make: () => S) {
    this.#labelNames = labelNames;
    this.#make = make;
  }

  /** Throws for labels that the metric does not have. */
  of(labels: MetricLabels = NO_LABELS): S {
    if (this.#last?.labels === labels) return this.#last.series;
    const series = this.#byLabels.get(labels) ?? this.#found(labels);
    this.#last = { labels, series };
    return series;
  }

  #found(labels: MetricLabels): S {
    for (const name of Object.keys(labels)) {
      if (!this.#labelNames.includes(name)) throw new TypeError(`the metric has no label ${name}`);
    }
    const key = this.#keyOf(labels);
    const [, series] = this.#byKey.get(key) ?? this.#add(key, labels);
    this.#byLabels.set(labels, series);
    return series;
  }

  remove(labels: MetricLabels): void {
    this.#byKey.delete(this.#keyOf(labels));
    // Equal labels may be other objects.
    this.#byLabels = new WeakMap();
    this.#last = undefined;
  }

  clear(): void {
    this.#byKey.clear();
    this.#byLabels = new WeakMap();
    this.#last = undefined;
  }

  [Symbol.iterator](): Iterator<readonly [MetricLabels, S]> {
    return this.#byKey.values();
  }

  #add(key: string, labels: MetricLabels): readonly [MetricLabels, S] {
    const entry = [{ ...labels }, this.#make()] as const;
    this.#byKey.set(key, entry);
    return entry;
  }

  #keyOf(labels: MetricLabels): string {
    return JSON.stringify(this.#labelNames.map((name) => labels[name] ?? ''));
  }
}
