import { deferred } from '../api/promise-like.ts';
import type { Clock } from '../observe/clock.ts';
import { onAbort } from '../observe/interruption.ts';
import type { WaitOptions } from './informer.ts';

export type WaitOutcome = 'done' | 'aborted' | 'stopped' | 'timeout';

/** Waits for the first of: `done`, an abort, the end of what it waits for (`stopping`), the timeout. Leaves nothing behind. */
export async function waitFirst(
  done: Promise<unknown>,
  stopping: AbortSignal,
  { signal, timeoutMs }: WaitOptions,
  clock: Clock,
): Promise<WaitOutcome> {
  const { promise: outcome, resolve, reject } = deferred<WaitOutcome>();
  const forget = onAbort(signal, () => resolve('aborted'));
  done.then(() => resolve('done'), reject);
  // A moment later: what is done already is done, though it has stopped since.
  const forgetStop = onAbort(stopping, () => void Promise.resolve().then(() => resolve('stopped')));
  const timer = timeoutMs === undefined ? undefined : clock.setTimeout(() => resolve('timeout'), timeoutMs);
  try {
    return await outcome;
  } finally {
    forget();
    forgetStop();
    timer?.clear();
  }
}
