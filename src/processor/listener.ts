import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import { Notification } from './notification.ts';
import { EveryChange, LatestChange, type Pending } from './pending.ts';
import type { Delivery, HandlerRegistration } from './processor.ts';

/** Past this many waiting changes a listener that does not get through them warns, once, until it has caught up. */
const PENDING_WARNING = 1024;
/** A call still running this long after the end was asked for is named in a warning. */
const SLOW_END_MS = 10_000;

export interface ListenerOptions<T extends KubernetesObject> {
  name: string;
  delivery: Delivery;
  /** 0: never. */
  resyncMs: number;
  /** `view` decodes the object, once for all listeners of the change. */
  filter?: (object: Cached<T>, view: () => T) => boolean;
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
  readonly resyncMs: number;
  readonly #options: ListenerOptions<T>;
  readonly #pending: Pending<T>;
  readonly #deliver: Deliver<T>;
  /** Notifications of the initial list that were pushed and not yet delivered. */
  #initialPending = 0;
  #running: { readonly done: Promise<void>; readonly sinceMs: number } | undefined;
  #warned = false;
  #removed = false;
  /** Whether changes that change nothing (a resync, or the same version listed again) are for this listener. */
  #syncing: boolean;
  #nextResyncMs: number;
  #synced: { promise: Promise<void>; resolve: () => void; reject: (reason: Error) => void } | undefined;

  constructor(deliver: Deliver<T>, options: ListenerOptions<T>) {
    this.name = options.name;
    this.resyncMs = options.resyncMs;
    this.#options = options;
    this.#deliver = deliver;
    this.#pending = options.delivery === 'latest' ? new LatestChange() : new EveryChange();
    this.#syncing = options.resyncMs > 0;
    this.#nextResyncMs = options.clock.now() + options.resyncMs;
  }

  /** Undefined: never. */
  get nextResyncMs(): number | undefined {
    return this.resyncMs > 0 ? this.#nextResyncMs : undefined;
  }

  get isSyncing(): boolean {
    return this.#syncing;
  }

  /** Whether its resync period has passed; if so, the next one begins now. Until the next call this is also `isSyncing`. */
  resyncDue(nowMs: number): boolean {
    this.#syncing = this.resyncMs > 0 && nowMs >= this.#nextResyncMs;
    if (this.#syncing) this.#nextResyncMs = nowMs + this.resyncMs;
    return this.#syncing;
  }

  get pending(): number {
    return this.#pending.length + (this.#running ? 1 : 0);
  }

  get lagMs(): number {
    const oldestAtMs = this.#running?.sinceMs ?? this.#pending.oldestAtMs;
    return oldestAtMs === undefined ? 0 : Math.max(0, this.#options.clock.now() - oldestAtMs);
  }

  /** Whether `deliver` has something to do now. */
  get isReady(): boolean {
    return !this.#removed && this.#running === undefined && this.#pending.length > 0;
  }

  hasSynced(): boolean {
    return this.#options.upstreamHasSynced() && this.#initialPending === 0;
  }

  get synced(): Promise<void> {
    if (!this.#synced) {
      let resolve: () => void = () => {};
      let reject: (reason: Error) => void = () => {};
      const promise = new Promise<void>((onResolve, onReject) => {
        resolve = onResolve;
        reject = onReject;
      });
      this.#synced = { promise, resolve, reject };
      if (this.hasSynced()) resolve();
      else if (this.#removed) reject(this.#endedError());
    }
    return this.#synced.promise;
  }

  /** To be called when the whole initial list has been pushed. */
  checkSynced(): void {
    if (this.#synced && this.hasSynced()) this.#synced.resolve();
  }

  /** What the store holds already, as its initial list; to be called before anything is pushed. */
  replay(present: readonly Cached<T>[]): void {
    const nowMs = this.#options.clock.now();
    if (!(this.#pending instanceof EveryChange)) {
      for (const object of present) this.push(Notification.add(object, true, nowMs), false);
      return;
    }
    this.#initialPending += present.length;
    this.#pending.replay(present, nowMs);
    if (this.isReady) this.#options.onReady(this);
  }

  /** `isShared`: other listeners get it too. */
  push(notification: Notification<T>, isShared: boolean): void {
    const passed = this.#filtered(notification);
    if (this.#removed || !passed) return;
    if (passed.isInitial) this.#initialPending++;
    passed.awaited();
    this.#pending.push(passed, isShared);
    if (this.#running === undefined) this.#options.onReady(this);
    else this.#warnBeyond(this.#pending.length);
  }

  /** To be called when it has had its turn, and did not get through. An initial list may be long without anybody being slow. */
  checkPace(): void {
    this.#warnBeyond(this.#pending.length - this.#initialPending);
  }

  #warnBeyond(pending: number): void {
    if (pending <= PENDING_WARNING || this.#warned) return;
    this.#warned = true;
    this.#options.logger.warn(
      `handler ${this.name}: more than ${PENDING_WARNING} changes wait for it; it is slower than the changes come. ` +
        `Hand work to a queue, or use delivery: 'latest'.`,
    );
  }

  /** Delivers until `until` says stop, nothing waits, or a call is still running. */
  deliver(until: () => boolean): void {
    while (this.isReady) {
      const { isReplaying } = this.#pending;
      const next = this.#pending.shift();
      if (!next) return;
      if (!(next instanceof Notification)) {
        this.#begin(this.#deliverAll(next.notifications), next.notifications[0], next.initial);
      } else if (isReplaying && !this.#filtered(next)) this.#settle(1);
      else this.#begin(this.#deliverOne(next), next, next.isInitial ? 1 : 0);
      if (until()) return;
    }
  }

  async remove(): Promise<void> {
    if (!this.#removed) {
      this.#removed = true;
      this.#pending.clear();
      if (this.#synced && !this.hasSynced()) {
        // Whoever awaits `synced` hears of it; whoever does not is not punished with an unhandled rejection.
        this.#synced.promise.catch(() => {});
        this.#synced.reject(this.#endedError());
      }
      this.#options.onRemove(this);
    }
    if (!this.#running) return;
    const warning = this.#options.clock.setTimeout(
      () => this.#options.logger.warn(`handler ${this.name}: was removed, but its running call has not returned yet.`),
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
    let result: unknown;
    try {
      result = this.#deliver(notification);
    } catch (error) {
      this.#report(notification, error);
    }
    if (!isThenable(result)) {
      notification.delivered();
      return undefined;
    }
    return Promise.resolve(result).then(
      () => notification.delivered(),
      (error: unknown) => {
        this.#report(notification, error);
        notification.delivered();
      },
    );
  }

  #deliverAll([first, ...rest]: readonly Notification<T>[]): Promise<void> | undefined {
    const running = first && this.#deliverOne(first);
    if (running) return running.then(() => this.#deliverAll(rest));
    return rest.length > 0 ? this.#deliverAll(rest) : undefined;
  }

  /** `running`: the call that has been made and has not returned, if so. */
  #begin(running: Promise<void> | undefined, first: Notification<T> | undefined, initial: number): void {
    if (running === undefined) this.#settle(initial);
    else {
      const sinceMs = first?.atMs ?? this.#options.clock.now();
      this.#running = { sinceMs, done: running.then(() => this.#finish(initial)) };
    }
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

  /** What is left of a notification when only a part of the objects is wanted. */
  #filtered(notification: Notification<T>): Notification<T> | undefined {
    if (!this.#options.filter) return notification;
    const { object, old, atMs } = notification;
    const passes = this.#passes(notification, object, () => notification.view());
    if (!old) return passes ? notification : undefined;
    const passed = this.#passes(notification, old, () => notification.oldView());
    if (passes) return passed ? notification : Notification.add(object, false, atMs);
    return passed ? Notification.delete(old, false, atMs) : undefined;
  }

  /** What the filter fails on has not passed; it is reported when it is new. */
  #passes(notification: Notification<T>, object: Cached<T>, view: () => T): boolean {
    try {
      return this.#options.filter?.(object, view) ?? true;
    } catch (error) {
      if (object === notification.object) this.#report(notification, error, 'the filter of ');
      return false;
    }
  }

  #report(notification: Notification<T>, error: unknown, part = ''): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#options.logger.error(
      `${part}handler ${this.name} failed on the ${notification.type} of ${notification.object.key}, which is skipped: ${message}`,
      error,
    );
  }

  #endedError(): Error {
    return new Error(`handler ${this.name} was removed, or its informer stopped, before it had seen the initial list`);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
