import type { Clock, Timer } from '../../observe/clock.ts';
import { monotonicMs } from '../../observe/scheduler.ts';

/** At most ten frames a second. */
export const FRAME_MS = 100;

export interface RepaintTimerOptions {
  clock: Clock;
  paint: () => void;
  /** A frame at least so often, for what changes by itself, such as an age. */
  idleMs: number;
}

/** Paints when something has changed, never more often than every `FRAME_MS`, and now and then when nothing has. */
export class RepaintTimer {
  readonly #options: RepaintTimerOptions;
  #timer: Timer | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(options: RepaintTimerOptions) {
    this.#options = options;
  }

  /** Something has changed. Cheap: it may be called for every event. */
  request(): void {
    this.#paintAt(this.#lastMs + FRAME_MS);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.clear();
  }

  #paintAt(dueMs: number): void {
    if (this.#stopped || this.#dueMs <= dueMs) return;
    const { clock } = this.#options;
    this.#timer?.clear();
    this.#dueMs = dueMs;
    this.#timer = clock.setTimeout(() => this.#paint(), Math.max(0, dueMs - monotonicMs(clock)));
  }

  #paint(): void {
    const { clock, paint, idleMs } = this.#options;
    this.#lastMs = monotonicMs(clock);
    this.#dueMs = Number.POSITIVE_INFINITY;
    paint();
    this.#paintAt(this.#lastMs + idleMs);
  }
}
