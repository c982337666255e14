import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import type { ResourceSettings, SharedInformerFactory } from '../informer/shared-informer-factory.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Gate } from './gate.ts';
import type { HealthServerOptions } from './health-server.ts';

/** How one resource is cached. */
export interface CacheOptions extends Omit<ResourceSettings<KubernetesObject>, 'tweakListOptions'> {
  /** Only what has these labels: `app=web`. The server selects. */
  labelSelector?: string;
  /** Only what has these fields: `spec.nodeName=node-1`. The server selects. */
  fieldSelector?: string;
}

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

/** What an informer gets. */
export function resourceSettings({
  labelSelector,
  fieldSelector,
  ...settings
}: CacheOptions): ResourceSettings<KubernetesObject> {
  if (!labelSelector && !fieldSelector) return settings;
  const tweakListOptions = (options: ListOptions) => {
    if (labelSelector) options.labelSelector = labelSelector;
    if (fieldSelector) options.fieldSelector = fieldSelector;
  };
  return { ...settings, tweakListOptions };
}
