import { ApiError } from '../api/api-error.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { interruptible } from '../observe/interruption.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import { afterEvents, afterStreamEnd, afterWatchOpen, failureKind, retryAfterMs } from './failure.ts';
import type { Filler } from './filler.ts';
import type { FrameStream } from './frame-stream.ts';
import type { Unusable } from './left-out-book.ts';
import { recover, type Step, type Write } from './recovery.ts';
import { ReflectorError } from './reflector-error.ts';
import type { ReflectorPhase } from './reflector-state.ts';
import { RetryWindow } from './retry-window.ts';
import type { Session } from './session.ts';
import { SilentWatches } from './silent-watches.ts';
import { openWatch, SHORT_WATCH_MS, WatchCycle } from './watch-cycle.ts';

/** After this many checks in a row without an answer, a list is tried to get one. */
const MAX_UNKNOWN = 12;

/** Without end: the whole state, its changes, and after each failure the least that makes it right again. */
export class ListAndWatch<T extends KubernetesObject> {
  readonly #session: Session<T>;
  readonly #filler: Filler<T>;
  readonly #write: Write<T>;
  readonly #internalErrors: RetryWindow;
  /** Watches in a row that ended at once without an event. */
  #shortWatches = 0;
  /** Watches in a row that failed to open with a server error. */
  #unavailableOpens = 0;
  readonly #silentWatches = new SilentWatches();
  /** The version to watch from comes from a list, and no watch has been tried since. */
  #isFromList = false;
  /** Watches of this server have sent bookmarks that nobody asked for. */
  #sendsBookmarks = false;
  /** The one that is open and read. */
  #stream: FrameStream<T> | undefined;
  /** What could not be stored since the last list. */
  #unstored: Unusable | undefined;

  constructor(session: Session<T>, filler: Filler<T>, write: Write<T>) {
    const { clock, maxInternalErrorRetryMs } = session.settings;
    this.#session = session;
    this.#filler = filler;
    this.#write = write;
    this.#internalErrors = new RetryWindow(clock, maxInternalErrorRetryMs);
  }

  /** Ends when the session's signal aborts. Never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#session;
    let step: Step<T> = { do: 'fill' };
    while (!signal.aborted) {
      try {
        step = await this.#take(step);
      } catch (error) {
        if (signal.aborted) return;
        // Steps handle the failures that they know of. Whatever this is, it must not be the end.
        step = { do: 'fill' };
        await recover(this.#session, error, 'listing', { next: 'list', wait: 'backoff' }).catch(() => {});
      }
    }
  }

  /** One whole state and the watches that go on from it. Ends when the session's signal aborts; rejects with what ends them. */
  async round(): Promise<void> {
    const { signal } = this.#session;
    this.#session.endsWithRound = true;
    try {
      let step = await this.#take({ do: 'fill' });
      while (step.do !== 'fill') step = await this.#take(step);
      throw new ReflectorError('shortWatch', 'the watch ended, and the server gives no version to go on from');
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#session.endsWithRound = false;
    }
  }

  /** These could not be stored: the watch, or else the next one, ends for a list, as it does for an event that cannot be used. */
  relist(unusable: Unusable): void {
    if (this.#unstored !== undefined) {
      this.#session.reportUnusable(unusable, 'watching');
      return;
    }
    this.#unstored = unusable;
    const [error] = unusable.errors;
    if (error !== undefined) this.#stream?.breakOff(error);
  }

  #take(step: Step<T>): Promise<Step<T>> {
    switch (step.do) {
      case 'fill':
        this.#isFromList = true;
        this.#unstored = undefined;
        this.#silentWatches.reset();
        return this.#filler.fill();
      case 'watch':
        return this.#watch(step.stream, step.list);
      case 'awaitReturn':
        return this.#awaitReturn(step.error, step.phase);
    }
  }

  /** `list` is the id of the WatchList that hands over its stream. */
  async #watch(handedOver?: FrameStream<T>, list?: number): Promise<Step<T>> {
    const session = this.#session;
    const { signal, position, trace } = session;
    const { clock } = session.settings;
    const isResumed = !this.#isFromList;
    this.#isFromList = false;
    const expectsBookmarks = isResumed && this.#sendsBookmarks;
    // From before the request: some proxies hold back the head of a response until the first event.
    const call = trace.begin();
    const { startMs } = call;
    const from = position.resourceVersion;
    let stream: FrameStream<T>;
    try {
      stream = handedOver ?? (await openWatch(session, expectsBookmarks, call));
    } catch (error) {
      signal.throwIfAborted();
      trace.watch(call, { step: 'failed', resourceVersion: from, events: 0, failure: failureKind(error) });
      if (failureKind(error) !== 'silent') return await this.#openFailed(error);
      if (isResumed) this.#silentWatches.add(monotonicMs(clock) - startMs);
      return await this.#ended(error, false);
    }

    trace.watch(call, { step: 'opened', resourceVersion: from, events: 0, ...(list !== undefined && { list }) });
    const cycle = new WatchCycle(session, stream, expectsBookmarks, list ?? call.id);
    let failure: unknown;
    try {
      this.#unavailableOpens = 0;
      session.watchOpened();
      position.watching();
      this.#stream = stream;
      if (this.#unstored === undefined) await this.#write(cycle);
    } catch (error) {
      failure = error;
    } finally {
      this.#stream = undefined;
      stream.close();
    }
    const { events } = cycle;
    const why = failure === undefined || signal.aborted ? {} : { failure: failureKind(failure) };
    trace.watch(call, { step: 'ended', resourceVersion: position.resourceVersion, events, ...why });
    signal.throwIfAborted();
    if (cycle.hasBookmarks) this.#sendsBookmarks = true;
    const lastedMs = monotonicMs(clock) - startMs;
    if (events > 0) this.#silentWatches.reset();
    else if (isResumed) this.#silentWatches.add(lastedMs);
    const isShort = events === 0 && lastedMs < SHORT_WATCH_MS;
    session.watchEnded(events, lastedMs, isShort);
    const unstored = this.#unstored;
    return unstored === undefined
      ? await this.#ended(failure, isShort)
      : await this.#filler.tryAgain(unstored, 'watching');
  }

  async #openFailed(error: unknown): Promise<Step<T>> {
    const kind = failureKind(error);
    const recovery = afterWatchOpen(kind, this.#unavailableOpens);
    this.#unavailableOpens = kind === 'unavailable' && recovery.next === 'watch' ? this.#unavailableOpens + 1 : 0;
    return await recover(this.#session, error, 'watching', recovery);
  }

  /** `failure` is undefined after a clean end. */
  async #ended(failure: unknown, isShort: boolean): Promise<Step<T>> {
    const session = this.#session;
    const { silenceTimeoutMs, minWatchTimeoutMs } = session.settings;
    const silenceLimitMs = 2 * (this.#sendsBookmarks ? silenceTimeoutMs : minWatchTimeoutMs);
    if (!(failure instanceof ApiError) && this.#silentWatches.areSuspect(silenceLimitMs)) {
      // Nothing but what the next watches show is known of the server any more.
      this.#sendsBookmarks = false;
      const problem = this.#silentWatches.problem(session.position.resourceVersion);
      return await recover(session, problem, 'watching', { next: 'list', wait: 'backoff' });
    }
    if (failure instanceof ApiError || failure instanceof ReflectorError) {
      const kind = failureKind(failure);
      if (kind === 'unusable' || kind === 'stale') this.#filler.expectUnusable();
      if (isInternal(failure) && this.#internalErrors.allows()) {
        return await recover(session, failure, 'watching', { next: 'watch', wait: 'none' });
      }
      return await recover(session, failure, 'watching', afterEvents(kind));
    }
    const recovery = afterStreamEnd(isShort, this.#shortWatches);
    this.#shortWatches = isShort && recovery.next === 'watch' ? this.#shortWatches + 1 : 0;
    if (isShort) {
      const options = failure === undefined ? {} : { cause: failure };
      const error = new ReflectorError('shortWatch', 'the watch ended at once, without an event', options);
      return await recover(session, error, 'watching', recovery);
    }
    const next = session.position.isNowhere ? 'list' : recovery.next;
    const wait = next === 'list' ? 'backoff' : recovery.wait;
    if (failure !== undefined) return await recover(session, failure, 'watching', { next, wait });
    return next === 'list' ? await this.#relist() : { do: 'watch' };
  }

  /** Nothing has failed, but nothing can be resumed either: the server gives no versions. */
  async #relist(): Promise<Step<T>> {
    const { backoff, state, settings, signal, endsWithRound } = this.#session;
    if (endsWithRound) return { do: 'fill' };
    this.#session.metrics.relists('noVersion');
    const waitMs = backoff.next();
    state.enter('backoff', { nextAttempt: settings.clock.now() + waitMs });
    await settings.clock.sleep(waitMs, signal);
    return { do: 'fill' };
  }

  /**
   * A 404 may come from a server that is still starting, so nothing is emptied before discovery has confirmed it. While it
   * does, lists would fail.
   */
  async #awaitReturn(error: Error, phase: ReflectorPhase): Promise<Step<T>> {
    const session = this.#session;
    const { clock, goneCheckMs, confirmGone, random } = session.settings;
    const checkMs = () => goneCheckMs * (1 + 0.1 * random());
    session.backoff.answered();
    let waitMs = confirmGone === undefined ? session.backoff.next(retryAfterMs(error)) : checkMs();
    this.#enterGone(error, waitMs);
    session.report(error, phase, waitMs);
    if ((await this.#askWhetherGone()) === 'gone') {
      await this.#filler.empty();
      // Without an answer nothing is listed, unless it stays so.
      for (let unknown = 0; unknown < MAX_UNKNOWN; ) {
        waitMs = checkMs();
        this.#enterGone(error, waitMs);
        await clock.sleep(waitMs, session.signal);
        const answer = await this.#askWhetherGone();
        if (answer === 'there') break;
        unknown = answer === 'unknown' ? unknown + 1 : 0;
      }
      return { do: 'fill' };
    }
    if (confirmGone !== undefined) {
      waitMs = session.backoff.next(retryAfterMs(error));
      this.#enterGone(error, waitMs);
    }
    await clock.sleep(waitMs, session.signal);
    return { do: 'fill' };
  }

  #enterGone(error: Error, waitMs: number): void {
    const { state, settings } = this.#session;
    state.enter('gone', { lastError: error, nextAttempt: settings.clock.now() + waitMs });
  }

  async #askWhetherGone(): Promise<'gone' | 'there' | 'unknown'> {
    const { signal, settings } = this.#session;
    const { confirmGone, logger, name } = settings;
    if (confirmGone === undefined) return 'unknown';
    try {
      return (await interruptible(() => confirmGone(signal), signal)) ? 'gone' : 'there';
    } catch (error) {
      signal.throwIfAborted();
      logger.debug(`${name}: could not find out whether the resource type exists.`, error);
      return 'unknown';
    }
  }
}

function isInternal(failure: ApiError | ReflectorError): boolean {
  return failure instanceof ApiError && (failure.reason === 'InternalError' || failure.code === 500);
}
