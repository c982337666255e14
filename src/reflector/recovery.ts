import type { CachedChange } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { failureKind, isConnectionFailure, phaseAfter, type Recovery, retryAfterMs } from './failure.ts';
import type { FrameStream } from './frame-stream.ts';
import { sleepOrReturn } from './outage-wait.ts';
import { asError } from './reflector-error.ts';
import type { ReflectorPhase } from './reflector-state.ts';
import type { Session } from './session.ts';

/** What the reflector does next. */
export type Step<T extends KubernetesObject> =
  /** Fetch the whole state. */
  | { readonly do: 'fill' }
  /** Follow changes: of this watch, or of one to be opened from the last version seen. */
  | { readonly do: 'watch'; readonly stream?: FrameStream<T> }
  /** There was a 404: find out whether the resource type exists, and wait until it does. */
  | { readonly do: 'awaitReturn'; readonly error: Error; readonly phase: ReflectorPhase };

/** Batches of changes for the target. What the target throws comes out of the `yield` that brought them. */
export type Changes<T extends KubernetesObject, R = void> = AsyncGenerator<readonly CachedChange<T>[], R, void>;

/** Ends a session that was to be one list and its watches. Not for users: they get the reason. */
export class RoundOver {
  readonly reason: Error;

  constructor(reason: Error) {
    this.reason = reason;
  }
}

/** A relist after a watch's 410 comes no sooner than this, whatever the backoff is set to. */
const MIN_WAIT_AFTER_EXPIRED_MS = 500;

/** Tells about the failure, waits as long as need be, and says how to go on. */
export async function recover<T extends KubernetesObject>(
  session: Session<T>,
  failure: unknown,
  phase: ReflectorPhase,
  recovery: Recovery,
): Promise<Step<T>> {
  const error = asError(failure);
  if (session.endsWithRound && recovery.next !== 'watch') throw new RoundOver(error);
  if (recovery.next === 'gone') return { do: 'awaitReturn', error, phase };
  const { state, pacer, settings, signal } = session;
  const { clock } = settings;
  const waitMs = recovery.wait === 'backoff' ? backoffMs(session, error) : pacer.waitMs();
  const next = phaseAfter(failureKind(error));
  state.enter(next, { lastError: error, nextAttempt: clock.now() + waitMs });
  session.report(error, phase, waitMs);
  if (recovery.wait === 'backoff') {
    if (!mayBeAway(session, error)) await clock.sleep(waitMs, signal);
    else if (await sleepOrReturn(session, waitMs)) {
      state.enter(next, { lastError: error, nextAttempt: clock.now() });
    }
  }
  return { do: recovery.next === 'list' ? 'fill' : 'watch' };
}

/** A server that starts refuses connections first, and then has a no for everybody until it is ready. */
function mayBeAway<T extends KubernetesObject>({ backoff }: Session<T>, error: Error): boolean {
  if (isConnectionFailure(error)) return true;
  const isStarting = ['unavailable', 'unauthorized', 'forbidden'].includes(failureKind(error));
  return backoff.isLost && isStarting && retryAfterMs(error) === 0;
}

function backoffMs<T extends KubernetesObject>({ backoff, settings }: Session<T>, error: Error): number {
  const isExpired = failureKind(error) === 'expired';
  if (isExpired) backoff.answered();
  else if (isConnectionFailure(error)) backoff.lost();
  const waitMs = backoff.next(retryAfterMs(error));
  return isExpired ? Math.max(waitMs, MIN_WAIT_AFTER_EXPIRED_MS * (1 + settings.random())) : waitMs;
}
