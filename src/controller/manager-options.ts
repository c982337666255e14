import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import type { ResourceOptions } from '../informer/resource-options.ts';
import type { SharedInformerFactory } from '../informer/shared-informer-factory.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Indexers } from '../store/index-definition.ts';
import type { Gate } from './gate.ts';
import type { HealthServerOptions } from './health-server.ts';

/** How one resource is cached. */
export interface CacheOptions extends ResourceOptions<KubernetesObject> {
  /** Indexes besides that by namespace. */
  indexers?: Indexers<KubernetesObject> | undefined;
}

/** Options of `Manager`. */
export interface ManagerOptions {
  /** Only these; unset: all. Ignored for cluster-scoped resources, and when a `factory` is given. */
  namespace?: string | readonly string[];
  /** Informers to share with others. It is started, and not shut down. Default: one of its own. */
  factory?: SharedInformerFactory;
  /** How single resources are cached. Ignored for what a given `factory` has an informer of already. */
  resources?: ReadonlyMap<Resource, CacheOptions> | readonly (readonly [Resource, CacheOptions])[];
  /** How often everything is run again. 0 or unset: never. Ignored when a `factory` is given. controller-runtime: SyncPeriod. */
  resyncMs?: number;
  /** Default: the cluster's. */
  logger?: Logger;
  /** Default: the cluster's. */
  clock?: Clock;
  /** Default: the cluster's. Names and labels are controller-runtime's. */
  metrics?: Metrics;
  /** Numbers in [0, 1). */
  random?: () => number;
  /** Answers `/healthz` and `/readyz`, and `/metrics` when it is given the text. Default: no server. */
  health?: Pick<HealthServerOptions, 'port' | 'host' | 'metrics'>;
  /** How long a stop waits for what runs. Default 30 s. controller-runtime: GracefulShutdownTimeout. */
  gracefulStopMs?: number;
  /** @internal */
  gate?: Gate;
}
