/**
 * What the page and its server say to each other: JSON, each value bounded. Every type here is shared with the page, so this file
 * imports nothing that a browser does not have.
 */

/** An event of the stream, twice a second. */
export interface Tick {
  /** Milliseconds since the epoch, by the server's clock. */
  readonly nowMs: number;
  /** When the history began: with the first page that is open. */
  readonly sinceMs: number;
  readonly pages: number;
  readonly informers: readonly InformerNow[];
  readonly managers: readonly ManagerNow[];
  readonly memory: ProcessMemory;
  /** What has happened since the last tick; in the first one, what is known. The oldest first. */
  readonly events: readonly TimelineEvent[];
  /** Likewise. */
  readonly runs: readonly RunRecord[];
}

export interface ProcessMemory {
  readonly rssBytes: number;
  readonly heapUsedBytes: number;
  readonly externalBytes: number;
}

export interface InformerNow {
  readonly id: number;
  readonly name: string;
  /** `Pod`; "" when it is not known. */
  readonly kind: string;
  /** Whether more than metadata and status are shown. */
  readonly showsAll: boolean;
  readonly phase: string;
  readonly sinceMs: number;
  readonly lastError?: string;
  readonly nextAttemptMs?: number;
  readonly objects: number;
  readonly liveBytes?: number;
  readonly heldBytes?: number;
  readonly parts: readonly PartNow[];
  readonly handlers: readonly HandlerNow[];
  /** A second, since the last tick. */
  readonly frames: number;
  readonly bytes: number;
  readonly changes: number;
}

export interface PartNow {
  /** Absent: all. */
  readonly namespace?: string;
  readonly phase: string;
  readonly version: string;
  readonly queued: number;
}

export interface HandlerNow {
  readonly name: string;
  readonly delivery: string;
  readonly pending: number;
  readonly lagMs: number;
  readonly failures: number;
  /** A second, since the last tick. */
  readonly calls: number;
}

export interface ManagerNow {
  readonly controllers: readonly ControllerNow[];
  readonly leader?: LeaderNow;
  readonly shards: readonly ShardNow[];
}

export interface ControllerNow {
  readonly name: string;
  readonly kind: string;
  readonly phase: string;
  readonly concurrency: number;
  readonly waiting: number;
  readonly delayed: number;
  readonly running: readonly { readonly key: string; readonly sinceMs: number }[];
  readonly failing: readonly FailingNow[];
  readonly failingCount: number;
  /** A second, since the last tick. */
  readonly runs: number;
  readonly errors: number;
}

export interface FailingNow {
  readonly key: string;
  readonly attempts: number;
  readonly lastError: string;
  readonly nextAttemptMs: number;
}

export interface LeaderNow {
  readonly lease: string;
  readonly identity: string;
  readonly leader?: string;
  readonly isLeader: boolean;
}

export interface ShardNow {
  readonly name: string;
  readonly owner?: string;
  readonly isOwn: boolean;
}

export type TimelineKind = 'list' | 'watch' | 'end' | 'failure' | 'handler' | 'run' | 'state';

/** One thing that happened: a list, a watch that began or ended, a failure, a change of state. */
export interface TimelineEvent {
  readonly seq: number;
  readonly atMs: number;
  readonly kind: TimelineKind;
  /** The informer or the controller that it happened to. */
  readonly who: string;
  readonly text: string;
  /** How long it took. */
  readonly tookMs?: number;
}

/** A run of a reconciler that has ended. */
export interface RunRecord {
  readonly seq: number;
  readonly atMs: number;
  readonly controller: string;
  readonly key: string;
  readonly attempt: number;
  readonly causes: readonly string[];
  readonly tookMs: number;
  readonly result: string;
  readonly error?: string;
  readonly retryInMs?: number;
}

/** A window of the table of an informer. */
export interface RowsAnswer {
  /** In the cache. */
  readonly total: number;
  /** That pass the filters. */
  readonly matched: number;
  readonly from: number;
  readonly rows: readonly ObjectRow[];
  /** The paths of `values`. */
  readonly columns: readonly string[];
  /** Milliseconds since the epoch: when the order was last made. */
  readonly orderedAtMs: number;
}

export interface ObjectRow {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /** "" when it is gone: the order of the rows is a little older than the cache. */
  readonly version: string;
  /** "" when it is not known. */
  readonly created: string;
  /** Or gone. */
  readonly isDeleting: boolean;
  /** What the columns lead to. */
  readonly values: readonly string[];
}

/** One object and its history. */
export interface ObjectAnswer {
  readonly key: string;
  /** Absent: it is not in the cache. */
  readonly object?: unknown;
  /** Whether spec, data and annotation values are hidden. */
  readonly isPartial: boolean;
  /** The oldest first, at most 50. */
  readonly changes: readonly ObjectChange[];
}

export interface ObjectChange {
  readonly seq: number;
  readonly atMs: number;
  readonly type: string;
  readonly version: string;
  /** Absent when the states before and after are not held any more, because many other objects have changed since. */
  readonly differences?: readonly FieldChange[];
  /** How many more there are. */
  readonly more: number;
  /** From the arrival of its bytes to the store; absent when that is not known, as for what a list brought. */
  readonly storedAfterMs?: number;
  /** From the arrival of its bytes (else from the store) to the begin and the end of each call. */
  readonly handlers: readonly TimedStep[];
  /** Likewise, of the runs that it caused. */
  readonly runs: readonly TimedStep[];
}

export interface TimedStep {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly failed: boolean;
}

export interface FieldChange {
  readonly path: string;
  /** Absent: it was not there. */
  readonly before?: string;
  /** Absent: it is not there any more. */
  readonly after?: string;
}
