import { METRICS } from '../observe/metric-definitions.ts';
import type { MetricLabels, Metrics } from '../observe/metrics.ts';

/** What client-go's reflector metrics would be if anything still registered them, and counts of failures, relists, frames and bytes. */
export class ReflectorMetrics {
  readonly #labels: MetricLabels;
  readonly #lists;
  readonly #listSeconds;
  readonly #listItems;
  readonly #relists;
  readonly #watches;
  readonly #shortWatches;
  readonly #watchSeconds;
  readonly #watchEvents;
  readonly #failures;
  readonly #frames;
  readonly #bytes;
  readonly #longSlices;

  constructor(metrics: Metrics, name: string) {
    this.#labels = { name };
    this.#lists = metrics.counter(METRICS.lists);
    this.#listSeconds = metrics.histogram(METRICS.listSeconds);
    this.#listItems = metrics.histogram(METRICS.listItems);
    this.#relists = metrics.counter(METRICS.relists);
    this.#watches = metrics.counter(METRICS.watches);
    this.#shortWatches = metrics.counter(METRICS.shortWatches);
    this.#watchSeconds = metrics.histogram(METRICS.watchSeconds);
    this.#watchEvents = metrics.histogram(METRICS.watchEvents);
    this.#failures = metrics.counter(METRICS.failures);
    this.#frames = metrics.counter(METRICS.frames);
    this.#bytes = metrics.counter(METRICS.bytes);
    this.#longSlices = metrics.counter(METRICS.longSlices);
  }

  listed(items: number, durationMs: number): void {
    this.#lists.add(1, this.#labels);
    this.#listSeconds.observe(durationMs / 1000, this.#labels);
    this.#listItems.observe(items, this.#labels);
  }

  /** The watch cannot go on. */
  relists(cause: string): void {
    this.#relists.add(1, { ...this.#labels, cause });
  }

  watchOpened(): void {
    this.#watches.add(1, this.#labels);
  }

  watchEnded(events: number, durationMs: number, isShort: boolean): void {
    if (isShort) this.#shortWatches.add(1, this.#labels);
    this.#watchSeconds.observe(durationMs / 1000, this.#labels);
    this.#watchEvents.observe(events, this.#labels);
  }

  failed(kind: string): void {
    this.#failures.add(1, { ...this.#labels, kind });
  }

  framesDecoded(count: number): void {
    this.#frames.add(count, this.#labels);
  }

  bytesDecoded(count: number): void {
    this.#bytes.add(count, this.#labels);
  }

  readonly longSlice = (): void => {
    this.#longSlices.add(1, { ...this.#labels, stage: 'reflector' });
  };
}
