import { type Clock, sleepOn, type Timer } from './clock.ts';
import type { Scheduler } from './scheduler.ts';
import { TimerHeap } from './timer-heap.ts';

/** How many turns of the real event loop must pass without a turn of ours, so that promise chains and in-process streams run dry. */
const QUIET_TURNS = 8;
/** Work that never ends must not hold a test forever. */
const MAX_STEPS = 50_000;

/**
 * A clock that moves only when it is told to, and its scheduler. `advance` fires the timers that fall due in the order of their
 * time (and of their creation within one millisecond), and lets everything that they set off settle before the next one
 * fires. What happens, and in which order, does not depend on how fast or how busy the machine is: slices of work end by the
 * monotonic time of this clock. Sockets, files and zlib take their own time, and are not waited for.
 *
 * It has two times. The wall clock (`now`) is what `jump` and `suspend` move; timers and slices go by the monotonic time.
 */
export class FakeClock implements Clock, Scheduler {
  /** What the wall clock shows when the monotonic time is zero. */
  #epochMs: number;
  #elapsedMs = 0;
  readonly #timers = new TimerHeap();
  /** In the order in which they were asked for. */
  #turns: (() => void)[] = [];
  #isTurning = false;
  /** How many calls of `advance` are under way. */
  #advances = 0;
  /** How many turns and timers have run since the time last moved. */
  #steps = 0;

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#epochMs = startMs;
  }

  get scheduler(): Scheduler {
    return this;
  }

  now(): number {
    return this.#epochMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  /** How many timers wait; zero after a clean stop. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    const entry = this.#timers.add(this.#elapsedMs + Math.max(delayMs, 0), callback);
    return { clear: () => this.#timers.remove(entry) };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /** While nobody advances, turns come one by one with those of the real event loop, so that a test can also await a result. */
  nextTurn(callback: () => void): void {
    this.#turns.push(callback);
    this.#keepTurning();
  }

  /**
   * Moves the time forward, firing on the way all that falls due, also what is set while moving. Ends when no turn is left to
   * run, and no timer that is due. Rejects with what a turn or a timer throws; and when the work at one moment never ends, with
   * an error, after which the turns that wait are dropped.
   */
  async advance(byMs: number): Promise<void> {
    mustNotGoBack(byMs);
    const endMs = this.#elapsedMs + byMs;
    this.#advances++;
    this.#steps = 0;
    try {
      await this.#settle();
      for (let { first } = this.#timers; first !== undefined && first.dueMs <= endMs; { first } = this.#timers) {
        this.#timers.remove(first);
        this.#moveTo(first.dueMs);
        this.#countStep();
        first.callback();
        await this.#settle();
      }
      this.#moveTo(endMs);
    } finally {
      this.#advances--;
      this.#keepTurning();
    }
  }

  /** The running code takes that long. Both times move, and what falls due fires with the next `advance`. */
  spend(ms: number): void {
    mustNotGoBack(ms);
    this.#moveTo(this.#elapsedMs + ms);
  }

  /** Somebody sets the wall clock, forward or back. The monotonic time does not move, and nothing fires. */
  jump(byMs: number): void {
    this.#epochMs += byMs;
  }

  /** The machine sleeps, as a laptop whose lid is closed: the wall clock moves, the monotonic time stands still, and nothing fires. */
  suspend(ms: number): void {
    mustNotGoBack(ms);
    this.jump(ms);
  }

  #moveTo(elapsedMs: number): void {
    if (elapsedMs <= this.#elapsedMs) return;
    this.#elapsedMs = elapsedMs;
    this.#steps = 0;
  }

  async #settle(): Promise<void> {
    for (let quietTurns = 0; quietTurns < QUIET_TURNS; ) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      const turn = this.#turns.shift();
      if (turn === undefined) {
        quietTurns++;
        continue;
      }
      quietTurns = 0;
      this.#countStep();
      turn();
    }
  }

  #countStep(): void {
    if (++this.#steps <= MAX_STEPS) return;
    this.#turns = [];
    throw new RangeError(
      `The fake clock cannot go on: ${MAX_STEPS} turns and timers ran at ${this.#elapsedMs} ms after its start, and more wait. ` +
        'Look for code that asks for a turn, or for a timer without delay, again and again.',
    );
  }

  #keepTurning(): void {
    if (this.#isTurning || this.#advances > 0 || this.#turns.length === 0) return;
    this.#isTurning = true;
    setImmediate(() => {
      this.#isTurning = false;
      try {
        // `advance` runs them itself.
        if (this.#advances === 0) this.#turns.shift()?.();
      } finally {
        this.#keepTurning();
      }
    });
  }
}

function mustNotGoBack(ms: number): void {
  if (!(ms >= 0))
    throw new RangeError(`a fake clock cannot move by ${ms} ms, only forward; jump sets its wall clock back`);
}
