import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Reachability } from '../api/reachability.ts';
import type { CodecMemory } from '../codec/codec.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import type { Notification } from '../processor/notification.ts';
import { DeltaFIFO } from '../queue/delta-fifo.ts';
import { InOrderQueue } from '../queue/in-order-queue.ts';
import type { Queue } from '../queue/queue.ts';
import { QueueConsumer } from '../queue/queue-consumer.ts';
import type { CachedListerWatcher } from '../reflector/cached-lister-watcher.ts';
import { CachedReflector } from '../reflector/cached-reflector.ts';
import type { CachedReflectorOptions, WatchErrorHandler } from '../reflector/reflector-options.ts';
import type { ReflectorState } from '../reflector/reflector-state.ts';
import type { ObjectTable } from '../store/object-table.ts';
import { type Coverage, fixedCoverage } from './coverage.ts';
import { DeltaHandler } from './delta-handler.ts';
import { runWithQueue } from './informer-controller.ts';
import { Intake } from './intake.ts';
import { Repairs } from './repairs.ts';
import { applyTransform, type Transform } from './transform.ts';

/** One list and watch. */
export interface InformerSource<T extends KubernetesObject> {
  listerWatcher: CachedListerWatcher<T>;
  /** Default: everything. */
  coverage?: Coverage;
  /** How the store keeps what a transform returns. */
  keepTransformed: (object: T) => Cached<T>;
  /** Whether the server does not know the type of object at all. */
  confirmGone?: (signal: AbortSignal) => Promise<boolean>;
  reachability?: Reachability;
  /** What its objects take, in a packed store. */
  memory?: CodecMemory;
}

export interface PartOptions<T extends KubernetesObject>
  extends Omit<CachedReflectorOptions<T>, 'listerWatcher' | 'target' | 'resyncMs' | 'shouldResync' | 'confirmGone'> {
  name: string;
  table: ObjectTable<T>;
  /** `delta`: what is queued is merged by object. `inOrder`: every change on its own, in the order of the server. Default `delta`. */
  queue?: 'delta' | 'inOrder' | undefined;
  distribute: (notification: Notification<T>, isSync: boolean) => void;
  onStored?: (object: Cached<T>) => void;
  transform: () => Transform<T> | undefined;
  /** Whether the first list of this part is a part of the initial list of the informer. */
  isInitial: () => boolean;
  /** Something was taken from the queue, or a whole list was queued. */
  onProgress: () => void;
  /** All that was queued has been taken from the queue. */
  onIdle?: () => void;
  /** Everything of this part up to `version` is in the table. Called after everything that could have changed that. */
  onVersion?: (version: string) => void;
  clock?: Clock | undefined;
  logger?: Logger | undefined;
}

/**
 * Reflector, queue and delta handler for one source. Several parts of one informer write to the same table, each to its
 * own namespace: a list of one namespace says nothing of what vanished from another.
 */
export class InformerPart<T extends KubernetesObject> {
  readonly #coverage: Coverage;
  readonly #intake: Intake<T>;
  readonly #queue: Queue<Cached<T>>;
  readonly #reflector: CachedReflector<T>;
  readonly #consumer: QueueConsumer<Cached<T>>;
  readonly #repairs = new Repairs<T>();
  #preparing: Cached<T> | undefined;

  constructor(source: InformerSource<T>, options: PartOptions<T>) {
    const {
      table,
      queue: queueType,
      distribute,
      onStored,
      transform,
      isInitial,
      onProgress,
      onIdle,
      onVersion,
      ...reflectorOptions
    } = options;
    const { name, clock = systemClock } = options;
    const logger = safeLogger(options.logger);
    this.#coverage = source.coverage ?? fixedCoverage(undefined);
    const queueOptions = {
      keyFunction: (object: Cached<T>) => object.key,
      knownObjects: knownTo(table, this.#coverage),
      clock,
    };
    const queue: Queue<Cached<T>> =
      queueType === 'inOrder' ? new InOrderQueue(queueOptions) : new DeltaFIFO(queueOptions);
    this.#intake = new Intake<T>({
      queue,
      clock,
      prepare: (object) => {
        this.#preparing = object;
        try {
          const change = transform();
          const prepared = change ? applyTransform(change, object, source.keepTransformed) : object;
          table.check(prepared);
          return prepared;
        } finally {
          this.#preparing = undefined;
        }
      },
      stored: (key) => table.get(key),
      repairs: this.#repairs,
      onReplaced: onProgress,
      onSeen: () => onVersion?.(this.#intake.caughtUp.storedVersion),
    });
    const handler = new DeltaHandler<T>({
      name,
      table,
      distribute,
      repairs: this.#repairs,
      clock,
      logger,
      ...(onStored && { onStored }),
    });
    this.#queue = queue;
    this.#reflector = new CachedReflector<T>({
      ...(source.reachability && { reachability: source.reachability }),
      ...reflectorOptions,
      ...(source.confirmGone && { confirmGone: source.confirmGone }),
      listerWatcher: source.listerWatcher,
      target: this.#intake,
    });
    this.#consumer = new QueueConsumer<Cached<T>>({
      name,
      queue,
      clock,
      logger,
      process: (deltas, isInList) => handler.handle(deltas, isInList && isInitial()),
      onPopped: () => {
        const { caughtUp } = this.#intake;
        caughtUp.popped();
        onVersion?.(caughtUp.storedVersion);
        onProgress();
        if (queue.length === 0) onIdle?.();
      },
      onProcessError: (error) => logger.error(`${name}: a change could not be stored: ${String(error)}`, error),
    });
  }

  get state(): ReflectorState {
    return this.#reflector.state;
  }

  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#reflector.setWatchErrorHandler(handler);
  }

  /** Somebody has read an object of this part whose bytes are damaged. */
  damaged(object: Cached<T>, problem: Error): void {
    // It is not stored yet: whoever prepares it gets the error, and does not take it.
    if (this.#preparing?.key === object.key) return;
    this.#repairs.damaged(object);
    this.#reflector.refetch(object, problem);
  }

  get coverage(): Coverage {
    return this.#coverage;
  }

  hasSynced(): boolean {
    return this.#queue.hasSynced();
  }

  lastSyncResourceVersion(): string {
    return this.#reflector.lastSyncResourceVersion();
  }

  /** A part that turns out to be spare has nothing to catch up with. */
  waitFor(version: string): { reached: Promise<unknown>; cancel: () => void } {
    const { reached, cancel } = this.#intake.caughtUp.waitFor(version);
    const spare = this.#coverage.settled?.then(() => (this.#coverage.isSpare ? undefined : reached));
    return { reached: spare ?? reached, cancel };
  }

  /** Resolves when the signal has aborted and all has ended. Sends nothing while it is spare, or may turn out to be. */
  async run(signal: AbortSignal): Promise<void> {
    const { settled } = this.#coverage;
    if (settled !== undefined) {
      const aborted = new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([settled, aborted]);
      if (this.#coverage.isSpare) await aborted;
    }
    await runWithQueue(this.#queue, signal, () => [this.#reflector.run({ signal }), this.#consumer.run()]);
  }
}

function knownTo<T extends KubernetesObject>(table: ObjectTable<T>, coverage: Coverage) {
  return {
    getByKey: (key: string) => table.get(key),
    listKeys: () => (coverage.namespace === undefined ? table.keys() : keysOf(table, coverage.namespace)),
  };
}

/** As live as the keys of the table: what goes between two of them is not listed. */
function* keysOf<T extends KubernetesObject>(table: ObjectTable<T>, namespace: string): Iterable<string> {
  const prefix = `${namespace}/`;
  for (const key of table.keys()) if (key.startsWith(prefix)) yield key;
}
