import type { KubernetesObject } from '../api/metadata.ts';
import { guarded } from '../observe/guarded.ts';
import { noMetrics } from '../observe/metrics.ts';
import { Backoff } from './backoff.ts';
import { type FailureKind, failureKind } from './failure.ts';
import { asDuration, FailureLog } from './failure-log.ts';
import { LeftOutBook, type Unusable } from './left-out-book.ts';
import { ReflectorError } from './reflector-error.ts';
import { ReflectorMetrics } from './reflector-metrics.ts';
import type { ReflectorSettings, WatchErrorHandler } from './reflector-options.ts';
import type { ReflectorPhase } from './reflector-state.ts';
import { ReflectorTrace } from './reflector-trace.ts';
import { RequestPacer } from './request-pacer.ts';
import { StateKeeper } from './state-keeper.ts';
import { SyncPosition } from './sync-position.ts';

/** How many objects that cannot be used are logged one by one, when nobody else listens. */
const MAX_LOGGED_UNUSABLE = 5;
/** A watch that was open for this long was a success, whatever ended it. */
const STEADY_WATCH_MS = 30_000;

/** That of reflectors that have not run yet. */
const NEVER = new AbortController().signal;

/** What the parts of one reflector share. */
export class Session<T extends KubernetesObject> {
  readonly settings: ReflectorSettings<T>;
  /** Aborts when the reflector stops; after that nothing may reach the target, the handler or the log. Its own from the first run on. */
  signal: AbortSignal = NEVER;
  readonly position = new SyncPosition();
  /** Only what a whole list has left out: a single failed event makes for a list first. */
  readonly leftOut = new LeftOutBook();
  readonly backoff: Backoff;
  readonly pacer: RequestPacer;
  readonly metrics: ReflectorMetrics;
  readonly trace: ReflectorTrace;
  readonly state: StateKeeper;
  readonly #failures: FailureLog;
  /** The first failure that makes another list necessary ends it, instead of being waited out. */
  endsWithRound = false;
  #hasComplained = false;
  watchErrorHandler: WatchErrorHandler | undefined;

  constructor(settings: ReflectorSettings<T>) {
    const { name, clock, random } = settings;
    this.settings = settings;
    this.watchErrorHandler = settings.watchErrorHandler;
    this.backoff = new Backoff({ clock, random }, settings.backoff);
    this.pacer = settings.pacer ?? new RequestPacer({ clock, random });
    this.metrics = new ReflectorMetrics(settings.metrics, settings.name);
    this.trace = new ReflectorTrace({ name, ...settings.origin }, clock, this.metrics, settings.metrics !== noMetrics);
    this.state = new StateKeeper(settings);
    this.#failures = new FailureLog(settings);
  }

  /** In [`minWatchTimeoutMs`, twice that), so that the watches of a cluster's clients do not end together. */
  watchTimeoutSeconds(): number {
    const { minWatchTimeoutMs, random } = this.settings;
    return Math.floor((minWatchTimeoutMs * (1 + random())) / 1000);
  }

  listed(count: number, resourceVersion: string, elapsedMs: number, trace: string): void {
    this.metrics.listed(count, elapsedMs);
    this.backoff.answered();
    this.debug(`at version ${resourceVersion} after ${trace}`);
  }

  /** A watch is open: whatever failed before is over. */
  watchOpened(): void {
    this.metrics.watchOpened();
    this.state.enter('watching');
    this.backoff.answered();
    this.#failures.watching();
    this.debug(`watching from ${this.position.resourceVersion || 'the present state'}`);
  }

  watchEnded(events: number, lastedMs: number, isShort: boolean): void {
    this.metrics.watchEnded(events, lastedMs, isShort);
    this.state.watchEnded();
    if (lastedMs >= STEADY_WATCH_MS) this.backoff.steady();
    this.debug(`the watch ended after ${asDuration(lastedMs)}, ${events} ${events === 1 ? 'event' : 'events'}`);
  }

  /** For the story of a healthy life. */
  debug(message: string): void {
    const { name, logger } = this.settings;
    if (!this.signal.aborted) logger.debug(`${name}: ${message}.`);
  }

  /** Tells the handler, or the log when there is none. */
  report(error: Error, phase: ReflectorPhase, retryInMs?: number): void {
    this.#tell(error, phase, retryInMs, (kind) => {
      const key = error instanceof ReflectorError ? error.key : undefined;
      this.#failures.failed({ kind, error, phase, retryInMs, key });
    });
  }

  /** As `report`, of a WatchList that the server does not take: LIST does the same at once, so that nothing has failed for people. */
  reportNoWatchList(error: Error, retryInMs: number): void {
    this.#tell(error, 'listing', retryInMs, () => this.#failures.noWatchList(error));
  }

  #tell(error: Error, phase: ReflectorPhase, retryInMs: number | undefined, log: (kind: FailureKind) => void): void {
    if (this.signal.aborted) return;
    const { watchErrorHandler } = this;
    const { name } = this.settings;
    const kind = failureKind(error);
    this.metrics.failed(kind);
    if (watchErrorHandler === undefined) {
      log(kind);
      return;
    }
    const context = { informer: name, phase, ...(retryInMs !== undefined && { retryInMs }) };
    guarded(
      () => watchErrorHandler(error, context),
      (thrown) => this.#complain(thrown),
    );
  }

  /** Throws what makes an event unusable, and ends the watch for a list, unless a list has shown before that its object is so. */
  refuse(error: ReflectorError): void {
    this.signal.throwIfAborted();
    if (!this.leftOut.has(error.key)) throw error;
    this.report(error, 'watching');
  }

  /** Reports the first of them one by one, and the others in one sentence. */
  reportUnusable({ errors, count }: Unusable, phase: ReflectorPhase, retryInMs?: number): void {
    const { watchErrorHandler } = this;
    const { name, logger } = this.settings;
    const told = watchErrorHandler === undefined ? errors.slice(0, MAX_LOGGED_UNUSABLE) : errors;
    for (const error of told) this.report(error, phase, retryInMs);
    const untold = count - told.length;
    if (untold <= 0 || this.signal.aborted) return;
    if (watchErrorHandler === undefined)
      logger.warn(`${name}: ${untold} more objects cannot be used; state.leftOut names the first of them.`);
    else this.report(new ReflectorError('unusable', `${untold} more objects cannot be used`), phase, retryInMs);
  }

  #complain(thrown: unknown): void {
    if (this.signal.aborted || this.#hasComplained) return;
    this.#hasComplained = true;
    const { name, logger } = this.settings;
    logger.error(`${name}: the watch error handler itself failed; further failures of it are not reported.`, thrown);
  }
}
