import type { KubernetesObject } from '../api/metadata.ts';
import { afterList, afterWatchList, failureKind } from './failure.ts';
import { interruptible } from './interruption.ts';
import { listCycle } from './list-cycle.ts';
import { recover, type Step } from './recovery.ts';
import { asError } from './reflector-error.ts';
import type { Session } from './session.ts';
import type { PreparedItems } from './target-writer.ts';
import { Trace } from './trace.ts';
import { watchListCycle } from './watch-list-cycle.ts';
import { WatchListGate } from './watch-list-gate.ts';
import type { WholeState } from './whole-state.ts';

/** Fetches the whole state, by WatchList or LIST, and puts it into the target. */
export class Filler<T extends KubernetesObject> {
  readonly #session: Session<T>;
  readonly #onFilled: () => void;
  readonly #watchListGate: WatchListGate;
  /** The target has been filled, and not emptied since. */
  #isFilled = false;
  /**
   * Objects could not be taken, and the state to come decides about them: those that it cannot take either are left out.
   * Set until a state has been fetched, however many attempts that needs.
   */
  #isSecondTry = false;

  /** `onFilled` is called each time the target has got a whole state. */
  constructor(session: Session<T>, onFilled: () => void) {
    const { clock, watchList } = session.settings;
    this.#session = session;
    this.#onFilled = onFilled;
    this.#watchListGate = new WatchListGate(clock, watchList);
  }

  /** An event could not be taken: the next state is its second chance. */
  expectUntaken(): void {
    this.#isSecondTry = true;
  }

  async fill(): Promise<Step<T>> {
    const session = this.#session;
    const trace = new Trace(session.settings.clock);
    session.state.attempt();
    if (this.#watchListGate.admits()) {
      const result = await this.#tryWatchList();
      if (result !== undefined) return 'do' in result ? result : await this.#store(result, trace);
      trace.step('WatchList failed');
    }
    let whole: WholeState<T>;
    try {
      whole = await listCycle(session);
    } catch (error) {
      session.signal.throwIfAborted();
      return await recover(session, error, 'listing', afterList(failureKind(error)));
    }
    return await this.#store(whole, trace);
  }

  /** The resource type is gone: so is everything, if anything has ever been there. */
  async empty(): Promise<void> {
    const { writer, position, state } = this.#session;
    position.reset();
    this.#isSecondTry = false;
    if (!this.#isFilled) return;
    this.#isFilled = false;
    await writer.empty();
    state.leaveOut(writer.leftOut);
  }

  /** The state; or the step to take instead; or nothing, when LIST is to be used. */
  async #tryWatchList(): Promise<WholeState<T> | Step<T> | undefined> {
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
            session.report(asError(error), 'listing', pacer.waitMs());
            return undefined;
        }
      }
    }
  }

  async #store(whole: WholeState<T>, trace: Trace): Promise<Step<T>> {
    const session = this.#session;
    const { writer, settings, signal } = session;
    try {
      trace.step(whole.how);
      session.state.listed();
      const prepared = await writer.prepare(whole, signal);
      trace.step('prepared');
      if (this.#deservesSecondTry(prepared)) {
        whole.stream?.close();
        return await this.#tryAgain(prepared, whole.resourceVersion);
      }
      await this.#replace(prepared, whole.resourceVersion);
      trace.step('stored');
      await interruptible(() => settings.target.settled?.(), signal);
      session.listed(whole, trace);
      if (trace.elapsedMs >= settings.slowListMs) settings.logger.warn(`${settings.name}: a slow list took ${trace}.`);
    } catch (error) {
      whole.stream?.close();
      signal.throwIfAborted();
      return await recover(session, error, 'listing', { next: 'list', wait: 'backoff' });
    }
    return whole.stream === undefined ? { do: 'watch' } : { do: 'watch', stream: whole.stream };
  }

  #deservesSecondTry({ untaken }: PreparedItems<T>): boolean {
    return !this.#isSecondTry && this.#session.writer.leftOut.isNewsIn(untaken);
  }

  /** An empty target gets what can be taken at once; a filled one does not lose an object before the second try. */
  async #tryAgain(prepared: PreparedItems<T>, resourceVersion: string): Promise<Step<T>> {
    const { backoff, settings, state, signal } = this.#session;
    const { clock } = settings;
    if (!this.#isFilled) await this.#replace(prepared, resourceVersion);
    this.#isSecondTry = true;
    const waitMs = backoff.next();
    const [lastError] = prepared.untaken.errors;
    state.enter('backoff', { nextAttempt: clock.now() + waitMs, ...(lastError !== undefined && { lastError }) });
    this.#session.reportUntaken(prepared.untaken, 'listing', waitMs);
    await clock.sleep(waitMs, signal);
    return { do: 'fill' };
  }

  async #replace(prepared: PreparedItems<T>, resourceVersion: string): Promise<void> {
    const { writer, state, signal } = this.#session;
    const isDecided = this.#isSecondTry;
    await writer.replace(prepared, resourceVersion);
    this.#isFilled = true;
    this.#isSecondTry = false;
    signal.throwIfAborted();
    state.leaveOut(writer.leftOut);
    if (isDecided) this.#session.reportUntaken(prepared.untaken, 'listing');
    this.#onFilled();
  }
}
