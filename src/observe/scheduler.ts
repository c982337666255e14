/**
 * Where every stage gets its turns of the event loop, and the time by which it measures its own work. A `Clock` carries its
 * scheduler, so that one option, `clock`, decides on both: time that a test owns is of little use while turns are the machine's.
 */
export interface Scheduler {
  /** Milliseconds from anywhere, for differences. Never goes back, and stands still while the machine is suspended. */
  monotonicMs(): number;
  /** Calls back once, when whatever else waits has had its turn: sockets, timers, and turns that were asked for before. */
  nextTurn(callback: () => void): void;
}

/** The turns of Node's event loop. */
export const systemScheduler: Scheduler = {
  monotonicMs: () => performance.now(),
  nextTurn: (callback) => void setImmediate(callback),
};

/** The scheduler that belongs to a clock; the machine's, where the clock has none of its own. */
export function schedulerOf(clock: { readonly scheduler?: Scheduler | undefined } | undefined): Scheduler {
  return clock?.scheduler ?? systemScheduler;
}

/**
 * The time by which durations are measured: the monotonic time of the clock's scheduler. A clock without a scheduler has one time,
 * `now`, and its timers go by that.
 */
export function monotonicMs(clock: { now(): number; readonly scheduler?: Scheduler | undefined }): number {
  return clock.scheduler === undefined ? clock.now() : clock.scheduler.monotonicMs();
}

/** Numbers the turns of a scheduler, for all who only want to know whether it is still the same one. */
export class Turns {
  static readonly #known = new WeakMap<Scheduler, Turns>();
  readonly scheduler: Scheduler;
  #current = 0;
  #isAsked = false;

  private constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  static of(scheduler: Scheduler): Turns {
    const turns = Turns.#known.get(scheduler) ?? new Turns(scheduler);
    Turns.#known.set(scheduler, turns);
    return turns;
  }

  /** Another number than in any other turn. The first question of a turn asks for the next one, and no other does. */
  current(): number {
    if (!this.#isAsked) {
      this.#isAsked = true;
      this.scheduler.nextTurn(this.#over);
    }
    return this.#current;
  }

  readonly #over = (): void => {
    this.#isAsked = false;
    this.#current++;
  };
}

/** Resolves in the next turn. */
export function giveWay(scheduler: Scheduler): Promise<void> {
  return new Promise((resolve) => scheduler.nextTurn(resolve));
}

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
