import type { Clock } from '../observe/clock.ts';
import { interruptible } from '../observe/interruption.ts';
import { monotonicMs } from '../observe/scheduler.ts';

/** At most this many requests, or as many as there are sources… */
const LIMIT = 5;
/** …begin within this time. Half a second above what is promised: requests do not arrive as evenly as they are sent. */
const WINDOW_MS = 2_500;
const JITTER_MS = 250;

export interface RequestPacerOptions {
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
  /** How many reflectors share it now. Default: one. */
  sources?: () => number;
}

/**
 * The last line against a storm: whatever the server does, the reflectors that share it begin at most 5 requests in any 2 s, or
 * as many as they are, if they are more (aside from the further pages of a list, and from one confirmation of what each restores
 * when it starts). Free of charge as long as requests are rare.
 * Whoever comes first begins first, so that no reflector can keep the others from theirs.
 */
export class RequestPacer {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #sources: () => number;
  /** When the last requests began, oldest first; about as many as the limit. */
  readonly #begun: number[] = [];
  /** Settles when the last in the queue has begun, or has given up. Never rejects. */
  #last: Promise<void> = Promise.resolve();

  constructor({ clock, random, sources = () => 1 }: RequestPacerOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#sources = sources;
  }

  /** How long a request would have to wait now, if nobody else waited. */
  waitMs(): number {
    const oldestMs = this.#begun.at(-this.#limit());
    if (oldestMs === undefined) return 0;
    return Math.max(oldestMs + WINDOW_MS - monotonicMs(this.#clock), 0);
  }

  /** Resolves when a request may begin, and counts it. Rejects with the signal's reason as soon as it aborts. */
  admit(signal: AbortSignal): Promise<void> {
    const turn = this.#last.then(() => this.#begin(signal));
    this.#last = turn.catch(() => {});
    return interruptible(() => turn, signal);
  }

  async #begin(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const waitMs = this.waitMs();
    if (waitMs > 0) await this.#clock.sleep(waitMs + this.#random() * JITTER_MS, signal);
    this.#begun.push(monotonicMs(this.#clock));
    this.#begun.splice(0, this.#begun.length - this.#limit());
  }

  #limit(): number {
    return Math.max(LIMIT, this.#sources());
  }
}
