/**
 * - `idle`: `run` has not been called.
 * - `listing`: fetching the whole state. Left for `watching` when the watch that follows is open.
 * - `watching`: following changes.
 * - `backoff`: the last list or watch failed; the next attempt comes at `nextAttempt`.
 * - `forbidden`: as `backoff`, because the server said 403. Left when a list succeeds.
 * - `gone`: the server does not know the resource type. Left when a list succeeds.
 * - `stopped`: for good.
 */
export type ReflectorPhase = 'idle' | 'listing' | 'watching' | 'backoff' | 'forbidden' | 'gone' | 'stopped';

/** An object that exists on the server and is not in the store, because it cannot be taken. */
export interface LeftOut {
  /** "" when not even that could be read. */
  readonly key: string;
  readonly reason: string;
}

export interface ReflectorState {
  readonly phase: ReflectorPhase;
  /** When the phase began, in milliseconds since the epoch. */
  readonly since: number;
  /** What went wrong last; absent again once the watch is open. */
  readonly lastError?: Error;
  /** When the next attempt is due, in milliseconds since the epoch; absent when nothing is waited for. */
  readonly nextAttempt?: number;
  /** The first hundred; absent when every object has been taken. */
  readonly leftOut?: readonly LeftOut[];
  /** How many they are in all. */
  readonly leftOutCount?: number;
}
