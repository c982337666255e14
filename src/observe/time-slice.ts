import { giveWay, type Scheduler, schedulerOf, Turns } from './scheduler.ts';

/**
 * How long any work runs before the event loop gets its turn. Three kinds of work that meet in one turn (what comes in, handlers,
 * and an embedded server) stay below the 10 ms that nothing may hold the loop for.
 */
export const SLICE_MS = 3;

/** Longer than this nothing may hold the event loop; what does is counted. */
export const LONG_SLICE_MS = 10;

/**
 * How much of the present turn of the event loop has been used. Work that may be long asks `isDue` now and then and, when
 * it is, awaits `pause` before it goes on. A question costs one reading of the monotonic time.
 */
export class TimeSlice {
  readonly #turns: Turns;
  readonly #onLong: (() => void) | undefined;
  /** That of the last question. */
  #turn = -1;
  /** At the first question of that turn. */
  #startedMs = 0;

  /**
   * @param clock whose turns and monotonic time count. Default: the machine's.
   * @param onLong called when more than 10 ms had passed by the time that a pause was taken
   */
  constructor(clock?: { readonly scheduler?: Scheduler | undefined }, onLong?: () => void) {
    this.#turns = Turns.of(schedulerOf(clock));
    this.#onLong = onLong;
  }

  isDue(): boolean {
    const nowMs = this.#turns.scheduler.monotonicMs();
    const turn = this.#turns.current();
    if (turn === this.#turn) return nowMs - this.#startedMs >= SLICE_MS;
    // Waiting for bytes is not work: the slice begins again in each turn, and not only after a pause.
    this.#turn = turn;
    this.#startedMs = nowMs;
    return false;
  }

  /** Lets timers, sockets and everything else that waits have its turn. */
  pause(): Promise<void> {
    const { scheduler } = this.#turns;
    if (
      this.#onLong &&
      this.#turn === this.#turns.current() &&
      scheduler.monotonicMs() - this.#startedMs > LONG_SLICE_MS
    )
      this.#onLong();
    return giveWay(scheduler);
  }
}
