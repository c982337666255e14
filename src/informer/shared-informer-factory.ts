import type { Defined } from '../api/defined.ts';
import type { KubernetesObject, PartialObjectMetadata } from '../api/metadata.ts';
import {
  aBoolean,
  aFunction,
  aNumber,
  anObject,
  anything,
  aText,
  checkedOptions,
  type OptionChecks,
  type ValueCheck,
} from '../api/option-check.ts';
import { defineResource, type GroupVersionResource, type Resource, resourceName } from '../api/resource.ts';
import { mustBeResource } from '../api/resource-check.ts';
import { Cluster } from '../cluster/cluster.ts';
import type { KeepOptions } from '../codec/keep-options.ts';
import { StringTable } from '../codec/protobuf/wire-reader.ts';
import { builtinToken } from '../generated/resources.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { schedulerOf } from '../observe/scheduler.ts';
import { ServerIdentity } from '../snapshot/server-identity.ts';
import type { SnapshotOptions } from '../snapshot/snapshot.ts';
import { SnapshotBook } from '../snapshot/snapshot-book.ts';
import { metaNamespaceIndex, NAMESPACE_INDEX } from '../store/index-definition.ts';
import { defineAccessors, type GroupAccessors } from './accessors.ts';
import { mustBeCluster, type StopArgument, signalOf } from './argument-check.ts';
import { WAIT_CHECKS } from './call-options.ts';
import { FactoryEntries } from './factory-entries.ts';
import { type FactoryHealth, type HealthOptions, healthOf } from './factory-health.ts';
import { FactoryNamespaces } from './factory-namespaces.ts';
import { GroupPresence } from './group-presence.ts';
import type { WaitOptions } from './informer.ts';
import { type InformerSettings, KEEP_CHECKS, onForbidden, SETTING_CHECKS } from './informer-options.ts';
import type { ClusterConnection, ClusterOrigin } from './informer-origin.ts';
import { checkKeepPaths } from './known-paths.ts';
import { ResourceInformer } from './resource-informer.ts';
import { ResourceMap } from './resource-map.ts';
import { FunctionNumbers, type ResourceOptions, settledOptions } from './resource-options.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';
import type { Transform } from './transform.ts';
import { waitForCacheSync } from './wait-for-cache-sync.ts';

/** `KeepOptions` hold for every resource; a path that a kind of object does not have leads nowhere, without an error, but for one of the metadata, which all share. */
export interface SharedInformerFactoryOptions
  extends Omit<InformerSettings<KubernetesObject>, 'name' | 'transform' | 'indexers' | 'resyncMs'>,
    KeepOptions,
    Pick<ClusterOrigin<KubernetesObject>, 'tweakListOptions' | 'onForbidden'> {
  /**
   * Only these; unset: all. An empty list or name is a `TypeError`. Ignored for cluster-scoped resources. `factory.namespaces` adds
   * and removes some later. client-go: WithNamespace.
   */
  namespace?: string | readonly string[] | undefined;
  /** How often handlers hear of everything again. 0 or unset: never. client-go: defaultResync. */
  resyncMs?: number | undefined;
  /** `resyncMs` by resource, for those that want another one. client-go: WithCustomResyncConfig. */
  customResyncMs?: ReadonlyMap<Resource, number> | readonly (readonly [Resource, number])[] | undefined;
  /** Changes every object before it is stored. An object on which it throws or returns a promise is left out. client-go: WithTransform. */
  transform?: Transform<KubernetesObject> | undefined;
  /**
   * Keep what the caches hold in a file, and begin with it the next time, in place of lists: handlers hear of the snapshot as the initial
   * list, and watches go on from its version. What the server cannot go on from is listed. Informers with a `transform` are not
   * saved. Default: no snapshot.
   */
  snapshot?: SnapshotOptions | undefined;
}

const byResource: ValueCheck = (value) => {
  const wanted = 'a Map, or a list of [resource, number of milliseconds]';
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value)) return wanted;
  for (const entry of value as Iterable<unknown>) {
    if (!Array.isArray(entry) || aNumber(entry[1], '') !== undefined) return wanted;
    mustBeResource('customResyncMs', entry[0]);
  }
  return undefined;
};

const { name: _, indexers: __, ...SHARED_CHECKS } = SETTING_CHECKS;

/** `namespace` has a check of its own: see `wantedNamespaces`. */
const FACTORY_CHECKS: OptionChecks<SharedInformerFactoryOptions> = {
  ...SHARED_CHECKS,
  ...KEEP_CHECKS,
  namespace: anything,
  customResyncMs: byResource,
  tweakListOptions: aFunction,
  onForbidden,
  snapshot: anObject,
};

const SNAPSHOT_CHECKS: OptionChecks<SnapshotOptions> = {
  file: aText,
  everyMs: aNumber,
  maxAgeMs: aNumber,
  secrets: aBoolean,
};

/** What a function for `informerFor` gets: the connection, and clients for single requests. */
export interface InformerCluster extends ClusterConnection {
  /** As that of a `Cluster`. */
  client: Cluster['client'];
}

/** Makes an informer for `factory.informerFor`. `resyncMs` is what the factory has for the resource; 0: never. */
export type NewInformer<T extends KubernetesObject> = (
  cluster: InformerCluster,
  resyncMs: number,
) => SharedIndexInformer<T>;

/** Typed accessors of every built-in resource: `factory.apps.v1.deployments()`. */
export interface SharedInformerFactory extends GroupAccessors {}

/**
 * Makes informers and shares them: one for each type of object, however often it is asked for, so that all who watch
 * pods share one watch and one cache. An informer that has stopped, by `stop` or by the signal of `start`, is let go: who asks
 * for the type afterwards gets a new one, which the next `start` starts. client-go's `informers.SharedInformerFactory`.
 *
 * ```ts
 * const factory = new SharedInformerFactory(cluster, { namespace: 'default' });
 * const lister = factory.for(pods).lister();
 * factory.start();
 * await factory.waitForCacheSync();
 * console.log(lister.list().length);
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the accessors are defined by the constructor
export class SharedInformerFactory implements AsyncDisposable {
  /** The namespaces that are watched, and how some come and go. */
  readonly namespaces: FactoryNamespaces;
  readonly #cluster: ClusterConnection;
  readonly #options: Defined<SharedInformerFactoryOptions>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #presence: GroupPresence;
  readonly #strings = new StringTable();
  readonly #functions = new FunctionNumbers();
  readonly #customResyncMs: ResourceMap<number>;
  readonly #entries = new FactoryEntries();
  readonly #stopping = new AbortController();
  readonly #runs = new Set<Promise<void>>();
  readonly #snapshots: SnapshotBook | undefined;
  #hasStarted = false;

  /**
   * Throws a `TypeError` for what is not a cluster, for unknown options, and for values that will not do.
   *
   * ```ts
   * const factory = new SharedInformerFactory(cluster, { namespace: ['shop', 'billing'], drop: ['metadata.annotations'] });
   * ```
   */
  constructor(cluster: ClusterConnection, options: SharedInformerFactoryOptions = {}) {
    mustBeCluster('new SharedInformerFactory', cluster);
    const checked = checkedOptions('SharedInformerFactory', options, FACTORY_CHECKS);
    checkKeepPaths(undefined, checked);
    this.#cluster = cluster;
    this.#options = checked;
    this.#clock = checked.clock ?? cluster.clock ?? systemClock;
    this.#logger = safeLogger(checked.logger ?? cluster.logger);
    this.#presence = new GroupPresence(cluster.transport, this.#clock, checked.goneCheckMs);
    this.#customResyncMs = new ResourceMap(checked.customResyncMs);
    this.#snapshots = checked.snapshot && this.#newSnapshots(checked.snapshot);
    this.namespaces = new FactoryNamespaces({
      namespace: checked.namespace,
      followers: () => this.#entries.followers(),
      stopping: this.#stopping.signal,
      clock: this.#clock,
    });
    defineAccessors(this, (resource, options) => this.for(resource, options));
  }

  /**
   * The informer of a resource, with options of its own if need be: the same options again (equal by value, functions by identity)
   * mean the same informer, others another one, which logs and metrics call by its options: `pods.v1[app=web]`.
   *
   * ```ts
   * const web = factory.for(pods, { labelSelector: 'app=web', keep: ['metadata', 'status.phase'] });
   * ```
   */
  for<T extends KubernetesObject>(resource: Resource<T>, options?: ResourceOptions<T>): ResourceInformer<T> {
    mustBeResource('for', resource);
    return this.#handle(resource, options, {});
  }

  /**
   * By name alone, for resources that are not known when the program is written. A resource that the server does not
   * serve is in state `gone` until it does. A factory with a namespace asks the server whether a custom resource is
   * cluster-scoped (the token says `namespaced: true` either way); until it has an answer, the state says why not.
   * client-go: ForResource, and the dynamic informer factory.
   */
  forResource(
    { group, version, resource: plural }: GroupVersionResource,
    options?: ResourceOptions<KubernetesObject>,
  ): ResourceInformer<KubernetesObject> {
    const known = builtinToken(group, version, plural);
    if (known) return this.for(known, options);
    const resource: Resource = { ...defineResource({ group, version, plural, kind: '*' }), kind: '' };
    return this.#handle(resource, options, { discoverScope: true });
  }

  /** Only the metadata of each object is asked for, sent and kept. client-go: metadatainformer. */
  forMetadata(
    resource: Resource,
    options?: ResourceOptions<PartialObjectMetadata>,
  ): ResourceInformer<PartialObjectMetadata> {
    mustBeResource('forMetadata', resource);
    return this.#handle(resource as Resource<PartialObjectMetadata>, options, { metadataOnly: true });
  }

  /** The informer of a resource, made by `newInformer` unless there is one; what that throws, this throws. client-go: InformerFor. */
  informerFor<T extends KubernetesObject>(resource: Resource<T>, newInformer: NewInformer<T>): SharedIndexInformer<T> {
    mustBeResource('informerFor', resource);
    if (typeof newInformer !== 'function') {
      throw new TypeError(`informerFor needs a function that makes the informer of ${resourceName(resource)}`);
    }
    const make = (resyncMs: number) => newInformer(withClient(this.#cluster), resyncMs);
    return this.#shared(resourceName(resource), resource, false, make);
  }

  /** The informers at present, in the order in which they were asked for; not those that have stopped. For those who look inside. */
  informers(): readonly SharedIndexInformer<KubernetesObject>[] {
    return [...this.#entries].flatMap(({ informer }) => informer ?? []);
  }

  /**
   * Starts what has been asked for and does not run yet; to be called again after asking for more. Returns at once.
   *
   * ```ts
   * const stop = new AbortController();
   * process.once('SIGTERM', () => stop.abort());
   * factory.start({ signal: stop.signal });
   * ```
   */
  start(stop: StopArgument = {}): void {
    const signal = signalOf('start', stop);
    if (this.#stopping.signal.aborted) {
      this.#logger.warn('the informer factory was shut down, so start does nothing. Make a new factory.');
      return;
    }
    this.#hasStarted = true;
    for (const entry of this.#entries) {
      const { informer } = entry;
      if (entry.started || !informer || informer.isStopped()) continue;
      entry.started = true;
      const either = AbortSignal.any(signal ? [signal, this.#stopping.signal] : [this.#stopping.signal]);
      const run = informer.run({ signal: either }).finally(async () => {
        if (!this.#stopping.signal.aborted) this.#entries.letGo(entry);
        this.#runs.delete(run);
        if (this.#runs.size > 0 || this.#stopping.signal.aborted) return;
        await this.#snapshots?.stop();
      });
      this.#runs.add(run);
    }
    if (this.#runs.size > 0) this.#snapshots?.start();
  }

  /**
   * Waits for the caches of all informers. The map says for each resource whether it has synced, all of its informers
   * if it has several: false when `signal` aborted, or the informer was stopped, before. After `timeoutMs` it rejects, naming
   * each that has not, its state and its last error. Any token of a resource finds it in the map. Rejects at once when an informer has been
   * asked for and was never started, also one that was asked for after the last `start`.
   *
   * ```ts
   * const synced = await factory.waitForCacheSync({ timeoutMs: 30_000 });
   * console.log(synced.get(pods)); // true
   * ```
   */
  async waitForCacheSync(options: WaitOptions = {}): Promise<ResourceMap<boolean>> {
    if (!this.#stopping.signal.aborted) this.#entries.mustHaveStarted();
    const started = this.#entries.started();
    await waitForCacheSync(
      started.flatMap(({ informer }) => informer ?? []),
      { ...checkedOptions('waitForCacheSync', options, WAIT_CHECKS), clock: this.#clock },
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
    return healthOf(this.#entries, this.#clock.now(), options);
  }

  /**
   * Stops one informer of this factory and forgets it; resolves when all of it has ended. Who asks for the same afterwards gets a new one.
   * For one that has been released it does nothing. Throws a `TypeError` for an informer of somewhere else, and for a selection, which shares
   * the informer that it is a part of.
   */
  async release<T extends KubernetesObject>(informer: SharedIndexInformer<T> | ResourceInformer<T>): Promise<void> {
    await this.#entries.release(informer);
  }

  /**
   * Stops every informer; resolves when all has ended. Final and idempotent. Its informers can still be asked for, to read
   * what they held last; one that is asked for afterwards for the first time has stopped, too.
   *
   * ```ts
   * process.once('SIGTERM', () => void factory.shutdown());
   * ```
   */
  async shutdown(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#entries].map((entry) => entry.informer?.stop()));
    await Promise.all(this.#runs);
    await this.#snapshots?.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  /** Wrong options are told at once, and not when the informer is made. */
  #handle<T extends KubernetesObject>(
    resource: Resource<T>,
    options: ResourceOptions<T> | undefined,
    extra: Pick<ClusterOrigin<T>, 'metadataOnly' | 'discoverScope'>,
  ): ResourceInformer<T> {
    const { tweakListOptions: tweak } = this.#options;
    const name = resourceName(resource);
    const settled = settledOptions(`the options of ${name}`, resource, options, { tweak, functions: this.#functions });
    const what = extra.metadataOnly ? 'metadata' : '';
    const key = `${name}${what && `[${what}]`}${settled.key}`;
    const summary = [what, settled.summary].filter(Boolean).join(' ');
    const follows = settled.settings.namespace === undefined && this.namespaces.list() !== undefined;
    const find = () =>
      this.#shared(key, resource, follows, (resyncMs) => {
        const own = summary && { name: this.#entries.freeName(`${name}[${shortened(summary)}]`) };
        return this.#newInformer(resource, { resyncMs, ...settled.settings, ...extra, ...own });
      });
    return this.#entries.addHandle(new ResourceInformer(resource, find));
  }

  #newSnapshots(options: SnapshotOptions): SnapshotBook {
    const checked = checkedOptions('the snapshot of a SharedInformerFactory', options, SNAPSHOT_CHECKS);
    if (!checked.file) throw new TypeError('the snapshot of a SharedInformerFactory needs a file');
    const { transport, server } = this.#cluster;
    const identity = new ServerIdentity({ transport, server: server && URL.canParse(server) ? server : undefined });
    return new SnapshotBook({ ...checked, identity, clock: this.#clock, logger: this.#logger });
  }

  #newInformer<T extends KubernetesObject>(
    resource: Resource<T>,
    own: Partial<ClusterOrigin<T>> & Pick<InformerSettings<T>, 'name' | 'resyncMs' | 'transform'>,
  ): SharedIndexInformer<T> {
    const { namespace: _, customResyncMs: __, snapshot: ___, transform, ...settings } = this.#options;
    const namespaces = own.namespace === undefined ? this.namespaces.list() : undefined;
    return new SharedIndexInformer<T>({
      ...(settings as InformerSettings<T>),
      ...(transform && { transform: transform as unknown as Transform<T> }),
      indexers: { [NAMESPACE_INDEX]: metaNamespaceIndex },
      ...own,
      cluster: this.#cluster,
      resource,
      ofAnyKind: own.drop === undefined && own.keep === undefined,
      presence: this.#presence,
      strings: this.#strings,
      ...(namespaces && { namespaces }),
      ...(this.#snapshots && { snapshots: this.#snapshots }),
    });
  }

  #shared<T extends KubernetesObject>(
    key: string,
    resource: Resource<T>,
    follows: boolean,
    make: (resyncMs: number) => SharedIndexInformer<T>,
  ): SharedIndexInformer<T> {
    const known = this.#entries.find(key);
    const isOver = this.#stopping.signal.aborted;
    if (known && (isOver || !known.isStopped())) return known as unknown as SharedIndexInformer<T>;
    const informer = make(this.#customResyncMs.get(resource) ?? this.#options.resyncMs ?? 0);
    if (typeof informer?.run !== 'function') {
      throw new TypeError(`informerFor: the function for ${resourceName(resource)} must return a SharedIndexInformer`);
    }
    if (isOver) void informer.stop();
    else if (this.#hasStarted) schedulerOf(this.#clock).nextTurn(() => this.#warnUnlessStarted(informer));
    this.#entries.set(key, resource, informer as unknown as SharedIndexInformer<KubernetesObject>, follows);
    return informer;
  }

  /** Who asks for a lister late, and does not call `start` again, would read an empty cache without a word. */
  #warnUnlessStarted(informer: Pick<SharedIndexInformer<KubernetesObject>, 'name' | 'hasStarted' | 'isStopped'>): void {
    if (informer.hasStarted || informer.isStopped() || this.#stopping.signal.aborted) return;
    this.#logger.warn(
      `${informer.name} was asked for after factory.start(), and does not run: its cache stays empty until start is called again.`,
    );
  }
}

/** Names stand in each line of the log. */
const MAX_SUMMARY = 80;

function shortened(summary: string): string {
  return summary.length > MAX_SUMMARY ? `${summary.slice(0, MAX_SUMMARY)}…` : summary;
}

/** The cluster itself, unless the factory was given less. */
function withClient(cluster: ClusterConnection): InformerCluster {
  if ('client' in cluster) return cluster as InformerCluster;
  const { transport, clock, logger, metrics } = cluster;
  const whole = Cluster.over(transport, { clock, logger, metrics });
  return Object.assign(Object.create(cluster) as ClusterConnection, {
    client: whole.client.bind(whole) as Cluster['client'],
  });
}
