import { type Clock, sleepOn, type Timer } from './clock.ts';

interface Pending extends Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock that moves only when it is told to. `advance` fires the timers that fall due in the order of their time (and
 * of their creation within one millisecond), and lets everything that they set off settle before the next one fires.
 */
export class FakeClock implements Clock {
  #nowMs: number;
  #created = 0;
  readonly #pending = new Set<Pending>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  /** How many timers wait; zero after a clean stop. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    const pending: Pending = {
      dueMs: this.#nowMs + Math.max(delayMs, 0),
      order: this.#created++,
      callback,
      clear: () => this.#pending.delete(pending),
    };
    this.#pending.add(pending);
    return pending;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /** Moves the time forward, firing on the way all that falls due, also what is set while moving. */
  async advance(byMs: number): Promise<void> {
    const endMs = this.#nowMs + byMs;
    await settle();
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.#pending.delete(next);
      this.#nowMs = next.dueMs;
      next.callback();
      await settle();
    }
    this.#nowMs = endMs;
  }

  #next(endMs: number): Pending | undefined {
    let first: Pending | undefined;
    for (const timer of this.#pending) {
      if (timer.dueMs > endMs) continue;
      if (!first || timer.dueMs < first.dueMs || (timer.dueMs === first.dueMs && timer.order < first.order)) {
        first = timer;
      }
    }
    return first;
  }
}

/** Enough turns of the event loop for promise chains, `setImmediate` and in-process streams to run dry. */
const SETTLE_TURNS = 8;
/** In a turn that took longer, somebody worked, or the machine was busy and slices ended early: there may be more to do. */
const LONG_TURN_MS = 1;
/** Work that never ends must not hold the clock for ever. */
const MAX_TURNS = 250;

async function settle(): Promise<void> {
  let quietTurns = 0;
  for (let turn = 0; turn < MAX_TURNS && quietTurns < SETTLE_TURNS; turn++) {
    const startMs = performance.now();
    await new Promise<void>((resolve) => setImmediate(resolve));
    quietTurns = performance.now() - startMs > LONG_TURN_MS ? 0 : quietTurns + 1;
  }
}
