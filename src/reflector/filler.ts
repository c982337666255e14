import type { BrokenObject } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Clock } from '../observe/clock.ts';
import { monotonicMs, TimeSlice } from '../observe/scheduler.ts';
import { afterList, afterWatchList, failureKind } from './failure.ts';
import { Unusable } from './left-out-book.ts';
import { listCycle, type WholeState } from './list-cycle.ts';
import { recover, type Step, type Write } from './recovery.ts';
import { asError } from './reflector-error.ts';
import type { ReflectorPhase } from './reflector-state.ts';
import { restoreCycle } from './restore-cycle.ts';
import type { SavedState } from './saved-state.ts';
import type { Session } from './session.ts';
import { watchListCycle } from './watch-list-cycle.ts';
import { WatchListGate } from './watch-list-gate.ts';

/** Fetches the whole state, by WatchList or LIST, and puts it into the target. */
export class Filler<T extends KubernetesObject> {
  readonly #session: Session<T>;
  readonly #write: Write<T>;
  readonly #onFilled: () => void;
  readonly #watchListGate: WatchListGate;
  /** The target has been filled, and not emptied since. */
  #isFilled = false;
  /**
   * Objects could not be used, and the state to come decides about them: those that it cannot use either are left out.
   * Set until a state has been fetched, however many attempts that needs.
   */
  #isSecondTry = false;
  /** Set until it has been used, or found to be of no use. */
  #savedState: SavedState<T> | undefined;
  #restoreTries = 0;

  /** `onFilled` is called each time the target has got a whole state. */
  constructor(session: Session<T>, write: Write<T>, onFilled: () => void) {
    const { clock, watchList, savedState } = session.settings;
    this.#session = session;
    this.#write = write;
    this.#savedState = savedState;
    this.#onFilled = onFilled;
    this.#watchListGate = new WatchListGate(clock, watchList);
  }

  /** An event could not be used: the next state is its second chance. */
  expectUnusable(): void {
    this.#isSecondTry = true;
  }

  async fill(): Promise<Step<T>> {
    const session = this.#session;
    const trace = new Trace(session.settings.clock);
    session.state.attempt();
    const result =
      (await this.#attempt(() => this.#tryRestore())) ??
      (await this.#tryWatchList(trace)) ??
      (await this.#attempt(() => listCycle(session)));
    return 'do' in result ? result : await this.#store(result, trace);
  }

  /** The resource type is gone: so is everything, if anything has ever been there. */
  async empty(): Promise<void> {
    const { leftOut, position, state } = this.#session;
    position.reset();
    this.#isSecondTry = false;
    if (!this.#isFilled) return;
    this.#isFilled = false;
    await this.#write([[{ type: 'LIST', items: [], resourceVersion: '' }]]);
    position.reset();
    leftOut.clear();
    state.leaveOut(leftOut);
  }

  /** What the call brings; or the step to take when it has failed. */
  async #attempt<R extends WholeState<T> | undefined>(fetch: () => Promise<R>): Promise<R | Step<T>> {
    const session = this.#session;
    try {
      return await fetch();
    } catch (error) {
      session.signal.throwIfAborted();
      return await recover(session, error, 'listing', afterList(failureKind(error)));
    }
  }

  /** Before the target has been filled for the first time. */
  async #tryRestore(): Promise<WholeState<T> | undefined> {
    const saved = this.#savedState;
    const restored = saved && (await restoreCycle(this.#session, saved, this.#restoreTries++ === 0));
    this.#savedState = undefined;
    return restored;
  }

  /** The state; or the step to take instead; or nothing, when LIST is to be used. */
  async #tryWatchList(trace: Trace): Promise<WholeState<T> | Step<T> | undefined> {
    if (!this.#watchListGate.admits()) return undefined;
    const session = this.#session;
    const { signal, position, pacer } = session;
    for (let isLastChance = false; ; isLastChance = true) {
      try {
        const whole = await watchListCycle(session);
        this.#watchListGate.succeeded();
        return whole;
      } catch (error) {
        signal.throwIfAborted();
        const kind = failureKind(error);
        if (kind === 'expired' || kind === 'tooLarge' || kind === 'olderList') position.markUnavailable();
        const recovery = afterWatchList(kind, this.#watchListGate.failed(kind));
        switch (recovery === 'again' && isLastChance ? 'list' : recovery) {
          case 'gone':
            return await recover(session, error, 'listing', { next: 'gone', wait: 'none' });
          case 'retry':
            return await recover(session, error, 'listing', { next: 'list', wait: 'backoff' });
          case 'again':
            session.report(asError(error), 'listing', pacer.waitMs());
            break;
          case 'list':
            this.#watchListGate.fellBack();
            if (kind === 'rejected') session.reportNoWatchList(asError(error), pacer.waitMs());
            else session.report(asError(error), 'listing', pacer.waitMs());
            trace.step('WatchList failed');
            return undefined;
        }
      }
    }
  }

  async #store(whole: WholeState<T>, trace: Trace): Promise<Step<T>> {
    const session = this.#session;
    const { settings, signal, leftOut } = session;
    try {
      trace.step(whole.how);
      session.state.listed();
      const unusable = await this.#unusableOf(whole.broken);
      if (!this.#isSecondTry && leftOut.isNewsIn(unusable)) {
        whole.stream?.close();
        // An empty target gets what can be used at once; a filled one does not lose an object before the second try.
        if (!this.#isFilled) await this.#replace(whole, unusable);
        return await this.tryAgain(unusable, 'listing');
      }
      await this.#replace(whole, unusable);
      trace.step('stored');
      session.listed(whole.items.length, whole.resourceVersion, trace.elapsedMs, String(trace));
      if (trace.elapsedMs >= settings.slowListMs) settings.logger.warn(`${settings.name}: a slow list took ${trace}.`);
    } catch (error) {
      whole.stream?.close();
      signal.throwIfAborted();
      return await recover(session, error, 'listing', { next: 'list', wait: 'backoff' });
    }
    const { stream, list } = whole;
    return stream === undefined ? { do: 'watch' } : { do: 'watch', stream, list };
  }

  /** After a wait, the next state is the second chance of these. */
  async tryAgain(unusable: Unusable, phase: ReflectorPhase): Promise<Step<T>> {
    const { backoff, settings, state, signal } = this.#session;
    const { clock } = settings;
    this.#isSecondTry = true;
    if (phase === 'watching') this.#session.metrics.relists('unusable');
    const waitMs = backoff.next();
    const [lastError] = unusable.errors;
    state.enter('backoff', { nextAttempt: clock.now() + waitMs, ...(lastError !== undefined && { lastError }) });
    this.#session.reportUnusable(unusable, phase, waitMs);
    await clock.sleep(waitMs, signal);
    return { do: 'fill' };
  }

  /** Those that cannot be used are left out from now on, and nothing else is. */
  async #replace({ items, resourceVersion }: WholeState<T>, unusable: Unusable): Promise<void> {
    const { leftOut, state, signal } = this.#session;
    const isDecided = this.#isSecondTry;
    await this.#write([[{ type: 'LIST', items, resourceVersion }]]);
    leftOut.replace(unusable);
    this.#isFilled = true;
    this.#isSecondTry = false;
    signal.throwIfAborted();
    state.leaveOut(leftOut);
    if (isDecided) this.#session.reportUnusable(unusable, 'listing');
    this.#onFilled();
  }

  async #unusableOf(broken: readonly BrokenObject[]): Promise<Unusable> {
    const slice = new TimeSlice(this.#session.settings.clock);
    const unusable = new Unusable();
    for (const { problem, key } of broken) {
      unusable.add(key === undefined ? 'a listed object' : `the listed ${key}`, key, problem);
      if (slice.isDue()) await slice.pause();
    }
    return unusable;
  }
}

/** Where the time of something long went. */
export class Trace {
  readonly #clock: Pick<Clock, 'now' | 'scheduler'>;
  readonly #startMs: number;
  readonly #steps: string[] = [];
  #lastMs: number;

  constructor(clock: Pick<Clock, 'now' | 'scheduler'>) {
    this.#clock = clock;
    this.#startMs = this.#lastMs = monotonicMs(clock);
  }

  get elapsedMs(): number {
    return monotonicMs(this.#clock) - this.#startMs;
  }

  /** What was done since the last step is over. */
  step(what: string): void {
    const nowMs = monotonicMs(this.#clock);
    this.#steps.push(`${what} in ${seconds(nowMs - this.#lastMs)}`);
    this.#lastMs = nowMs;
  }

  /** `12.3 s: 1,000 objects listed in 12.0 s, stored in 0.3 s` */
  toString(): string {
    return `${seconds(this.elapsedMs)}: ${this.#steps.join(', ')}`;
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
