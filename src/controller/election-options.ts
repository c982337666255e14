import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Settled } from '../api/defined.ts';
import {
  aBoolean,
  aClock,
  aFunction,
  aLogger,
  aMeter,
  anObject,
  anything,
  checkedOptions,
  type OptionChecks,
} from '../api/option-check.ts';
import { checkNamespace } from '../api/resource.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Clock } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { type Metrics, safeMetrics } from '../observe/metrics.ts';
import { type Random, systemRandom } from '../observe/random.ts';

/** Options of `LeaderElector`. */
export interface LeaderElectorOptions {
  /** The name of the Lease that candidates contend for. */
  name: string;
  /** Where the Lease is. Default: the cluster's namespace. */
  namespace?: string | undefined;
  /** Who this process is. No other process may have it. Default: host name and uuid, `web-7f9c_5d6a…`. */
  identity?: string | undefined;
  /** How long others wait after a renewal before they take the Lease. Whole seconds. Default 15000. client-go: LeaseDuration. */
  leaseDurationMs?: number | undefined;
  /** How long after its last successful renewal was sent a leader leads. Less than `leaseDurationMs`. Default 10000. client-go: RenewDeadline. */
  renewDeadlineMs?: number | undefined;
  /** Between two tries to take or renew the Lease. `renewDeadlineMs` is more than 1.2 times this. Default 2000. client-go: RetryPeriod. */
  retryPeriodMs?: number | undefined;
  /** Give the Lease back when `run` stops, so that another takes it at once. Default true. client-go: ReleaseOnCancel. */
  releaseOnStop?: boolean | undefined;
  /** Labels that the Lease gets when it is written. Those that it has besides stay. client-go: LeaseLock.Labels. */
  labels?: Readonly<Record<string, string>> | undefined;
  /** Default: the cluster's. */
  clock?: Clock | undefined;
  /** Default: the cluster's. */
  logger?: Logger | undefined;
  /** Default: the cluster's. */
  metrics?: Metrics | undefined;
  /** For the jitter between tries. */
  random?: Random | undefined;
}

/** Their values have messages of their own. */
export const ELECTION_CHECKS: OptionChecks<LeaderElectorOptions> = {
  name: anything,
  namespace: anything,
  identity: anything,
  leaseDurationMs: anything,
  renewDeadlineMs: anything,
  retryPeriodMs: anything,
  releaseOnStop: aBoolean,
  labels: anObject,
  clock: aClock,
  logger: aLogger,
  metrics: aMeter,
  random: aFunction,
};

export type ElectionSettings = Readonly<Settled<LeaderElectorOptions>> & {
  /** `default/website`, for messages. */
  readonly lease: string;
  /** client-go: max(1 s, RenewDeadline / 2). */
  readonly requestTimeoutMs: number;
};

/** client-go's: a candidate waits between 1 and 2.2 retry periods, and a leader needs time for more than one try. */
export const JITTER_FACTOR = 1.2;

export function electionSettings(cluster: Cluster, options: LeaderElectorOptions): ElectionSettings {
  checkedOptions('LeaderElector', options, ELECTION_CHECKS, ['name']);
  const { name, identity = `${hostname()}_${randomUUID()}`, releaseOnStop = true, random = systemRandom } = options;
  const { labels = {} } = options;
  const namespace = checkNamespace(options.namespace ?? cluster.namespace);
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
  if (typeof name !== 'string' || name.length > 253 || !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name)) {
    throw new TypeError(
      `"${name}" cannot be the name of a Lease: it must be a DNS name in lower case, such as "website"`,
    );
  }
  if (typeof identity !== 'string' || identity === '') {
    throw new TypeError('identity must be a text that is not empty and that no other process has');
  }
  checkDurations({ leaseDurationMs, renewDeadlineMs, retryPeriodMs });
  return {
    name,
    namespace,
    identity,
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
    releaseOnStop,
    labels,
    random,
    clock: options.clock ?? cluster.clock,
    logger: safeLogger(options.logger ?? cluster.logger),
    metrics: safeMetrics(options.metrics ?? cluster.metrics),
    lease: `${namespace}/${name}`,
    requestTimeoutMs: Math.max(1_000, renewDeadlineMs / 2),
  };
}

function checkDurations(durations: Record<'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs', number>): void {
  for (const [name, value] of Object.entries(durations)) {
    if (!(Number.isFinite(value) && value > 0)) throw new TypeError(`${name} must be more than 0, and is ${value}`);
  }
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = durations;
  if (leaseDurationMs % 1_000 !== 0) {
    throw new TypeError(
      `leaseDurationMs must be a multiple of 1000, because a Lease holds whole seconds, and is ${leaseDurationMs}`,
    );
  }
  if (leaseDurationMs <= renewDeadlineMs) {
    throw new TypeError(
      `leaseDurationMs (${leaseDurationMs}) must be more than renewDeadlineMs (${renewDeadlineMs}), so that a leader has stopped before another may lead`,
    );
  }
  if (renewDeadlineMs <= JITTER_FACTOR * retryPeriodMs) {
    throw new TypeError(
      `renewDeadlineMs (${renewDeadlineMs}) must be more than ${JITTER_FACTOR} times retryPeriodMs (${retryPeriodMs}), so that a leader can try more than once`,
    );
  }
}
