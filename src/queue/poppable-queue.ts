import type { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import { checkedOptions } from '../api/option-check.ts';
import { isPromiseLike } from '../api/promise-like.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Clock } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { schedulerOf, TimeSlice } from '../observe/scheduler.ts';
import {
  type Delta,
  type Deltas,
  type DeltaType,
  type KnownObjects,
  type ProcessDeltas,
  QUEUE_CHECKS,
  type Queue,
  QueueClosedError,
  type QueueOptions,
} from './queue.ts';
import { ObjectIntake, type Steps } from './queue-input.ts';

/** What one pop hands out. */
export class QueueItem<T> {
  readonly key: string;
  /** Never empty; belongs to the consumer once popped. */
  deltas: Delta<T>[];
  /** Whether it is of the first `replace`: known when it has been taken. */
  initial: boolean | undefined = undefined;
  /** The next in the queue, where queues link their items. */
  next: QueueItem<T> | undefined = undefined;

  constructor(key: string, delta: Delta<T>) {
    this.key = key;
    this.deltas = [delta];
  }

  get newest(): Delta<T> {
    const delta = this.deltas[this.deltas.length - 1];
    if (delta === undefined) throw new TidewatchError('misuse', `nothing is queued for ${this.key}`);
    return delta;
  }
}

/** The objects of a first list that are still queued: those from `next` on. */
export interface ListedObjects<T> {
  readonly values: readonly T[];
  readonly next: number;
}

/** Takes some of the objects from `from` to `to`, in their order, and returns how many: one at least. */
export type TakeListed<T> = (objects: readonly T[], from: number, to: number) => number;

/** What follows it runs when the running code has returned. */
const RETURNED = Promise.resolve();

interface WaitingPop<T> {
  readonly process: ProcessDeltas<T>;
  readonly resolve: (deltas: Deltas<T> | Promise<Deltas<T>>) => void;
  readonly reject: (reason: unknown) => void;
}

/** The consumer's half of a queue: waiting, popping, putting back, closing, and knowing when the first list is through. */
export abstract class PoppableQueue<T> implements Queue<T> {
  /** The item that `process` is working on; no longer queued. @internal */
  protected inFlight: QueueItem<T> | undefined;
  /** Whether anything has been said about the state of the world; the first `replace` is initial only if not. @internal */
  protected isPopulated = false;
  /** @internal */
  protected readonly intake: ObjectIntake<T>;
  /** @internal */
  protected readonly knownObjects: KnownObjects<T> | undefined;
  readonly #logger: Logger;
  readonly #clock: Clock | undefined;
  readonly #retryOnError: boolean;
  readonly #waiting: WaitingPop<T>[] = [];
  #ready: { promise: Promise<void>; resolve: () => void } | undefined;
  #closed = false;
  /** How many items of the first `replace` are queued or in flight. */
  #initialLeft = 0;
  /** How many of them have never been taken: all come out before anything newer. */
  #initialNext = 0;

  constructor(options: QueueOptions<T> = {}) {
    checkedOptions(new.target.name, options, QUEUE_CHECKS);
    this.intake = new ObjectIntake(options);
    this.knownObjects = options.knownObjects;
    this.#logger = safeLogger(options.logger);
    this.#clock = options.clock;
    this.#retryOnError = options.retryOnError ?? false;
  }

  abstract readonly length: number;

  /** Queues a change of the object of that key. @internal */
  protected abstract append(key: string, type: DeltaType, object: T | DeletedFinalStateUnknown<T>): void;
  /** The keys of all that is queued or in flight. @internal */
  protected abstract pending(): Pick<ReadonlySet<string>, 'has'>;

  /** One `replace`, with a yield wherever it may pause. Nothing has changed before all that can throw is done. @internal */
  protected abstract replaceSteps(objects: readonly T[]): Steps;
  /** Takes the oldest item out of the queue. @internal */
  protected abstract shift(): QueueItem<T> | undefined;
  /** The oldest, when nothing but a first list has brought them. @internal */
  protected get listed(): ListedObjects<T> | undefined {
    return undefined;
  }
  /** Takes this many of them out of the queue. @internal */
  protected shiftListed(_count: number): void {}
  /** Queues a failed item again, before newer deltas of its key. @internal */
  protected abstract putBack(item: QueueItem<T>): void;
  /** Empties the queue. @internal */
  protected abstract clear(): void;

  /** Whether the deletion of the object says anything. @internal */
  protected isPresent(_key: string): boolean {
    return true;
  }

  add(object: T): void {
    this.#change('Added', object);
  }

  update(object: T): void {
    this.#change('Updated', object);
  }

  delete(object: T | DeletedFinalStateUnknown<T>): void {
    this.#change('Deleted', object);
  }

  resync(): void {
    if (this.knownObjects === undefined || this.#closed) return;
    const pending = this.pending();
    for (const key of this.knownObjects.listKeys()) {
      // The known state is older than what is pending, and must not come out after it.
      if (pending.has(key)) continue;
      const object = this.lookUp(key);
      if (object !== undefined) this.append(key, 'Sync', object);
    }
    this.wake();
  }

  async replace(objects: readonly T[], _resourceVersion = ''): Promise<void> {
    const slice = new TimeSlice(this.#clock);
    const steps = this.replaceSteps(objects);
    while (!this.#closed && !steps.next().done) if (slice.isDue()) await slice.pause();
    // In another turn, so that the producer is through with the list before anything comes of it.
    schedulerOf(this.#clock).nextTurn(() => this.wake());
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  hasSynced(): boolean {
    return this.isPopulated && this.#initialLeft === 0;
  }

  pop(process: ProcessDeltas<T>): Promise<Deltas<T>> {
    if (this.#closed) return Promise.reject(new QueueClosedError());
    if (this.inFlight === undefined && this.#waiting.length === 0) {
      const item = this.#take();
      if (item !== undefined) return this.#settled(item, process);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ process, resolve, reject });
      // What is queued goes to those who have waited longer; their turn may already be under way.
      if (this.length > 0) this.#serveSoon();
    });
  }

  popNow(
    process: (deltas: Deltas<T>, isInInitialList: boolean) => unknown,
  ): Deltas<T> | Promise<Deltas<T>> | undefined {
    if (this.inFlight !== undefined) {
      throw new TidewatchError(
        'misuse',
        `a pop was asked for while ${this.inFlight.key} is being processed: a queue has one consumer`,
      );
    }
    const item = this.#take();
    return item && this.#run(item, process);
  }

  /**
   * Pops what comes next of a first list, at most `most` objects. Nothing is made for an object: most of what there ever is to pop comes this
   * way. Does nothing when something else comes next. Throws what `process` throws; its object is not put back. `process` must
   * not call the queue. @internal
   */
  popListed(process: TakeListed<T>, most: number): void {
    if (this.listed === undefined) return;
    const { values, next } = this.listed;
    let popped = 1;
    try {
      popped = process(values, next, Math.min(next + most, values.length));
    } finally {
      this.shiftListed(popped);
      this.#initialNext -= popped;
      this.#initialLeft -= popped;
    }
  }

  whenReady(): Promise<void> {
    if (this.length > 0 || this.#closed) return Promise.resolve();
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
    this.clear();
    this.#ready?.resolve();
    this.#ready = undefined;
    for (const pop of this.#waiting.splice(0)) pop.reject(new QueueClosedError());
  }

  /** A `replace` has been queued; if nothing came before it, all that is queued is the initial list. @internal */
  protected populateWithList(): void {
    if (this.isPopulated) return;
    this.isPopulated = true;
    this.#initialLeft = this.#initialNext = this.length;
  }

  /** Something has been queued. Nothing is processed before the caller has returned to the event loop. @internal */
  protected wake(): void {
    if (this.#ready !== undefined && this.length > 0) {
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
      `The key ${key} is listed among the known objects but cannot be looked up there; it is skipped.`,
      ...(cause === undefined ? [] : [cause]),
    );
    return undefined;
  }

  #change(type: DeltaType, object: T | DeletedFinalStateUnknown<T>): void {
    if (this.#closed) return;
    const key = this.intake.keyOf(object);
    if (type !== 'Deleted' || this.isPresent(key)) this.append(key, type, this.intake.final(key, object));
    this.isPopulated = true;
    this.wake();
  }

  #take(): QueueItem<T> | undefined {
    const item = this.shift();
    if (item === undefined) return undefined;
    if (item.initial === undefined) {
      item.initial = this.#initialNext > 0;
      if (item.initial) this.#initialNext--;
    }
    this.inFlight = item;
    return item;
  }

  /** A promise only when `process` has returned one. Throws what `process` throws. */
  #run(
    item: QueueItem<T>,
    process: (deltas: Deltas<T>, isInInitialList: boolean) => unknown,
  ): Deltas<T> | Promise<Deltas<T>> {
    let result: unknown;
    try {
      result = process(item.deltas, item.initial === true);
    } catch (error) {
      this.#failed(item);
      throw error;
    }
    if (result === undefined || !isPromiseLike(result)) {
      this.#processed(item);
      return item.deltas;
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

  #settled(item: QueueItem<T>, process: ProcessDeltas<T>): Promise<Deltas<T>> {
    try {
      return Promise.resolve(this.#run(item, process));
    } catch (error) {
      return Promise.reject(error);
    }
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
    // What is put back before the first list is then as much a part of it as all else that is queued.
    if (!this.isPopulated) item.initial = undefined;
    this.putBack(item);
    this.wake();
  }

  #serveSoon(): void {
    void RETURNED.then(() => this.#serve());
  }

  #serve(): void {
    while (this.inFlight === undefined && this.length > 0) {
      const pop = this.#waiting.shift();
      if (pop === undefined) return;
      const item = this.#take();
      if (item !== undefined) pop.resolve(this.#settled(item, pop.process));
    }
  }
}
