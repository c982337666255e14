import { deferred } from '../api/promise-like.ts';
import type { Clock } from '../observe/clock.ts';
import { onAbort } from '../observe/interruption.ts';
import type { WaitOptions } from './informer.ts';

export type WaitOutcome = 'done' | 'aborted' | 'stopped' | 'timeout';

/** Waits for the first of: `done`, an abort, `stopped`, the timeout. Leaves no timer and no listener behind. */
export async function waitFirst(
  done: Promise<unknown>,
  stopped: Promise<void>,
  { signal, timeoutMs }: WaitOptions,
  clock: Clock,
): Promise<WaitOutcome> {
  const { promise: outcome, resolve, reject } = deferred<WaitOutcome>();
  const forget = onAbort(signal, () => resolve('aborted'));
  done.then(() => resolve('done'), reject);
  void stopped.then(() => resolve('stopped'));
  const timer = timeoutMs === undefined ? undefined : clock.setTimeout(() => resolve('timeout'), timeoutMs);
  try {
    return await outcome;
  } finally {
    forget();
    timer?.clear();
  }
}
