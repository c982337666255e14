import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject, PartialObjectMetadata } from '../api/metadata.ts';
import { defineResource, type GroupVersionResource, type Resource, resourceName } from '../api/resource.ts';
import type { KeepOptions } from '../codec/keep-options.ts';
import { StringTable } from '../codec/protobuf/string-table.ts';
import { findBuiltin } from '../generated/resources.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { metaNamespaceIndex, NAMESPACE_INDEX } from '../store/index-definition.ts';
import { defineAccessors, type GroupAccessors } from './accessors.ts';
import { type FactoryHealth, type HealthOptions, healthOf } from './factory-health.ts';
import { GroupPresence } from './group-presence.ts';
import type { WaitOptions } from './informer.ts';
import type { ClusterConnection } from './informer-origin.ts';
import { ResourceInformer } from './resource-informer.ts';
import { type InformerSettings, SharedIndexInformer } from './shared-index-informer.ts';
import type { Transform } from './transform.ts';
import { waitForCacheSync } from './wait-for-cache-sync.ts';

/** `KeepOptions` hold for every resource; a path that a kind of object does not have leads nowhere, and is no error. */
export interface SharedInformerFactoryOptions
  extends Omit<InformerSettings<KubernetesObject>, 'name' | 'transform' | 'indexers' | 'resyncMs'>,
    KeepOptions {
  /** Only these; unset: all. Ignored for cluster-scoped resources. client-go: WithNamespace. */
  namespace?: string | readonly string[];
  /** How often handlers hear of everything again. 0 or unset: never. client-go: defaultResync. */
  resyncMs?: number;
  /** The same, by resource. client-go: WithCustomResyncConfig. */
  customResyncMs?: ReadonlyMap<Resource, number> | readonly (readonly [Resource, number])[];
  /** Changes the options of every list and watch. client-go: WithTweakListOptions. */
  tweakListOptions?: (options: ListOptions) => void;
  /** Changes every object before it is stored. client-go: WithTransform. */
  transform?: Transform<KubernetesObject>;
}

export type NewInformer<T extends KubernetesObject> = (
  cluster: ClusterConnection,
  resyncMs: number,
) => SharedIndexInformer<T>;

/** Typed accessors of every built-in resource: `factory.apps.v1.deployments()`. */
export interface SharedInformerFactory extends GroupAccessors {}

interface Entry {
  readonly resource: Resource;
  readonly informer: SharedIndexInformer<KubernetesObject>;
  started: boolean;
}

/**
 * Makes informers and shares them: one for each type of object, however often it is asked for, so that all who watch
 * pods share one watch and one cache. client-go's `informers.SharedInformerFactory`.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the accessors are defined by the constructor
export class SharedInformerFactory implements AsyncDisposable {
  readonly #cluster: ClusterConnection;
  readonly #options: SharedInformerFactoryOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #presence: GroupPresence;
  readonly #strings = new StringTable();
  readonly #customResyncMs: ReadonlyMap<string, number>;
  /** By the name of the resource, and `metadata of` it for metadata-only ones. */
  readonly #entries = new Map<string, Entry>();
  readonly #stopping = new AbortController();
  readonly #runs = new Set<Promise<void>>();

  constructor(cluster: ClusterConnection, options: SharedInformerFactoryOptions = {}) {
    this.#cluster = cluster;
    this.#options = options;
    this.#clock = options.clock ?? cluster.clock ?? systemClock;
    this.#logger = safeLogger(options.logger ?? cluster.logger);
    this.#presence = new GroupPresence(cluster.transport, this.#clock);
    this.#customResyncMs = new Map(
      [...(options.customResyncMs ?? [])].map(([resource, resyncMs]) => [resourceName(resource), resyncMs]),
    );
    defineAccessors(this, (resource) => this.for(resource));
  }

  for<T extends KubernetesObject>(resource: Resource<T>): ResourceInformer<T> {
    return new ResourceInformer(resource, () =>
      this.informerFor(resource, (_cluster, resyncMs) => this.#newInformer(resource, resyncMs)),
    );
  }

  /**
   * By name alone, for resources that are not known when the program is written. A resource that the server does not
   * serve is in state `gone` until it does. client-go: ForResource, and the dynamic informer factory.
   */
  forResource({ group, version, resource: plural }: GroupVersionResource): ResourceInformer<KubernetesObject> {
    const known = findBuiltin(group, version, plural);
    if (known) return this.for(defineResource(known));
    return this.for({ ...defineResource({ group, version, plural, kind: '*' }), kind: '' });
  }

  /** Only the metadata of each object is asked for, sent and kept. client-go: metadatainformer. */
  forMetadata(resource: Resource): ResourceInformer<PartialObjectMetadata> {
    const partial = resource as Resource<PartialObjectMetadata>;
    return new ResourceInformer(partial, () =>
      this.#shared(`metadata of ${resourceName(resource)}`, partial, (_cluster, resyncMs) =>
        this.#newInformer(partial, resyncMs, true),
      ),
    );
  }

  /** The informer of a resource, made by `newInformer` unless there is one. client-go: InformerFor. */
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
      if (entry.started) continue;
      entry.started = true;
      const stop = AbortSignal.any(signal ? [signal, this.#stopping.signal] : [this.#stopping.signal]);
      const run = entry.informer.run({ signal: stop }).finally(() => this.#runs.delete(run));
      this.#runs.add(run);
    }
  }

  /**
   * Waits for the caches of all started informers. The map says for each whether it has synced: false when `signal`
   * aborted, or the factory was shut down, before. After `timeoutMs` it rejects, naming each that has not, its state and
   * its last error.
   */
  async waitForCacheSync(options: WaitOptions = {}): Promise<Map<Resource, boolean>> {
    const started = [...this.#entries.values()].filter((entry) => entry.started);
    await waitForCacheSync(
      started.map((entry) => entry.informer),
      { ...options, clock: this.#clock },
    );
    return new Map(started.map(({ resource, informer }) => [resource, informer.hasSynced()]));
  }

  /**
   * For a readiness probe: whether each informer that runs has synced, and is not without an open watch for longer than
   * `maxOutageMs`. Informers that have not been started, and those that have stopped, do not count.
   */
  health(options: HealthOptions = {}): FactoryHealth {
    return healthOf(this.#entries.values(), this.#clock.now(), options);
  }

  /** Stops every informer; resolves when all has ended. Final and idempotent. */
  async shutdown(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#entries.values()].map((entry) => entry.informer.stop()));
    await Promise.all(this.#runs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  #newInformer<T extends KubernetesObject>(
    resource: Resource<T>,
    resyncMs: number,
    metadataOnly = false,
  ): SharedIndexInformer<T> {
    const { namespace, tweakListOptions, transform, customResyncMs: _, ...settings } = this.#options;
    return new SharedIndexInformer<T>({
      ...(settings as InformerSettings<T>),
      cluster: this.#cluster,
      resource,
      resyncMs,
      metadataOnly,
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
    let entry = this.#entries.get(name);
    if (!entry) {
      const resyncMs = this.#customResyncMs.get(resourceName(resource)) ?? this.#options.resyncMs ?? 0;
      const informer = newInformer(this.#cluster, resyncMs);
      entry = { resource, informer: informer as unknown as SharedIndexInformer<KubernetesObject>, started: false };
      this.#entries.set(name, entry);
    }
    return entry.informer as unknown as SharedIndexInformer<T>;
  }
}
