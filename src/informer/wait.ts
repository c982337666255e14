import type { Clock } from '../observe/clock.ts';
import { onAbort } from '../observe/interruption.ts';
import type { WaitOptions } from './informer.ts';

export type WaitOutcome = 'done' | 'aborted' | 'stopped' | 'timeout';

/** Waits for the first of: `done`, an abort, `stopped`, the timeout. Leaves no timer and no listener behind. */
export async function waitFirst(
  done: Promise<void>,
  stopped: Promise<void>,
  { signal, timeoutMs }: WaitOptions,
  clock: Clock,
): Promise<WaitOutcome> {
  if (signal?.aborted) return 'aborted';
  const cleanups: (() => void)[] = [];
  const outcomes: Promise<WaitOutcome>[] = [done.then(() => 'done'), stopped.then(() => 'stopped')];
  if (signal) {
    outcomes.push(new Promise((resolve) => void cleanups.push(onAbort(signal, () => resolve('aborted')))));
  }
  if (timeoutMs !== undefined) {
    outcomes.push(
      new Promise((resolve) => {
        const timer = clock.setTimeout(() => resolve('timeout'), timeoutMs);
        cleanups.push(() => timer.clear());
      }),
    );
  }
  try {
    return await Promise.race(outcomes);
  } finally {
    for (const cleanup of cleanups) cleanup();
  }
}
