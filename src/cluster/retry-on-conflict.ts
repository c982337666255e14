import { ApiError } from '../api/api-error.ts';
import { aFunction, aNumber, anObject, aSignal, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { type Random, systemRandom } from '../observe/random.ts';

/** client-go: `wait.Backoff`. The defaults are those of its `retry.DefaultRetry`. */
export interface RetryOnConflictOptions {
  /** How many times it is called at most. Default 5. */
  steps?: number | undefined;
  /** The first wait. Default 10. */
  initialMs?: number | undefined;
  /** What each wait is multiplied with to give the next. Default 1. */
  factor?: number | undefined;
  /** A wait `d` becomes a random one in [d, d × (1 + jitter)). Default 0.1. */
  jitter?: number | undefined;
  /** Times the waits. Default: the system clock. */
  clock?: Pick<Clock, 'sleep'> | undefined;
  /** In [0, 1), for jitter. Default: the machine's. */
  random?: Random | undefined;
  /** Ends the waiting: the result rejects with its reason. */
  signal?: AbortSignal | undefined;
}

const CHECKS: OptionChecks<RetryOnConflictOptions> = {
  steps: aNumber,
  initialMs: aNumber,
  factor: aNumber,
  jitter: aNumber,
  clock: anObject,
  random: aFunction,
  signal: aSignal,
};

/**
 * Calls the function again when it fails because the object has changed since it was read (409), up to `steps` times in all, and gives what
 * it returns. The function reads the object, changes it, and writes it: a call that does not read again fails again. Every other error, and the
 * last conflict, is thrown as it is; so is the conflict of an `apply`, where a field belongs to somebody else and a retry does not help.
 *
 * `await retryOnConflict(async () => client.update(changed(await client.get('web'))))`
 */
export async function retryOnConflict<R>(
  call: (attempt: number) => R | Promise<R>,
  options: RetryOnConflictOptions = {},
): Promise<R> {
  checkedOptions('retryOnConflict', options, CHECKS);
  const { steps = 5, initialMs = 10, factor = 1, jitter = 0.1 } = options;
  const { clock = systemClock, random = systemRandom, signal } = options;
  if (!(steps >= 1)) throw new TypeError(`retryOnConflict needs at least one step, and got ${steps}`);
  for (let attempt = 1, waitMs = initialMs; ; attempt++, waitMs *= factor) {
    signal?.throwIfAborted();
    try {
      return await call(attempt);
    } catch (error) {
      if (attempt >= steps || !isConflict(error)) throw error;
    }
    await clock.sleep(waitMs * (1 + jitter * random()), signal);
  }
}

function isConflict(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.kind === 'conflict' &&
    !error.causes.some(({ reason }) => reason === 'FieldManagerConflict')
  );
}
