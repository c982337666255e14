import { defined } from '../api/defined.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Reachability } from '../api/reachability.ts';
import { type Resource, resourceName } from '../api/resource.ts';
import type { Transport } from '../api/transport.ts';
import { TransportError } from '../api/transport-error.ts';
import type { Codec } from '../codec/codec.ts';
import { fieldRules, isKept, reductionBy } from '../codec/filter/field-filter.ts';
import type { KeepOptions } from '../codec/keep-options.ts';
import { transformedCached } from '../codec/plain/decoded-objects.ts';
import { StringTable } from '../codec/protobuf/wire-reader.ts';
import { type ResourceCodecOptions, resourceCodecs } from '../codec/resource-codec.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ListerWatcher } from '../reflector/lister-watcher.ts';
import { plainSource } from '../reflector/plain-source.ts';
import { ResourceListerWatcher } from '../reflector/resource-lister-watcher.ts';
import type { SavedPart, SnapshotBook } from '../snapshot/snapshot-book.ts';
import { DiscoveredNamespaces, fixedCoverage, wantedNamespaces } from './coverage.ts';
import { DiscoveredScope, ScopedListerWatcher } from './discovered-scope.ts';
import { GroupPresence } from './group-presence.ts';
import type { InformerSource } from './informer-part.ts';
import type { InformerPartsOptions } from './informer-parts.ts';

/** What an informer needs of a `Cluster`. */
export interface ClusterConnection {
  readonly transport: Transport;
  /** For informers that are not given their own. */
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  /** Shared by all informers of the cluster. Unset: waits after failed connections do not end early. */
  readonly reachability?: Reachability | undefined;
  /** Aborts when the connection is closed: its informers stop then. */
  readonly closed?: AbortSignal | undefined;
  /** The address of the server, as people see it. */
  readonly server?: string | undefined;
}

/** The objects of a resource on a server. client-go's `NewFilteredPodInformer` and its like. */
export interface ClusterOrigin<T extends KubernetesObject> extends KeepOptions<T> {
  /** A `Cluster`. */
  cluster: ClusterConnection;
  /** A token of `tidewatch/api/…`, or one of `defineResource`. */
  resource: Resource<T>;
  /** One, several, or all when unset; an empty list or name is a `TypeError`. Ignored for cluster-scoped resources. */
  namespace?: string | readonly string[] | undefined;
  /**
   * Changes the options of every list and watch, for instance to set a selector; the resource says of what. When it throws or returns a
   * promise, that list or watch has failed: it is reported, and tried again after a while. client-go: TweakListOptionsFunc,
   * WithTweakListOptions.
   */
  tweakListOptions?: ((options: ListOptions, resource: Resource) => void) | undefined;
  /** Ask for nothing but the metadata of each object. Default false. client-go: metadatainformer. */
  metadataOnly?: boolean | undefined;
  /** @internal `drop` and `keep` are meant for every kind: one that lacks a path is not a mistake. */
  ofAnyKind?: boolean | undefined;
  /**
   * What becomes of a namespace that the login may not list. `wait`: the informer has synced when the right has come. `skip`: it syncs
   * without, `state.missing` names the namespace, and its objects come as adds when the right has come. Of several namespaces one at least
   * must be allowed. Ignored without `namespace`. Default `wait`.
   */
  onForbidden?: 'wait' | 'skip' | undefined;
  /** @internal In place of `namespace`: those of a factory, which come and go. May be none. */
  namespaces?: readonly string[] | undefined;
  /** @internal Shared by the informers of a factory. */
  presence?: GroupPresence | undefined;
  /** @internal Likewise. */
  strings?: StringTable | undefined;
  /** @internal What the informers of a factory begin with, and leave behind. */
  snapshots?: SnapshotBook | undefined;
  /** @internal `resource.namespaced` is a guess: the server knows. */
  discoverScope?: boolean | undefined;
}

/** Whatever the user's own functions return, kept as it is: a plain store. client-go's `NewSharedIndexInformer`. */
export interface ListWatchOrigin<T extends KubernetesObject> {
  /** A `ListWatch`, or an object with the same functions. */
  listWatch: ListerWatcher<T>;
  /**
   * Fills in `kind` and `apiVersion` where the functions leave them out, and names the informer. Objects of another kind or
   * version are left out and reported.
   */
  resource?: Resource<T> | undefined;
}

/** Where the objects of an informer come from: a cluster, or functions of your own. */
export type InformerOrigin<T extends KubernetesObject> = ClusterOrigin<T> | ListWatchOrigin<T>;

/** What the informer is called when nobody gave it a name. */
export function originName<T extends KubernetesObject>(origin: InformerOrigin<T>): string {
  return origin.resource ? resourceName(origin.resource) : 'informer';
}

export interface OriginHooks<T extends KubernetesObject> {
  clock: Clock;
  logger: Logger;
  goneCheckMs: number | undefined;
  /** The connection has been closed: no request will ever be answered again. */
  onClosed: () => void;
  /** Hears of each stored object whose bytes turn out to be damaged, in the middle of the read. Must not throw. */
  onDamage: NonNullable<ResourceCodecOptions<T>['onDamage']>;
}

/** Where the objects come from, and how they are kept. Throws `TypeError` when a namespace cannot be one, or a path of `drop` or `keep` cannot be followed. */
export function originParts<T extends KubernetesObject>(
  origin: InformerOrigin<T>,
  { clock, logger, goneCheckMs, onDamage, onClosed }: OriginHooks<T>,
): Pick<InformerPartsOptions<T>, 'namespaces' | 'source'> {
  if ('listWatch' in origin) {
    if ('namespace' in origin && origin.namespace !== undefined) {
      throw new TypeError(
        'namespace has no effect on a listWatch, whose functions decide what they list: leave it out',
      );
    }
    const { listWatch, resource } = origin;
    const listerWatcher = plainSource(listWatch, resource);
    const keepTransformed = (object: T) => transformedCached(object, resource);
    const coverage = fixedCoverage(undefined);
    return { namespaces: undefined, source: () => ({ listerWatcher, coverage, keepTransformed }) };
  }
  const { cluster, resource, tweakListOptions } = origin;
  const wanted = origin.namespaces ?? wantedNamespaces(origin.namespace);
  const transport = tellingWhenClosed(cluster.transport, onClosed);
  const presence = origin.presence ?? new GroupPresence(transport, clock, goneCheckMs);
  // A table is larger than all else that a quiet watch takes.
  const strings = origin.strings ?? (wanted && wanted.length > 1 ? new StringTable() : undefined);
  const { metadataOnly, store, encoding, managedFields, drop, keep, maxObjectBytes } = origin;
  const kept = { metadataOnly, store, encoding, managedFields, drop, keep, maxObjectBytes };
  const codecs = resourceCodecs<T>(defined({ resource, ...kept, strings, clock, onDamage }));
  const scope = wanted && origin.discoverScope ? new DiscoveredScope(resource, presence) : undefined;
  const members = scope && new DiscoveredNamespaces(scope);
  const source = (namespace: string | undefined): InformerSource<T> => {
    // One for each: memory in which the lists of several namespaces lie mixed would have to be put in order as they are stored.
    const codec = codecs();
    const listerWatcherOf = (where: string | undefined) =>
      new ResourceListerWatcher<T>({
        transport,
        resource,
        codec,
        clock,
        ...(where !== undefined && { namespace: where }),
        ...(tweakListOptions && { tweakListOptions: (options: ListOptions) => tweakListOptions(options, resource) }),
      });
    const extras = {
      keepTransformed: (object: T) => codec.fromTransform(object),
      ...(cluster.reachability && { reachability: cluster.reachability }),
      ...(codec.memory && { memory: codec.memory }),
    };
    if (scope && members) {
      return {
        ...extras,
        listerWatcher: new ScopedListerWatcher(scope, (namespaced) =>
          listerWatcherOf(namespaced ? namespace : undefined),
        ),
        coverage: members.coverageOf(namespace ?? ''),
        confirmGone: (signal) => scope.isGone(signal),
      };
    }
    const listerWatcher = listerWatcherOf(namespace);
    const saved = savedPart(origin, namespace, listerWatcher.selection, codec);
    return {
      ...extras,
      ...(saved && { saved }),
      listerWatcher,
      coverage: fixedCoverage(namespace),
      confirmGone: goneCheck(presence, resource, namespace, logger),
    };
  };
  return { namespaces: scope || resource.namespaced ? wanted : undefined, source };
}

/** Found again by all that decides on which objects there are and what is kept of them. */
function savedPart<T extends KubernetesObject>(
  origin: ClusterOrigin<T>,
  namespace: string | undefined,
  selection: () => string | undefined,
  codec: Codec<T>,
): SavedPart<T> | undefined {
  const { resource, snapshots, metadataOnly, managedFields, drop, keep } = origin;
  const query = snapshots && selection();
  if (snapshots === undefined || query === undefined) return undefined;
  const description = {
    resource: resourceName(resource),
    namespace,
    query,
    metadataOnly,
    managedFields,
    drop: drop?.toSorted(),
    keep: keep?.toSorted(),
  };
  const isSecret = resource.group === '' && resource.plural === 'secrets';
  return snapshots.part<T>(description, codec, isSecret);
}

/** Besides what the server does not serve, what it does not serve in a namespace: a list there would fail forever. */
function goneCheck(presence: GroupPresence, resource: Resource, namespace: string | undefined, logger: Logger) {
  let isTold = false;
  return async (signal: AbortSignal): Promise<boolean> => {
    const found = await presence.find(resource, { signal });
    if (found === undefined) return true;
    if (found.namespaced || namespace === undefined) return false;
    if (!isTold) {
      logger.warn(
        `${resourceName(resource)} is cluster-scoped, but its token says that it is namespaced. Define it with namespaced: false.`,
      );
    }
    isTold = true;
    return true;
  };
}

function tellingWhenClosed(transport: Transport, onClosed: () => void): Transport {
  return {
    request: async (request) => {
      try {
        return await transport.request(request);
      } catch (error) {
        if (error instanceof TransportError && error.kind === 'closed') onClosed();
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

/** Throws a `TypeError` for a key that no object of an informer of this name can have. */
export function keyCheck<T extends KubernetesObject>(name: string, origin: InformerOrigin<T>): (key: string) => void {
  const isNamespaced = 'cluster' in origin && origin.resource.namespaced && origin.discoverScope !== true;
  return (key) => {
    if (!isNamespaced || (typeof key === 'string' && key.indexOf('/') > 0)) return;
    throw new TypeError(`${name} never holds "${key}": its objects have a namespace, so the key is namespace/name`);
  };
}

/**
 * Why the cache has nothing at a path of its objects, whatever the server has there: the end of "it comes from a cache that …".
 * Undefined when it is held; a transform is not considered.
 */
export function whyNotHeld<T extends KubernetesObject>(origin: InformerOrigin<T>, path: string): string | undefined {
  if ('listWatch' in origin) return undefined;
  if (origin.metadataOnly && !/^(metadata\.|kind$|apiVersion$)/.test(path)) return 'keeps only the metadata';
  return isKept(fieldRules(origin), path) ? undefined : reductionBy(origin)?.what;
}

/** What the cluster was given to see with serves its informers too. */
export function originObservers<T extends KubernetesObject>(
  origin: InformerOrigin<T>,
): Pick<ClusterConnection, 'clock' | 'logger' | 'metrics'> {
  if (!('cluster' in origin)) return {};
  const { clock, logger, metrics } = origin.cluster;
  return { ...(clock && { clock }), ...(logger && { logger }), ...(metrics && { metrics }) };
}
