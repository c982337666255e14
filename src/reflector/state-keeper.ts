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
  #leftOut: Pick<ReflectorState, 'leftOut' | 'leftOutCount'> = {};

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

  leaveOut({ first, count }: { readonly first: readonly LeftOut[]; readonly count: number }): void {
    if (count === 0 && this.#leftOut.leftOut === undefined) return;
    this.#leftOut = count === 0 ? {} : { leftOut: first, leftOutCount: count };
    const { leftOut: _, leftOutCount: __, ...state } = this.#state;
    this.#set(state);
  }

  #set(state: ReflectorState): void {
    this.#state = { ...state, ...this.#leftOut };
    try {
      this.#options.onState?.(this.#state);
    } catch (error) {
      this.#options.logger.error('onState of a reflector threw; it must not.', error);
    }
  }
}
