import type { Settled } from '../api/defined.ts';
import { aNumber, type OptionChecks } from '../api/option-check.ts';
import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';

/** How long to wait after failures: longer each time, up to a limit. */
export interface BackoffOptions {
  /** The first wait, before jitter. Default 800. */
  initialMs?: number | undefined;
  /** What each wait is multiplied with to give the next. Default 2. */
  factor?: number | undefined;
  /** The longest wait, before jitter. Default 30,000. */
  maxMs?: number | undefined;
  /** A wait `d` becomes a random one in [d, d × (1 + jitter)). Default 1. */
  jitter?: number | undefined;
  /** When nothing has been waited for during this time, the next wait is the first again. Default 120,000. */
  resetMs?: number | undefined;
}

export const BACKOFF_CHECKS: OptionChecks<BackoffOptions> = {
  initialMs: aNumber,
  factor: aNumber,
  maxMs: aNumber,
  jitter: aNumber,
  resetMs: aNumber,
};

export interface BackoffTime {
  clock: Pick<Clock, 'now' | 'scheduler'>;
  /** In [0, 1). */
  random: () => number;
}

/** What a server may ask us to wait; more is a mistake or an attack, and would leave the cache stale for as long. */
const MAX_RETRY_AFTER_MS = 10 * 60_000;

/**
 * How long to wait after a failure. client-go's reflector backoff, with the reset of v0.35: after two minutes of quiet. Also
 * the first sign of a server at work begins it again, so that an outage does not outlast itself.
 */
export class Backoff {
  readonly #options: Settled<BackoffOptions>;
  readonly #time: BackoffTime;
  #nextMs: number;
  /** When the last wait was over. */
  #lastEndMs = Number.NEGATIVE_INFINITY;
  /** Whether an answer begins the waits again. One that answers 410 to everything must not be listed every second forever. */
  #isOpen = true;
  #isLost = false;
  /** How many waits in a row were cut short, for nothing. */
  #cuts = 0;

  constructor(time: BackoffTime, options: BackoffOptions = {}) {
    this.#options = {
      initialMs: options.initialMs ?? 800,
      factor: options.factor ?? 2,
      maxMs: options.maxMs ?? 30_000,
      jitter: options.jitter ?? 1,
      resetMs: options.resetMs ?? 120_000,
    };
    this.#time = time;
    this.#nextMs = this.#options.initialMs;
  }

  /** The length of the wait that begins now, in milliseconds; never below what the server asked for. */
  next(retryAfterMs = 0): number {
    const { initialMs, factor, maxMs, jitter, resetMs } = this.#options;
    const nowMs = monotonicMs(this.#time.clock);
    if (nowMs - this.#lastEndMs > resetMs) this.#nextMs = initialMs;
    const plainMs = Math.min(this.#nextMs, maxMs);
    this.#nextMs = Math.min(plainMs * factor, maxMs);
    const luck = this.#time.random();
    const waitMs = plainMs * (1 + jitter * luck);
    // Everybody was told the same moment: they must not all come back in it.
    const askedMs = retryAfterMs > 0 ? Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) + initialMs * jitter * luck : 0;
    const resultMs = Math.max(waitMs, askedMs);
    this.#lastEndMs = nowMs + resultMs;
    return resultMs;
  }

  /**
   * The server has answered as a server at work does: with a success, a 410 or a 404. The next wait is the first again, unless
   * that was so before and neither `steady` nor `lost` has been called since.
   */
  answered(): void {
    this.#isLost = false;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#cuts = 0;
    this.#nextMs = this.#options.initialMs;
  }

  /** All has been well for a while. */
  steady(): void {
    this.#isOpen = true;
    this.answered();
    this.#isOpen = true;
  }

  /** There was no connection: the next answer ends an outage. */
  lost(): void {
    this.#isOpen = true;
    this.#isLost = true;
  }

  /** Whether there has been no such answer since a connection failed: the server is away, or about to start. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** A wait has ended early, because the server seemed to be back. */
  cutShort(): void {
    this.#cuts++;
  }

  /** How long the next wait is at least, whatever else speaks for its end: none, and longer each time that was wrong. */
  get minimumMs(): number {
    const { initialMs, factor, maxMs } = this.#options;
    return this.#cuts === 0 ? 0 : Math.min(initialMs * factor ** (this.#cuts - 1), maxMs);
  }
}
