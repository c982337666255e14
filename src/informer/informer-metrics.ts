import type { Clock, Timer } from '../observe/clock.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ReflectorPhase } from '../reflector/reflector-state.ts';
import type { InformerState } from './informer-state.ts';

/** How far one handler is. */
export interface HandlerPace {
  /** Its name, or `unnamed`: streams and nameless handlers come and go, and share one series. */
  readonly label: string;
  readonly lagMs: number;
  readonly pending: number;
}

/** How often what grows by itself is measured. */
const SAMPLE_MS = 5_000;

/** The state of an informer and the pace of its handlers, as gauges and a counter. */
export class InformerMetrics {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #phase;
  readonly #behind;
  readonly #lastContact;
  readonly #lag;
  readonly #pending;
  readonly #failures;
  #shownPhase: ReflectorPhase | undefined;
  /** The labels of handlers that were shown last time. */
  #shown = new Set<string>();
  #timer: Timer | undefined;

  constructor(metrics: Metrics, name: string, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
    this.#phase = metrics.gauge({
      name: 'tidewatch_informer_phase',
      help: '1 for the phase that an informer is in, 0 for those that it was in.',
      labelNames: ['name', 'phase'],
    });
    this.#behind = metrics.gauge({
      name: 'tidewatch_informer_behind_seconds',
      help: 'For how long an informer has had no open watch; 0 while it has one.',
      labelNames: ['name'],
    });
    this.#lastContact = metrics.gauge({
      name: 'tidewatch_informer_last_contact_timestamp_seconds',
      help: 'When the server last sent something of use, in seconds since the epoch.',
      labelNames: ['name'],
    });
    this.#lag = metrics.gauge({
      name: 'tidewatch_handler_lag_seconds',
      help: 'How long the oldest change that waits for a handler has waited.',
      labelNames: ['name', 'handler'],
    });
    this.#pending = metrics.gauge({
      name: 'tidewatch_handler_pending',
      help: 'How many calls wait for a handler.',
      labelNames: ['name', 'handler'],
    });
    this.#failures = metrics.counter({
      name: 'tidewatch_handler_failures_total',
      help: 'Calls of a handler or its filter that threw or rejected.',
      labelNames: ['name', 'handler'],
    });
  }

  stateChanged(state: InformerState): void {
    const { phase } = state;
    const name = this.#name;
    if (this.#shownPhase !== undefined && this.#shownPhase !== phase) {
      this.#phase.set(0, { name, phase: this.#shownPhase });
    }
    this.#shownPhase = phase;
    this.#phase.set(1, { name, phase });
    this.#showTimes(state);
  }

  handlerFailed(label: string): void {
    this.#failures.add(1, { name: this.#name, handler: label });
  }

  /** Measures every few seconds, until `stop`. Does not keep the process alive. */
  start(state: () => InformerState, handlers: () => Iterable<HandlerPace>): void {
    const sample = () => {
      this.#showTimes(state());
      this.#showHandlers(handlers());
      this.#timer = this.#clock.setTimeout(sample, SAMPLE_MS, { keepAlive: false });
    };
    sample();
  }

  stop(): void {
    this.#timer?.clear();
    this.#showHandlers([]);
  }

  #showTimes({ phase, behindSince, lastContact }: InformerState): void {
    const labels = { name: this.#name };
    const isBehind = behindSince !== undefined && phase !== 'stopped';
    this.#behind.set(isBehind ? Math.max(0, this.#clock.now() - behindSince) / 1000 : 0, labels);
    if (lastContact !== undefined) this.#lastContact.set(lastContact / 1000, labels);
  }

  #showHandlers(handlers: Iterable<HandlerPace>): void {
    const slowest = new Map<string, { lagMs: number; pending: number }>();
    for (const { label, lagMs, pending } of handlers) {
      const known = slowest.get(label);
      slowest.set(label, { lagMs: Math.max(lagMs, known?.lagMs ?? 0), pending: pending + (known?.pending ?? 0) });
    }
    for (const label of this.#shown) if (!slowest.has(label)) slowest.set(label, { lagMs: 0, pending: 0 });
    for (const [handler, { lagMs, pending }] of slowest) {
      this.#lag.set(lagMs / 1000, { name: this.#name, handler });
      this.#pending.set(pending, { name: this.#name, handler });
    }
    this.#shown = new Set(slowest.keys());
  }
}
