import type { ObjectRow, RowsAnswer } from '../protocol.ts';

/** Rows are asked for in stretches of this many. */
const STRETCH = 100;
/** Those that were looked at last are kept. */
const MAX_STRETCHES = 40;

/** Asks for rows as they come into sight: one request at a time, always for what is seen now. */
export class RowWindow {
  readonly #fetch: (from: number, count: number, signal: AbortSignal) => Promise<RowsAnswer>;
  readonly #onChange: (answer: RowsAnswer | undefined, error?: unknown) => void;
  readonly #stretches = new Map<number, readonly ObjectRow[]>();
  readonly #stale = new Set<number>();
  #abort: AbortController | undefined;
  #first = 0;
  #last = 0;

  constructor(
    fetch: (from: number, count: number, signal: AbortSignal) => Promise<RowsAnswer>,
    onChange: (answer: RowsAnswer | undefined, error?: unknown) => void,
  ) {
    this.#fetch = fetch;
    this.#onChange = onChange;
  }

  row(index: number): ObjectRow | undefined {
    return this.#stretches.get(Math.floor(index / STRETCH))?.[index % STRETCH];
  }

  /** From now on these are seen. */
  see(first: number, last: number): void {
    this.#first = first;
    this.#last = last;
    void this.#ask();
  }

  /** What is known may have changed; it is shown until the new state has come. */
  refresh(): void {
    for (const stretch of this.#stretches.keys()) this.#stale.add(stretch);
    void this.#ask();
  }

  /** Nothing is known any more. */
  reset(): void {
    this.stop();
    this.#stretches.clear();
    this.#stale.clear();
  }

  stop(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }

  async #ask(): Promise<void> {
    if (this.#abort !== undefined) return;
    const stretch = this.#wanted();
    if (stretch === undefined) return;
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const answer = await this.#fetch(stretch * STRETCH, STRETCH, abort.signal);
      if (abort.signal.aborted) return;
      this.#stretches.delete(stretch);
      this.#stretches.set(stretch, answer.rows);
      this.#stale.delete(stretch);
      for (const oldest of this.#stretches.keys()) {
        if (this.#stretches.size <= MAX_STRETCHES) break;
        this.#stretches.delete(oldest);
      }
      this.#abort = undefined;
      this.#onChange(answer);
      void this.#ask();
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#abort = undefined;
      this.#onChange(undefined, error);
    }
  }

  #wanted(): number | undefined {
    const from = Math.floor(this.#first / STRETCH);
    const to = Math.floor(Math.max(this.#first, this.#last) / STRETCH);
    for (let stretch = from; stretch <= to; stretch++) if (!this.#stretches.has(stretch)) return stretch;
    for (let stretch = from; stretch <= to; stretch++) if (this.#stale.has(stretch)) return stretch;
    return undefined;
  }
}
