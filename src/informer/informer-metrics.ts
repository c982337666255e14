import type { Resource } from '../api/resource.ts';
import type { Clock, Timer } from '../observe/clock.ts';
import { METRICS } from '../observe/metric-definitions.ts';
import { MetricScope } from '../observe/metric-scope.ts';
import type { MetricLabels, Metrics } from '../observe/metrics.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { ReflectorPhase } from '../reflector/reflector-state.ts';
import { HandlerMetrics, type MeasuredListener } from './handler-metrics.ts';
import type { InformerState } from './informer-state.ts';
import type { InformerMemory } from './informer-status.ts';

/** The informer, as far as it is measured. */
export interface MeasuredInformer {
  readonly name: string;
  readonly resource: Resource | undefined;
  readonly state: InformerState;
  readonly memory: InformerMemory;
  readonly table: { readonly resourceVersion: string; readonly size: number };
}

export interface InformerMetricsOptions {
  clock: Clock;
  /** Asked when all of the informer has been made. */
  parts: () => { readonly queued: number; readonly memory: { readonly views: number } | undefined };
  listeners: () => Iterable<MeasuredListener>;
}

/** How often what grows by itself is measured. */
const SAMPLE_MS = 5_000;
/** The gauges of the store are set at most this often while objects change, and none comes or goes. */
const MIN_SHOW_MS = 100;

/** The metrics of an informer. All of its series are removed when it has stopped. */
export class InformerMetrics {
  /** For those who measure parts of it. */
  readonly scope: MetricScope;
  readonly #informer: MeasuredInformer;
  readonly #options: InformerMetricsOptions;
  readonly #labels: MetricLabels;
  readonly #resourceLabels: MetricLabels;
  readonly #series;
  readonly handlers: HandlerMetrics;
  #shownPhase: ReflectorPhase | undefined;
  #shownViews = 0;
  #shownMs = Number.NEGATIVE_INFINITY;
  #shownSize = -1;
  #timer: Timer | undefined;
  /** Shows the store when it may be shown again. */
  #later: Timer | undefined;

  constructor(metrics: Metrics, informer: MeasuredInformer, options: InformerMetricsOptions) {
    const scope = new MetricScope(metrics);
    const { name, resource } = informer;
    this.scope = scope;
    this.#informer = informer;
    this.#options = options;
    this.#labels = { name };
    this.#resourceLabels = {
      name,
      group: resource?.group ?? '',
      version: resource?.version ?? '',
      resource: resource?.plural ?? '',
    };
    this.#series = {
      phase: scope.gauge(METRICS.phase),
      behind: scope.gauge(METRICS.behind),
      lastContact: scope.gauge(METRICS.lastContact),
      queued: scope.gauge(METRICS.queuedItems),
      processing: scope.histogram(METRICS.processingSeconds),
      version: scope.gauge(METRICS.storeVersion),
      objects: scope.gauge(METRICS.storeObjects),
      heldBytes: scope.gauge(METRICS.heldBytes),
      liveBytes: scope.gauge(METRICS.liveBytes),
      views: scope.counter(METRICS.views),
      longSlices: scope.counter(METRICS.longSlices),
    };
    this.handlers = new HandlerMetrics(metrics, name);
  }

  stateChanged(state: InformerState): void {
    const { phase } = state;
    const { name } = this.#informer;
    if (this.#shownPhase !== undefined && this.#shownPhase !== phase) {
      this.#series.phase.set(0, { name, phase: this.#shownPhase });
    }
    this.#shownPhase = phase;
    this.#series.phase.set(1, { name, phase });
    this.#showTimes(state);
  }

  /** The changes of one object are stored, and have been handed to the listeners. */
  processed(durationMs: number): void {
    this.#series.processing.observe(durationMs / 1000, this.#resourceLabels);
  }

  longSlice(stage: 'store' | 'handlers'): void {
    this.#series.longSlices.add(1, { ...this.#labels, stage });
  }

  /** All that was queued has been taken from the queue, or a whole list has been queued. */
  stored(): void {
    if (this.#informer.table.size !== this.#shownSize) {
      this.#showStore();
      return;
    }
    if (this.#later !== undefined) return;
    const { clock } = this.#options;
    const waitMs = this.#shownMs + MIN_SHOW_MS - monotonicMs(clock);
    if (waitMs <= 0) this.#showStore();
    else this.#later = clock.setTimeout(() => this.#showStore(), waitMs, { keepAlive: false });
  }

  #showStore(): void {
    this.#shownMs = monotonicMs(this.#options.clock);
    this.#later?.clear();
    this.#later = undefined;
    this.#shownSize = this.#informer.table.size;
    const { memory, table } = this.#informer;
    const { queued, memory: { views } = { views: 0 } } = this.#options.parts();
    const { heldBytes, liveBytes } = memory;
    this.#series.objects.set(memory.objects, this.#labels);
    if (heldBytes !== undefined) this.#series.heldBytes.set(heldBytes, this.#labels);
    if (liveBytes !== undefined) this.#series.liveBytes.set(liveBytes, this.#labels);
    this.#series.queued.set(queued, this.#resourceLabels);
    const digits = table.resourceVersion;
    if (/^\d+$/.test(digits)) this.#series.version.set(Number(digits.slice(-15)), this.#resourceLabels);
    // A namespace that goes takes its count with it.
    if (views > this.#shownViews) this.#series.views.add(views - this.#shownViews, this.#labels);
    this.#shownViews = views;
  }

  /** Measures every few seconds, until `stop`. Does not keep the process alive. */
  start(): void {
    const sample = () => {
      this.#showTimes(this.#informer.state);
      this.#showStore();
      this.handlers.show(this.#options.listeners());
      this.#timer = this.#options.clock.setTimeout(sample, SAMPLE_MS, { keepAlive: false });
    };
    sample();
  }

  /** No timer is left. */
  stop(): void {
    this.#timer?.clear();
    this.#later?.clear();
  }

  /** All has ended: no series is left. */
  end(): void {
    this.stop();
    this.handlers.end();
    this.scope.end();
  }

  #showTimes({ phase, behindSince, lastContact }: InformerState): void {
    const isBehind = behindSince !== undefined && phase !== 'stopped';
    this.#series.behind.set(isBehind ? Math.max(0, this.#options.clock.now() - behindSince) / 1000 : 0, this.#labels);
    if (lastContact !== undefined) this.#series.lastContact.set(lastContact / 1000, this.#labels);
  }
}
