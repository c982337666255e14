import { ThreadTime } from './thread-time.ts';

/** How long the turns of the event loop are, from `start` to `stop`, in the time of the first thread. */
export class LoopTurns {
  readonly #turns: number[] = [];
  readonly #time = new ThreadTime();
  #last = 0;
  #stopped = false;

  start(): this {
    this.#last = this.#time.now();
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
    this.#time[Symbol.dispose]();
    const sorted = this.#turns.toSorted((a, b) => a - b);
    return { longestMs: sorted.at(-1) ?? 0, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
  }

  #record(): void {
    if (this.#stopped) return;
    const now = this.#time.now();
    this.#turns.push(now - this.#last);
    this.#last = now;
  }
}
