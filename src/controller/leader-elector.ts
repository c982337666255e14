import { aFunction, anything, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { type Lease, leases } from '../generated/api/coordination/v1.ts';
import { guarded, messageOf } from '../observe/guarded.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import { Election } from './election.ts';
import { ElectionMetrics } from './election-metrics.ts';
import {
  type ElectionSettings,
  electionSettings,
  JITTER_FACTOR,
  type LeaderElectorOptions,
} from './election-options.ts';
import { ElectionReport } from './election-report.ts';
import { LeaderWork } from './leader-work.ts';
import { type Fence, Leadership } from './leadership.ts';
import { LeaseLock } from './lease-lock.ts';
import { recordOf } from './lease-record.ts';

/** Options of `elector.run`. */
export interface LeaderElectorRunOptions {
  /** Ends `run`. The Lease is given back after `onStartedLeading` has ended. */
  signal: AbortSignal;
  /**
   * The work of a leader. Called each time that this process becomes the leader; the call before has ended by then. Its signal aborts when
   * leadership ends, or `run` is to stop; after that it must end. Its fence is that of this term. When it throws or rejects while it leads, the
   * Lease is given back and `run` rejects with what it threw; when it returns while it leads, this process goes on leading.
   */
  onStartedLeading: (signal: AbortSignal, fence: Fence) => unknown;
  /** Called once after each `onStartedLeading`, when leadership has ended. Nobody waits for a promise that it returns. */
  onStoppedLeading?: (() => unknown) | undefined;
  /** Called when another identity, or our own, is seen to hold the Lease. Nobody waits for a promise that it returns. */
  onNewLeader?: ((identity: string) => unknown) | undefined;
  /** @internal What of `onStartedLeading` has not ended, for the message when it takes too long: "the run of a has". */
  unfinished?: (() => string) | undefined;
}

const RUN_CHECKS: OptionChecks<LeaderElectorRunOptions> = {
  signal: anything, // these two have messages of their own
  onStartedLeading: anything,
  onStoppedLeading: aFunction,
  onNewLeader: aFunction,
  unfinished: aFunction,
};

/**
 * Contends for a Lease with other processes, of tidewatch, client-go or any other that follows the same rules, so that at most one leads. Who
 * loses stands again. client-go: leaderelection.LeaderElector.
 */
export class LeaderElector {
  readonly name: string;
  readonly namespace: string;
  /** Who this process is in the Lease. */
  readonly identity: string;
  /** Asks about whichever term there is; that of one term is an argument of `onStartedLeading`. */
  readonly fence: Fence;
  readonly #settings: ElectionSettings;
  readonly #cluster: Cluster;
  readonly #election: Election;
  readonly #report: ElectionReport;
  readonly #metrics: ElectionMetrics;
  #term: Leadership | undefined;
  #announced = '';
  #isRunning = false;

  constructor(cluster: Cluster, options: LeaderElectorOptions) {
    const settings = electionSettings(cluster, options);
    const { name, namespace, labels, clock, requestTimeoutMs, metrics } = settings;
    this.#settings = settings;
    this.#cluster = cluster;
    this.name = name;
    this.namespace = namespace;
    this.identity = settings.identity;
    const client = cluster.client(leases, { namespace });
    this.#election = new Election(settings, new LeaseLock({ client, name, labels, clock, requestTimeoutMs }));
    this.#report = new ElectionReport(settings);
    this.#metrics = new ElectionMetrics(metrics, name);
    this.fence = this.#lastingFence();
  }

  /** Who holds the Lease, as last seen; undefined when nobody does or nobody has been seen. client-go: GetLeader. */
  get leader(): string | undefined {
    return this.#election.holder || undefined;
  }

  /** @internal A watch has brought the Lease. What it says is known earlier than by reading. */
  sight(lease: Lease): void {
    this.#election.sight(recordOf(lease));
  }

  /** @internal Why it does not take part in the election: undefined after a request for the Lease has succeeded within the lease duration. */
  get absence(): string | undefined {
    const { clock, leaseDurationMs, lease } = this.#settings;
    const { lastSuccessMs, lastFailure } = this.#report;
    if (lastSuccessMs !== undefined && monotonicMs(clock) - lastSuccessMs < leaseDurationMs) return undefined;
    if (lastFailure !== undefined) return `no request for the Lease ${lease} succeeds: ${lastFailure}`;
    return lastSuccessMs === undefined
      ? `the Lease ${lease} has not been read yet`
      : `the Lease ${lease} has not been read lately`;
  }

  /** Whether this process leads now, by its clocks. */
  isLeader(): boolean {
    return this.#term?.holds() ?? false;
  }

  /**
   * Contends until the signal aborts or the cluster is closed; then it resolves. Rejects with what `onStartedLeading` throws while it leads, and
   * with a `TidewatchError` of kind `leadership-lost` when that call has not ended by the time another may lead.
   */
  async run(options: LeaderElectorRunOptions): Promise<void> {
    checkedOptions('run of a LeaderElector', options, RUN_CHECKS);
    const { signal, onStartedLeading } = options;
    if (typeof signal?.addEventListener !== 'function') throw new TypeError('run needs a signal, which ends it');
    if (typeof onStartedLeading !== 'function') throw new TypeError('run needs onStartedLeading, the work of a leader');
    if (this.#isRunning) {
      throw new TidewatchError(
        'misuse',
        `the elector of the Lease ${this.#settings.lease} runs already: make another one`,
      );
    }
    this.#isRunning = true;
    this.#metrics.start();
    const stop = new AbortController();
    const onSignal = () => stop.abort(signal.reason);
    const onClosed = () => stop.abort(this.#cluster.closed.reason);
    if (signal.aborted) onSignal();
    if (this.#cluster.closed.aborted) onClosed();
    signal.addEventListener('abort', onSignal, { once: true });
    this.#cluster.closed.addEventListener('abort', onClosed, { once: true });
    try {
      await this.#contend(options, stop.signal);
    } finally {
      signal.removeEventListener('abort', onSignal);
      this.#cluster.closed.removeEventListener('abort', onClosed);
      this.#isRunning = false;
      this.#metrics.end();
    }
  }

  async #contend(options: LeaderElectorRunOptions, stop: AbortSignal): Promise<void> {
    for (;;) {
      const term = await this.#acquire(options, stop);
      const work = term && (await this.#lead(term, options, stop));
      if (stop.aborted || work?.failure?.whileLeading) {
        await this.#release();
        if (work?.failure?.whileLeading) throw work.failure.thrown;
        return;
      }
    }
  }

  /** Undefined when the signal has aborted. */
  async #acquire(options: LeaderElectorRunOptions, stop: AbortSignal): Promise<Leadership | undefined> {
    const { clock, retryPeriodMs, random, leaseDurationMs, renewDeadlineMs, lease } = this.#settings;
    while (!stop.aborted) {
      try {
        const sentAt = await this.#election.tryAcquire(stop);
        this.#report.succeeded();
        if (stop.aborted) break;
        if (this.#election.hasTwin) this.#report.twin();
        const term = sentAt && new Leadership({ clock, leaseDurationMs, renewDeadlineMs, sentAt, lease });
        if (term?.holds()) return term;
      } catch (error) {
        if (!stop.aborted) this.#report.failed(error);
      }
      this.#announce(options);
      await clock.sleep(retryPeriodMs * (1 + random() * JITTER_FACTOR), stop).catch(() => {});
    }
    return undefined;
  }

  /** One term, from its first moment until its work has ended. Rejects when the work does not end in time. */
  async #lead(term: Leadership, options: LeaderElectorRunOptions, stop: AbortSignal): Promise<LeaderWork> {
    const { logger, clock, lease } = this.#settings;
    const onStop = () => term.stop(stop.reason);
    if (stop.aborted) onStop();
    stop.addEventListener('abort', onStop, { once: true });
    this.#term = term;
    this.#metrics.leads(true);
    logger.info(`This process, "${this.identity}", leads the Lease ${lease}.`);
    this.#announce(options);
    const work = new LeaderWork(() => options.onStartedLeading(term.leading, term), term);
    await this.#renew(term);
    stop.removeEventListener('abort', onStop);
    // Asked to stop, the work may still write while the Lease is ours.
    if (term.holds()) await work.endsWithin(term.signal);
    if (!term.holds()) logger.warn((term.signal.reason as TidewatchError).message);
    term.end(`The leadership of the Lease ${lease} ended: this process gave it up.`);
    this.#metrics.leads(false);
    this.#call('onStoppedLeading', () => options.onStoppedLeading?.());
    this.#announce(options);
    const ms = term.msToEndWork;
    if (!(await work.endsWithin({ ms, clock }))) {
      throw new TidewatchError(
        'leadership-lost',
        options.unfinished
          ? `${options.unfinished()} not ended although its signal aborted, and another process may lead the Lease ${lease} now. End this process; and let runs end soon after their signal aborts.`
          : `onStartedLeading has not ended although its signal aborted, and another process may lead the Lease ${lease} now. End this process; and let onStartedLeading end soon after its signal aborts.`,
        { cause: term.signal.reason },
      );
    }
    this.#reportLateFailure(work, term);
    return work;
  }

  /** Returns when the term is to stop, or has ended. */
  async #renew(term: Leadership): Promise<void> {
    const { clock, retryPeriodMs, lease } = this.#settings;
    const onRenewed = (sentAt: Parameters<Leadership['renewed']>[0]) => term.renewed(sentAt);
    const onSlowPath = () => this.#metrics.slowPath();
    while (!term.leading.aborted) {
      await clock.sleep(retryPeriodMs, term.leading).catch(() => {});
      if (term.leading.aborted || !term.holds()) return;
      try {
        const lost = await this.#election.tryRenew(term.leading, { onRenewed, onSlowPath });
        this.#report.succeeded();
        if (lost !== undefined) term.end(`The leadership of the Lease ${lease} ended: ${lost}.`);
      } catch (error) {
        if (!term.leading.aborted) this.#report.failed(error);
      }
    }
  }

  async #release(): Promise<void> {
    const { releaseOnStop, clock, renewDeadlineMs, logger, lease } = this.#settings;
    if (!releaseOnStop || !this.#election.mayHold) return;
    const limit = new AbortController();
    const late = new TidewatchError('timeout', `it was not released within ${renewDeadlineMs} ms`);
    const timer = clock.setTimeout(() => limit.abort(late), renewDeadlineMs);
    try {
      if (await this.#election.release(limit.signal)) logger.info(`The Lease ${lease} was released.`);
    } catch (error) {
      logger.warn(
        `The Lease ${lease} was not released, so that others take it only when it expires: ${messageOf(error)}`,
      );
    } finally {
      timer.clear();
    }
  }

  #announce(options: LeaderElectorRunOptions): void {
    const { holder } = this.#election;
    if (holder === this.#announced) return;
    this.#announced = holder;
    if (holder !== '') this.#call('onNewLeader', () => options.onNewLeader?.(holder));
  }

  #call(name: string, call: () => unknown): void {
    guarded(call, (thrown) => this.#settings.logger.error(`${name} failed: ${messageOf(thrown)}`, thrown));
  }

  /** What follows from the abort itself is expected. */
  #reportLateFailure({ failure }: LeaderWork, term: Leadership): void {
    if (failure === undefined || failure.whileLeading) return;
    const { thrown } = failure;
    const isExpected =
      thrown === term.leading.reason ||
      (thrown instanceof TidewatchError && thrown.kind === 'leadership-lost') ||
      (thrown instanceof Error && thrown.name === 'AbortError');
    if (isExpected) return;
    this.#settings.logger.error(`onStartedLeading failed after its signal had aborted: ${messageOf(thrown)}`, thrown);
  }

  #lastingFence(): Fence {
    const { lease } = this.#settings;
    const notLeading = () =>
      new TidewatchError(
        'leadership-lost',
        `This process does not lead the Lease ${lease}, which ${
          this.leader === undefined ? 'nobody is known to hold' : `"${this.leader}" holds`
        }.`,
      );
    const current = () => this.#term;
    return {
      mustLead() {
        const term = current();
        if (term === undefined) throw notLeading();
        term.mustLead();
      },
      get signal() {
        return current()?.signal ?? AbortSignal.abort(notLeading());
      },
    };
  }
}
