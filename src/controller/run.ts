import type { Clock, Timer } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { Term } from './gate.ts';

/** A run that has not ended this long after its signal aborted is reported, and its worker goes on to other keys. */
const STUCK_AFTER_MS = 5_000;

/** What all runs of a controller have in common. */
export interface RunHost {
  readonly clock: Clock;
  /** Undefined: a run may take as long as it wants. */
  readonly timeoutMs: number | undefined;
  /** What is thrown where the signal is heeded when the time is up. */
  timeoutError(run: Run): Error;
  /** It does not heed its aborted signal. Called once at most, before the run ends. */
  onStuck(run: Run): void;
}

/** One call of a reconcile: its signal, and how long it takes. Leaves no timer and no listener behind. */
export class Run {
  readonly key: string;
  /** The right to run the key. */
  readonly term: Term;
  readonly startedMs: number;
  readonly #host: RunHost;
  readonly #onFree: () => void;
  /** Made when somebody asks for the signal: it costs more than all the rest of a short run. */
  #controller: AbortController | undefined;
  #timer: Timer | undefined;
  #aborted: { readonly reason: unknown; readonly atMs: number } | undefined;
  #timedOut = false;
  #recalled = false;
  #isFree = false;
  #isOver = false;

  /** @param onFree called once, when its worker may go on: the run has ended, or is stuck */
  constructor(key: string, term: Term, host: RunHost, onFree: () => void) {
    const { clock, timeoutMs } = host;
    this.key = key;
    this.term = term;
    this.#host = host;
    this.#onFree = onFree;
    this.startedMs = monotonicMs(clock);
    if (timeoutMs !== undefined) this.#timer = clock.setTimeout(() => this.#timeOut(), timeoutMs);
  }

  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    this.#controller = new AbortController();
    if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    return this.#controller.signal;
  }

  /** Whether the error comes from the time limit of the run. */
  isTimeout(error: unknown): boolean {
    if (!this.#timedOut) return false;
    const reason = this.#aborted?.reason;
    try {
      return error === reason || (error as { cause?: unknown } | undefined)?.cause === reason || isAbort(error);
    } catch {
      // It cannot be read.
      return false;
    }
  }

  /** Whether it was aborted for a reason that is not its own. */
  get isRecalled(): boolean {
    return this.#recalled;
  }

  /** How long it has outlived its aborted signal. */
  overdueMs(nowMs: number): number {
    return this.#aborted === undefined ? 0 : nowMs - this.#aborted.atMs;
  }

  recall(reason: unknown): void {
    this.#recalled = true;
    this.#abort(reason);
  }

  /** Gives its worker back. Idempotent. */
  free(): void {
    if (this.#isFree) return;
    this.#isFree = true;
    this.#onFree();
  }

  end(): void {
    this.#isOver = true;
    this.#timer?.clear();
    this.free();
  }

  #abort(reason: unknown): void {
    if (this.#isOver || this.#aborted) return;
    const { clock } = this.#host;
    this.#timer?.clear();
    this.#aborted = { reason, atMs: monotonicMs(clock) };
    this.#timer = clock.setTimeout(() => this.#host.onStuck(this), STUCK_AFTER_MS, { keepAlive: false });
    this.#controller?.abort(reason);
  }

  #timeOut(): void {
    this.#timedOut = true;
    this.#abort(this.#host.timeoutError(this));
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
