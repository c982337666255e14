import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesList, KubernetesObject } from '../api/metadata.ts';
import type { WatchEvent } from '../api/watch-event.ts';

/** What a list or watch function gets beside its options. */
export interface CallContext {
  /** Aborts when the reflector stops or gives the call up; a call that ignores it is abandoned, not awaited. */
  readonly signal: AbortSignal;
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
  readonly supportsWatchList?: boolean;
}
