import type { KubernetesObject, Stored } from '../api/metadata.ts';
import type {
  HandlerOptions,
  HandlerRegistration,
  ResourceEvent,
  ResourceEventHandler,
} from '../processor/processor.ts';
import type { Indexers } from '../store/index-definition.ts';
import type { Indexer } from '../store/indexer.ts';
import type { InformerState } from './informer-state.ts';
import type { StatesOptions } from './state-stream.ts';

/** The reading half of a store. */
export type IndexerReader<T extends KubernetesObject> = Pick<
  Indexer<T>,
  | 'size'
  | 'list'
  | 'values'
  | 'listKeys'
  | 'get'
  | 'getByKey'
  | 'index'
  | 'byIndex'
  | 'project'
  | 'indexKeys'
  | 'listIndexFuncValues'
  | 'getIndexers'
  | 'lastStoreSyncResourceVersion'
>;

/** How long to wait. */
export interface WaitOptions {
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
  /** Unset: wait forever. */
  timeoutMs?: number | undefined;
}

/** Options of `informer.events`. */
export interface EventsOptions<T extends KubernetesObject> extends HandlerOptions<T> {
  /** Ends the iteration, without an error. */
  signal?: AbortSignal | undefined;
}

/**
 * What its consumers see of an informer, whether it has a watch of its own or shares one.
 *
 * Eventually consistent: the cache follows the server's state with a delay, may skip intermediate states of an object,
 * and never goes back to an older state of one that it has shown, unless the server does. Two objects may be shown in another
 * order than they changed in.
 *
 * Objects are plain data. In a packed store, the default, what a read returns belongs to its reader: fields are decoded when
 * they are first looked at, and no change to it reaches the cache or another reader; only the handlers of one event share
 * its objects. In a plain store every reader gets the one object that the cache holds, which must not be changed. A field
 * whose bytes are damaged throws a `DecodeError` that names the object; the informer reports that and fetches it again.
 */
export interface Informer<T extends KubernetesObject> {
  readonly name: string;
  /** How it fares, and what it waits for. */
  readonly state: InformerState;
  /** The cache. Reads never touch the network. */
  readonly store: IndexerReader<T>;
  readonly indexer: IndexerReader<T>;
  /**
   * The states as an async iterator: the present one, then each change of it (but not of `lastContact` alone). A slow consumer skips
   * states in between. Ends after `stopped`, and when `signal` aborts.
   */
  states(options?: StatesOptions): AsyncIterableIterator<InformerState>;
  /**
   * Handlers may come before the start and later; each hears of what is already there as adds of its initial list. Throws when the informer
   * has stopped, and a `TypeError` for a handler without any of the three functions, or with one of them misspelt.
   *
   * ```ts
   * const registration = informer.addEventHandler({
   *   onAdd: (pod) => console.log('add', pod.metadata.name),
   *   onUpdate: (old, pod) => console.log('update', pod.metadata.name, old.status?.phase, '->', pod.status?.phase),
   *   onDelete: (pod) => console.log('delete', pod.metadata.name),
   * });
   * await registration.synced;
   * ```
   */
  addEventHandler(handler: ResourceEventHandler<T>, options?: HandlerOptions<T>): HandlerRegistration;
  /** The same as an async iterator, which subscribes when first asked. */
  events(options?: EventsOptions<T>): AsyncIterableIterator<ResourceEvent<T>>;
  /** Whether the whole first list is in the store. Handlers have their own: `HandlerRegistration.hasSynced`. */
  hasSynced(): boolean;
  /** True when synced; false when `signal` aborts or the informer stops before; rejects after `timeoutMs`, saying why. */
  waitForSync(options?: WaitOptions): Promise<boolean>;
  /**
   * Read your own writes: resolves when the cache holds everything up to this version (pass what a write returned).
   * Rejects when `signal` aborts, the informer stops, or `timeoutMs` passes; at once, with a `TypeError`, for an object in a
   * namespace that the informer does not watch.
   */
  waitFor(version: string | KubernetesObject, options?: WaitOptions): Promise<void>;
  /**
   * Resolves, with the object, as soon as `predicate` is true of what the cache holds under `key` (`namespace/name`, or the name of a
   * cluster-scoped object). The predicate is asked at once and for each state that reaches the cache, with undefined when there is no such
   * object; not before that is known. It must answer at once; what it throws, this rejects with. Rejects when `signal` aborts, the informer
   * stops, `timeoutMs` passes or the namespace is removed; at once, with a `TypeError`, for a key that the informer never holds.
   *
   * ```ts
   * const web = await informer.waitUntil('default/web-0', podReady, { timeoutMs: 60_000 });
   * ```
   */
  waitUntil<R extends Stored<T> | undefined>(
    key: string,
    predicate: (object: Stored<T> | undefined) => object is R,
    options?: WaitOptions,
  ): Promise<R>;
  waitUntil(
    key: string,
    predicate: (object: Stored<T> | undefined) => boolean,
    options?: WaitOptions,
  ): Promise<Stored<T> | undefined>;
  /** Also after the start; an index that exists, or whose function fails on an object that is there, is an error. */
  addIndexers(indexers: Indexers<T>): void;
  /**
   * The newest version that the server has told of; of several namespaces the oldest of theirs, and "" before each of them has
   * been listed.
   */
  lastSyncResourceVersion(): string;
  /** Whether it was told to stop: nothing is called any more, and it cannot be run again. */
  isStopped(): boolean;
}
