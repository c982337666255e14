import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Clock } from '../observe/clock.ts';
import { giveWay, type Scheduler, schedulerOf } from '../observe/scheduler.ts';
import type { Queue } from '../queue/queue.ts';
import type { CachedTarget } from '../reflector/cached-lister-watcher.ts';
import { CaughtUp } from './caught-up.ts';
import type { Repairs } from './repairs.ts';

export interface IntakeOptions<T extends KubernetesObject> {
  queue: Queue<Cached<T>>;
  /** Changes an object before it is queued, and refuses it by throwing. */
  prepare: (object: Cached<T>) => Cached<T>;
  /** What is stored under a key, if anything. */
  stored: (key: string) => Cached<T> | undefined;
  repairs: Repairs<T>;
  /** Whose turns are waited for. Default: the machine's. */
  clock?: Clock;
  /** A whole list has been queued. */
  onReplaced: () => void;
  /** More has been seen of the server, whether or not anything had to be queued. */
  onSeen?: () => void;
}

/** With no more than this queued, looking up a single object takes next to no time. */
const MANY = 5_000;

/** What a reflector of a shared informer writes to: the queue, and a mark of how far it has come. */
export class Intake<T extends KubernetesObject> implements CachedTarget<T> {
  readonly queue: Queue<Cached<T>>;
  readonly caughtUp: CaughtUp;
  readonly prepare: (object: Cached<T>) => Cached<T>;
  readonly #stored: (key: string) => Cached<T> | undefined;
  readonly #repairs: Repairs<T>;
  readonly #scheduler: Scheduler;
  readonly #onReplaced: () => void;
  readonly #onSeen: (() => void) | undefined;

  constructor({ queue, prepare, stored, repairs, clock, onReplaced, onSeen }: IntakeOptions<T>) {
    this.queue = queue;
    this.caughtUp = new CaughtUp(() => queue.length);
    this.prepare = prepare;
    this.#stored = stored;
    this.#repairs = repairs;
    this.#scheduler = schedulerOf(clock);
    this.#onReplaced = onReplaced;
    this.#onSeen = onSeen;
  }

  resourceVersionOf(key: string): string | undefined {
    return this.#stored(key)?.resourceVersion;
  }

  add(object: Cached<T>): void {
    this.queue.add(object);
    this.#seen(object.resourceVersion);
  }

  update(object: Cached<T>): void {
    this.queue.update(object);
    this.#seen(object.resourceVersion);
  }

  /** Its version does not count as seen once more: it is nothing new. */
  repair(object: Cached<T>): void {
    this.#repairs.fetched(object);
    this.queue.update(object);
  }

  delete(object: Cached<T>): void {
    this.queue.delete(object);
    this.#seen(object.resourceVersion);
  }

  async replace(objects: readonly Cached<T>[], resourceVersion: string, areUnique?: boolean): Promise<void> {
    await this.queue.replaceGradually(objects, resourceVersion, areUnique);
    this.caughtUp.replaced(resourceVersion);
    this.#onSeen?.();
    this.#onReplaced();
  }

  /** What is new while a long list is on its way into the store waits at the server, and not beside the list. */
  async settled(): Promise<void> {
    while (this.queue.length > MANY && !this.queue.isClosed) await giveWay(this.#scheduler);
  }

  resync(): void {
    this.queue.resync();
  }

  bookmark(resourceVersion: string): void {
    this.#seen(resourceVersion);
  }

  #seen(resourceVersion: string): void {
    this.caughtUp.queued(resourceVersion);
    this.#onSeen?.();
  }
}
