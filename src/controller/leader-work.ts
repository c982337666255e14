import type { Clock } from '../observe/clock.ts';
import { aborted } from '../observe/interruption.ts';
import type { Leadership } from './leadership.ts';

/** The call of `onStartedLeading` of one term. A failure while the leader leads asks the term to stop. */
export class LeaderWork {
  /** Resolves when the call has ended, whatever became of it. */
  readonly ended: Promise<void>;
  /** What it threw, if it did. */
  failure: { readonly thrown: unknown; readonly whileLeading: boolean } | undefined;
  #hasEnded = false;

  constructor(call: () => unknown, term: Leadership) {
    // An async function, so that what is thrown at once is a rejection as well.
    this.ended = (async () => call())().then(
      () => this.#end(),
      (thrown: unknown) => {
        this.failure = { thrown, whileLeading: !term.leading.aborted };
        this.#end();
        term.stop(thrown);
      },
    );
  }

  /** Resolves when the call has ended, the time is over, or the signal aborts; with whether it has ended. */
  async endsWithin(limit: { ms: number; clock: Clock } | AbortSignal): Promise<boolean> {
    const over = new AbortController();
    const waiting =
      limit instanceof AbortSignal ? aborted(limit, over.signal) : limit.clock.sleep(limit.ms, over.signal);
    await Promise.race([this.ended, waiting.catch(() => {})]);
    over.abort();
    return this.#hasEnded;
  }

  #end(): void {
    this.#hasEnded = true;
  }
}
