import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Clock } from '../observe/clock.ts';
import { type Metrics, noMetrics } from '../observe/metrics.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { TimeSlice } from '../observe/time-slice.ts';
import { failureText } from '../processor/failure-text.ts';
import { PriorityQueue } from '../workqueue/priority-queue.ts';
import { ExponentialLimiter } from '../workqueue/rate-limiters.ts';
import { CauseBook } from './cause-book.ts';
import type { Cause } from './controller.ts';
import { ControllerMetrics, type ResultLabel } from './controller-metrics.ts';
import { settleDoubts } from './doubts.ts';
import { type CheckedResult, checkedResult } from './reconcile-result.ts';
import { Run } from './run.ts';
import { RunContext, type RunEnvironment } from './run-context.ts';
import { TerminalError } from './terminal-error.ts';
import { Valve } from './valve.ts';

export interface ControllerLoopOptions {
  environment: RunEnvironment;
  clock: Clock;
  metrics: Metrics;
  /** Shared by all that run in one manager. */
  slice: TimeSlice;
}

/**
 * Takes keys out of its queue and runs them: never one key twice at a time, at most `concurrency` keys, failed ones again with backoff,
 * and none before the caches hold what it wrote the last time.
 */
export class ControllerLoop {
  readonly #options: ControllerLoopOptions;
  readonly #environment: RunEnvironment;
  readonly #queue: PriorityQueue;
  readonly #metrics: ControllerMetrics;
  readonly #backoff = new ExponentialLimiter();
  readonly #causes = new CauseBook();
  readonly #valve = new Valve();
  readonly #runs = new Set<Run>();
  /** By key, when it is tried again after a failure or has waited for more events; for those who wait until all is done. */
  readonly #due = new Map<string, { readonly atMs: number; readonly error?: unknown }>();
  #active = 0;
  #stopping = false;
  #idle: (() => void) | undefined;

  constructor(options: ControllerLoopOptions) {
    this.#options = options;
    this.#environment = options.environment;
    const { definition, logger } = options.environment;
    const { name, options: settings } = definition;
    const { clock, metrics } = options;
    this.#queue = new PriorityQueue({ name, clock, logger, ...(metrics !== noMetrics && { metrics }) });
    this.#metrics = new ControllerMetrics(metrics, name, settings.concurrency);
  }

  /** Runs that have not ended `stuckMs` after their signal aborted. */
  get stuckKeys(): string[] {
    const nowMs = monotonicMs(this.#options.clock);
    const { stuckMs } = this.#environment.definition.options;
    return [...this.#runs].filter((run) => run.overdueMs(nowMs) >= stuckMs).map(({ key }) => key);
  }

  /** What is left to do, as far as it is known: not what asked to be run later. For tests that wait for the end. */
  get unsettled(): { readonly busy: boolean; readonly due: ReadonlyMap<string, { atMs: number; error?: unknown }> } {
    const busy = this.#runs.size > 0 || this.#queue.length > 0 || this.#environment.ownWrites.pending > 0;
    return { busy, due: this.#due };
  }

  /** Wants the key to be run. */
  enqueue(key: string, priority: number, cause: Cause): void {
    if (this.#stopping) return;
    this.#causes.add(key, cause);
    const { debounceMs } = this.#environment.definition.options;
    if (debounceMs === 0) {
      this.#queue.add(key, { priority });
      return;
    }
    if (!this.#due.has(key)) this.#due.set(key, { atMs: monotonicMs(this.#options.clock) + debounceMs });
    this.#queue.addAfter(key, debounceMs, { priority });
  }

  start(): void {
    const { concurrency } = this.#environment.definition.options;
    for (let worker = 0; worker < concurrency; worker++) void this.#work();
  }

  /** While one of the reasons holds, nothing begins to run. */
  hold(reason: string): void {
    this.#valve.close(reason);
  }

  release(reason: string): void {
    this.#valve.open(reason);
  }

  /** Aborts what runs. It is run again, unless the loop stops. */
  abortRuns(reason: unknown): void {
    for (const run of [...this.#runs]) run.recall(reason);
  }

  /** No run begins after this, and the running ones are aborted. Resolves when they have ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#queue.shutDown();
    this.#valve.openForGood();
    this.abortRuns(new TidewatchError('stopped', 'the manager stops'));
    if (this.#runs.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  get runningKeys(): string[] {
    return [...this.#runs].map(({ key }) => key);
  }

  async #work(): Promise<void> {
    const { slice } = this.#options;
    for (;;) {
      await this.#valve.opened;
      if (slice.isDue()) await slice.pause();
      const key = this.#valve.isOpen ? (this.#queue.tryGet() ?? (await this.#next())) : undefined;
      if (this.#stopping) return;
      if (key === undefined) continue;
      if (this.#valve.isOpen) await this.#handle(key);
      else this.#putBack(key);
    }
  }

  /** Undefined when the valve closes, or the loop stops, before there is a key. */
  #next(): Promise<string | undefined> {
    return this.#queue.get({ signal: this.#valve.closing }).catch(() => undefined);
  }

  #putBack(key: string): void {
    this.#queue.add(key, { priority: this.#queue.priorityOf(key) });
    this.#queue.done(key);
  }

  /** Resolves when the worker is free for another key. */
  #handle(key: string): Promise<void> | undefined {
    this.#due.delete(key);
    const { ownWrites } = this.#environment;
    if (!ownWrites.isCaughtUp(key)) {
      const priority = this.#queue.priorityOf(key);
      ownWrites.whenCaughtUp(key, () => this.#queue.add(key, { priority }));
      this.#queue.done(key);
      return undefined;
    }
    return new Promise((resolve) => this.#begin(key, resolve));
  }

  #begin(key: string, onFree: () => void): void {
    const { definition, logger } = this.#environment;
    const { timeoutMs } = definition.options;
    let isHeld = true;
    const free = () => {
      if (!isHeld) return;
      isHeld = false;
      this.#metrics.active(--this.#active);
      onFree();
    };
    const run = new Run({
      key,
      clock: this.#options.clock,
      timeoutMs,
      timeoutError: () =>
        new TidewatchError('timeout', `controller ${definition.name}: ${key} took longer than ${timeoutMs} ms`),
      onStuck: () => {
        logger.error(
          `controller ${definition.name}: the run of ${key} is stuck: it goes on although its signal has aborted. ` +
            'The key stays taken until it ends. Pass the signal on to what it waits for.',
        );
        free();
      },
    });
    this.#runs.add(run);
    this.#metrics.active(++this.#active);
    void this.#reconcile(run).finally(() => {
      this.#runs.delete(run);
      run.end();
      this.#environment.ownWrites.runEnded(key);
      this.#queue.done(key);
      free();
      if (this.#runs.size === 0) this.#idle?.();
    });
  }

  /** Never rejects. */
  async #reconcile(run: Run): Promise<void> {
    const { key, signal } = run;
    const { definition, cluster, caches, ownWrites, logger } = this.#environment;
    try {
      if (ownWrites.hasDoubts(key)) {
        await settleDoubts(key, { cluster, caches, ownWrites, signal });
        // What the server has told now may be newer than the caches.
        if (!ownWrites.isCaughtUp(key)) {
          this.#queue.addAfter(key, 0);
          return;
        }
      }
      const context = new RunContext(key, signal, this.#causes.take(key), this.#environment);
      const result = checkedResult(await definition.reconcile(context));
      if (result.complaint) logger.error(`controller ${definition.name}: the run of ${key} ${result.complaint}.`);
      this.#succeeded(run, result);
    } catch (error) {
      this.#failed(run, error);
    }
  }

  #succeeded(run: Run, { requeueAfterMs, priority }: CheckedResult): void {
    this.#backoff.forget(run.key);
    this.#ended(run, requeueAfterMs === undefined ? 'success' : 'requeue_after');
    if (requeueAfterMs === undefined || this.#stopping) return;
    this.#causes.add(run.key, { type: 'requeue' });
    this.#queue.addAfter(run.key, requeueAfterMs, priority === undefined ? {} : { priority });
  }

  #failed(run: Run, error: unknown): void {
    const { key } = run;
    const { definition, logger } = this.#environment;
    if (this.#stopping) return;
    if (run.isRecalled) {
      // It lost its right to run, which is not its failure.
      this.#queue.addAfter(key, 0);
      return;
    }
    const isTerminal = error instanceof TerminalError;
    this.#metrics.failed({ isTerminal, isTimeout: run.isTimeout(error) });
    this.#ended(run, 'error');
    if (isTerminal) {
      this.#backoff.forget(key);
      logger.error(
        `controller ${definition.name}: ${key} failed, and is not retried before it changes: ${error.message}`,
        error,
      );
      return;
    }
    this.#causes.add(key, { type: 'retry' });
    const retryInMs = this.#backoff.when(key);
    this.#queue.addAfter(key, retryInMs);
    this.#due.set(key, { atMs: monotonicMs(this.#options.clock) + retryInMs, error });
    logger.error(
      `controller ${definition.name}: ${key} failed (${this.#backoff.numRequeues(key)} in a row), retry in ${retryInMs} ms: ${failureText(error)}`,
      error,
    );
  }

  #ended(run: Run, result: ResultLabel): void {
    this.#metrics.ended(result, Math.max(monotonicMs(this.#options.clock) - run.startedMs, 0) / 1_000);
  }
}
