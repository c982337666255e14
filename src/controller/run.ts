import type { Clock, Timer } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { Term } from './gate.ts';

/** A run that has not ended this long after its signal aborted is reported, and its worker goes on to other keys. */
const STUCK_AFTER_MS = 5_000;

export interface RunOptions {
  key: string;
  /** The right to run the key. */
  term: Term;
  clock: Clock;
  timeoutMs: number | undefined;
  /** What is thrown where the signal is heeded when the time is up. */
  timeoutError: () => Error;
  /** It does not heed its aborted signal. Called once at most, before the run ends. */
  onStuck: (run: Run) => void;
}

/** One call of a reconcile: its signal, and how long it takes. Leaves no timer and no listener behind. */
export class Run {
  readonly key: string;
  readonly term: Term;
  readonly startedMs: number;
  readonly #options: RunOptions;
  readonly #controller = new AbortController();
  #timer: Timer | undefined;
  #abortedMs: number | undefined;
  #timedOut = false;
  #recalled = false;
  #isOver = false;

  constructor(options: RunOptions) {
    const { clock, timeoutMs } = options;
    this.key = options.key;
    this.term = options.term;
    this.#options = options;
    this.startedMs = monotonicMs(clock);
    if (timeoutMs !== undefined) this.#timer = clock.setTimeout(() => this.#timeOut(), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the error comes from the time limit of the run. */
  isTimeout(error: unknown): boolean {
    if (!this.#timedOut) return false;
    const { reason } = this.signal;
    return error === reason || (error as { cause?: unknown } | undefined)?.cause === reason || isAbort(error);
  }

  /** Whether it was aborted for a reason that is not its own. */
  get isRecalled(): boolean {
    return this.#recalled;
  }

  /** How long it has outlived its aborted signal. */
  overdueMs(nowMs: number): number {
    return this.#abortedMs === undefined ? 0 : nowMs - this.#abortedMs;
  }

  recall(reason: unknown): void {
    this.#recalled = true;
    this.#abort(reason);
  }

  end(): void {
    this.#isOver = true;
    this.#timer?.clear();
  }

  #abort(reason: unknown): void {
    if (this.#isOver || this.signal.aborted) return;
    const { clock, onStuck } = this.#options;
    this.#timer?.clear();
    this.#abortedMs = monotonicMs(clock);
    this.#timer = clock.setTimeout(() => onStuck(this), STUCK_AFTER_MS, { keepAlive: false });
    this.#controller.abort(reason);
  }

  #timeOut(): void {
    this.#timedOut = true;
    this.#abort(this.#options.timeoutError());
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
