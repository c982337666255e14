import type { Metrics } from '../observe/metrics.ts';

/** What client-go's reflector metrics would be if anything still registered them, and a count of failures. */
export class ReflectorMetrics {
  readonly #labels: Readonly<Record<string, string>>;
  readonly #lists;
  readonly #listSeconds;
  readonly #listItems;
  readonly #watches;
  readonly #shortWatches;
  readonly #watchSeconds;
  readonly #watchEvents;
  readonly #failures;

  constructor(metrics: Metrics, name: string) {
    const labelNames = ['name'];
    this.#labels = { name };
    this.#lists = metrics.counter({
      name: 'tidewatch_reflector_lists_total',
      help: 'Whole states fetched, by LIST or WatchList.',
      labelNames,
    });
    this.#listSeconds = metrics.histogram({
      name: 'tidewatch_reflector_list_duration_seconds',
      help: 'How long fetching the whole state took.',
      labelNames,
    });
    this.#listItems = metrics.histogram({
      name: 'tidewatch_reflector_items_per_list',
      help: 'How many objects a whole state had.',
      labelNames,
      buckets: [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000],
    });
    this.#watches = metrics.counter({
      name: 'tidewatch_reflector_watches_total',
      help: 'Watches opened.',
      labelNames,
    });
    this.#shortWatches = metrics.counter({
      name: 'tidewatch_reflector_short_watches_total',
      help: 'Watches that ended within a second without an event.',
      labelNames,
    });
    this.#watchSeconds = metrics.histogram({
      name: 'tidewatch_reflector_watch_duration_seconds',
      help: 'How long watches lasted.',
      labelNames,
      buckets: [1, 10, 60, 300, 450, 600],
    });
    this.#watchEvents = metrics.histogram({
      name: 'tidewatch_reflector_events_per_watch',
      help: 'How many events a watch brought.',
      labelNames,
      buckets: [1, 10, 100, 1_000, 10_000, 100_000],
    });
    this.#failures = metrics.counter({
      name: 'tidewatch_reflector_failures_total',
      help: 'Failed lists and watches, errors in streams, and objects that could not be used.',
      labelNames: ['name', 'kind'],
    });
  }

  listed(items: number, durationMs: number): void {
    this.#lists.add(1, this.#labels);
    this.#listSeconds.observe(durationMs / 1000, this.#labels);
    this.#listItems.observe(items, this.#labels);
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
}
