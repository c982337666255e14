import { closeSync, openSync, readSync } from 'node:fs';

/**
 * How long the turns of the event loop are, from `start` to `stop`: in time that this thread has had the processor, so that
 * other programs on the machine do not count, where the system tells (Linux), else in time of day.
 */
export class LoopTurns {
  readonly #turns: number[] = [];
  readonly #file = openSchedule();
  readonly #buffer = Buffer.alloc(128);
  #last = 0;
  #stopped = false;

  start(): this {
    this.#last = this.#now();
    const turn = () => {
      this.#record();
      if (!this.#stopped) setImmediate(turn);
    };
    setImmediate(turn);
    return this;
  }

  stop(): { longestMs: number; p99Ms: number } {
    this.#record();
    this.#stopped = true;
    if (this.#file !== undefined) closeSync(this.#file);
    const sorted = this.#turns.toSorted((a, b) => a - b);
    return { longestMs: sorted.at(-1) ?? 0, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
  }

  #record(): void {
    if (this.#stopped) return;
    const now = this.#now();
    this.#turns.push(now - this.#last);
    this.#last = now;
  }

  #now(): number {
    if (this.#file === undefined) return performance.now();
    const length = readSync(this.#file, this.#buffer, 0, this.#buffer.length, 0);
    return Number.parseInt(this.#buffer.toString('latin1', 0, length), 10) / 1e6;
  }
}

/** The first number in it is the time on a processor of the first thread, in nanoseconds. */
function openSchedule(): number | undefined {
  try {
    return openSync('/proc/self/schedstat', 'r');
  } catch {
    return undefined;
  }
}
