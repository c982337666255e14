import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { type Resource, resourceName } from '../api/resource.ts';
import type { Transport } from '../api/transport.ts';
import { JsonCodec } from '../codec/json-codec.ts';
import { PackedCodec } from '../codec/packed/packed-codec.ts';
import { plainCached } from '../codec/plain-cached.ts';
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
export interface ClusterOrigin<T extends KubernetesObject> {
  cluster: ClusterConnection;
  resource: Resource<T>;
  /** One, several, or all when unset. Ignored for cluster-scoped resources. */
  namespace?: string | readonly string[];
  /** Changes the options of every list and watch, for instance to set a selector. client-go: TweakListOptionsFunc. */
  tweakListOptions?: (options: ListOptions) => void;
  /** Ask for nothing but the metadata of each object. Default false. client-go: metadatainformer. */
  metadataOnly?: boolean;
  /** Whether objects keep `metadata.managedFields`, which are about half of their size. Default `drop`. */
  managedFields?: 'keep' | 'drop';
  /**
   * `json`: objects are decoded when they arrive, and kept so; a reader that changes one changes the cache. `protobuf`: built-in
   * kinds come in protobuf where the server has it and are kept as bytes, a fraction of the memory; each read gives an object
   * of its own, whose fields are decoded when they are looked at. Custom resources are JSON in any case. Default `json`.
   */
  encoding?: 'json' | 'protobuf';
  /** @internal Shared by the informers of a factory. */
  presence?: GroupPresence;
}

/** Whatever the user's own functions return. client-go's `NewSharedIndexInformer`. */
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

/** A list and watch for each namespace that is wanted, or one for all of them. */
export function originSources<T extends KubernetesObject>(
  origin: InformerOrigin<T>,
  clock: Clock = systemClock,
): InformerSource<T>[] {
  if ('listWatch' in origin) {
    return [{ listerWatcher: origin.listWatch.listerWatcher((object) => plainCached(object, origin.resource)) }];
  }
  const { cluster, resource, namespace, tweakListOptions, metadataOnly, managedFields } = origin;
  const presence = origin.presence ?? new GroupPresence(cluster.transport, clock);
  const codecOptions = {
    resource,
    ...(metadataOnly !== undefined && { metadataOnly }),
    ...(managedFields !== undefined && { managedFields }),
  };
  const codec = origin.encoding === 'protobuf' ? new PackedCodec<T>(codecOptions) : new JsonCodec<T>(codecOptions);
  const source = (only: string | undefined): InformerSource<T> => ({
    listerWatcher: new ResourceListerWatcher<T>({
      transport: cluster.transport,
      resource,
      codec,
      ...(only !== undefined && { namespace: only }),
      ...(tweakListOptions && { tweakListOptions }),
    }),
    ...(only !== undefined && { namespace: only }),
    confirmGone: async () => !(await presence.isServed(resource)),
  });
  const wanted = typeof namespace === 'string' ? [namespace] : [...new Set(namespace ?? [])];
  if (!resource.namespaced || wanted.length === 0 || wanted.includes('')) return [source(undefined)];
  return wanted.map(source);
}

/** What the cluster was given to see with serves its informers too. */
export function originObservers<T extends KubernetesObject>(
  origin: InformerOrigin<T>,
): Pick<ClusterConnection, 'clock' | 'logger' | 'metrics'> {
  if (!('cluster' in origin)) return {};
  const { clock, logger, metrics } = origin.cluster;
  return { ...(clock && { clock }), ...(logger && { logger }), ...(metrics && { metrics }) };
}
