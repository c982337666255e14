import type { Clock } from '../observe/clock.ts';
import { ReflectorError } from './reflector-error.ts';
import type { Deadline } from './watchdog.ts';

/** A watch that ends sooner, and without an event, counts as a failed one. client-go's `VeryShortWatchError`. */
export const SHORT_WATCH_MS = 1_000;
/** How much later than the agreed end of a watch its connection counts as dead. */
export const WATCH_TIMEOUT_MARGIN_MS = 30_000;

/**
 * When a watch counts as dead. Silence alone proves nothing: a quiet resource has nothing to say, and servers do not send
 * bookmarks for all. It counts on a stream that has sent a bookmark of its own accord, because such a server goes on to;
 * the one that ends the initial events of a WatchList was asked for, and promises nothing.
 */
export class WatchDeadline {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #silenceMs: number;
  readonly #endMs: number;
  #lastFrameMs: number;
  #hasBookmarks = false;

  constructor(clock: Pick<Clock, 'now'>, timeoutSeconds: number, silenceMs: number) {
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    this.#lastFrameMs = clock.now();
    this.#endMs = this.#lastFrameMs + timeoutSeconds * 1000 + WATCH_TIMEOUT_MARGIN_MS;
  }

  frameSeen(): void {
    this.#lastFrameMs = this.#clock.now();
  }

  /** Whether this is the first bookmark, so that the deadline has come nearer. */
  bookmarkSeen(): boolean {
    const isFirst = !this.#hasBookmarks;
    this.#hasBookmarks = true;
    return isFirst;
  }

  readonly current = (): Deadline => ({
    dueMs: this.#hasBookmarks ? Math.min(this.#endMs, this.#lastFrameMs + this.#silenceMs) : this.#endMs,
    problem: () => {
      const silentMs = this.#clock.now() - this.#lastFrameMs;
      return new ReflectorError(
        'silent',
        `the watch has been silent for ${Math.round(silentMs / 1000)} s and is taken for dead; it goes on from the last version seen`,
      );
    },
  });
}
