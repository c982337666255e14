import type { Resource } from '../api/resource.ts';
import type { QueueStatus } from '../workqueue/queue-status.ts';

/** What one process knows of its election. */
export interface ElectionStatus {
  /** The Lease of leaders, or what all Leases of a sharding begin with: `default/website`. */
  readonly lease: string;
  /** Who this process is in Leases. */
  readonly identity: string;
  /** Whether it leads; the ranges that it owns. */
  readonly holds: boolean | readonly number[];
}

/** What a controller has to do, in numbers. */
export interface ControllerCounts {
  readonly name: string;
  /** Keys that wait for a worker. */
  readonly waiting: number;
  readonly running: number;
  /** Keys that have failed and wait for their next try. */
  readonly failing: number;
  /** Whether its caches have synced. */
  readonly started: boolean;
}

/** What `/debug/status` of the health server answers, as JSON. It names Leases and controllers, and no objects. */
export interface ManagerStatus {
  /** Unset: every process runs all keys. */
  readonly election?: ElectionStatus;
  readonly controllers: readonly ControllerCounts[];
}

/** A controller of a manager, at present. */
export interface ControllerStatus {
  readonly name: string;
  /** What its keys are keys of. */
  readonly resource: Resource;
  /** `waiting`: for its caches. `held`: paused, or this process does not lead. */
  readonly phase: 'new' | 'waiting' | 'running' | 'held' | 'stopped';
  /** How many keys it runs at a time. */
  readonly concurrency: number;
  /** Unset before the manager runs. */
  readonly queue?: QueueStatus;
  /** What runs. */
  readonly runs: readonly RunStatus[];
  /** The keys whose last run failed and that are to be retried, the first hundred. */
  readonly failing: readonly FailingKey[];
  /** How many they are in all. */
  readonly failingCount: number;
}

/** A run that has not ended. */
export interface RunStatus {
  readonly key: string;
  /** Since when, in milliseconds since the epoch. */
  readonly since: number;
}

/** A key whose last run failed. */
export interface FailingKey {
  readonly key: string;
  /** How many runs in a row have failed. */
  readonly attempts: number;
  /** What the last one threw, the first 1,024 characters of the message. */
  readonly lastError: string;
  /** When it is tried again, in milliseconds since the epoch. */
  readonly nextAttempt: number;
}

/** Who leads, as far as this process knows. */
export interface LeaderStatus {
  /** The Lease, `namespace/name`. */
  readonly lease: string;
  /** Who this process is. */
  readonly identity: string;
  /** Who holds the Lease, as last seen; unset: nobody is known to. */
  readonly leader?: string;
  /** Whether this process leads now. */
  readonly isLeader: boolean;
}

/** Who owns one shard of the keys, as far as this process knows. */
export interface ShardStatus {
  /** Its Lease, or its range of hashes. */
  readonly name: string;
  /** Who owns it, as last seen; unset: nobody is known to. */
  readonly owner?: string;
  /** Whether that is this process. */
  readonly isOwn: boolean;
}
