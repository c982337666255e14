import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { FailureKind } from './failure.ts';

/** After this many fallbacks in a row… */
const MAX_FALLBACKS = 2;
/** …LIST is used without trying WatchList first, for this long. */
const CLOSED_MS = 10 * 60_000;

/** Whether WatchList is worth trying, from how it went before. */
export class WatchListGate {
  readonly #clock: Pick<Clock, 'now' | 'scheduler'>;
  readonly #isWanted: boolean;
  #lastFailure: FailureKind | undefined;
  #sameFailures = 0;
  /** A watch is forbidden, and a list may not be: the next attempt finds out. */
  #isPassedOver = false;
  #fallbacks = 0;
  #closedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'now' | 'scheduler'>, isWanted: boolean) {
    this.#clock = clock;
    this.#isWanted = isWanted;
  }

  /** Whether the attempt that begins now is to be a WatchList. */
  admits(): boolean {
    const isPassedOver = this.#isPassedOver;
    this.#isPassedOver = false;
    return this.#isWanted && !isPassedOver && monotonicMs(this.#clock) >= this.#closedUntilMs;
  }

  succeeded(): void {
    this.#lastFailure = undefined;
    this.#fallbacks = 0;
  }

  /** Returns how often it has failed in this way directly before. */
  failed(kind: FailureKind): number {
    this.#sameFailures = kind === this.#lastFailure ? this.#sameFailures + 1 : 0;
    this.#lastFailure = kind;
    this.#isPassedOver = kind === 'forbidden';
    return this.#sameFailures;
  }

  /** LIST had to help. */
  fellBack(): void {
    this.#lastFailure = undefined;
    if (++this.#fallbacks < MAX_FALLBACKS) return;
    this.#fallbacks = 0;
    this.#closedUntilMs = monotonicMs(this.#clock) + CLOSED_MS;
  }
}
