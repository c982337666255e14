import { TidewatchError } from '../api/tidewatch-error.ts';
import { ambient, channels } from '../observe/channels.ts';
import type { Clock } from '../observe/clock.ts';
import { messageOf } from '../observe/guarded.ts';
import { type Metrics, noMetrics } from '../observe/metrics.ts';
import { monotonicMs, schedulerOf, type TimeSlice } from '../observe/scheduler.ts';
import { PriorityQueue } from '../workqueue/priority-queue.ts';
import { ExponentialLimiter } from '../workqueue/rate-limiters.ts';
import { CauseBook } from './cause-book.ts';
import type { Cause } from './controller.ts';
import { ControllerMetrics, type ResultLabel } from './controller-metrics.ts';
import { settleDoubts } from './doubts.ts';
import type { Gate, Term } from './gate.ts';
import { LongRuns } from './long-runs.ts';
import type { ControllerStatus } from './manager-status.ts';
import { ParkedKeys } from './parked-keys.ts';
import { type CheckedResult, checkedResult } from './reconcile-result.ts';
import { Run, type RunHost } from './run.ts';
import { RunContext, type RunEnvironment } from './run-context.ts';
import { MAX_ERROR_CHARACTERS, RunStory } from './run-story.ts';
import { TerminalError } from './terminal-error.ts';
import { Valve } from './valve.ts';

/** How many failing keys are named. */
const MAX_FAILING = 100;

export interface ControllerLoopOptions {
  environment: RunEnvironment;
  /** Which keys may run. */
  gate: Gate;
  clock: Clock;
  metrics: Metrics;
  /** Shared by all that run in one manager. */
  slice: TimeSlice;
}

/**
 * Takes keys out of its queue and runs them: never one key twice at a time, at most `concurrency` keys, failed ones again with backoff,
 * none before the caches hold what it wrote the last time, and none that another process is to run.
 */
export class ControllerLoop {
  readonly #options: ControllerLoopOptions;
  readonly #environment: RunEnvironment;
  readonly #queue: PriorityQueue;
  readonly #metrics: ControllerMetrics;
  readonly #backoff = new ExponentialLimiter();
  readonly #causes = new CauseBook();
  readonly #valve = new Valve();
  readonly #parked: ParkedKeys;
  readonly #runs = new Set<Run>();
  readonly #host: RunHost;
  /** Undefined where runs have a time limit. */
  readonly #longRuns: LongRuns | undefined;
  /** By key, when it is tried again after a failure or has waited for more events; for those who wait until all is done. */
  readonly #due = new Map<string, { readonly atMs: number; readonly error?: unknown }>();
  #active = 0;
  #stopping = false;
  readonly #onRunEnded = new Set<() => void>();

  constructor(options: ControllerLoopOptions) {
    this.#options = options;
    this.#environment = options.environment;
    const { definition, logger } = options.environment;
    const { name, options: settings } = definition;
    const { clock, metrics } = options;
    this.#queue = new PriorityQueue({ name, clock, logger, ...(metrics !== noMetrics && { metrics }) });
    this.#metrics = new ControllerMetrics(metrics, name, settings.concurrency);
    this.#parked = new ParkedKeys(clock);
    this.#host = this.#newHost();
    this.#longRuns = settings.timeoutMs === undefined ? this.#newLongRuns() : undefined;
  }

  /** Runs that have not ended `stuckMs` after their signal aborted. */
  get stuckKeys(): string[] {
    const nowMs = monotonicMs(this.#options.clock);
    const { stuckMs } = this.#environment.definition.options;
    return [...this.#runs].filter((run) => run.overdueMs(nowMs) >= stuckMs).map(({ key }) => key);
  }

  /** How it fares, for those who look inside. */
  get status(): Pick<ControllerStatus, 'queue' | 'runs' | 'failing' | 'failingCount'> {
    const { clock } = this.#options;
    const nowMs = monotonicMs(clock);
    const epochMs = clock.now() - nowMs;
    const failing = [...this.#due].filter(([, { error }]) => error !== undefined);
    return {
      queue: this.#queue.status,
      runs: [...this.#runs].map(({ key, startedMs }) => ({ key, since: epochMs + startedMs })),
      failing: failing.slice(0, MAX_FAILING).map(([key, { atMs, error }]) => ({
        key,
        attempts: this.#backoff.numRequeues(key),
        lastError: messageOf(error).slice(0, MAX_ERROR_CHARACTERS),
        nextAttempt: epochMs + atMs,
      })),
      failingCount: failing.length,
    };
  }

  get isHeld(): boolean {
    return !this.#valve.isOpen;
  }

  /** What is left to do, as far as it is known: not what asked to be run later, nor what is held. For tests that wait for the end. */
  get unsettled(): { readonly busy: boolean; readonly due: ReadonlyMap<string, { atMs: number; error?: unknown }> } {
    const busy = this.#runs.size > 0 || this.#environment.ownWrites.pending > 0;
    return this.isHeld ? { busy, due: new Map() } : { busy: busy || this.#queue.length > 0, due: this.#due };
  }

  /** Wants the key to be run: now if this process may, or when it gains that right. */
  enqueue(key: string, priority: number, cause: Cause): void {
    if (this.#stopping) return;
    if (this.#options.gate.termOf(key) === undefined) {
      this.#park(key);
      return;
    }
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

  /** Keys that came while this process might not run them, and that no cache holds. */
  takeParked(isWanted: (key: string) => boolean): readonly string[] {
    return this.#parked.take(isWanted);
  }

  /** Aborts what runs; with a term, what runs under it. It is run again, unless the loop stops or another process is to run it. */
  abortRuns(reason: unknown, term?: Term): void {
    for (const run of [...this.#runs]) if (term === undefined || run.term === term) run.recall(reason);
  }

  /** Resolves when nothing runs; with a term, when nothing runs under it. */
  async idle(term?: Term): Promise<void> {
    while (this.runningKeys(term).length > 0) {
      await new Promise<void>((resolve) => this.#onRunEnded.add(resolve));
    }
  }

  /** No run begins after this, and the running ones are aborted. Resolves when they have ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#queue.shutDown();
    this.#longRuns?.stop();
    this.#valve.openForGood();
    this.abortRuns(new TidewatchError('stopped', 'the manager stops'));
    await this.idle();
  }

  /** Nothing of it is measured any more, and no series is left. */
  end(): void {
    this.#queue.end();
    this.#metrics.end();
  }

  runningKeys(term?: Term): string[] {
    return [...this.#runs].filter((run) => term === undefined || run.term === term).map(({ key }) => key);
  }

  async #work(): Promise<void> {
    const { slice } = this.#options;
    for (;;) {
      if (!this.#valve.isOpen) await this.#valve.opened;
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

  /** Another process is to run the key. Who gains it looks into its caches; what they do not hold is remembered. */
  #park(key: string): void {
    const { caches, definition } = this.#environment;
    if (caches.informer(definition.resource).table.get(key) === undefined) this.#parked.add(key);
  }

  /** Resolves when the worker is free for another key. */
  #handle(key: string): Promise<void> | undefined {
    this.#due.delete(key);
    const term = this.#options.gate.termOf(key);
    if (term === undefined) {
      this.#backoff.forget(key);
      this.#causes.take(key);
      this.#park(key);
      this.#queue.done(key);
      return undefined;
    }
    const { ownWrites } = this.#environment;
    if (!ownWrites.isCaughtUp(key)) {
      ownWrites.whenCaughtUp(key, this.#queue.priorityOf(key), (result, priority) => {
        this.#metrics.waited(result);
        this.#queue.add(key, { priority });
      });
      this.#queue.done(key);
      return undefined;
    }
    return new Promise((resolve) => {
      const run = new Run(key, term, this.#host, () => {
        this.#metrics.active(--this.#active);
        resolve();
      });
      this.#runs.add(run);
      this.#longRuns?.begun();
      this.#metrics.active(++this.#active);
      void this.#reconcile(run);
    });
  }

  #end(run: Run): void {
    this.#runs.delete(run);
    this.#environment.ownWrites.runEnded(run.key);
    this.#queue.done(run.key);
    run.end();
    if (this.#onRunEnded.size > 0) this.#tellEnded();
  }

  #tellEnded(): void {
    const waiting = [...this.#onRunEnded];
    this.#onRunEnded.clear();
    for (const resolve of waiting) resolve();
  }

  #newHost(): RunHost {
    const { definition, logger } = this.#environment;
    const { name, options } = definition;
    return {
      clock: this.#options.clock,
      timeoutMs: options.timeoutMs,
      timeoutError: ({ key }) =>
        new TidewatchError('timeout', `controller ${name}: ${key} took longer than ${options.timeoutMs} ms`),
      onStuck: (run) => {
        logger.error(
          `controller ${name}: the run of ${run.key} is stuck: it goes on although its signal has aborted. ` +
            'The key stays taken until it ends. Pass the signal on to what it waits for.',
        );
        run.free();
      },
    };
  }

  #newLongRuns(): LongRuns {
    const { definition, logger } = this.#environment;
    const { name, options } = definition;
    return new LongRuns({
      clock: this.#options.clock,
      runs: this.#runs,
      afterMs: options.stuckMs,
      onLong: ({ key }) =>
        logger.warn(
          `controller ${name}: the run of ${key} has not ended after ${options.stuckMs} ms, and holds its worker until it does. ` +
            'Give .reconcile a timeoutMs, so that its signal aborts and other keys go on.',
        ),
    });
  }

  /** Never rejects. */
  async #reconcile(run: Run): Promise<void> {
    const { key } = run;
    const story = channels.run.hasSubscribers ? this.#storyOf(run) : undefined;
    const { definition, cluster, caches, ownWrites, logger } = this.#environment;
    try {
      if (ownWrites.hasDoubts(key)) {
        await settleDoubts(key, { cluster, caches, ownWrites, signal: run.signal });
        // What the server has told now may be newer than the caches.
        if (!ownWrites.isCaughtUp(key)) {
          this.#queue.addAfter(key, 0);
          return;
        }
      }
      const causes = this.#causes.take(key);
      story?.started(causes);
      const context = new RunContext({ run, causes, id: story?.id }, this.#environment);
      if (story) ambient.cause = story.id;
      let running: unknown;
      try {
        running = definition.reconcile(context);
      } finally {
        if (story) ambient.cause = 0;
      }
      const result = checkedResult(await running);
      if (result.complaint) logger.error(`controller ${definition.name}: the run of ${key} ${result.complaint}.`);
      story?.ended(result.requeueAfterMs === undefined ? 'success' : 'requeue_after');
      this.#succeeded(run, result);
    } catch (error) {
      const retryInMs = this.#failed(run, error);
      story?.ended(run.isRecalled ? 'recalled' : 'error', messageOf(error), retryInMs);
    } finally {
      this.#end(run);
    }
  }

  #succeeded(run: Run, { requeueAfterMs, priority: wanted }: CheckedResult): void {
    const { key } = run;
    this.#backoff.forget(key);
    this.#ended(run, requeueAfterMs === undefined ? 'success' : 'requeue_after');
    if (requeueAfterMs === undefined || this.#stopping) return;
    this.#causes.add(key, { type: 'requeue' });
    const priority = wanted ?? this.#queue.priorityOf(key);
    if (requeueAfterMs > 0) this.#queue.addAfter(key, requeueAfterMs, { priority });
    // A key that is always run again at once must not keep the event loop, or the time that a test owns, to itself.
    else schedulerOf(this.#options.clock).nextTurn(() => this.#queue.addAfter(key, 0, { priority }));
  }

  #storyOf({ key }: Run): RunStory {
    const attempt = this.#backoff.numRequeues(key) + 1;
    const { name: controller } = this.#environment.definition;
    return new RunStory({ controller, key, attempt, item: this.#queue.stayOf(key) }, this.#options.clock);
  }

  /** When it is retried. */
  #failed(run: Run, error: unknown): number | undefined {
    const { key } = run;
    const { definition, logger } = this.#environment;
    if (this.#stopping) return undefined;
    if (run.isRecalled) {
      // It lost its right to run, which is not its failure.
      this.#queue.addAfter(key, 0);
      return undefined;
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
      return undefined;
    }
    this.#causes.add(key, { type: 'retry' });
    const retryInMs = this.#backoff.when(key);
    this.#queue.addAfter(key, retryInMs);
    this.#due.set(key, { atMs: monotonicMs(this.#options.clock) + retryInMs, error });
    logger.error(
      `controller ${definition.name}: ${key} failed (${this.#backoff.numRequeues(key)} in a row), retry in ${retryInMs} ms: ${messageOf(error)}`,
      error,
    );
    return retryInMs;
  }

  #ended(run: Run, result: ResultLabel): void {
    this.#metrics.ended(result, Math.max(monotonicMs(this.#options.clock) - run.startedMs, 0) / 1_000);
  }
}
