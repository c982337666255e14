import type { Cached, CachedChange, CachedFrames, CachedList } from '../api/cached.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesList, KubernetesObject } from '../api/metadata.ts';
import type { WatchEvent } from '../api/watch-event.ts';

/** What a list or watch function gets beside its options. */
export interface CallContext {
  /** Aborts when the reflector stops or gives the call up; a call that ignores it is abandoned, not awaited. */
  readonly signal: AbortSignal;
  /** The id of the list or watch, to be put into its requests: see `TransportRequest`. May be ignored. */
  readonly cause?: number | undefined;
  /** To be called with the size of each chunk of bytes that is decoded. May be ignored. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

/**
 * Where a `Reflector` gets its objects from. One call is one attempt: implementations never retry, because the reflector
 * alone decides on retries. client-go's `cache.ListerWatcher`.
 */
export interface ListerWatcher<T extends KubernetesObject> {
  /** One page; more follow when its `metadata.continue` is set. */
  list(options: ListOptions, context: CallContext): Promise<KubernetesList<T>> | KubernetesList<T>;
  /** The events after `options.resourceVersion`, one by one. Ends when the server ends the watch; throws when it breaks. */
  watch(
    options: ListOptions,
    context: CallContext,
  ): Promise<AsyncIterable<WatchEvent<T>>> | AsyncIterable<WatchEvent<T>>;
  /** Whether `watch` honours `sendInitialEvents`. Default false. client-go: IsWatchListSemanticsUnSupported. */
  readonly supportsWatchList?: boolean | undefined;
}

/**
 * Where a reflector gets its objects from, in the form in which they are kept. One call is one attempt: implementations never retry, because the reflector
 * alone decides on retries. Failures are `ApiError` when the server answered, anything else when it did not.
 */
export interface CachedListerWatcher<T extends KubernetesObject> {
  /** One page; `metadata.continue` says whether more follow. */
  list(options: ListOptions, context: CallContext): Promise<CachedList<T>>;
  /**
   * Nothing but the object of that name, if it still exists, as `list` would show it at present. Unset: a damaged object
   * stays so until it changes or all are listed.
   */
  listOne?(object: Pick<Cached, 'namespace' | 'name'>, context: CallContext): Promise<CachedList<T>>;
  /** Resolves when the server has accepted the watch. */
  watch(options: ListOptions, context: CallContext): Promise<CachedFrames<T>>;
  /** Whether `sendInitialEvents` may be tried. Default true. client-go: IsWatchListSemanticsUnSupported. */
  readonly supportsWatchList?: boolean;
}

/** What a reflector writes to. No call is made while the one before has not settled, a `REPAIRED` aside. */
export interface CachedTarget<T extends KubernetesObject> {
  /**
   * The next change; never an `ERROR` or a `BROKEN` one. Throws, or rejects, when its object cannot be stored: the reflector
   * reports it and relists. Settles when there is room for more: the reflector asks the server for nothing before.
   */
  write(change: CachedChange<T>): void | Promise<void>;
  /** Queues what is known once more, without asking the server. */
  resync?(): void | Promise<void>;
  /**
   * The newest version of the object that has been stored and not deleted since. With it, an event that is older
   * than its object is refused and the state listed again; without it, such an event is handed on.
   */
  versionOf?(key: string): string | undefined;
}
