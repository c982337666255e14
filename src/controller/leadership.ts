import { setMaxListeners } from 'node:events';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Clock, Timer } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import { type ClockReading, longestSince } from './clock-reading.ts';

/** Stands between a leader and the server: asked before each write, it says whether this process still leads. */
export interface Fence {
  /** Throws a `TidewatchError` of kind `leadership-lost` when this process does not lead. To be called right before each attempt to write. */
  mustLead(): void;
  /** Aborts when leadership ends, with that error as its reason. For writes under way. */
  readonly signal: AbortSignal;
}

export interface LeadershipOptions {
  clock: Clock;
  leaseDurationMs: number;
  renewDeadlineMs: number;
  /** When the write was sent that won the Lease. */
  sentAt: ClockReading;
  /** `default/website`, for messages. */
  lease: string;
}

/**
 * One term of a leader. It ends one renew deadline after the last successful renewal was sent, by the wall clock or by the monotonic time,
 * whichever has moved further, or when `end` is called. It never begins again.
 */
export class Leadership implements Fence {
  readonly #options: LeadershipOptions;
  readonly #lost = new AbortController();
  readonly #leading = new AbortController();
  #sentAt: ClockReading;
  #timer: Timer | undefined;
  #endedMs = 0;

  constructor(options: LeadershipOptions) {
    this.#options = options;
    this.#sentAt = options.sentAt;
    // Each write under way listens.
    setMaxListeners(0, this.#lost.signal, this.#leading.signal);
    this.#arm();
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** For the work of the leader: aborts when leadership ends, and before that when the elector is to stop. */
  get leading(): AbortSignal {
    return this.#leading.signal;
  }

  /** Looks at the clocks: a process that was stopped or suspended finds out here, before any timer fires. */
  holds(): boolean {
    const { clock, renewDeadlineMs, lease } = this.#options;
    if (this.#lost.signal.aborted) return false;
    if (longestSince(clock, this.#sentAt) < renewDeadlineMs) return true;
    this.end(
      `The leadership of the Lease ${lease} ended: no renewal that was sent within the last ${renewDeadlineMs} ms has succeeded.`,
    );
    return false;
  }

  mustLead(): void {
    if (this.holds()) return;
    const { message } = this.#lost.signal.reason as TidewatchError;
    throw new TidewatchError('leadership-lost', message);
  }

  /** A renewal that was sent then has succeeded. */
  renewed(sentAt: ClockReading): void {
    if (!this.holds() || sentAt.monotonicMs <= this.#sentAt.monotonicMs) return;
    this.#sentAt = sentAt;
    this.#arm();
  }

  /** Asks the work of the leader to end. Until `end`, or until the time is up, it may still write. */
  stop(reason: unknown): void {
    this.#leading.abort(reason);
  }

  end(message: string): void {
    if (this.#lost.signal.aborted) return;
    this.#timer?.clear();
    this.#endedMs = monotonicMs(this.#options.clock);
    const error = new TidewatchError('leadership-lost', message);
    this.#lost.abort(error);
    this.#leading.abort(error);
  }

  /**
   * How long the work of a term that has ended may still take: until others may take the Lease. Who finds out later than that, because
   * it was suspended, has as long as it would have had.
   */
  get msToEndWork(): number {
    const { clock, leaseDurationMs, renewDeadlineMs } = this.#options;
    const expiryMs = this.#sentAt.monotonicMs + leaseDurationMs;
    return Math.max(expiryMs, this.#endedMs + leaseDurationMs - renewDeadlineMs) - monotonicMs(clock);
  }

  #arm(): void {
    const { clock, renewDeadlineMs } = this.#options;
    this.#timer?.clear();
    const onTimer = () => {
      // Timers may be early by a fraction of a millisecond.
      if (this.holds()) this.#arm();
    };
    const leftMs = renewDeadlineMs - longestSince(clock, this.#sentAt);
    this.#timer = clock.setTimeout(onTimer, Math.max(1, leftMs));
  }
}
