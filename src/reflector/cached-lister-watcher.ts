import type { Cached, CachedFrames, CachedList } from '../api/cached.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { CallContext } from './lister-watcher.ts';

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

/**
 * What a reflector writes to: the queue, seen from its producer. Each call throws, or rejects, when the object cannot be used;
 * the reflector then reports it and relists. No call is made while the one before has not settled.
 */
export interface CachedTarget<T extends KubernetesObject> {
  /**
   * Called once for each listed item and each event before it is handed on, and its result used instead (the informer
   * transforms and checks objects here). What it throws makes that object, and no other, one that cannot be used.
   */
  prepare?(object: Cached<T>): Cached<T>;
  add(object: Cached<T>): void | Promise<void>;
  update(object: Cached<T>): void | Promise<void>;
  delete(object: Cached<T>): void | Promise<void>;
  /**
   * An object that was handed over before and turned out to be damaged, fetched again. To be skipped when it is not of
   * the version that is known: the watch tells of that. Never called while a whole state is being handed over.
   */
  repair?(object: Cached<T>): void;
  /**
   * The whole state at `resourceVersion`: what is known and not in it is gone. Nothing else is called until it has settled.
   * `areUnique`: they are known to have different keys.
   */
  replace(objects: readonly Cached<T>[], resourceVersion: string, areUnique?: boolean): void | Promise<void>;
  /** Resolves when the target has room for more: events are not read before. Without it, there always is. */
  settled?(): Promise<void>;
  /** Queues what is known once more, without asking the server. */
  resync(): void | Promise<void>;
  /** Everything up to this version has been seen. */
  bookmark?(resourceVersion: string): void | Promise<void>;
  /**
   * The newest version of the object that has been handed over and not deleted since. With it, an event that is older
   * than its object is refused and the state listed again; without it, such an event is handed on.
   */
  resourceVersionOf?(key: string): string | undefined;
}
