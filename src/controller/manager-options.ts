import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import type { ResourceOptions } from '../informer/resource-options.ts';
import type { SharedInformerFactory } from '../informer/shared-informer-factory.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Indexers } from '../store/index-definition.ts';
import type { LeaderElectorOptions } from './election-options.ts';
import type { Gate } from './gate.ts';
import type { HealthServerOptions } from './health-server.ts';
import type { ShardingOptions } from './sharding-options.ts';

/** How one resource is cached. */
export interface CacheOptions extends ResourceOptions<KubernetesObject> {
  /** Indexes besides that by namespace. */
  indexers?: Indexers<KubernetesObject> | undefined;
}

/** Options of `Manager`. */
export interface ManagerOptions {
  /** Only these; unset: all. Ignored for cluster-scoped resources, and when a `factory` is given. */
  namespace?: string | readonly string[] | undefined;
  /** Informers to share with others. It is started, and not shut down. Default: one of its own. */
  factory?: SharedInformerFactory | undefined;
  /** How single resources are cached. Ignored for what a given `factory` has an informer of already. */
  resources?: ReadonlyMap<Resource, CacheOptions> | readonly (readonly [Resource, CacheOptions])[] | undefined;
  /** How often everything is run again. 0 or unset: never. Ignored when a `factory` is given. controller-runtime: SyncPeriod. */
  resyncMs?: number | undefined;
  /** Default: the cluster's. */
  logger?: Logger | undefined;
  /** Default: the cluster's. */
  clock?: Clock | undefined;
  /** Default: the cluster's. Names and labels are controller-runtime's. */
  metrics?: Metrics | undefined;
  /** Numbers in [0, 1). */
  random?: (() => number) | undefined;
  /** Answers `/healthz`, `/readyz` and `/debug/status`, and `/metrics` when it is given the text. Default: no server. */
  health?: Pick<HealthServerOptions, 'port' | 'host' | 'metrics'> | undefined;
  /** How long a stop waits for what runs. Default 30 s. controller-runtime: GracefulShutdownTimeout. */
  gracefulStopMs?: number | undefined;
  /**
   * One process at a time runs keys, the others keep their caches warm: docs/leader-election.md. Clock, logger, metrics and random are the manager's
   * unless they are given. Not together with `sharding`. Default: this process works, whatever others do. controller-runtime: LeaderElection.
   */
  leaderElection?: LeaderElectorOptions | undefined;
  /** Several processes share the keys: docs/sharding.md. Not together with `leaderElection`. */
  sharding?: ShardingOptions | undefined;
  /** @internal */
  gate?: Gate | undefined;
}
