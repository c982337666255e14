import type { Clock, Timer } from '../observe/clock.ts';

export interface ResyncScheduleOptions {
  /** When the first listener is due, in milliseconds since the epoch; undefined: none is. */
  nextMs: () => number | undefined;
  resync: () => void;
  clock: Clock;
}

/** One timer, for whichever listener is due first. */
export class ResyncSchedule {
  readonly #options: ResyncScheduleOptions;
  #timer: Timer | undefined;

  constructor(options: ResyncScheduleOptions) {
    this.#options = options;
  }

  /** To be called at the start, and whenever a listener has come. */
  arm(): void {
    this.stop();
    const { nextMs, resync, clock } = this.#options;
    const dueMs = nextMs();
    if (dueMs === undefined) return;
    this.#timer = clock.setTimeout(() => {
      resync();
      this.arm();
    }, dueMs - clock.now());
  }

  stop(): void {
    this.#timer?.clear();
    this.#timer = undefined;
  }
}
