import type { KubernetesObject } from '../api/metadata.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { CallScope, interruptible } from './interruption.ts';
import type { Session } from './session.ts';

/**
 * Waits after a failed connection: for the whole time, or until the server is said to be back. True in the second case. A
 * server that is said to be back and still cannot be reached is given more time before that counts again.
 */
export async function sleepOrReturn<T extends KubernetesObject>(session: Session<T>, waitMs: number): Promise<boolean> {
  const { settings, backoff, signal } = session;
  const { clock, reachability } = settings;
  if (reachability === undefined || backoff.minimumMs >= waitMs) {
    await clock.sleep(waitMs, signal);
    return false;
  }
  const scope = new CallScope(signal);
  try {
    const slept = clock.sleep(waitMs, scope.signal).then(() => false);
    const returned = async (): Promise<boolean> => {
      if (backoff.minimumMs > 0) await clock.sleep(backoff.minimumMs, scope.signal);
      await interruptible(() => reachability.whenBack(scope.signal), scope.signal);
      return true;
    };
    // A source that fails neither ends the wait nor fails it.
    const isBack = await Promise.race([slept, returned().catch(() => slept)]);
    if (isBack) backoff.cutShort();
    return isBack;
  } finally {
    scope.abort(new TidewatchError('stopped', 'the wait is over'));
    scope.release();
  }
}
