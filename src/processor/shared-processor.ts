import type { Cached } from '../api/cached.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import { LONG_SLICE_MS, monotonicMs, type Scheduler, SLICE_MS, schedulerOf } from '../observe/scheduler.ts';
import { type Deliver, Listener, type ListenerObserver } from './listener.ts';
import type { Notification } from './notification.ts';
import type { HandlerOptions, ResourceEventHandler } from './processor.ts';

/** How many calls a listener makes before the next one has its turn. */
const CALLS_IN_A_TURN = 16;
/** client-go's minimumResyncPeriod. */
const MIN_RESYNC_MS = 1_000;

export interface SharedProcessorOptions<T extends KubernetesObject> {
  /** For the names of handlers: `pods/handler-1`. */
  name: string;
  /** The id of the informer, for those who look inside. */
  informer?: number | undefined;
  /** What the store holds. Each change to it is distributed in the same turn. */
  stored: (key: string) => Cached<T> | undefined;
  /** For handlers that do not say. 0: never. */
  defaultResyncMs: number;
  /** Whether everything of the initial list has been distributed. */
  hasSynced: () => boolean;
  observer?: ListenerObserver | undefined;
  /** Calls of handlers have held the event loop for more than 10 ms. */
  onLongSlice?: (() => void) | undefined;
  clock: Clock;
  logger: Logger;
}

export interface SubscribeOptions<T extends KubernetesObject> extends Omit<HandlerOptions<T>, 'filter'> {
  filter?: ((object: Cached<T>, view: () => Stored<T>) => boolean) | undefined;
  /** Called once, when the listener is removed or the processor stops. */
  onRemove?: (() => void) | undefined;
}

/**
 * One change to every listener, each at its own pace: distributing never waits. Handlers run in slices of a few ms
 * (a single call can be longer), taking turns, so that neither a slow handler nor a burst holds the event loop.
 */
export class SharedProcessor<T extends KubernetesObject> {
  readonly #options: SharedProcessorOptions<T>;
  readonly #scheduler: Scheduler;
  /** Replaced when one comes or goes, which may be in the middle of a distribution: a filter is the user's. */
  #listeners: readonly Listener<T>[] = [];
  /** Those with something to deliver, in the order of their turns. */
  readonly #ready = new Set<Listener<T>>();
  #isScheduled = false;
  /** When the running slice is over; async handlers that settle before go on within it. */
  #sliceEndMs = 0;
  #named = 0;
  #stopped = false;

  constructor(options: SharedProcessorOptions<T>) {
    this.#options = options;
    this.#scheduler = schedulerOf(options.clock);
  }

  get listeners(): readonly Listener<T>[] {
    return this.#listeners;
  }

  /** When the first listener is due for a resync, as the wall clock is set now; undefined when none ever is. */
  get nextResyncMs(): number | undefined {
    let next: number | undefined;
    for (const { nextResyncMs } of this.#listeners) {
      if (nextResyncMs !== undefined && (next === undefined || nextResyncMs < next)) next = nextResyncMs;
    }
    const { clock } = this.#options;
    return next === undefined ? undefined : clock.now() + next - monotonicMs(clock);
  }

  addHandler(
    handler: ResourceEventHandler<T>,
    options: SubscribeOptions<T>,
    present: readonly Cached<T>[],
  ): Listener<T> {
    return this.subscribe((notification) => call(handler, notification), options, present);
  }

  /** `present` is what the store holds now: the listener gets it first, as adds of its initial list. */
  subscribe(deliver: Deliver<T>, options: SubscribeOptions<T>, present: readonly Cached<T>[]): Listener<T> {
    const { name, informer, clock, logger, hasSynced, stored, defaultResyncMs, observer } = this.#options;
    const label = options.name ?? 'unnamed';
    const handler = `${name}/${options.name ?? `handler-${++this.#named}`}`;
    const listener = new Listener<T>(deliver, {
      name: handler,
      label,
      origin: { handler, name, informer },
      observer,
      delivery: options.delivery ?? 'all',
      resyncMs: resyncPeriod(options.resyncMs ?? defaultResyncMs),
      filter: options.filter,
      stored,
      upstreamHasSynced: hasSynced,
      onReady: (ready) => this.#schedule(ready),
      onFree: (free) => this.#continue(free),
      onRemove: (removed) => {
        this.#listeners = this.#listeners.filter((listener) => listener !== removed);
        this.#ready.delete(removed);
        observer?.removed(label);
        options.onRemove?.();
      },
      clock,
      logger,
    });
    observer?.added(label);
    if (this.#stopped) {
      void listener.remove();
      return listener;
    }
    listener.replay(present);
    this.#listeners = [...this.#listeners, listener];
    return listener;
  }

  /** `isSync`: a list has shown what was known already. That is for listeners with a resync period alone. */
  distribute(notification: Notification<T>, isSync: boolean): void {
    if (this.#stopped) return;
    const listeners = this.#listeners;
    const isShared = listeners.length > 1;
    for (const listener of listeners) {
      if (!isSync || listener.resyncMs > 0) listener.push(notification, isShared);
    }
  }

  /** To be called at the start: what has passed of a resync period before does not count. */
  beginPeriods(): void {
    for (const listener of this.#listeners) listener.beginPeriod();
  }

  /** To be called at `nextResyncMs`: begins a round for each listener that is due. `stored` is all that the store holds. */
  resync(stored: () => readonly Cached<T>[]): void {
    if (this.#stopped) return;
    const nowMs = monotonicMs(this.#options.clock);
    let objects: readonly Cached<T>[] | undefined;
    for (const listener of this.#listeners) {
      if (!listener.isResyncDue(nowMs)) continue;
      objects ??= stored();
      listener.resync(objects);
    }
  }

  /** To be called once the whole initial list has been distributed. */
  checkSynced(): void {
    for (const listener of this.#listeners) listener.checkSynced();
  }

  /** Drops what waits; resolves when the running calls have settled. Nothing is called afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#listeners.map((listener) => listener.remove()));
  }

  #schedule(listener: Listener<T>): void {
    if (this.#stopped) return;
    this.#ready.add(listener);
    this.#scheduleSlice();
  }

  #scheduleSlice(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#scheduler.nextTurn(() => this.#runSlice());
  }

  #continue(listener: Listener<T>): void {
    if (this.#scheduler.monotonicMs() < this.#sliceEndMs)
      listener.deliver(() => this.#scheduler.monotonicMs() >= this.#sliceEndMs);
    if (listener.isReady) this.#schedule(listener);
  }

  #runSlice(): void {
    this.#isScheduled = false;
    if (this.#stopped) return;
    const startMs = this.#scheduler.monotonicMs();
    const endMs = startMs + SLICE_MS;
    this.#sliceEndMs = endMs;
    while (this.#ready.size > 0 && this.#scheduler.monotonicMs() < endMs) {
      for (const listener of this.#ready) {
        this.#ready.delete(listener);
        let calls = 0;
        listener.deliver(() => ++calls % CALLS_IN_A_TURN === 0 || this.#scheduler.monotonicMs() >= endMs);
        if (listener.isReady) this.#ready.add(listener);
        if (this.#scheduler.monotonicMs() >= endMs || this.#stopped) break;
      }
    }
    const { onLongSlice } = this.#options;
    if (onLongSlice && this.#scheduler.monotonicMs() - startMs > LONG_SLICE_MS) onLongSlice();
    if (this.#ready.size === 0 || this.#stopped) return;
    for (const listener of this.#ready) listener.checkPace();
    this.#scheduleSlice();
  }
}

function call<T extends KubernetesObject>(handler: ResourceEventHandler<T>, notification: Notification<T>): unknown {
  switch (notification.type) {
    case 'add':
      return handler.onAdd?.(notification.view(), notification.flag);
    case 'update':
      return handler.onUpdate?.(notification.oldView(), notification.view());
    case 'delete':
      return handler.onDelete?.(notification.view(), notification.flag);
  }
}

function resyncPeriod(requestedMs: number): number {
  return requestedMs > 0 ? Math.max(requestedMs, MIN_RESYNC_MS) : 0;
}
