import { deferred } from '../api/promise-like.ts';
import { guarded } from '../observe/guarded.ts';
import { InterruptibleStream } from '../observe/interruptible-stream.ts';
import { onAbort } from '../observe/interruption.ts';
import type { Logger } from '../observe/logger.ts';
import { type InformerState, isNews } from './informer-state.ts';

/** Options of `informer.states`. */
export interface StatesOptions {
  /** Ends the iteration, without an error. */
  signal?: AbortSignal | undefined;
}

export interface StateFeedOptions {
  name: string;
  /** As it is now. */
  state: () => InformerState;
  /** Called before anything that can change the state again. */
  onNews: (state: InformerState) => void;
  /** What the user wants to be called. */
  onState: ((state: InformerState) => void) | undefined;
  logger: Logger;
}

/** The states of an informer, for all who want to hear of them. */
export class StateFeed {
  readonly #options: StateFeedOptions;
  /** The next state; undefined when streams are to look whether they go on. */
  #next = deferred<InformerState | undefined>();
  #last: InformerState;
  #isOver = false;

  constructor(options: StateFeedOptions) {
    this.#options = options;
    this.#last = options.state();
  }

  /** To be called when the state may have changed. */
  check(): void {
    const { name, state: stateOf, onNews, onState, logger } = this.#options;
    const state = stateOf();
    if (this.#isOver || !isNews(this.#last, state)) return;
    this.#last = state;
    onNews(state);
    this.#wake(state);
    if (onState === undefined) return;
    guarded(
      () => onState(state),
      (thrown) => logger.error(`${name}: onState failed, which changes nothing.`, thrown),
    );
  }

  /** No state follows. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** The present one, then each change. A slow consumer gets the latest: nothing is heaped up. */
  stream(signal: AbortSignal | undefined): AsyncIterableIterator<InformerState> {
    return new InterruptibleStream((left) => this.#states(left), signal);
  }

  async *#states(left: AbortSignal): AsyncGenerator<InformerState, void, undefined> {
    const forget = onAbort(left, () => this.#wake());
    let shown: InformerState | undefined;
    let state = this.#options.state();
    try {
      while (!left.aborted) {
        if (shown === undefined || isNews(shown, state)) {
          shown = state;
          yield state;
          state = this.#options.state();
        } else if (this.#isOver) return;
        else state = (await this.#next.promise) ?? state;
      }
    } finally {
      forget();
    }
  }

  #wake(state?: InformerState): void {
    this.#next.resolve(state);
    this.#next = deferred();
  }
}
