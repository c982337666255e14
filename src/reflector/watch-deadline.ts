import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import { ReflectorError } from './reflector-error.ts';
import type { Deadline } from './watchdog.ts';

/** A watch that ends sooner, and without an event, counts as a failed one. client-go's `VeryShortWatchError`. */
export const SHORT_WATCH_MS = 1_000;
/** How much later than the agreed end of a watch its connection counts as dead. */
export const WATCH_TIMEOUT_MARGIN_MS = 30_000;

export interface WatchDeadlineOptions {
  clock: Pick<Clock, 'now' | 'scheduler'>;
  /** When the server was asked to end the watch. */
  timeoutSeconds: number;
  silenceMs: number;
  /** Whether an earlier watch of this server has sent bookmarks, so that silence counts from the beginning. */
  expectsBookmarks: boolean;
}

/**
 * When a watch counts as dead. Silence alone proves nothing: a quiet resource has nothing to say, and servers do not send
 * bookmarks for all. It counts on a stream that has sent a bookmark of its own accord, because such a server goes on to;
 * the one that ends the initial events of a WatchList was asked for, and promises nothing.
 */
export class WatchDeadline {
  readonly #clock: Pick<Clock, 'now' | 'scheduler'>;
  readonly #silenceMs: number;
  readonly #endMs: number;
  #lastFrameMs: number;
  #hasBookmarks = false;
  #countsSilence: boolean;

  constructor({ clock, timeoutSeconds, silenceMs, expectsBookmarks }: WatchDeadlineOptions) {
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    this.#countsSilence = expectsBookmarks;
    this.#lastFrameMs = monotonicMs(clock);
    this.#endMs = this.#lastFrameMs + timeoutSeconds * 1000 + WATCH_TIMEOUT_MARGIN_MS;
  }

  frameSeen(): void {
    this.#lastFrameMs = monotonicMs(this.#clock);
  }

  /** Whether a bookmark has come. */
  get hasBookmarks(): boolean {
    return this.#hasBookmarks;
  }

  /** Whether the deadline has come nearer. */
  bookmarkSeen(): boolean {
    const isNearer = !this.#countsSilence;
    this.#hasBookmarks = true;
    this.#countsSilence = true;
    return isNearer;
  }

  readonly current = (): Deadline => ({
    dueMs: this.#countsSilence ? Math.min(this.#endMs, this.#lastFrameMs + this.#silenceMs) : this.#endMs,
    problem: () => {
      const silentMs = monotonicMs(this.#clock) - this.#lastFrameMs;
      return new ReflectorError(
        'silent',
        `the watch has been silent for ${Math.round(silentMs / 1000)} s and is taken for dead; it goes on from the last version seen`,
      );
    },
  });
}
