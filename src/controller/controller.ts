import type { KubernetesObject, Stored } from '../api/metadata.ts';
import type { AnsweredResource, PodResource, Resource } from '../api/resource.ts';
import type { AnsweredClient, Client } from '../cluster/client.ts';
import type { PodClient } from '../cluster/pods/pod-client.ts';
import type { Lister, NamespaceLister } from '../informer/lister.ts';
import type { Logger } from '../observe/logger.ts';
import type { ResourceEvent } from '../processor/processor.ts';

/** Whether an event may cause a run. It changes nothing in the cache. When it throws or returns a promise, that is reported, and the event causes a run. */
export type Predicate<T extends KubernetesObject> = (event: ResourceEvent<T>) => boolean;

/** Which events cause runs. */
export interface TriggerOptions<T extends KubernetesObject> {
  /** Which events cause a run. Default: all. It does not change what is cached. */
  when?: Predicate<T> | undefined;
}

/** The keys (`namespace/name`, or the name of a cluster-scoped object) that an object concerns. Called for the old and the new object of an update. */
export type MapToKeys<T extends KubernetesObject> = (object: Stored<T>) => Iterable<string> | undefined;

/** Why a key is run. */
export interface Cause {
  /** `gained`: this process has become the leader, or the owner of the key's shard. */
  readonly type: 'add' | 'update' | 'delete' | 'resync' | 'retry' | 'requeue' | 'source' | 'gained';
  /** The kind of the object whose event it was. Unset where there was none. */
  readonly kind?: string;
  /** The key of that object. */
  readonly key?: string;
  /** The id of its change, while somebody subscribes to the channels: see `StoreValue`. */
  readonly change?: number;
}

/** What an event tells people, on the page of `kubectl describe` and in `kubectl get events`. */
export interface RecordedEvent {
  type: 'Normal' | 'Warning';
  /** Why, as one word in upper camel case: `Created`. At most 128 characters. */
  reason: string;
  /** What was done, as one word in upper camel case: `CreateDeployment`. At most 128 characters. */
  action: string;
  /** In a sentence. Cut at 1,024 bytes. */
  note?: string | undefined;
  /** A second object that it is about. */
  related?: KubernetesObject | undefined;
}

/** Writes events without ever failing or delaying its caller. */
export interface Recorder {
  /** Notes that something happened to the object. Returns at once, and never throws. */
  record(regarding: KubernetesObject, event: RecordedEvent): void;
}

/** What one run is about, and what it may use. */
export interface ReconcileContext<T extends KubernetesObject> extends Recorder {
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string;
  /** "" for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  /** From the cache when the run begins; undefined when there is none (any more). */
  readonly object: Stored<T> | undefined;
  /** Aborts when the run has taken longer than `timeoutMs`, when the manager stops, and when leadership is lost. */
  readonly signal: AbortSignal;
  /** Names the controller and the key in each message. */
  readonly logger: Logger;
  /** What caused this run, oldest first, the first eight. For logs: a run must not depend on them. */
  readonly causes: readonly Cause[];
  /**
   * Asks the server. Writes carry the controller's name as their field manager, and calls that name no namespace go to that of the object.
   * A key is not run again before the caches hold what its last run wrote. Calls without a signal of their own end when `signal` aborts.
   */
  client<R extends KubernetesObject>(resource: PodResource<R>): PodClient<R>;
  client<R extends KubernetesObject>(resource: AnsweredResource<R>): AnsweredClient<R>;
  client<R extends KubernetesObject>(resource: Resource<R>): Client<R>;
  /**
   * Reads the memory: in the object's namespace; of everything for a cluster-scoped object or resource. A resource that the controller has
   * not declared (`for`, `owns`, `watches`, `reads`) is an error.
   */
  lister<R extends KubernetesObject>(resource: Resource<R>): NamespaceLister<R>;
  /** As `lister`, of all that the cache holds. */
  listerOfAll<R extends KubernetesObject>(resource: Resource<R>): Lister<R>;
  /**
   * The object with a controller reference to this run's object, so that it is deleted with it and its events cause runs. Throws a `TypeError`
   * when another controller owns it, when the owner is namespaced and the object is in another namespace, or when the run has no object. That an
   * object is cluster-scoped shows when `client` is to write it: that throws for a namespaced owner.
   */
  own<R extends KubernetesObject>(object: R): R;
}

/** What a run may return. Nothing: done until the next event. */
export interface ReconcileResult {
  /** Run again after this long. The number of failures is forgotten. */
  requeueAfterMs?: number;
  /** The priority of that run. Default: the priority of this one. */
  priority?: number;
}

/**
 * Makes the cluster as the object wants it. Called with a key, not with a change: it reads what is, and must give the same end when it is called
 * once more. Never called for one key twice at a time. When it throws or rejects, the key is retried with backoff, unless it is a `TerminalError`.
 */
export type Reconcile<T extends KubernetesObject> = (
  context: ReconcileContext<T>,
  // biome-ignore lint/suspicious/noConfusingVoidType: an async function without a return has this type
) => Promise<ReconcileResult | void> | ReconcileResult | void;

/** How keys are run. */
export interface ReconcileOptions {
  /** How many keys are run at a time. Default 1. controller-runtime: MaxConcurrentReconciles. */
  concurrency?: number | undefined;
  /** After this the signal of a run aborts. Default: never. controller-runtime: ReconciliationTimeout. */
  timeoutMs?: number | undefined;
  /**
   * A run that has not ended this long after its signal aborted fails `/healthz`. One without `timeoutMs` that takes this long is reported.
   * Default 10 min.
   */
  stuckMs?: number | undefined;
  /** Events of a key within this time after the first are one run. Default 0: none is held back. */
  debounceMs?: number | undefined;
  /** How long the caches may take to sync before `manager.run` rejects. Default 2 min. controller-runtime: CacheSyncTimeout. */
  syncTimeoutMs?: number | undefined;
}
