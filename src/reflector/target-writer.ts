import type { BrokenObject, Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { compareResourceVersions } from '../api/resource-version.ts';
import type { Clock } from '../observe/clock.ts';
import { TimeSlice } from '../observe/time-slice.ts';
import type { CachedTarget } from './cached-lister-watcher.ts';
import { LeftOutBook } from './left-out-book.ts';
import { ReflectorError } from './reflector-error.ts';
import type { SyncPosition } from './sync-position.ts';
import { Unusable, unusableError } from './unusable.ts';

export type ObjectEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

const VERB = { ADDED: 'addition', MODIFIED: 'update', DELETED: 'deletion' } as const;

/** What a list or a WatchList has brought. */
export interface ListedItems<T extends KubernetesObject> {
  readonly items: readonly Cached<T>[];
  readonly broken: readonly BrokenObject[];
  /** Whether they are known to have different keys. */
  readonly areUnique?: boolean;
}

/** Items of a list that are ready for the target, and what cannot be made ready. */
export interface PreparedItems<T extends KubernetesObject> {
  readonly objects: readonly Cached<T>[];
  /** Whether they are known to have different keys. */
  readonly areUnique: boolean;
  readonly unusable: Unusable;
}

/** Hands objects to the target, and keeps the book of those that cannot be used. */
export class TargetWriter<T extends KubernetesObject> {
  readonly #target: CachedTarget<T>;
  readonly #position: SyncPosition;
  readonly #clock: Clock | undefined;
  /** Only what a whole list has left out: a single failed event makes for a list first. */
  readonly leftOut = new LeftOutBook();

  constructor(target: CachedTarget<T>, position: SyncPosition, clock?: Clock) {
    this.#target = target;
    this.#position = position;
    this.#clock = clock;
  }

  /**
   * Hands one event on. Throws a `ReflectorError` when its object cannot be used, or is older than what is known of it.
   * Returns whether the object had been left out before; a promise of that only if the target returns one.
   */
  write(type: ObjectEventType, event: Cached<T>): boolean | Promise<boolean> {
    this.#refuseStale(type, event);
    let written: void | Promise<void>;
    try {
      written = this.#handOver(type, this.#prepare(event));
    } catch (cause) {
      throw eventError(type, event.key, cause);
    }
    if (written === undefined) return this.leftOut.delete(event.key);
    return written.then(
      () => this.leftOut.delete(event.key),
      (cause: unknown) => {
        throw eventError(type, event.key, cause);
      },
    );
  }

  #handOver(type: ObjectEventType, object: Cached<T>): void | Promise<void> {
    if (type === 'ADDED') return this.#target.add(object);
    return type === 'MODIFIED' ? this.#target.update(object) : this.#target.delete(object);
  }

  /** Prepares the items of a list one by one, in slices, so that one bad item does not cost the others. */
  async prepare({ items, broken, areUnique = false }: ListedItems<T>, signal: AbortSignal): Promise<PreparedItems<T>> {
    const slice = new TimeSlice(this.#clock);
    const objects: Cached<T>[] = [];
    const unusable = new Unusable();
    for (const { problem, key } of broken) {
      unusable.add('a listed object', key, problem);
      if (slice.isDue()) await slice.pause();
    }
    // Servers list in the order of the keys, in which none can come twice.
    let isSorted = true;
    let lastKey = '';
    for (const item of items) {
      try {
        objects.push(this.#prepare(item));
      } catch (cause) {
        unusable.add(`the listed ${item.key}`, item.key, cause);
      }
      if (!areUnique && isSorted) {
        isSorted = item.key > lastKey;
        lastKey = item.key;
      }
      if (slice.isDue()) await slice.pause();
      signal.throwIfAborted();
    }
    return { objects, areUnique: areUnique || isSorted, unusable };
  }

  /** The whole state. Those that could not be used are left out from now on, and nothing else is. */
  async replace({ objects, areUnique, unusable }: PreparedItems<T>, resourceVersion: string): Promise<void> {
    await this.#target.replace(objects, resourceVersion, areUnique);
    this.#position.replaced(resourceVersion);
    this.leftOut.replace(unusable);
  }

  /** The resource type is gone, and all its objects with it. */
  async empty(): Promise<void> {
    await this.#target.replace([], '');
    this.leftOut.clear();
  }

  #prepare(object: Cached<T>): Cached<T> {
    return this.#target.prepare === undefined ? object : this.#target.prepare(object);
  }

  /** Events come in the order of their versions, so only one from before the position can be older than its object. */
  #refuseStale(type: ObjectEventType, event: Cached<T>): void {
    if (this.#target.resourceVersionOf === undefined || !this.#position.isPast(event.resourceVersion)) return;
    const known = this.#target.resourceVersionOf(event.key);
    if (known === undefined) return;
    const order = compareResourceVersions(event.resourceVersion, known);
    if (order === undefined || order >= 0) return;
    throw new ReflectorError(
      'stale',
      `the server sent the ${VERB[type]} of ${event.key} at version ${event.resourceVersion}, but ${known} has been seen: it may have lost data, or be behind`,
      { key: event.key },
    );
  }
}

function eventError(type: ObjectEventType, key: string, cause: unknown): ReflectorError {
  return unusableError(`the ${VERB[type]} of ${key}`, key, cause);
}
