import type { ObjectRow, RowsAnswer } from '../protocol.ts';

/** Rows that are not known are asked for in stretches of this many. */
const STRETCH = 100;
/** Those that were looked at last are kept. */
const MAX_STRETCHES = 40;

/** Asks for rows as they come into sight, and again for those that are seen: one request at a time, always for what is seen now. */
export class RowWindow {
  readonly #fetch: (from: number, count: number, signal: AbortSignal) => Promise<RowsAnswer>;
  readonly #onChange: (answer: RowsAnswer | undefined, error?: unknown) => void;
  readonly #stretches = new Map<number, (ObjectRow | undefined)[]>();
  #isStale = false;
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
    return this.#stretches.get(stretchOf(index))?.[index % STRETCH];
  }

  /** From now on these are seen. */
  see(first: number, last: number): void {
    this.#first = first;
    this.#last = last;
    void this.#ask();
  }

  /** What is known may have changed; it is shown until the new state has come. */
  refresh(): void {
    this.#isStale = true;
    void this.#ask();
  }

  /** Nothing is known any more. */
  reset(): void {
    this.stop();
    this.#stretches.clear();
    this.#isStale = false;
  }

  stop(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }

  async #ask(): Promise<void> {
    if (this.#abort !== undefined) return;
    const wanted = this.#wanted();
    if (wanted === undefined) return;
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const answer = await this.#fetch(...wanted, abort.signal);
      if (abort.signal.aborted) return;
      this.#take(...wanted, answer.rows);
      this.#abort = undefined;
      this.#onChange(answer);
      void this.#ask();
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#abort = undefined;
      this.#onChange(undefined, error);
    }
  }

  /** From which row on how many. */
  #wanted(): [number, number] | undefined {
    const last = Math.max(this.#first, this.#last);
    for (let stretch = stretchOf(this.#first); stretch <= stretchOf(last); stretch++) {
      if (!this.#stretches.has(stretch)) return [stretch * STRETCH, STRETCH];
    }
    if (!this.#isStale) return undefined;
    this.#isStale = false;
    return [this.#first, last - this.#first + 1];
  }

  /** There are fewer rows than were asked for at the end of the table. */
  #take(from: number, count: number, rows: readonly ObjectRow[]): void {
    for (let index = from; index < from + count; index++) {
      const stretch = stretchOf(index);
      const known = this.#stretches.get(stretch) ?? [];
      known[index % STRETCH] = rows[index - from];
      // Those that were looked at last are the last.
      this.#stretches.delete(stretch);
      this.#stretches.set(stretch, known);
    }
    for (const oldest of this.#stretches.keys()) {
      if (this.#stretches.size <= MAX_STRETCHES) break;
      this.#stretches.delete(oldest);
    }
  }
}

function stretchOf(index: number): number {
  return Math.floor(index / STRETCH);
}
