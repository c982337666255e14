import { guarded } from '../observe/guarded.ts';
import type { ReflectorSettings } from './reflector-options.ts';
import type { LeftOut, ReflectorPhase, ReflectorState, StateFacts } from './reflector-state.ts';

/** What is told of a phase when it begins. */
type PhaseDetails = Pick<ReflectorState, 'lastError' | 'nextAttempt'>;

type StateSettings = Pick<ReflectorSettings<never>, 'clock' | 'logger' | 'onState'>;

/** Holds the state, in one place. */
export class StateKeeper implements StateFacts {
  readonly #settings: StateSettings;
  #phase: Pick<ReflectorState, 'phase' | 'since'> & PhaseDetails;
  #behindSince: number | undefined;
  #lastContact: number | undefined;
  #leftOut: Pick<ReflectorState, 'leftOut' | 'leftOutCount'> = {};

  constructor(settings: StateSettings) {
    this.#settings = settings;
    this.#phase = { phase: 'idle', since: settings.clock.now() };
  }

  get state(): ReflectorState {
    const behindSince = this.#behindSince;
    const lastContact = this.#lastContact;
    return {
      ...this.#phase,
      ...this.#leftOut,
      ...(behindSince !== undefined && { behindSince }),
      ...(lastContact !== undefined && { lastContact }),
    };
  }

  get phase(): ReflectorPhase {
    return this.#phase.phase;
  }

  get behindSince(): number | undefined {
    return this.#behindSince;
  }

  get lastContact(): number | undefined {
    return this.#lastContact;
  }

  get leftOutCount(): number {
    return this.#leftOut.leftOutCount ?? 0;
  }

  enter(phase: ReflectorPhase, details: PhaseDetails = {}): void {
    const nowMs = this.#settings.clock.now();
    const since = phase === this.#phase.phase ? this.#phase.since : nowMs;
    this.#behindSince = phase === 'watching' ? undefined : (this.#behindSince ?? nowMs);
    this.#phase = { phase, since, ...details };
    this.#tell();
  }

  /** A watch has ended, and the next one is not open yet. The phase stays what it is. */
  watchEnded(): void {
    this.#behindSince ??= this.#settings.clock.now();
  }

  /** The server has sent something of use. Called for each batch of events, so it tells nobody. */
  readonly contact = (): void => {
    this.#lastContact = this.#settings.clock.now();
  };

  /** An attempt begins. `unauthorized`, `forbidden` and `gone` stay what they are until one succeeds. */
  attempt(): void {
    const { phase, lastError } = this.#phase;
    const stays = phase === 'unauthorized' || phase === 'forbidden' || phase === 'gone';
    const next = stays ? phase : 'listing';
    this.enter(next, lastError === undefined ? {} : { lastError });
  }

  /** An attempt to list has succeeded, and what it brought is on its way to the target. */
  listed(): void {
    if (this.#phase.phase !== 'listing') this.enter('listing');
  }

  leaveOut({ first, count }: { readonly first: readonly LeftOut[]; readonly count: number }): void {
    if (count === 0 && this.#leftOut.leftOut === undefined) return;
    this.#leftOut = count === 0 ? {} : { leftOut: first, leftOutCount: count };
    this.#tell();
  }

  #tell(): void {
    const { onState, logger } = this.#settings;
    if (onState === undefined) return;
    guarded(
      () => onState(this.state),
      (thrown) => logger.error('onState of a reflector failed; it must not.', thrown),
    );
  }
}
