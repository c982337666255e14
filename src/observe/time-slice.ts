import { type Scheduler, schedulerOf } from './scheduler.ts';

/**
 * How long any work runs before the event loop gets its turn. Three kinds of work that meet in one turn (what comes in, handlers,
 * and an embedded server) stay below the 10 ms that nothing may hold the loop for.
 */
export const SLICE_MS = 3;

/**
 * How much of the present turn of the event loop has been used. Work that may be long asks `isDue` now and then and, when
 * it is, awaits `pause` before it goes on. A question costs one reading of the monotonic time.
 */
export class TimeSlice {
  readonly #scheduler: Scheduler;
  /** Undefined until the first question of a turn. */
  #startedMs: number | undefined;

  /** @param clock whose turns and monotonic time count. Default: the machine's. */
  constructor(clock?: { readonly scheduler?: Scheduler }) {
    this.#scheduler = schedulerOf(clock);
  }

  isDue(): boolean {
    const nowMs = this.#scheduler.monotonicMs();
    if (this.#startedMs === undefined) {
      this.#startedMs = nowMs;
      // Waiting for bytes is not work: the slice begins again in each turn, and not only after a pause.
      this.#scheduler.nextTurn(() => {
        this.#startedMs = undefined;
      });
      return false;
    }
    return nowMs - this.#startedMs >= SLICE_MS;
  }

  /** Lets timers, sockets and everything else that waits have its turn. */
  pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#scheduler.nextTurn(() => {
        this.#startedMs = undefined;
        resolve();
      });
    });
  }
}
