import { guarded } from '../observe/guarded.ts';
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
  readonly #streams = new Set<StateStream>();
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
    for (const stream of this.#streams) stream.offer(state);
    if (onState === undefined) return;
    guarded(
      () => onState(state),
      (thrown) => logger.error(`${name}: onState failed, which changes nothing.`, thrown),
    );
  }

  /** No state follows. */
  end(): void {
    this.#isOver = true;
    for (const stream of this.#streams) stream.end();
  }

  stream(signal: AbortSignal | undefined): AsyncIterableIterator<InformerState> {
    const stream = new StateStream(signal, {
      begin: () => {
        if (this.#isOver) stream.end();
        else this.#streams.add(stream);
        return this.#options.state();
      },
      leave: () => this.#streams.delete(stream),
    });
    return stream;
  }
}

/** States as an async iterator: the present one, then each change. A slow consumer gets the latest; nothing is heaped up. */
class StateStream implements AsyncIterableIterator<InformerState> {
  readonly #signal: AbortSignal | undefined;
  readonly #source: { begin: () => InformerState; leave: () => void };
  readonly #waiting: ((result: IteratorResult<InformerState>) => void)[] = [];
  #hasBegun = false;
  #next: InformerState | undefined;
  #isEnded = false;
  #forgetSignal: () => void = () => {};

  constructor(signal: AbortSignal | undefined, source: { begin: () => InformerState; leave: () => void }) {
    this.#signal = signal;
    this.#source = source;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<InformerState>> {
    this.#begin();
    const value = this.#next;
    if (value !== undefined) {
      this.#next = undefined;
      return { done: false, value };
    }
    if (this.#isEnded) return { done: true, value: undefined };
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async return(): Promise<IteratorResult<InformerState>> {
    this.#abort();
    return { done: true, value: undefined };
  }

  offer(state: InformerState): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting({ done: false, value: state });
    else this.#next = state;
  }

  /** After what has been offered. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#forgetSignal();
    this.#source.leave();
    for (const resolve of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#forgetSignal = onAbort(this.#signal, this.#abort);
    if (this.#signal?.aborted) return;
    this.#next = this.#source.begin();
  }

  /** At once. */
  readonly #abort = (): void => {
    this.#hasBegun = true;
    this.#next = undefined;
    this.end();
  };
}
