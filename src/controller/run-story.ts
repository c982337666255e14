import { channels, nextId, type RunValue } from '../observe/channels.ts';
import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { Cause } from './controller.ts';

/** How much of an error is told to those who look inside. */
export const MAX_ERROR_CHARACTERS = 1_024;

/** One run, for the channel `tidewatch:run`. Made only while somebody listens. */
export class RunStory {
  readonly id = nextId();
  readonly #of: Pick<RunValue, 'controller' | 'key' | 'attempt'> & { readonly item: number };
  readonly #clock: Clock;
  readonly #startMs: number;
  #causes: readonly Cause[] = [];

  constructor(of: Pick<RunValue, 'controller' | 'key' | 'attempt'> & { readonly item: number }, clock: Clock) {
    this.#of = of;
    this.#clock = clock;
    this.#startMs = monotonicMs(clock);
  }

  started(causes: readonly Cause[]): void {
    this.#causes = causes;
    this.#publish({ step: 'started' });
  }

  ended(result: NonNullable<RunValue['result']>, error?: string, retryInMs?: number): void {
    this.#publish({
      step: 'ended',
      result,
      ...(error !== undefined && result === 'error' && { error: error.slice(0, MAX_ERROR_CHARACTERS) }),
      ...(retryInMs !== undefined && { retryInMs }),
    });
  }

  #publish(rest: Pick<RunValue, 'step' | 'result' | 'error' | 'retryInMs'>): void {
    const { item, ...of } = this.#of;
    channels.run.publish({
      ...of,
      ...rest,
      id: this.id,
      ...(item > 0 && { item }),
      causes: this.#causes,
      startMs: this.#startMs,
      atMs: monotonicMs(this.#clock),
    });
  }
}
