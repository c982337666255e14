import type { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import { defaultLogger, type Logger } from '../observe/logger.ts';
import { type Linked, LinkedFifo } from './linked-fifo.ts';
import { ObjectIntake } from './object-intake.ts';
import {
  type Delta,
  type Deltas,
  type KnownObjects,
  type ProcessDeltas,
  type Queue,
  QueueClosedError,
  type QueueOptions,
} from './queue.ts';

/** What one pop hands out. */
export interface QueueItem<T> extends Linked<QueueItem<T>> {
  readonly key: string;
  /** Never empty; belongs to the consumer once popped. */
  deltas: Delta<T>[];
  /** Counted by `initialLeft`. */
  initial: boolean;
}

interface WaitingPop<T> extends Linked<WaitingPop<T>> {
  readonly process: ProcessDeltas<T>;
  readonly resolve: (deltas: Deltas<T> | Promise<Deltas<T>>) => void;
  readonly reject: (reason: unknown) => void;
}

/** The consumer's half of a queue: waiting, popping, putting back, closing, and knowing when the first list is through. */
export abstract class PoppableQueue<T> implements Queue<T> {
  /** Oldest first. @internal */
  protected readonly items = new LinkedFifo<QueueItem<T>>();
  /** The item that `process` is working on; not in `items`. @internal */
  protected inFlight: QueueItem<T> | undefined;
  /** @internal */
  protected readonly intake: ObjectIntake<T>;
  /** @internal */
  protected readonly knownObjects: KnownObjects<T> | undefined;
  readonly #logger: Logger;
  readonly #retryOnError: boolean;
  readonly #waiting = new LinkedFifo<WaitingPop<T>>();
  #ready: { promise: Promise<void>; resolve: () => void } | undefined;
  #closed = false;
  /** Whether anything has been said about the state of the world; the first `replace` is initial only if not. */
  #populated = false;
  /** How many items of the first `replace` are queued or in flight. */
  #initialLeft = 0;

  constructor(options: QueueOptions<T> = {}) {
    this.intake = new ObjectIntake(options);
    this.knownObjects = options.knownObjects;
    this.#logger = options.logger ?? defaultLogger;
    this.#retryOnError = options.retryOnError ?? false;
  }

  abstract add(object: T): void;
  abstract update(object: T): void;
  abstract delete(object: T | DeletedFinalStateUnknown<T>): void;
  abstract replace(objects: readonly T[], resourceVersion: string): void;
  abstract resync(): void;

  /** The item has left `items`, for good or until it is put back. @internal */
  protected abstract taken(item: QueueItem<T>): void;
  /** Queues a failed item again, before newer deltas of its key. @internal */
  protected abstract putBack(item: QueueItem<T>): void;
  /** `items` has been emptied. @internal */
  protected abstract cleared(): void;

  get length(): number {
    return this.items.length;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  hasSynced(): boolean {
    return this.#populated && this.#initialLeft === 0;
  }

  pop(process: ProcessDeltas<T>): Promise<Deltas<T>> {
    if (this.#closed) return Promise.reject(closedError());
    if (this.inFlight === undefined && this.#waiting.length === 0) {
      const item = this.#take();
      if (item !== undefined) return this.#run(item, process);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ process, resolve, reject, next: undefined });
      // What is queued goes to those who have waited longer; their turn may already be under way.
      if (this.items.length > 0) this.#serveSoon();
    });
  }

  popNow(process: (deltas: Deltas<T>, isInInitialList: boolean) => void): Deltas<T> | undefined {
    if (this.inFlight !== undefined) {
      throw new Error(`popNow was called while ${this.inFlight.key} is being processed: a queue has one consumer`);
    }
    const item = this.#take();
    if (item === undefined) return undefined;
    try {
      process(item.deltas, item.initial);
    } catch (error) {
      this.#failed(item);
      throw error;
    }
    this.#processed(item);
    return item.deltas;
  }

  whenReady(): Promise<void> {
    if (this.items.length > 0 || this.#closed) return Promise.resolve();
    if (this.#ready === undefined) {
      let resolve = () => {};
      const promise = new Promise<void>((settle) => {
        resolve = settle;
      });
      this.#ready = { promise, resolve };
    }
    return this.#ready.promise;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.items.clear();
    this.cleared();
    this.#ready?.resolve();
    this.#ready = undefined;
    for (let pop = this.#waiting.shift(); pop !== undefined; pop = this.#waiting.shift()) pop.reject(closedError());
  }

  /** An add, update or delete has come: a later `replace` is not the initial one. @internal */
  protected populate(): void {
    this.#populated = true;
  }

  /** A `replace` has been queued; if nothing came before it, all that is queued is the initial list. @internal */
  protected populateWithList(): void {
    if (this.#populated) return;
    this.#populated = true;
    this.#initialLeft = this.items.length;
    for (let item = this.items.head; item !== undefined; item = item.next) item.initial = true;
  }

  /** Something has been queued. Nothing is processed before the caller has returned to the event loop. @internal */
  protected wake(): void {
    if (this.#ready !== undefined && this.items.length > 0) {
      this.#ready.resolve();
      this.#ready = undefined;
    }
    if (this.#waiting.length > 0) this.#serveSoon();
  }

  /** The state of a known object, or undefined, with a warning, when its key was listed and yet it cannot be had. @internal */
  protected lookUp(key: string): T | undefined {
    let cause: unknown;
    try {
      const object = this.knownObjects?.getByKey(key);
      if (object !== undefined) return object;
    } catch (error) {
      cause = error;
    }
    this.#logger.warn(
      `The key ${key} is listed among the known objects but cannot be looked up there; it is passed over.`,
      ...(cause === undefined ? [] : [cause]),
    );
    return undefined;
  }

  #take(): QueueItem<T> | undefined {
    const item = this.items.shift();
    if (item === undefined) return undefined;
    this.inFlight = item;
    this.taken(item);
    return item;
  }

  #run(item: QueueItem<T>, process: ProcessDeltas<T>): Promise<Deltas<T>> {
    let result: void | Promise<void>;
    try {
      result = process(item.deltas, item.initial);
    } catch (error) {
      this.#failed(item);
      return Promise.reject(error);
    }
    if (!isThenable(result)) {
      this.#processed(item);
      return Promise.resolve(item.deltas);
    }
    return Promise.resolve(result).then(
      () => {
        this.#processed(item);
        return item.deltas;
      },
      (error: unknown) => {
        this.#failed(item);
        throw error;
      },
    );
  }

  #processed(item: QueueItem<T>): void {
    this.inFlight = undefined;
    if (item.initial) this.#initialLeft--;
    if (this.#waiting.length > 0) this.#serveSoon();
  }

  #failed(item: QueueItem<T>): void {
    if (!this.#retryOnError || this.#closed) {
      this.#processed(item);
      return;
    }
    this.inFlight = undefined;
    this.putBack(item);
    this.wake();
  }

  #serveSoon(): void {
    queueMicrotask(() => this.#serve());
  }

  #serve(): void {
    while (this.inFlight === undefined && this.items.length > 0) {
      const pop = this.#waiting.shift();
      if (pop === undefined) return;
      const item = this.#take();
      if (item !== undefined) pop.resolve(this.#run(item, pop.process));
    }
  }
}

function isThenable(value: void | Promise<void>): value is Promise<void> {
  return typeof value === 'object' && value !== null && typeof value.then === 'function';
}

function closedError(): QueueClosedError {
  return new QueueClosedError('the queue is closed');
}
