import type { Cluster } from '../cluster/cluster.ts';
import type { Clock } from '../observe/clock.ts';
import { fencedTransport } from './fenced-transport.ts';
import type { Term, TermHost } from './gate.ts';
import type { LeaderElector } from './leader-elector.ts';
import type { Fence } from './leadership.ts';

export interface SeatOptions {
  elector: LeaderElector;
  cluster: Pick<Cluster, 'transport'>;
  host: TermHost;
  clock: Clock;
  /** After each gain and loss, and when it stands no longer. */
  onChange: () => void;
  /** It cannot go on: runs of a lost term have not ended in time. */
  onFailed: (error: unknown) => void;
}

export interface LeaveOptions {
  patienceMs: number;
  graceMs?: number | undefined;
  /** Why runs are aborted. */
  reason: Error;
}

interface Standing {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  leaving?: Promise<void>;
}

/** The right to run one set of keys: contended for by an elector, held term by term, and given back after its runs have ended. */
export class Seat {
  readonly #options: SeatOptions;
  #standing: Standing | undefined;
  #term: Term | undefined;
  /** The term whose runs may not have ended yet. */
  #closing: Term | undefined;

  constructor(options: SeatOptions) {
    this.#options = options;
  }

  /** The term under which runs may begin now. Looks at the clocks: no run begins in a process that was paused and has not noticed yet. */
  get term(): Term | undefined {
    return this.#term !== undefined && this.#options.elector.isLeader() ? this.#term : undefined;
  }

  /** Contends for the Lease until `leave`. Idempotent. */
  stand(): void {
    if (this.#standing) return;
    const { elector, host, onFailed, onChange } = this.#options;
    const stop = new AbortController();
    const ended = elector
      .run({
        signal: stop.signal,
        onStartedLeading: (leading, fence) => this.#hold(leading, fence),
        unfinished: () => {
          const runs = this.#closing ? host.runsOf(this.#closing) : [];
          return runs.length > 0 ? `the run of ${runs.join(', ')} has` : 'the writing of events has';
        },
      })
      .catch(onFailed)
      .finally(() => {
        this.#standing = undefined;
        onChange();
      });
    this.#standing = { stop, ended };
  }

  /**
   * No run begins any more. The Lease is renewed until the running ones have ended, and then given back. They are aborted after `patienceMs`, and
   * after `graceMs` more, if that is set, the Lease is renewed no longer. Resolves when all is over; every call gives the same promise.
   */
  leave({ patienceMs, graceMs, reason }: LeaveOptions): Promise<void> {
    const standing = this.#standing;
    if (!standing) return Promise.resolve();
    standing.leaving ??= this.#leave(standing, { patienceMs, graceMs, reason });
    return standing.leaving;
  }

  async #leave({ stop, ended }: Standing, { patienceMs, graceMs, reason }: LeaveOptions): Promise<void> {
    const { host } = this.#options;
    const term = this.#term;
    this.#term = undefined;
    if (term) {
      this.#closing = term;
      const idle = host.idle(term);
      const isOver = patienceMs > 0 && (await this.#within(idle, patienceMs));
      if (!isOver) {
        host.recall(term, reason);
        await (graceMs === undefined ? idle : this.#within(idle, graceMs));
      }
    }
    stop.abort(reason);
    await ended;
  }

  async #hold(leading: AbortSignal, fence: Fence): Promise<void> {
    const { host, cluster, onChange } = this.#options;
    // Asked to leave just before.
    if (leading.aborted || this.#standing?.leaving) return;
    const term: Term = { transport: fencedTransport(cluster.transport, fence) };
    this.#term = term;
    this.#closing = term;
    const over = new Promise<void>((resolve) => {
      // In the very moment, so that what fails for this reason is known to be recalled.
      const onAbort = () => {
        this.#term = undefined;
        host.recall(term, leading.reason);
        onChange();
        resolve();
      };
      leading.addEventListener('abort', onAbort, { once: true });
    });
    host.gained(term);
    onChange();
    await over;
    await host.idle(term);
    if (this.#closing === term) this.#closing = undefined;
  }

  async #within(promise: Promise<void>, ms: number): Promise<boolean> {
    const over = new AbortController();
    const isDone = await Promise.race([
      promise.then(() => true),
      this.#options.clock.sleep(ms, over.signal).then(
        () => false,
        () => false,
      ),
    ]);
    over.abort();
    return isDone;
  }
}
