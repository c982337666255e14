import type { Clock } from '../observe/clock.ts';

/** At most this many requests… */
const LIMIT = 5;
/** …begin within this time. Half a second above what is promised: requests do not arrive as evenly as they are sent. */
const WINDOW_MS = 2_500;
const JITTER_MS = 250;

/**
 * The last line against a storm: whatever the server does, one reflector begins at most 5 requests in any 2 s (the
 * further pages of a list aside). Free of charge as long as requests are rare.
 */
export class RequestPacer {
  readonly #clock: Clock;
  readonly #random: () => number;
  /** When the last requests began, oldest first; never more than `LIMIT`. */
  readonly #begun: number[] = [];
  /** Settles when the one that waits has begun, or has given up. */
  #turn: Promise<void> | undefined;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** How long a request would have to wait now. */
  waitMs(): number {
    const [oldestMs] = this.#begun;
    if (oldestMs === undefined || this.#begun.length < LIMIT) return 0;
    // A clock that was set back must not hold us for longer than the window.
    return Math.min(Math.max(oldestMs + WINDOW_MS - this.#clock.now(), 0), WINDOW_MS);
  }

  /** Resolves when a request may begin, and counts it; of several, one after the other. Rejects with the signal's reason. */
  async admit(signal: AbortSignal): Promise<void> {
    while (this.#turn !== undefined) await this.#turn;
    signal.throwIfAborted();
    const waitMs = this.waitMs();
    if (waitMs > 0) {
      const waited = this.#clock.sleep(waitMs + this.#random() * JITTER_MS, signal);
      this.#turn = waited
        .catch(() => {})
        .then(() => {
          this.#turn = undefined;
        });
      await waited;
    }
    if (this.#begun.length === LIMIT) this.#begun.shift();
    this.#begun.push(this.#clock.now());
  }
}
