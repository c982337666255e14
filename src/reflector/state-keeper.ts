import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { LeftOut, ReflectorPhase, ReflectorState } from './reflector-state.ts';

/** What is told of a phase when it begins. */
export interface PhaseDetails {
  lastError?: Error;
  nextAttempt?: number;
}

export interface StateKeeperOptions {
  clock: Pick<Clock, 'now'>;
  logger: Logger;
  onState: ((state: ReflectorState) => void) | undefined;
}

/** Holds the state, in one place. */
export class StateKeeper {
  readonly #options: StateKeeperOptions;
  #state: ReflectorState;
  #leftOut: readonly LeftOut[] = [];

  constructor(options: StateKeeperOptions) {
    this.#options = options;
    this.#state = { phase: 'idle', since: options.clock.now() };
  }

  get state(): ReflectorState {
    return this.#state;
  }

  enter(phase: ReflectorPhase, details: PhaseDetails = {}): void {
    const since = phase === this.#state.phase ? this.#state.since : this.#options.clock.now();
    this.#set({ phase, since, ...details });
  }

  /** An attempt begins. `forbidden` and `gone` stay what they are until one succeeds. */
  attempt(): void {
    const { phase, lastError } = this.#state;
    const next = phase === 'forbidden' || phase === 'gone' ? phase : 'listing';
    this.enter(next, lastError === undefined ? {} : { lastError });
  }

  /** An attempt to list has succeeded, and what it brought is on its way to the target. */
  listed(): void {
    if (this.#state.phase !== 'listing') this.enter('listing');
  }

  leaveOut(leftOut: readonly LeftOut[]): void {
    if (leftOut.length === 0 && this.#leftOut.length === 0) return;
    this.#leftOut = leftOut;
    const { leftOut: _, ...state } = this.#state;
    this.#set(state);
  }

  #set(state: ReflectorState): void {
    this.#state = this.#leftOut.length === 0 ? state : { ...state, leftOut: this.#leftOut };
    try {
      const returned: unknown = this.#options.onState?.(this.#state);
      // The type says void, yet an async function fits it.
      if (returned instanceof Promise) returned.catch((error: unknown) => this.#complain(error));
    } catch (error) {
      this.#complain(error);
    }
  }

  #complain(error: unknown): void {
    this.#options.logger.error('onState of a reflector failed; it must not.', error);
  }
}
