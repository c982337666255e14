import { deferred } from '../api/promise-like.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Clock } from '../observe/clock.ts';
import { aborted } from '../observe/interruption.ts';
import type { LeaderElectorOptions } from './election-options.ts';
import type { ElectedGate, Term, TermHost } from './gate.ts';
import type { Check } from './health-server.ts';
import { LeaderElector } from './leader-elector.ts';
import type { ElectionStatus, LeaderStatus } from './manager-status.ts';
import { Seat } from './seat.ts';

export interface ElectedGateOptions {
  clock: Clock;
  /** How long a stop waits for runs that were aborted. */
  graceMs: number;
}

/** All keys or none: of a manager that works while it leads, and keeps its caches warm while another does. */
export class LeaderGate implements ElectedGate {
  readonly #elector: LeaderElector;
  readonly #cluster: Cluster;
  readonly #options: ElectedGateOptions;
  #seat: Seat | undefined;

  constructor(cluster: Cluster, options: LeaderElectorOptions, gateOptions: ElectedGateOptions) {
    this.#elector = new LeaderElector(cluster, options);
    this.#cluster = cluster;
    this.#options = gateOptions;
  }

  termOf(): Term | undefined {
    return this.#seat?.term;
  }

  async run(host: TermHost, signal: AbortSignal): Promise<void> {
    const { clock, graceMs } = this.#options;
    const { promise: failed, reject: fail } = deferred<never>();
    failed.catch(() => {});
    const seat = new Seat({
      elector: this.#elector,
      cluster: this.#cluster,
      host,
      clock,
      onChange: () => {},
      onFailed: fail,
    });
    this.#seat = seat;
    if (!signal.aborted) seat.stand();
    await Promise.race([aborted(signal), failed]);
    await seat.leave({ patienceMs: 0, graceMs, reason: new TidewatchError('stopped', 'the manager stops') });
    // The runs may turn out to be stuck while it leaves.
    await Promise.race([failed, Promise.resolve()]);
  }

  get readyz(): Check {
    const { absence } = this.#elector;
    return { name: 'leader-election', ok: absence === undefined, message: absence };
  }

  get leader(): LeaderStatus {
    const { leader } = this.#elector;
    const { lease, identity } = this.status;
    return { lease, identity, isLeader: this.#elector.isLeader(), ...(leader && { leader }) };
  }

  get status(): ElectionStatus {
    const { namespace, name, identity } = this.#elector;
    return { lease: `${namespace}/${name}`, identity, holds: this.#elector.isLeader() };
  }
}
