import type { KubernetesObject } from '../api/metadata.ts';
import {
  aBoolean,
  aClock,
  aFunction,
  aLogger,
  aMeter,
  aNumber,
  anObject,
  anything,
  aText,
  type OptionChecks,
  optionsOf,
} from '../api/option-check.ts';
import type { Reachability } from '../api/reachability.ts';
import type { OfPart } from '../observe/channels.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { type Metrics, safeMetrics } from '../observe/metrics.ts';
import { type Random, systemRandom } from '../observe/random.ts';
import { BACKOFF_CHECKS, type BackoffOptions } from './backoff.ts';
import type { CachedListerWatcher, CachedTarget, ListerWatcher } from './lister-watcher.ts';
import type { ReflectorPhase, ReflectorState } from './reflector-state.ts';
import type { RequestPacer } from './request-pacer.ts';
import type { SavedState } from './saved-state.ts';

/** What a `WatchErrorHandler` gets beside the error. */
export interface WatchErrorContext {
  /** The reflector's name; inside an informer, that of the informer. */
  readonly informer: string;
  /** Whether a list (`listing`) or a watch (`watching`) failed. */
  readonly phase: ReflectorPhase;
  /** When the next attempt comes at the latest, 0 for at once. Absent when nothing is attempted again: the object is left out, or stays as it is. */
  readonly retryInMs?: number;
}

/**
 * Hears of every failed list and watch, every error in a stream (410 included), and every object that cannot be used or
 * turns out to be damaged when it is read.
 * What it returns or throws changes nothing.
 */
export type WatchErrorHandler = (error: Error, context: WatchErrorContext) => void;

/**
 * What a `Reflector` writes to: a `DeltaFIFO`, a `Store`, an `Indexer`, or one's own. Calls come one by one: the next is made when
 * the promise of the one before, if there is one, has settled. A call that throws or rejects has failed: the reflector reports the
 * object, and lists again. client-go's `cache.ReflectorStore`.
 */
export interface ReflectorTarget<T extends KubernetesObject> {
  add(object: T): unknown;
  update(object: T): unknown;
  delete(object: T): unknown;
  /** The whole state at `resourceVersion`: what is known and not in it is gone. */
  replace(objects: readonly T[], resourceVersion: string): unknown;
  /** Called at each resync period. Not called without one. */
  resync(): unknown;
  /** Everything up to this version has been seen: called after each event and bookmark. client-go's `ResourceVersionUpdater`. */
  updateResourceVersion?(resourceVersion: string): unknown;
}

/** Options of `Reflector`. */
export interface ReflectorOptions<T extends KubernetesObject> extends ReflectorSetup {
  /** Usually a `ListWatch`. */
  listerWatcher: ListerWatcher<T>;
  /** A `DeltaFIFO`, a `Store`, an `Indexer`, or one's own. */
  target: ReflectorTarget<T>;
}

export interface CachedReflectorOptions<T extends KubernetesObject> extends ReflectorSetup {
  listerWatcher: CachedListerWatcher<T>;
  target: CachedTarget<T>;
  /** Shared by the reflectors of one informer. Default: one of its own. */
  pacer?: RequestPacer;
  /** What to begin with in place of a list, if it can be used. */
  savedState?: SavedState<T>;
  /** Whose it is, for those who look inside. */
  origin?: Omit<OfPart, 'name'>;
}

/** How a reflector behaves, whatever it reads from and writes to. */
export interface ReflectorSetup {
  /** What messages, metrics and the watch error handler call it. client-go: ReflectorOptions.Name. */
  name: string;
  /** Whose time and turns it goes by. Default: the machine's. */
  clock?: Clock | undefined;
  /** In [0, 1), for jitter. Default: the machine's. */
  random?: Random | undefined;
  /** Where messages go. Default: warnings and errors to the console. */
  logger?: Logger | undefined;
  /** Where measurements go. Default: nowhere. */
  metrics?: Metrics | undefined;
  /**
   * How often the target is told to queue all that it knows once more, which takes no request. 0 or unset: never. Less
   * than 1,000 counts as 1,000. client-go: ResyncPeriod.
   */
  resyncMs?: number | undefined;
  /** Asked each time, whether to. Ignored without `resyncMs`. Default: always. client-go: ShouldResync. */
  shouldResync?: (() => boolean) | undefined;
  /**
   * How many items a page of LIST holds. Unset: 500, and no paging when the server's cache can answer instead. Ignored by
   * WatchList. client-go: WatchListPageSize.
   */
  pageSize?: number | undefined;
  /** Whether the initial state is streamed, with LIST as the fallback. Default true. client-go: WatchListClient. */
  watchList?: boolean | undefined;
  /** Hears of every failed list and watch, and of objects that cannot be used. Default: writes to the logger. client-go: SetWatchErrorHandler. */
  watchErrorHandler?: WatchErrorHandler | undefined;
  /**
   * Asked after a 404 whether the server really does not know the type; then the target is emptied, and asked again every
   * `goneCheckMs` until it does. Unset: a 404 empties nothing and is retried like any failure.
   */
  confirmGone?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
  /** How often a type that the server does not know is asked for. Less than a second counts as a second. Default 5,000. Of a `Reflector`, ignored without `confirmGone`. */
  goneCheckMs?: number | undefined;
  /** A watch ends after a random time between this and twice this. Default and minimum 300,000, at most a year. client-go: MinWatchTimeout. */
  minWatchTimeoutMs?: number | undefined;
  /** How long to wait after failures. Default: as client-go waits. */
  backoff?: BackoffOptions | undefined;
  /** How long a WatchList may bring nothing new before its closing bookmark. Default 30,000. */
  watchListBookmarkTimeoutMs?: number | undefined;
  /** How long a watch that has sent a bookmark may be silent before it is taken for dead. Default 150,000. */
  silenceTimeoutMs?: number | undefined;
  /** A list that takes longer is logged with its steps. Default 10,000. */
  slowListMs?: number | undefined;
  /**
   * For how long watches that fail with an internal error of the server are reopened without a list in between. Default 0:
   * not at all. client-go: MaxInternalErrorRetryDuration.
   */
  maxInternalErrorRetryMs?: number | undefined;
  /**
   * What knows when a server that could not be reached answers again; then waits after failed connections end early. Unset:
   * they last as long as `backoff` says. Informers of a cluster have that of the cluster.
   */
  reachability?: Reachability | undefined;
  /**
   * Called when a phase begins, and when its details or `leftOut` change; not when `lastContact` alone does, nor for the moment
   * between one watch and the next. What it throws is logged.
   */
  onState?: ((state: ReflectorState) => void) | undefined;
}

export const SETUP_CHECKS: OptionChecks<ReflectorSetup> = {
  name: aText,
  clock: aClock,
  random: aFunction,
  logger: aLogger,
  metrics: aMeter,
  resyncMs: aNumber,
  shouldResync: aFunction,
  pageSize: aNumber,
  watchList: aBoolean,
  watchErrorHandler: aFunction,
  confirmGone: aFunction,
  goneCheckMs: aNumber,
  minWatchTimeoutMs: aNumber,
  backoff: optionsOf(BACKOFF_CHECKS),
  watchListBookmarkTimeoutMs: aNumber,
  silenceTimeoutMs: aNumber,
  slowListMs: aNumber,
  maxInternalErrorRetryMs: aNumber,
  reachability: anObject,
  onState: aFunction,
};

/** Their methods are checked where they are used. */
export const REFLECTOR_CHECKS: OptionChecks<ReflectorOptions<KubernetesObject>> = {
  ...SETUP_CHECKS,
  listerWatcher: anything,
  target: anything,
};

const MIN_WATCH_TIMEOUT_MS = 5 * 60_000;
/** A year, for who wants no end: servers are told whole seconds. */
const MAX_WATCH_TIMEOUT_MS = 365 * 24 * 3_600_000;
const MIN_RESYNC_MS = 1_000;
const MIN_GONE_CHECK_MS = 1_000;

/** The options with their defaults. */
export type ReflectorSettings<T extends KubernetesObject> = ReturnType<typeof resolveOptions<T>>;

export function resolveOptions<T extends KubernetesObject>(options: CachedReflectorOptions<T>) {
  const { listerWatcher, resyncMs = 0 } = options;
  return {
    listerWatcher,
    target: options.target,
    name: options.name,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    logger: safeLogger(options.logger),
    metrics: safeMetrics(options.metrics),
    resyncMs: resyncMs > 0 ? Math.max(resyncMs, MIN_RESYNC_MS) : 0,
    shouldResync: options.shouldResync ?? (() => true),
    pageSize: options.pageSize,
    watchList: (options.watchList ?? true) && listerWatcher.supportsWatchList !== false,
    watchErrorHandler: options.watchErrorHandler,
    confirmGone: options.confirmGone,
    goneCheckMs: Math.max(options.goneCheckMs ?? 5_000, MIN_GONE_CHECK_MS),
    minWatchTimeoutMs: Math.min(Math.max(options.minWatchTimeoutMs ?? 0, MIN_WATCH_TIMEOUT_MS), MAX_WATCH_TIMEOUT_MS),
    backoff: options.backoff ?? {},
    watchListBookmarkTimeoutMs: options.watchListBookmarkTimeoutMs ?? 30_000,
    silenceTimeoutMs: options.silenceTimeoutMs ?? 150_000,
    slowListMs: options.slowListMs ?? 10_000,
    maxInternalErrorRetryMs: options.maxInternalErrorRetryMs ?? 0,
    reachability: options.reachability,
    pacer: options.pacer,
    savedState: options.savedState,
    origin: options.origin,
    onState: options.onState,
  };
}
