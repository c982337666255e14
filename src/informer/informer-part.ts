import { setMaxListeners } from 'node:events';
import type { Cached, CachedChange } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { deferred } from '../api/promise-like.ts';
import type { Reachability } from '../api/reachability.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { CodecMemory } from '../codec/codec.ts';
import { channels } from '../observe/channels.ts';
import type { Clock } from '../observe/clock.ts';
import { aborted, onAbort } from '../observe/interruption.ts';
import type { Logger } from '../observe/logger.ts';
import { giveWay, monotonicMs, type Scheduler, schedulerOf } from '../observe/scheduler.ts';
import type { Notification } from '../processor/notification.ts';
import { DeltaFIFO } from '../queue/delta-fifo.ts';
import { InOrderQueue } from '../queue/in-order-queue.ts';
import type { ProcessDeltas, Queue } from '../queue/queue.ts';
import { QueueConsumer, type QueueConsumerOptions } from '../queue/queue-consumer.ts';
import { CachedReflector } from '../reflector/cached-reflector.ts';
import { Unusable } from '../reflector/left-out-book.ts';
import type { CachedListerWatcher, CachedTarget } from '../reflector/lister-watcher.ts';
import type { CachedReflectorOptions, WatchErrorHandler } from '../reflector/reflector-options.ts';
import type { ReflectorPhase, ReflectorState, StateFacts } from '../reflector/reflector-state.ts';
import { type ObjectTransform, TransformedSource } from '../reflector/transformed-source.ts';
import type { PartState } from '../snapshot/snapshot.ts';
import type { SavedPart } from '../snapshot/snapshot-book.ts';
import type { ObjectTable } from '../store/object-table.ts';
import { CaughtUp, type PartVersion } from './caught-up.ts';
import type { Coverage } from './coverage.ts';
import { DeltaHandler } from './delta-handler.ts';
import { runWithQueue } from './informer-controller.ts';
import type { InformerMetrics } from './informer-metrics.ts';
import { withLeftOut } from './informer-state.ts';
import type { InformerPartStatus } from './informer-status.ts';
import { StoreStory } from './store-story.ts';
import { applyTransform, type Transform } from './transform.ts';

/** One list and watch. */
export interface InformerSource<T extends KubernetesObject> {
  listerWatcher: CachedListerWatcher<T>;
  coverage: Coverage;
  /** How the store keeps what a transform returns. */
  keepTransformed: (object: T) => Cached<T>;
  /** Whether the server does not know the type of object at all. */
  confirmGone?: (signal: AbortSignal) => Promise<boolean>;
  reachability?: Reachability;
  /** What its objects take, in a packed store. */
  memory?: CodecMemory;
  /** Its section of a snapshot. */
  saved?: SavedPart<T>;
}

/** Whoever hears of what is stored: the same for all parts. */
export interface Audience<T extends KubernetesObject> {
  distribute: (notification: Notification<T>, isSync: boolean) => void;
  /** Whether anybody hears of what is distributed or stored. */
  isHeard: () => boolean;
  onStored?: (object: Cached<T>) => void;
}

export interface PartOptions<T extends KubernetesObject>
  extends Omit<CachedReflectorOptions<T>, 'listerWatcher' | 'target' | 'resyncMs' | 'shouldResync' | 'confirmGone'> {
  table: ObjectTable<T>;
  /** `delta`: what is queued is merged by object. `inOrder`: every change on its own, in the order of the server. Default `delta`. */
  queue?: 'delta' | 'inOrder' | undefined;
  audience: Audience<T>;
  transform: () => Transform<T> | undefined;
  /** Whether the first list of this part is a part of the initial list of the informer. */
  isInitial: () => boolean;
  /** The first list is in the table. Called once. */
  onIn: () => void;
  /** Measures; unset: nothing is measured. */
  meter?: InformerMetrics | undefined;
  /** Its version among those of all parts. */
  version: PartVersion;
  /** Everything of this part up to `version` is in the table. Called after everything that could have changed that. */
  onVersion: (version: string) => void;
  clock: Clock;
  logger: Logger;
}

/** With no more than this queued, looking up a single object takes next to no time. */
const MANY = 5_000;

/**
 * One list and watch, as a pipe: source → transform → reflector → queue → delta handler → table and listeners. Each stage pulls
 * from the one before. Several parts of one informer write to the same table, each to its own namespace: a list of one
 * namespace says nothing of what vanished from another.
 */
export class InformerPart<T extends KubernetesObject> implements CachedTarget<T>, StateFacts {
  readonly coverage: Coverage;
  /** What its objects take, in a packed store. */
  readonly memory: CodecMemory | undefined;
  readonly version: PartVersion;
  /** True when the first list is in the store; false when the part stops, or is skipped, before. */
  readonly joined = deferred<boolean>();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  readonly #table: ObjectTable<T>;
  readonly #hooks: Pick<PartOptions<T>, 'onIn' | 'onVersion' | 'transform' | 'meter'>;
  readonly #scheduler: Scheduler;
  readonly #reflector: CachedReflector<T>;
  readonly #queue: Queue<Cached<T>>;
  readonly #handler: DeltaHandler<T>;
  readonly #consumer: QueueConsumer<Cached<T>>;
  readonly #caughtUp: CaughtUp;
  readonly #saved: SavedPart<T> | undefined;
  /** Unset until somebody listens. */
  #story: StoreStory | undefined;
  readonly #newStory: () => StoreStory;
  /** What the table could not take, and nobody has heard of yet; the second time it is final. */
  #refused: { readonly once: Unusable; readonly forGood: Unusable } | undefined;
  /** Whether the first list is in the table. */
  #isIn = false;
  /** Whether a list is on its way into the queue. */
  #isReplacing = false;
  #transforming: Cached<T> | undefined;

  constructor(source: InformerSource<T>, options: PartOptions<T>) {
    const { name, table, audience, transform, meter, clock, logger, onIn, onVersion } = options;
    const { listerWatcher, keepTransformed, reachability, confirmGone, saved } = source;
    this.memory = source.memory;
    this.version = options.version;
    this.#table = table;
    this.#hooks = { onIn, onVersion, transform, meter };
    this.#scheduler = schedulerOf(clock);
    this.coverage = source.coverage;
    void this.coverage.settled?.then(() => this.coverage.isSpare && this.joined.resolve(true));
    setMaxListeners(0, this.#stopping.signal);
    const transformed = new TransformedSource(listerWatcher, () => this.#intake(transform(), keepTransformed), clock);
    this.#saved = saved;
    const { namespace } = this.coverage;
    const origin = { ...options.origin, ...(namespace !== undefined && { namespace }) };
    this.#newStory = () => new StoreStory({ name, ...origin }, () => this.#reflector.current);
    const tell: Audience<T>['distribute'] = (notification, isSync) => {
      if (!isSync && channels.store.hasSubscribers) this.#listenedStory().changed(notification);
      audience.distribute(notification, isSync);
    };
    this.#reflector = new CachedReflector<T>({
      ...(reachability && { reachability }),
      ...options,
      ...(confirmGone && { confirmGone }),
      origin,
      listerWatcher: transformed,
      target: this,
      // Nobody can tell whether a transform is the one that made what was saved.
      ...(saved && { savedState: { find: async (signal) => (transform() ? undefined : await saved.find(signal)) } }),
    });
    const queueOptions = {
      keyFunction: (object: Cached<T>) => object.key,
      knownObjects: { getByKey: (key: string) => this.#handler.known(key), listKeys: () => this.#knownKeys() },
      clock,
    };
    this.#queue = options.queue === 'inOrder' ? new InOrderQueue(queueOptions) : new DeltaFIFO(queueOptions);
    this.#caughtUp = new CaughtUp(this.#queue);
    const onFailed = (error: unknown) => logger.error(`${name}: a change could not be stored: ${String(error)}`, error);
    this.#handler = new DeltaHandler<T>({
      name,
      table,
      ...audience,
      distribute: tell,
      isHeard: () => channels.store.hasSubscribers || audience.isHeard(),
      clock,
      logger,
      isInitial: options.isInitial,
      onRefused: ({ key }, cause, isFinal) => {
        this.#refused ??= { once: new Unusable(), forGood: new Unusable() };
        this.#refused[isFinal ? 'forGood' : 'once'].add(`the state of ${key}`, key, cause);
      },
      onFailed,
    });
    const consumerOptions: QueueConsumerOptions<Cached<T>> = {
      name,
      queue: this.#queue,
      clock,
      logger,
      process: meter ? this.#measured(meter, clock) : this.#handler.handle,
      ...(meter && { onLongSlice: () => meter.longSlice('store') }),
      onPopped: () => this.#popped(1),
      onProcessError: onFailed,
    };
    const listed = { process: this.#handler.listed, onPopped: (count: number) => this.#popped(count) };
    // Whoever measures wants to know of each object.
    this.#consumer = new QueueConsumer(consumerOptions, meter ? undefined : listed);
  }

  /** What each object goes through on its way in; undefined: nothing. What it throws on is reported and left out. */
  #intake(change: Transform<T> | undefined, keepTransformed: (object: T) => Cached<T>): ObjectTransform<T> | undefined {
    const { coverage } = this;
    if (change === undefined && coverage.namespace === undefined) return undefined;
    return (object) => {
      // Nobody would notice that it is gone: lists of this part say nothing of other namespaces.
      if (!coverage.covers(object.namespace)) {
        const where = object.namespace === '' ? 'without a namespace' : `of namespace ${object.namespace}`;
        throw new TidewatchError(
          'unusable',
          `an object ${where} came where namespace ${coverage.namespace} was asked for`,
        );
      }
      if (change === undefined) return object;
      this.#transforming = object;
      try {
        return applyTransform(change, object, keepTransformed);
      } finally {
        this.#transforming = undefined;
      }
    };
  }

  /** From the reflector to the queue. Settles when the queue has room: what is new while a long list is in it waits at the server. */
  write(change: CachedChange<T>): void | Promise<void> {
    if (channels.store.hasSubscribers) this.#listenedStory().comes(change, this.#queue.length === 0);
    else this.#story = undefined;
    switch (change.type) {
      case 'LIST':
        return this.#replace(change.items, change.resourceVersion);
      case 'ADDED':
        this.#queue.add(change.object);
        return this.#seen(change.object.resourceVersion);
      case 'MODIFIED':
        this.#queue.update(change.object);
        return this.#seen(change.object.resourceVersion);
      case 'DELETED':
        this.#queue.delete(change.object);
        return this.#seen(change.object.resourceVersion);
      case 'BOOKMARK':
        return this.#seen(change.resourceVersion);
      case 'REPAIRED':
        // Its version does not count as seen once more: it is nothing new.
        this.#handler.fetched(change.object);
        this.#queue.update(change.object);
    }
  }

  #listenedStory(): StoreStory {
    this.#story ??= this.#newStory();
    return this.#story;
  }

  versionOf(key: string): string | undefined {
    return this.#table.get(key)?.resourceVersion;
  }

  get phase(): ReflectorPhase {
    return this.#reflector.stateFacts.phase;
  }

  get behindSince(): number | undefined {
    return this.#reflector.stateFacts.behindSince;
  }

  get lastContact(): number | undefined {
    return this.#reflector.stateFacts.lastContact;
  }

  get leftOutCount(): number {
    return (this.#reflector.stateFacts.leftOutCount ?? 0) + this.#handler.leftOutCount;
  }

  get state(): ReflectorState {
    return withLeftOut(this.#reflector.state, this.#handler.leftOut);
  }

  /** How many objects have changes on their way to the store. */
  get queued(): number {
    return this.#queue.length;
  }

  get status(): InformerPartStatus {
    const { phase, since } = this.state;
    const { namespace } = this.coverage;
    return {
      ...(namespace !== undefined && { namespace }),
      phase,
      since,
      resourceVersion: this.lastSyncResourceVersion(),
      queued: this.queued,
      hasSynced: this.hasSynced(),
    };
  }

  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#reflector.setWatchErrorHandler(handler);
  }

  /** Somebody has read an object of this part whose bytes are damaged. */
  damaged(object: Cached<T>, problem: Error): void {
    // It is not stored yet: whoever takes it gets the error, and leaves it out.
    if (object === this.#transforming || object === this.#handler.storing) return;
    this.#handler.damaged(object);
    this.#reflector.refetch(object, problem);
  }

  hasSynced(): boolean {
    return this.#queue.hasSynced();
  }

  lastSyncResourceVersion(): string {
    return this.#reflector.lastSyncResourceVersion();
  }

  /** `reached` is false when the part stops before. A part that turns out to be spare has nothing to catch up with. */
  waitFor(version: string): { reached: Promise<boolean>; cancel: () => void } {
    const { reached, cancel } = this.#caughtUp.waitFor(version);
    const spare = this.coverage.settled?.then(() => (this.coverage.isSpare ? undefined : reached));
    const stopped = deferred<boolean>();
    const forget = onAbort(this.#stopping.signal, () => stopped.resolve(false));
    return {
      reached: Promise.race([(spare ?? reached).then(() => true), stopped.promise]),
      cancel: () => {
        forget();
        cancel();
      },
    };
  }

  /** Runs until it is stopped or `signal` aborts; resolves when all has ended. */
  run(signal: AbortSignal): Promise<void> {
    const forget = onAbort(signal, () => this.#stopping.abort(signal.reason));
    this.#running = this.#run(this.#stopping.signal).finally(() => {
      forget();
      this.joined.resolve(false);
    });
    return this.#running;
  }

  /** Resolves when nothing of it runs any more: no request, no timer, no write to the store. */
  async stop(): Promise<void> {
    this.joined.resolve(false);
    this.#stopping.abort();
    await this.#running;
  }

  /** Sends nothing while it is spare, or may turn out to be. */
  async #run(signal: AbortSignal): Promise<void> {
    const { settled } = this.coverage;
    if (settled !== undefined) {
      const stopped = aborted(signal);
      await Promise.race([settled, stopped]);
      if (this.coverage.isSpare) await stopped;
    }
    this.#saved?.running(() => this.#wholeState());
    // Before the queue is closed, and forgets what it holds.
    const saveLast = () => this.#saved?.ended(this.#wholeState());
    if (signal.aborted) saveLast();
    else signal.addEventListener('abort', saveLast, { once: true });
    await runWithQueue(this.#queue, signal, () => [this.#reflector.run({ signal }), this.#consumer.run()]);
  }

  /** What exists at one version, if the table holds exactly that: nothing is under way to it, and nothing was left out of it. */
  #wholeState(): PartState<T> | undefined {
    const isExact = this.#isIn && !this.#isReplacing && this.#caughtUp.isUpToDate && this.state.leftOut === undefined;
    const resourceVersion = this.#caughtUp.storedVersion;
    if (!isExact || resourceVersion === '' || this.#hooks.transform() !== undefined) return undefined;
    const { namespace } = this.coverage;
    const objects = this.#table.values();
    return {
      resourceVersion,
      objects: namespace === undefined ? objects : objects.filter((object) => object.namespace === namespace),
    };
  }

  #measured(meter: InformerMetrics, clock: Clock): ProcessDeltas<Cached<T>> {
    const { handle } = this.#handler;
    return (deltas, isInInitialList) => {
      const startMs = monotonicMs(clock);
      handle(deltas, isInInitialList);
      meter.processed(monotonicMs(clock) - startMs);
    };
  }

  async #replace(items: readonly Cached<T>[], resourceVersion: string): Promise<void> {
    const { onVersion, meter } = this.#hooks;
    const queue = this.#queue;
    this.#isReplacing = true;
    await queue.replace(items, resourceVersion);
    this.#caughtUp.replaced(resourceVersion);
    this.#isReplacing = false;
    onVersion(this.#caughtUp.storedVersion);
    meter?.stored();
    if (!this.#isIn) this.#checkIn();
    while (queue.length > MANY && !queue.isClosed) await giveWay(this.#scheduler);
  }

  #seen(resourceVersion: string): void {
    this.#caughtUp.queued(resourceVersion);
    this.#hooks.onVersion(this.#caughtUp.storedVersion);
  }

  #popped(count: number): void {
    const { onVersion, meter } = this.#hooks;
    this.#caughtUp.popped(count);
    onVersion(this.#caughtUp.storedVersion);
    if (!this.#isIn) this.#checkIn();
    if (this.#queue.length > 0) return;
    this.#story?.idle();
    if (this.#refused) this.#tellRefused(this.#refused);
    meter?.stored();
  }

  #checkIn(): void {
    if (!this.#queue.hasSynced()) return;
    this.#isIn = true;
    this.#hooks.onIn();
  }

  /** All that came of one list in one go. */
  #tellRefused({ once, forGood }: { readonly once: Unusable; readonly forGood: Unusable }): void {
    this.#refused = undefined;
    if (forGood.count > 0) this.#reflector.unstored(forGood, true);
    if (once.count > 0) this.#reflector.unstored(once, false);
  }

  /** As live as the keys of the table: what goes between two of them is not listed. */
  *#knownKeys(): Iterable<string> {
    const { namespace } = this.coverage;
    const prefix = `${namespace}/`;
    for (const key of this.#table.keys()) if (namespace === undefined || key.startsWith(prefix)) yield key;
    for (const key of this.#handler.refusedKeys()) if (this.#table.get(key) === undefined) yield key;
  }
}
