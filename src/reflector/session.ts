import type { KubernetesObject } from '../api/metadata.ts';
import { Backoff } from './backoff.ts';
import { failureKind } from './failure.ts';
import { ReflectorError } from './reflector-error.ts';
import { ReflectorMetrics } from './reflector-metrics.ts';
import type { ReflectorSettings, WatchErrorHandler } from './reflector-options.ts';
import type { ReflectorPhase } from './reflector-state.ts';
import { RequestPacer } from './request-pacer.ts';
import { StateKeeper } from './state-keeper.ts';
import { SyncPosition } from './sync-position.ts';
import { TargetWriter } from './target-writer.ts';
import type { Untaken } from './untaken.ts';

/** How many objects that cannot be taken are logged one by one, when nobody else listens. */
const MAX_LOGGED_UNTAKEN = 5;

/** What the parts of one reflector share. */
export class Session<T extends KubernetesObject> {
  readonly settings: ReflectorSettings<T>;
  /** Aborts when the reflector stops; after that nothing may reach the target, the handler or the log. */
  readonly signal: AbortSignal;
  readonly position = new SyncPosition();
  readonly writer: TargetWriter<T>;
  readonly backoff: Backoff;
  readonly pacer: RequestPacer;
  readonly metrics: ReflectorMetrics;
  readonly state: StateKeeper;
  watchErrorHandler: WatchErrorHandler | undefined;

  constructor(settings: ReflectorSettings<T>, signal: AbortSignal) {
    const { clock, random, logger, onState } = settings;
    this.settings = settings;
    this.watchErrorHandler = settings.watchErrorHandler;
    this.signal = signal;
    this.writer = new TargetWriter(settings.target, this.position);
    this.backoff = new Backoff({ clock, random }, settings.backoff);
    this.pacer = settings.pacer ?? new RequestPacer({ clock, random });
    this.metrics = new ReflectorMetrics(settings.metrics, settings.name);
    this.state = new StateKeeper({ clock, logger, onState });
  }

  /** In [`minWatchTimeoutMs`, twice that), so that the watches of a cluster's clients do not end together. */
  watchTimeoutSeconds(): number {
    const { minWatchTimeoutMs, random } = this.settings;
    return Math.floor((minWatchTimeoutMs * (1 + random())) / 1000);
  }

  /** Tells the handler, or the log when there is none. */
  report(error: Error, phase: ReflectorPhase, retryInMs?: number): void {
    if (this.signal.aborted) return;
    const { watchErrorHandler } = this;
    const { name, logger } = this.settings;
    const kind = failureKind(error);
    this.metrics.failed(kind);
    if (watchErrorHandler === undefined) {
      const retry = retryInMs === undefined ? '' : `, next attempt in ${(retryInMs / 1000).toFixed(1)} s`;
      const level = kind === 'expired' || kind === 'silent' ? 'debug' : 'warn';
      logger[level](`${name}: failed while ${phase}${retry}: ${error.message}`, error);
      return;
    }
    try {
      const context = { informer: name, phase, ...(retryInMs !== undefined && { retryInMs }) };
      const result: unknown = watchErrorHandler(error, context);
      // The type says void, yet an async function fits it.
      if (result instanceof Promise) result.catch((thrown: unknown) => this.#complain(thrown));
    } catch (thrown) {
      this.#complain(thrown);
    }
  }

  /** Reports the first of them one by one, and the others in one sentence. */
  reportUntaken({ errors, count }: Untaken, phase: ReflectorPhase, retryInMs?: number): void {
    const { watchErrorHandler } = this;
    const { name, logger } = this.settings;
    const told = watchErrorHandler === undefined ? errors.slice(0, MAX_LOGGED_UNTAKEN) : errors;
    for (const error of told) this.report(error, phase, retryInMs);
    const untold = count - told.length;
    if (untold <= 0 || this.signal.aborted) return;
    if (watchErrorHandler === undefined)
      logger.warn(`${name}: ${untold} more objects cannot be taken; state.leftOut names the first of them.`);
    else this.report(new ReflectorError('untaken', `${untold} more objects cannot be taken`), phase, retryInMs);
  }

  #complain(thrown: unknown): void {
    if (!this.signal.aborted)
      this.settings.logger.error(`${this.settings.name}: the watch error handler itself failed.`, thrown);
  }
}
