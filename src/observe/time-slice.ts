/** Leaves room below the 10 ms that no slice of work may exceed for whatever else runs in the same turn. */
const BUDGET_MS = 3;

/**
 * How much of the present turn of the event loop has been used. Work that may be long asks `isDue` now and then and, when
 * it is, awaits `pause` before it goes on.
 */
export class TimeSlice {
  /** Undefined until the first question of a turn. */
  #startedMs: number | undefined;

  isDue(): boolean {
    const nowMs = performance.now();
    if (this.#startedMs === undefined) {
      this.#startedMs = nowMs;
      // Waiting for bytes is no work: the slice begins anew in each turn, and not only after a pause.
      setImmediate(() => {
        this.#startedMs = undefined;
      }).unref();
      return false;
    }
    return nowMs - this.#startedMs >= BUDGET_MS;
  }

  /** Lets timers, sockets and everything else that waits have its turn. */
  pause(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#startedMs = undefined;
        resolve();
      });
    });
  }
}
