import type { CachedChange } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { CallScope, interruptible } from '../observe/interruption.ts';
import type { Pulled } from '../observe/pulled.ts';
import { failureKind, isConnectionFailure, phaseAfter, type Recovery, retryAfterMs } from './failure.ts';
import type { FrameStream } from './frame-stream.ts';
import { asError } from './reflector-error.ts';
import type { ReflectorPhase } from './reflector-state.ts';
import type { Session } from './session.ts';

/** What the reflector does next. */
export type Step<T extends KubernetesObject> =
  /** Fetch the whole state. */
  | { readonly do: 'fill' }
  /** Follow changes: of this watch, or of one to be opened from the last version seen. */
  | { readonly do: 'watch'; readonly stream?: FrameStream<T>; readonly list?: number | undefined }
  /** There was a 404: find out whether the resource type exists, and wait until it does. */
  | { readonly do: 'awaitReturn'; readonly error: Error; readonly phase: ReflectorPhase };

/** Changes for the target: a list alone, or what a watch brings. */
export type Batches<T extends KubernetesObject> =
  | Iterable<readonly CachedChange<T>[]>
  | Pulled<readonly CachedChange<T>[]>;

/** Pulls changes to their end and writes them to the target. Rejects with what ends them, or what the target throws. */
export type Write<T extends KubernetesObject> = (batches: Batches<T>) => Promise<void>;

/** A relist after a watch's 410 comes no sooner than this, whatever the backoff is set to. */
const MIN_WAIT_AFTER_EXPIRED_MS = 500;

/** Tells about the failure, waits as long as need be, and says how to go on. Throws the failure where it ends a round. */
export async function recover<T extends KubernetesObject>(
  session: Session<T>,
  failure: unknown,
  phase: ReflectorPhase,
  recovery: Recovery,
): Promise<Step<T>> {
  const error = asError(failure);
  if (session.endsWithRound && recovery.next !== 'watch') throw error;
  if (phase === 'watching' && recovery.next !== 'watch') session.metrics.relists(failureKind(error));
  if (recovery.next === 'gone') return { do: 'awaitReturn', error, phase };
  const { state, pacer, settings, signal } = session;
  const { clock } = settings;
  const waitMs = recovery.wait === 'backoff' ? backoffMs(session, error) : pacer.waitMs();
  const next = phaseAfter(failureKind(error));
  state.enter(next, { lastError: error, nextAttempt: clock.now() + waitMs });
  session.report(error, phase, waitMs);
  if (recovery.wait === 'backoff') {
    if (!mayBeAway(session, error)) await clock.sleep(waitMs, signal);
    else if (await sleepOrReturn(session, waitMs, retryAfterMs(error))) {
      state.enter(next, { lastError: error, nextAttempt: clock.now() });
    }
  }
  return { do: recovery.next === 'list' ? 'fill' : 'watch' };
}

/** A server that starts refuses connections first, and then has a no for everybody until it is ready. */
function mayBeAway<T extends KubernetesObject>({ backoff }: Session<T>, error: Error): boolean {
  if (isConnectionFailure(error)) return true;
  const isStarting = ['unavailable', 'unauthorized', 'forbidden'].includes(failureKind(error));
  return backoff.isLost && isStarting;
}

function backoffMs<T extends KubernetesObject>({ backoff, settings }: Session<T>, error: Error): number {
  const isExpired = failureKind(error) === 'expired';
  if (isExpired) backoff.answered();
  else if (isConnectionFailure(error)) backoff.lost();
  const waitMs = backoff.next(retryAfterMs(error));
  return isExpired ? Math.max(waitMs, MIN_WAIT_AFTER_EXPIRED_MS * (1 + settings.random())) : waitMs;
}

/**
 * Waits after a failed connection: for the whole time, or until the server is said to be back. True in the second case. A
 * server that is said to be back and still cannot be reached is given more time before that counts again, and one that starts
 * has the time that it asked for: paths of custom resources come last, with a Retry-After until then.
 */
async function sleepOrReturn<T extends KubernetesObject>(
  session: Session<T>,
  waitMs: number,
  askedMs: number,
): Promise<boolean> {
  const { settings, backoff, signal } = session;
  const { clock, reachability } = settings;
  const leastMs = Math.max(backoff.minimumMs, askedMs);
  if (reachability === undefined || leastMs >= waitMs) {
    await clock.sleep(waitMs, signal);
    return false;
  }
  const scope = new CallScope(signal);
  try {
    const slept = clock.sleep(waitMs, scope.signal).then(() => false);
    const returned = async (): Promise<boolean> => {
      if (leastMs > 0) await clock.sleep(leastMs, scope.signal);
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
