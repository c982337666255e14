import type { Transport } from '../api/transport.ts';
import type { Check } from './health-server.ts';
import type { ElectionStatus, LeaderStatus, ShardStatus } from './manager-status.ts';

/**
 * The right to run some keys, from when it is gained until it is lost or given back. It never holds again after that: what is gained next is
 * another term.
 *
 * @internal
 */
export interface Term {
  /** What its runs write through: refuses writes when the term has ended. Unset: the cluster's own. */
  readonly transport?: Transport;
}

/** Which keys this process may run now. @internal */
export interface Gate {
  /** The term under which the key may run; undefined while it may not. Asked for each event and each run. */
  termOf(key: string): Term | undefined;
}

/** What a manager does with the terms that an election brings. @internal */
export interface TermHost {
  /** `gate.termOf` gives the term from now on: its keys are to be run. */
  gained(term: Term): void;
  /** Aborts what runs under the term. */
  recall(term: Term, reason: unknown): void;
  /** Resolves when nothing runs under the term any more, and its events are written. To be called when nothing new can begin under it. */
  idle(term: Term): Promise<void>;
  /** What runs under the term, for messages: "default/shop of controller website". */
  runsOf(term: Term): readonly string[];
}

/** A gate that opens and closes with Leases. @internal */
export interface ElectedGate extends Gate {
  /**
   * Contends until the signal aborts. Then runs are aborted, and what is held is given back when they have ended. Rejects when runs of a term that was
   * lost have not ended by the time another process may run their keys.
   */
  run(host: TermHost, signal: AbortSignal): Promise<void>;
  /** Whether this process takes part in the election: as the holder of something, or as a standby. */
  readonly readyz: Check;
  readonly status: ElectionStatus;
  /** Who leads; undefined where keys are shared out. */
  readonly leader?: LeaderStatus;
  /** Who owns which keys; undefined where one process has them all. */
  readonly shards?: readonly ShardStatus[];
}

export const openTerm: Term = {};

/** Of a manager that is alone. */
export const openGate: Gate = { termOf: () => openTerm };
