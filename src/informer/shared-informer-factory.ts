import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject, PartialObjectMetadata } from '../api/metadata.ts';
import { defineResource, type GroupVersionResource, type Resource, resourceName } from '../api/resource.ts';
import type { KeepOptions } from '../codec/keep-options.ts';
import { StringTable } from '../codec/protobuf/string-table.ts';
import { builtinToken } from '../generated/resources.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { metaNamespaceIndex, NAMESPACE_INDEX } from '../store/index-definition.ts';
import { defineAccessors, type GroupAccessors } from './accessors.ts';
import { type FactoryHealth, type HealthOptions, healthOf } from './factory-health.ts';
import { GroupPresence } from './group-presence.ts';
import type { WaitOptions } from './informer.ts';
import type { ClusterConnection, ClusterOrigin } from './informer-origin.ts';
import { checkPathsOfAnyKind } from './known-paths.ts';
import { wantedNamespaces } from './namespaces.ts';
import { ResourceInformer } from './resource-informer.ts';
import { ResourceMap } from './resource-map.ts';
import { type InformerSettings, SharedIndexInformer } from './shared-index-informer.ts';
import type { Transform } from './transform.ts';
import { waitForCacheSync } from './wait-for-cache-sync.ts';

/** `KeepOptions` hold for every resource; a path that a kind of object does not have leads nowhere, without an error, but for one of the metadata, which all share. */
export interface SharedInformerFactoryOptions
  extends Omit<InformerSettings<KubernetesObject>, 'name' | 'transform' | 'indexers' | 'resyncMs'>,
    KeepOptions {
  /** Only these; unset: all. An empty list or name is a `TypeError`. Ignored for cluster-scoped resources. client-go: WithNamespace. */
  namespace?: string | readonly string[];
  /** How often handlers hear of everything again. 0 or unset: never. client-go: defaultResync. */
  resyncMs?: number;
  /** The same, by resource. client-go: WithCustomResyncConfig. */
  customResyncMs?: ReadonlyMap<Resource, number> | readonly (readonly [Resource, number])[];
  /**
   * Changes the options of every list and watch. When it throws or returns a promise, that list or watch has failed: it is
   * reported, and tried again after a while. client-go: WithTweakListOptions.
   */
  tweakListOptions?: (options: ListOptions) => void;
  /** Changes every object before it is stored. An object on which it throws or returns a promise is left out. client-go: WithTransform. */
  transform?: Transform<KubernetesObject>;
}

/** Makes the informer of a resource for `factory.informerFor`. */
export type NewInformer<T extends KubernetesObject> = (
  cluster: ClusterConnection,
  resyncMs: number,
) => SharedIndexInformer<T>;

/** Typed accessors of every built-in resource: `factory.apps.v1.deployments()`. */
export interface SharedInformerFactory extends GroupAccessors {}

interface Entry {
  readonly resource: Resource;
  /** Unset when it has run and stopped. */
  informer: SharedIndexInformer<KubernetesObject> | undefined;
  started: boolean;
  /** Whether it had synced when it stopped. */
  hadSynced: boolean;
}

/**
 * Makes informers and shares them: one for each type of object, however often it is asked for, so that all who watch
 * pods share one watch and one cache. An informer that has stopped, by `stop` or by the signal of `start`, is let go: who asks
 * for the type afterwards gets a new one, which the next `start` starts. client-go's `informers.SharedInformerFactory`.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the accessors are defined by the constructor
export class SharedInformerFactory implements AsyncDisposable {
  readonly #cluster: ClusterConnection;
  readonly #options: SharedInformerFactoryOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #presence: GroupPresence;
  readonly #strings = new StringTable();
  readonly #customResyncMs: ResourceMap<number>;
  /** By the name of the resource, and `metadata of` it for metadata-only ones. */
  readonly #entries = new Map<string, Entry>();
  readonly #stopping = new AbortController();
  readonly #runs = new Set<Promise<void>>();

  constructor(cluster: ClusterConnection, options: SharedInformerFactoryOptions = {}) {
    wantedNamespaces(options.namespace);
    checkPathsOfAnyKind(options);
    this.#cluster = cluster;
    this.#options = options;
    this.#clock = options.clock ?? cluster.clock ?? systemClock;
    this.#logger = safeLogger(options.logger ?? cluster.logger);
    this.#presence = new GroupPresence(cluster.transport, this.#clock);
    this.#customResyncMs = new ResourceMap(options.customResyncMs);
    defineAccessors(this, (resource) => this.for(resource));
  }

  for<T extends KubernetesObject>(resource: Resource<T>): ResourceInformer<T> {
    return new ResourceInformer(resource, () =>
      this.informerFor(resource, (_cluster, resyncMs) => this.#newInformer(resource, resyncMs)),
    );
  }

  /**
   * By name alone, for resources that are not known when the program is written. A resource that the server does not
   * serve is in state `gone` until it does. A factory with a namespace asks the server whether a custom resource is
   * cluster-scoped (the token says `namespaced: true` either way); until it has an answer, the state says why not.
   * client-go: ForResource, and the dynamic informer factory.
   */
  forResource({ group, version, resource: plural }: GroupVersionResource): ResourceInformer<KubernetesObject> {
    const known = builtinToken(group, version, plural);
    if (known) return this.for(known);
    const resource: Resource = { ...defineResource({ group, version, plural, kind: '*' }), kind: '' };
    return new ResourceInformer(resource, () =>
      this.informerFor(resource, (_cluster, resyncMs) =>
        this.#newInformer(resource, resyncMs, { discoverScope: true }),
      ),
    );
  }

  /** Only the metadata of each object is asked for, sent and kept. client-go: metadatainformer. */
  forMetadata(resource: Resource): ResourceInformer<PartialObjectMetadata> {
    const partial = resource as Resource<PartialObjectMetadata>;
    return new ResourceInformer(partial, () =>
      this.#shared(`metadata of ${resourceName(resource)}`, partial, (_cluster, resyncMs) =>
        this.#newInformer(partial, resyncMs, { metadataOnly: true }),
      ),
    );
  }

  /** The informer of a resource, made by `newInformer` unless there is one; what that throws, this throws. client-go: InformerFor. */
  informerFor<T extends KubernetesObject>(resource: Resource<T>, newInformer: NewInformer<T>): SharedIndexInformer<T> {
    return this.#shared(resourceName(resource), resource, newInformer);
  }

  /** Starts what has been asked for and does not run yet; to be called again after asking for more. Returns at once. */
  start({ signal }: { signal?: AbortSignal } = {}): void {
    if (this.#stopping.signal.aborted) {
      this.#logger.warn('the informer factory was shut down, so start does nothing. Make a new factory.');
      return;
    }
    for (const entry of this.#entries.values()) {
      const { informer } = entry;
      if (entry.started || !informer || informer.isStopped()) continue;
      entry.started = true;
      const stop = AbortSignal.any(signal ? [signal, this.#stopping.signal] : [this.#stopping.signal]);
      const run = informer.run({ signal: stop }).finally(() => {
        this.#runs.delete(run);
        this.#letGo(entry);
      });
      this.#runs.add(run);
    }
  }

  /**
   * Waits for the caches of all started informers. The map says for each resource whether it has synced, all of its informers
   * if it has several: false when `signal` aborted, or the informer was stopped, before. After `timeoutMs` it rejects, naming
   * each that has not, its state and its last error. Any token of a resource finds it in the map.
   */
  async waitForCacheSync(options: WaitOptions = {}): Promise<ResourceMap<boolean>> {
    const started = [...this.#entries.values()].filter((entry) => entry.started);
    await waitForCacheSync(
      started.flatMap(({ informer }) => informer ?? []),
      { ...options, clock: this.#clock },
    );
    const synced = new ResourceMap<boolean>();
    for (const { resource, informer, hadSynced } of started) {
      synced.set(resource, (synced.get(resource) ?? true) && (informer?.hasSynced() ?? hadSynced));
    }
    return synced;
  }

  /**
   * For a readiness probe: whether each informer that runs has synced, and is not without an open watch for longer than
   * `maxOutageMs`. Informers that have not been started, and those that have stopped, do not count.
   */
  health(options: HealthOptions = {}): FactoryHealth {
    return healthOf(this.#entries.values(), this.#clock.now(), options);
  }

  /**
   * Stops every informer; resolves when all has ended. Final and idempotent. Its informers can still be asked for, to read
   * what they held last; one that is asked for afterwards for the first time has stopped, too.
   */
  async shutdown(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#entries.values()].map((entry) => entry.informer?.stop()));
    await Promise.all(this.#runs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  #newInformer<T extends KubernetesObject>(
    resource: Resource<T>,
    resyncMs: number,
    extra: Pick<ClusterOrigin<T>, 'metadataOnly' | 'discoverScope'> = {},
  ): SharedIndexInformer<T> {
    const { namespace, tweakListOptions, transform, customResyncMs: _, ...settings } = this.#options;
    return new SharedIndexInformer<T>({
      ...(settings as InformerSettings<T>),
      cluster: this.#cluster,
      resource,
      resyncMs,
      ...extra,
      ofAnyKind: true,
      presence: this.#presence,
      strings: this.#strings,
      indexers: { [NAMESPACE_INDEX]: metaNamespaceIndex },
      ...(namespace !== undefined && { namespace }),
      ...(tweakListOptions && { tweakListOptions }),
      ...(transform && { transform: transform as unknown as Transform<T> }),
    });
  }

  #shared<T extends KubernetesObject>(
    name: string,
    resource: Resource<T>,
    newInformer: NewInformer<T>,
  ): SharedIndexInformer<T> {
    const known = this.#entries.get(name)?.informer;
    const isOver = this.#stopping.signal.aborted;
    if (known && (isOver || !known.isStopped())) return known as unknown as SharedIndexInformer<T>;
    const resyncMs = this.#customResyncMs.get(resource) ?? this.#options.resyncMs ?? 0;
    const informer = newInformer(this.#cluster, resyncMs);
    if (typeof informer?.run !== 'function') {
      throw new TypeError(`informerFor: the function for ${resourceName(resource)} must return a SharedIndexInformer`);
    }
    if (isOver) void informer.stop();
    const shared = informer as unknown as SharedIndexInformer<KubernetesObject>;
    this.#entries.set(name, { resource, informer: shared, started: false, hadSynced: false });
    return informer;
  }

  #letGo(entry: Entry): void {
    if (this.#stopping.signal.aborted || !entry.informer) return;
    entry.hadSynced = entry.informer.hasSynced();
    entry.informer = undefined;
  }
}
