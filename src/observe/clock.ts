import { onAbort } from './interruption.ts';
import { type Scheduler, systemScheduler } from './scheduler.ts';

/** A running timer; `clear` is idempotent and safe after the timer has fired. */
export interface Timer {
  clear(): void;
}

/** Options of a timer. */
export interface TimerOptions {
  /** Whether the timer holds the process open until it fires. Default true. Housekeeping passes false. */
  keepAlive?: boolean | undefined;
}

/**
 * Where every stage gets its time. Nothing in tidewatch calls `setTimeout`, `setImmediate` or `Date.now` itself, so a test that
 * passes a `FakeClock` decides when anything happens.
 */
export interface Clock {
  /** Milliseconds since the epoch, for people and servers. May jump: durations go by the monotonic time of the scheduler. */
  now(): number;
  /** Calls back once, never synchronously. A delay below zero counts as zero; one beyond 2^31-1 ms is waited out. */
  setTimeout(callback: () => void, delayMs: number, options?: TimerOptions): Timer;
  /** Resolves after the delay; rejects with the signal's reason as soon as it aborts. Leaves no timer and no listener. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** The turns and the monotonic time of those who get this clock. Default: Node's turns, and `now` as the time of durations. */
  readonly scheduler?: Scheduler | undefined;
}

/** Node clamps longer delays to 1 ms. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** The time of the machine. */
export const systemClock: Clock = {
  scheduler: systemScheduler,
  now: () => Date.now(),
  setTimeout(callback, delayMs, options) {
    let handle: NodeJS.Timeout;
    const arm = (remainingMs: number) => {
      const stepMs = Math.min(Math.max(remainingMs, 0), MAX_DELAY_MS);
      handle = setTimeout(() => (remainingMs > stepMs ? arm(remainingMs - stepMs) : callback()), stepMs);
      if (options?.keepAlive === false) handle.unref();
    };
    arm(delayMs);
    return { clear: () => clearTimeout(handle) };
  },
  sleep: (delayMs, signal) => sleepOn(systemClock, delayMs, signal),
};

/** `Clock.sleep` in terms of `Clock.setTimeout`, for implementations of `Clock`. */
export function sleepOn(
  clock: Pick<Clock, 'setTimeout'>,
  delayMs: number,
  signal?: AbortSignal,
  options?: TimerOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const end = () => {
      forget();
      resolve();
    };
    const timer = clock.setTimeout(end, delayMs, options);
    const forget = onAbort(signal, () => {
      timer.clear();
      reject(signal?.reason);
    });
  });
}
