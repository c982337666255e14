import type { Cached } from '../api/cached.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import { type Deferred, deferred, isPromiseLike } from '../api/promise-like.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { ambient, channels } from '../observe/channels.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { Difference } from './difference.ts';
import { FailureReports } from './failure-reports.ts';
import { beginCall, type CallOrigin, endCall, type HandlerCall } from './handler-call.ts';
import { ListenerFilter } from './listener-filter.ts';
import { Notification } from './notification.ts';
import { EveryChange, LatestChange, type Pending } from './pending.ts';
import type { Delivery, HandlerRegistration } from './processor.ts';
import { ObjectWalk, ResyncRound } from './resync-round.ts';

/** Past this many waiting changes a listener that does not get through them warns, once, until it has caught up. */
const PENDING_WARNING = 1024;
/** A call still running this long after the end was asked for is named in a warning. */
const SLOW_END_MS = 10_000;

/** Hears of what becomes of listeners. */
export interface ListenerObserver {
  added(label: string): void;
  removed(label: string): void;
  /** A call, or the filter, has failed. */
  failed(label: string): void;
  /** A change was merged into one that waited. */
  coalesced(label: string): void;
}

export interface ListenerOptions<T extends KubernetesObject> {
  name: string;
  /** Whose calls they are, for those who look inside. */
  origin: CallOrigin;
  /** What metrics call it: its name, or `unnamed`. Streams and nameless handlers come and go, and share one series. */
  label: string;
  observer?: ListenerObserver | undefined;
  delivery: Delivery;
  /** 0: never. */
  resyncMs: number;
  /** `view` decodes the object, once for all listeners of the change. */
  filter?: ((object: Cached<T>, view: () => Stored<T>) => boolean) | undefined;
  /** What the store holds. Whatever takes the place of an object there is pushed in the same turn. */
  stored: (key: string) => Cached<T> | undefined;
  /** Whether the whole initial list has been handed to `push`. */
  upstreamHasSynced: () => boolean;
  /** Something waits: `deliver` should be called soon. */
  onReady: (listener: Listener<T>) => void;
  /** A call has settled, and more waits. */
  onFree: (listener: Listener<T>) => void;
  onRemove: (listener: Listener<T>) => void;
  clock: Clock;
  logger: Logger;
}

/** What is done with one change; a promise is awaited before the next one. */
export type Deliver<T extends KubernetesObject> = (notification: Notification<T>) => unknown;

/** One subscriber: what waits for it, its pace, its resync period, and whether it has seen the initial list. */
export class Listener<T extends KubernetesObject> implements HandlerRegistration {
  readonly name: string;
  readonly label: string;
  readonly delivery: Delivery;
  readonly resyncMs: number;
  readonly #options: ListenerOptions<T>;
  readonly #pending: Pending<T>;
  readonly #filter: ListenerFilter<T> | undefined;
  readonly #deliver: Deliver<T>;
  /** What was there before the listener came. Delivered before all else. */
  #replay: ObjectWalk<T> | undefined;
  #round: ResyncRound<T> | undefined;
  /** Notifications of the initial list that were pushed and not yet delivered. */
  #initialPending = 0;
  #running: { readonly done: Promise<void>; readonly sinceMs: number } | undefined;
  #warned = false;
  #warnedOfRound = false;
  #removed = false;
  #failures = 0;
  #reports: FailureReports | undefined;
  #nextResyncMs: number;
  #synced: Deferred<void> | undefined;

  constructor(deliver: Deliver<T>, options: ListenerOptions<T>) {
    this.name = options.name;
    this.label = options.label;
    this.delivery = options.delivery;
    this.resyncMs = options.resyncMs;
    this.#options = options;
    this.#deliver = deliver;
    this.#pending = options.delivery === 'latest' ? new LatestChange() : new EveryChange();
    this.#filter =
      options.filter &&
      new ListenerFilter({
        passes: options.filter,
        onFailure: (notification, error) => this.#report(notification, error, 'the filter of '),
      });
    this.#nextResyncMs = monotonicMs(options.clock) + options.resyncMs;
  }

  /** Its first resync period begins now. */
  beginPeriod(): void {
    this.#nextResyncMs = monotonicMs(this.#options.clock) + this.resyncMs;
  }

  /** In monotonic time. Undefined: never. */
  get nextResyncMs(): number | undefined {
    return this.resyncMs > 0 ? this.#nextResyncMs : undefined;
  }

  /** Whether its resync period has passed by that monotonic time; if so, the next one has begun. */
  isResyncDue(nowMs: number): boolean {
    if (this.resyncMs === 0) return false;
    const lateMs = nowMs - this.#nextResyncMs;
    if (lateMs < 0) return false;
    // A timer that was late does not move the periods that follow.
    this.#nextResyncMs = nowMs + this.resyncMs - (lateMs % this.resyncMs);
    return true;
  }

  /**
   * Notifies of everything that is stored once more. Skipped while the round before, or the initial list, is still on its
   * way: a listener that is slower than its period must not fall further and further behind.
   */
  resync(stored: readonly Cached<T>[]): void {
    if (this.#removed) return;
    if (this.#round !== undefined || this.#initialPending > 0) {
      if (!this.#warnedOfRound) this.#warnOfRound();
      return;
    }
    this.#warnedOfRound = false;
    if (stored.length === 0) return;
    this.#round = new ResyncRound(stored, monotonicMs(this.#options.clock), this.#pending.length);
    if (this.isReady) this.#options.onReady(this);
  }

  get pending(): number {
    const listed = this.#replay === undefined ? 0 : this.#replay.left;
    const again = this.#round === undefined ? 0 : this.#round.left;
    return this.#pending.length + listed + again + (this.#running ? 1 : 0);
  }

  /** How many of its calls, and of those of its filter, have failed. */
  get failures(): number {
    return this.#failures;
  }

  get lagMs(): number {
    const oldest = [this.#running?.sinceMs, this.#replay?.atMs, this.#round?.atMs, this.#pending.oldestAtMs];
    const nowMs = monotonicMs(this.#options.clock);
    return Math.round(Math.max(0, ...oldest.map((atMs) => (atMs === undefined ? 0 : nowMs - atMs))));
  }

  /** Whether `deliver` has something to do now. */
  get isReady(): boolean {
    if (this.#running !== undefined) return false;
    return this.#pending.length > 0 || this.#round !== undefined || this.#replay !== undefined;
  }

  hasSynced(): boolean {
    return this.#options.upstreamHasSynced() && this.#initialPending === 0;
  }

  get synced(): Promise<void> {
    if (!this.#synced) {
      this.#synced = deferred();
      if (this.hasSynced()) this.#synced.resolve();
      else if (this.#removed) this.#synced.reject(this.#endedError());
    }
    return this.#synced.promise;
  }

  /** To be called when the whole initial list has been pushed. */
  checkSynced(): void {
    if (this.#synced && this.hasSynced()) this.#synced.resolve();
  }

  /** What the store holds already, as its initial list; to be called before anything is pushed. */
  replay(present: readonly Cached<T>[]): void {
    if (present.length === 0) return;
    this.#initialPending += present.length;
    this.#replay = new ObjectWalk(present, monotonicMs(this.#options.clock));
    this.#filter?.beginReplay();
    if (this.isReady) this.#options.onReady(this);
  }

  /** `isShared`: other listeners get it too. */
  push(notification: Notification<T>, isShared: boolean): void {
    if (this.#removed) return;
    const passed = this.#filter === undefined ? notification : this.#filter.changed(notification);
    // A filter is the user's, and may have removed this very listener.
    if (passed === undefined || this.#removed) return;
    this.#initialPending += passed.initial;
    passed.awaited();
    const waiting = this.#pending.length;
    const cancelled = this.#pending.push(passed, isShared);
    if (this.#pending.length <= waiting) this.#options.observer?.coalesced(this.label);
    if (cancelled > 0) this.#settle(cancelled);
    if (this.#running === undefined) this.#options.onReady(this);
    else this.checkPace();
  }

  /** To be called when it did not get through in its turn. An initial list may be long without anybody being slow. */
  checkPace(): void {
    if (this.#warned || this.#pending.length <= PENDING_WARNING) return;
    const listed = this.#initialPending - (this.#replay === undefined ? 0 : this.#replay.left);
    if (this.#pending.length - listed <= PENDING_WARNING) return;
    this.#warned = true;
    this.#options.logger.warn(
      `handler ${this.name}: more than ${PENDING_WARNING} changes wait for it; it is slower than the changes arrive. ` +
        `Hand work to a queue, or use delivery: 'latest'.`,
    );
  }

  #warnOfRound(): void {
    this.#warnedOfRound = true;
    const unfinished = this.#round === undefined ? 'its initial list' : 'its last resync';
    this.#options.logger.warn(
      `handler ${this.name}: has not finished ${unfinished}, so the resync that is due now is skipped. ` +
        `Its resync period of ${this.resyncMs} ms is too short for its pace.`,
    );
  }

  /** Delivers until `until` says stop, nothing waits, or a call is still running. */
  deliver(until: () => boolean): void {
    while (this.isReady) {
      this.#deliverNext();
      if (until()) return;
    }
  }

  #deliverNext(): void {
    if (this.#replay !== undefined) this.#deliverReplayed(this.#replay);
    else if (this.#round?.takesTurn(this.#pending.length)) this.#deliverAgain(this.#round);
    else {
      const next = this.#pending.shift();
      if (next !== undefined) this.#deliverWaiting(next);
    }
  }

  #deliverReplayed(replay: ObjectWalk<T>): void {
    const object = replay.take();
    if (replay.left === 0) this.#replay = undefined;
    const addition = object && Notification.add(object, true, replay.atMs);
    const isShown = addition !== undefined && (this.#filter?.replayed(addition) ?? true);
    if (this.#replay === undefined) this.#filter?.endReplay();
    if (isShown) this.#deliverWaiting(this.#pending.replayed(addition));
    else this.#settle(1);
  }

  /** One object of a resync. For what has changed since the round began, the change is delivered instead. */
  #deliverAgain(round: ResyncRound<T>): void {
    const object = round.take();
    if (round.left === 0) this.#round = undefined;
    if (object === undefined || this.#options.stored(object.key) !== object) return;
    const again = Notification.update(object, object, round.atMs);
    const passed = this.#filter === undefined ? again : this.#filter.changed(again);
    if (passed !== undefined) this.#deliverWaiting(passed);
  }

  #deliverWaiting(next: Notification<T> | Difference<T>): void {
    const running = next instanceof Notification ? this.#deliverOne(next) : this.#deliverAll(next.notifications());
    if (running === undefined) this.#settle(next.initial);
    else this.#running = { sinceMs: next.atMs, done: running.then(() => this.#finish(next.initial)) };
  }

  async remove(): Promise<void> {
    if (!this.#removed) {
      this.#removed = true;
      this.#pending.clear();
      this.#replay = undefined;
      this.#round = undefined;
      if (this.#synced && !this.hasSynced()) {
        // Whoever awaits `synced` gets the rejection; for anybody else it must not be an unhandled one.
        this.#synced.promise.catch(() => {});
        this.#synced.reject(this.#endedError());
      }
      this.#options.onRemove(this);
    }
    if (!this.#running) return;
    const warning = this.#options.clock.setTimeout(
      () =>
        this.#options.logger.warn(
          `handler ${this.name}: was removed or stopped, but its running call has not returned for ${SLOW_END_MS / 1000} s. ` +
            'A call that awaits remove, stop or shutdown waits for itself: call them without await in a handler.',
        ),
      SLOW_END_MS,
      { keepAlive: false },
    );
    await this.#running.done;
    warning.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove();
  }

  /** A promise when the call is still running. */
  #deliverOne(notification: Notification<T>): Promise<void> | undefined {
    if (this.#removed) return undefined;
    let running: Promise<unknown> | undefined;
    const { clock, origin } = this.#options;
    const call = channels.handler.hasSubscribers ? beginCall(notification, origin, clock) : undefined;
    if (call) ambient.cause = call.id;
    try {
      const result = this.#deliver(notification);
      if (result !== undefined && isPromiseLike(result)) running = Promise.resolve(result);
    } catch (error) {
      this.#failed(notification, error, call);
    } finally {
      if (call) ambient.cause = 0;
    }
    if (running === undefined) return this.#delivered(notification, call);
    return running.then(
      () => this.#delivered(notification, call),
      (error: unknown) => {
        this.#failed(notification, error, call);
        this.#delivered(notification, call);
      },
    );
  }

  #failed(notification: Notification<T>, error: unknown, call: HandlerCall | undefined): void {
    if (call) call.failed = true;
    this.#report(notification, error);
  }

  #delivered(notification: Notification<T>, call: HandlerCall | undefined): undefined {
    if (call) endCall(call, this.#options.clock);
    notification.delivered();
  }

  #deliverAll([first, ...rest]: readonly Notification<T>[]): Promise<void> | undefined {
    const running = first && this.#deliverOne(first);
    if (running) return running.then(() => this.#deliverAll(rest));
    return rest.length > 0 ? this.#deliverAll(rest) : undefined;
  }

  #finish(initial: number): void {
    this.#running = undefined;
    this.#settle(initial);
    if (this.isReady) this.#options.onFree(this);
  }

  #settle(initial: number): void {
    if (this.#pending.length === 0) this.#warned = false;
    if (initial === 0) return;
    this.#initialPending -= initial;
    this.checkSynced();
  }

  #report(notification: Notification<T>, error: unknown, part = ''): void {
    this.#failures++;
    this.#options.observer?.failed(this.label);
    const { clock, logger } = this.#options;
    const what = `the ${notification.type} of ${notification.object.key}`;
    this.#reports ??= new FailureReports(clock, logger);
    this.#reports.report(`${part}handler ${this.name} failed on ${what}, which is skipped`, error);
  }

  #endedError(): Error {
    return new TidewatchError(
      'stopped',
      `handler ${this.name} was removed, or its informer stopped, before it had seen the initial list`,
    );
  }
}
