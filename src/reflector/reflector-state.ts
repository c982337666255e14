/**
 * - `idle`: `run` has not been called.
 * - `listing`: fetching the whole state. Left for `watching` when the watch that follows is open.
 * - `watching`: following changes.
 * - `backoff`: the last list or watch failed; the next attempt comes at `nextAttempt`.
 * - `unauthorized`: as `backoff`, because the server said 401. Left when an attempt succeeds, or fails in another way.
 * - `forbidden`: as `backoff`, because the server said 403. Left likewise.
 * - `gone`: the server does not know the resource type. Left likewise.
 * - `stopped`: for good.
 */
export type ReflectorPhase =
  | 'idle'
  | 'listing'
  | 'watching'
  | 'backoff'
  | 'unauthorized'
  | 'forbidden'
  | 'gone'
  | 'stopped';

/** An object that exists on the server and is not in the store, because it cannot be used. */
export interface LeftOut {
  /** "" when not even that could be read. */
  readonly key: string;
  readonly reason: string;
}

/** How a list and watch fares. See `ReflectorPhase`. */
export interface ReflectorState {
  readonly phase: ReflectorPhase;
  /** When the phase began, in milliseconds since the epoch. Each attempt may begin a phase: see `behindSince`. */
  readonly since: number;
  /**
   * Since when no watch has been open, in milliseconds since the epoch, however many attempts there were meanwhile: the store may
   * lack what has happened since then. Absent while a watch is open, and before the start.
   */
  readonly behindSince?: number;
  /**
   * When the server last sent something of use, in milliseconds since the epoch: a page of a list, the head of a watch, an
   * event or a bookmark. Absent before the first time. A quiet watch without bookmarks has nothing to send for minutes.
   */
  readonly lastContact?: number;
  /** What went wrong last; absent again once the watch is open. */
  readonly lastError?: Error;
  /** When the next attempt is due, in milliseconds since the epoch; absent when nothing is waited for. */
  readonly nextAttempt?: number;
  /** The first hundred; absent when every object has been taken. */
  readonly leftOut?: readonly LeftOut[];
  /** How many they are in all. */
  readonly leftOutCount?: number;
}

/**
 * What a state is put together of, for who asks many of them at once: thousands of namespaces change one after the other when their
 * informer starts, and it asks all of them each time.
 */
export interface StateFacts {
  readonly phase: ReflectorPhase;
  readonly behindSince?: number | undefined;
  readonly lastContact?: number | undefined;
  readonly leftOutCount?: number | undefined;
}
