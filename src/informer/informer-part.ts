import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { defaultLogger, type Logger } from '../observe/logger.ts';
import type { Notification } from '../processor/notification.ts';
import { DeltaFIFO } from '../queue/delta-fifo.ts';
import { InOrderQueue } from '../queue/in-order-queue.ts';
import type { ListerWatcher } from '../reflector/lister-watcher.ts';
import type { ReflectorOptions, WatchErrorHandler } from '../reflector/reflector-options.ts';
import type { ReflectorState } from '../reflector/reflector-state.ts';
import type { ObjectTable } from '../store/object-table.ts';
import { DeltaHandler } from './delta-handler.ts';
import { InformerController } from './informer-controller.ts';
import { Intake } from './intake.ts';
import { Repairs } from './repairs.ts';
import { applyTransform, type Transform } from './transform.ts';

/** One list and watch. */
export interface InformerSource<T extends KubernetesObject> {
  listerWatcher: ListerWatcher<T>;
  /** The only namespace that it covers; unset: everything. */
  namespace?: string;
  /** How a packed store keeps what a transform returns; unset in a plain one. */
  pack?: (object: T) => Cached<T>;
  /** Whether the server does not know the type of object at all. */
  confirmGone?: (signal: AbortSignal) => Promise<boolean>;
}

export interface PartOptions<T extends KubernetesObject>
  extends Omit<
    ReflectorOptions<T>,
    'listerWatcher' | 'target' | 'resyncMs' | 'shouldResync' | 'confirmGone' | 'onState'
  > {
  name: string;
  table: ObjectTable<T>;
  /** `delta`: what is queued is merged by object. `inOrder`: every change on its own, in the order of the server. Default `delta`. */
  queue?: 'delta' | 'inOrder';
  distribute: (notification: Notification<T>, isSync: boolean) => void;
  onStored?: (object: Cached<T>) => void;
  transform: () => Transform<T> | undefined;
  /** Something was taken from the queue, or a whole list was queued. */
  onProgress: () => void;
  /** All that was queued has been taken from the queue. */
  onIdle?: () => void;
  /** Everything of this part up to `version` is in the table. Called after everything that could have changed that. */
  onVersion?: (version: string) => void;
  clock?: Clock;
  logger?: Logger;
}

/**
 * Reflector, queue and delta handler for one source. Several parts of one informer write to the same table, each to its
 * own namespace: a list of one namespace says nothing of what vanished from another.
 */
export class InformerPart<T extends KubernetesObject> {
  readonly #namespace: string | undefined;
  readonly #intake: Intake<T>;
  readonly #controller: InformerController<T>;
  readonly #repairs = new Repairs<T>();
  #preparing: Cached<T> | undefined;

  constructor(source: InformerSource<T>, options: PartOptions<T>) {
    const {
      table,
      queue: queueType,
      distribute,
      onStored,
      transform,
      onProgress,
      onIdle,
      onVersion,
      ...reflectorOptions
    } = options;
    const { name, clock = systemClock, logger = defaultLogger } = options;
    this.#namespace = source.namespace;
    const queueOptions = {
      keyFunction: (object: Cached<T>) => object.key,
      knownObjects: knownTo(table, source.namespace),
    };
    const queue = queueType === 'inOrder' ? new InOrderQueue(queueOptions) : new DeltaFIFO(queueOptions);
    this.#intake = new Intake<T>({
      queue,
      prepare: (object) => {
        this.#preparing = object;
        try {
          const change = transform();
          const prepared = change ? applyTransform(change, object, source.pack) : object;
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
    this.#controller = new InformerController<T>({
      ...reflectorOptions,
      ...(source.confirmGone && { confirmGone: source.confirmGone }),
      listerWatcher: source.listerWatcher,
      queue,
      target: this.#intake,
      process: handler.handle,
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
    return this.#controller.state;
  }

  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#controller.setWatchErrorHandler(handler);
  }

  /** Somebody has read an object of this part whose bytes are damaged. */
  damaged(object: Cached<T>, problem: Error): void {
    // It is not stored yet: whoever prepares it gets the error, and does not take it.
    if (this.#preparing?.key === object.key) return;
    this.#repairs.damaged(object);
    this.#controller.refetch(object, problem);
  }

  covers(namespace: string): boolean {
    return this.#namespace === undefined || this.#namespace === namespace;
  }

  hasSynced(): boolean {
    return this.#controller.hasSynced();
  }

  lastSyncResourceVersion(): string {
    return this.#controller.lastSyncResourceVersion();
  }

  waitFor(version: string): { reached: Promise<void>; cancel: () => void } {
    return this.#intake.caughtUp.waitFor(version);
  }

  resync(): void {
    this.#intake.queue.resync();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#controller.run({ signal });
  }
}

function knownTo<T extends KubernetesObject>(table: ObjectTable<T>, namespace: string | undefined) {
  return {
    getByKey: (key: string) => table.get(key),
    listKeys: () => (namespace === undefined ? table.keys() : keysOf(table, namespace)),
  };
}

function* keysOf<T extends KubernetesObject>(table: ObjectTable<T>, namespace: string): Iterable<string> {
  for (const object of table.values()) if (object.namespace === namespace) yield object.key;
}
