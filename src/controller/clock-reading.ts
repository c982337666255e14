import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';

/** One moment, by both times of a clock. */
export interface ClockReading {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export function readClock(clock: Clock): ClockReading {
  return { wallMs: clock.now(), monotonicMs: monotonicMs(clock) };
}

/**
 * How long ago it was, by the time that has moved further. Monotonic time stands still while a machine is suspended, and wall time
 * can be set back; at least one of them has counted the time that others have counted.
 */
export function longestSince(clock: Clock, { wallMs, monotonicMs: monotonic }: ClockReading): number {
  return Math.max(clock.now() - wallMs, monotonicMs(clock) - monotonic);
}
