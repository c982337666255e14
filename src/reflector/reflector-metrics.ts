import { METRICS } from '../observe/metric-definitions.ts';
import type { MetricLabels, Metrics } from '../observe/metrics.ts';

/** What client-go's reflector metrics would be if anything still registered them, and counts of failures, relists, frames and bytes. */
export class ReflectorMetrics {
  readonly #labels: MetricLabels;
  readonly #series;

  constructor(metrics: Metrics, name: string) {
    this.#labels = { name };
    this.#series = {
      lists: metrics.counter(METRICS.lists),
      listSeconds: metrics.histogram(METRICS.listSeconds),
      listItems: metrics.histogram(METRICS.listItems),
      relists: metrics.counter(METRICS.relists),
      watches: metrics.counter(METRICS.watches),
      shortWatches: metrics.counter(METRICS.shortWatches),
      watchSeconds: metrics.histogram(METRICS.watchSeconds),
      watchEvents: metrics.histogram(METRICS.watchEvents),
      failures: metrics.counter(METRICS.failures),
      frames: metrics.counter(METRICS.frames),
      bytes: metrics.counter(METRICS.bytes),
      longSlices: metrics.counter(METRICS.longSlices),
    };
  }

  listed(items: number, durationMs: number): void {
    this.#series.lists.add(1, this.#labels);
    this.#series.listSeconds.observe(durationMs / 1000, this.#labels);
    this.#series.listItems.observe(items, this.#labels);
  }

  /** The watch cannot go on. */
  relists(cause: string): void {
    this.#series.relists.add(1, { ...this.#labels, cause });
  }

  watchOpened(): void {
    this.#series.watches.add(1, this.#labels);
  }

  watchEnded(events: number, durationMs: number, isShort: boolean): void {
    if (isShort) this.#series.shortWatches.add(1, this.#labels);
    this.#series.watchSeconds.observe(durationMs / 1000, this.#labels);
    this.#series.watchEvents.observe(events, this.#labels);
  }

  failed(kind: string): void {
    this.#series.failures.add(1, { ...this.#labels, kind });
  }

  framesDecoded(count: number): void {
    this.#series.frames.add(count, this.#labels);
  }

  bytesDecoded(count: number): void {
    this.#series.bytes.add(count, this.#labels);
  }

  readonly longSlice = (): void => {
    this.#series.longSlices.add(1, { ...this.#labels, stage: 'reflector' });
  };
}
