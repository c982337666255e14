import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { type Resource, resourceName } from '../api/resource.ts';
import type { Transport } from '../api/transport.ts';
import type { CodecMemory } from '../codec/codec.ts';
import type { KeepOptions } from '../codec/keep-options.ts';
import { plainCached } from '../codec/plain-cached.ts';
import type { StringTable } from '../codec/protobuf/string-table.ts';
import { type ResourceCodecOptions, resourceCodec } from '../codec/resource-codec.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ListWatch } from '../reflector/list-watch.ts';
import { ResourceListerWatcher } from '../reflector/resource-lister-watcher.ts';
import { GroupPresence } from './group-presence.ts';
import type { InformerSource } from './informer-part.ts';

/** What an informer needs of a `Cluster`. */
export interface ClusterConnection {
  readonly transport: Transport;
  /** For informers that are not given their own. */
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** The objects of a resource on a server. client-go's `NewFilteredPodInformer` and its like. */
export interface ClusterOrigin<T extends KubernetesObject> extends KeepOptions {
  cluster: ClusterConnection;
  resource: Resource<T>;
  /** One, several, or all when unset. Ignored for cluster-scoped resources. */
  namespace?: string | readonly string[];
  /** Changes the options of every list and watch, for instance to set a selector. client-go: TweakListOptionsFunc. */
  tweakListOptions?: (options: ListOptions) => void;
  /** Ask for nothing but the metadata of each object. Default false. client-go: metadatainformer. */
  metadataOnly?: boolean;
  /** @internal Shared by the informers of a factory. */
  presence?: GroupPresence;
  /** @internal Likewise. */
  strings?: StringTable;
}

/** Whatever the user's own functions return, kept as it is: a plain store. client-go's `NewSharedIndexInformer`. */
export interface ListWatchOrigin<T extends KubernetesObject> {
  listWatch: ListWatch<T>;
  /** Fills in `kind` and `apiVersion` where the functions leave them out, and names the informer. */
  resource?: Resource<T>;
}

export type InformerOrigin<T extends KubernetesObject> = ClusterOrigin<T> | ListWatchOrigin<T>;

/** What the informer is called when nobody gave it a name. */
export function originName<T extends KubernetesObject>(origin: InformerOrigin<T>): string {
  return origin.resource ? resourceName(origin.resource) : 'informer';
}

/** Where the objects come from, and how they are kept. */
export interface OriginParts<T extends KubernetesObject> {
  /** A list and watch for each namespace that is wanted, or one for all of them. */
  readonly sources: readonly InformerSource<T>[];
  /** Of a packed store, all sources together. */
  readonly memory?: CodecMemory;
}

export interface OriginHooks<T extends KubernetesObject> {
  clock?: Clock;
  /** Hears of each stored object whose bytes turn out to be damaged, in the middle of the read. Must not throw. */
  onDamage?: ResourceCodecOptions<T>['onDamage'];
}

/** Throws `TypeError` when a path of `drop` or `keep` cannot be followed. */
export function originParts<T extends KubernetesObject>(
  origin: InformerOrigin<T>,
  { clock = systemClock, onDamage }: OriginHooks<T> = {},
): OriginParts<T> {
  if ('listWatch' in origin) {
    const listerWatcher = origin.listWatch.listerWatcher((object) => plainCached(object, origin.resource));
    return { sources: [{ listerWatcher }] };
  }
  const { cluster, resource, namespace, tweakListOptions } = origin;
  const presence = origin.presence ?? new GroupPresence(cluster.transport, clock);
  const memories: CodecMemory[] = [];
  const source = (only: string | undefined): InformerSource<T> => {
    // One for each: memory in which the lists of several namespaces lie mixed would have to be put in order as they are stored.
    const codec = resourceCodec<T>({ ...codecOptions(origin), ...(onDamage && { onDamage }) });
    if (codec.memory) memories.push(codec.memory);
    return {
      listerWatcher: new ResourceListerWatcher<T>({
        transport: cluster.transport,
        resource,
        codec,
        clock,
        ...(only !== undefined && { namespace: only }),
        ...(tweakListOptions && { tweakListOptions }),
      }),
      ...(only !== undefined && { namespace: only }),
      ...(origin.store !== 'plain' && { pack: (object: T) => codec.fromObject(object) }),
      confirmGone: async (signal) => !(await presence.isServed(resource, signal)),
    };
  };
  const wanted = typeof namespace === 'string' ? [namespace] : [...new Set(namespace ?? [])];
  const isEverywhere = !resource.namespaced || wanted.length === 0 || wanted.includes('');
  const sources = isEverywhere ? [source(undefined)] : wanted.map(source);
  return { sources, ...(memories.length > 0 && { memory: sumOf(memories) }) };
}

function sumOf(memories: readonly CodecMemory[]): CodecMemory {
  return {
    get heldBytes() {
      return memories.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
    },
    get liveBytes() {
      return memories.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
    },
  };
}

function codecOptions<T extends KubernetesObject>(origin: ClusterOrigin<T>): ResourceCodecOptions<T> {
  const { resource, metadataOnly, strings, store, encoding, managedFields, drop, keep, maxObjectBytes } = origin;
  return {
    resource,
    ...(metadataOnly !== undefined && { metadataOnly }),
    ...(strings && { strings }),
    ...(store && { store }),
    ...(encoding && { encoding }),
    ...(managedFields && { managedFields }),
    ...(drop && { drop }),
    ...(keep && { keep }),
    ...(maxObjectBytes !== undefined && { maxObjectBytes }),
  };
}

/** What the cluster was given to see with serves its informers too. */
export function originObservers<T extends KubernetesObject>(
  origin: InformerOrigin<T>,
): Pick<ClusterConnection, 'clock' | 'logger' | 'metrics'> {
  if (!('cluster' in origin)) return {};
  const { clock, logger, metrics } = origin.cluster;
  return { ...(clock && { clock }), ...(logger && { logger }), ...(metrics && { metrics }) };
}
