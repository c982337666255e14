import type { Cached } from '../api/cached.ts';
import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { compareResourceVersions } from '../api/resource-version.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import { Notification } from '../processor/notification.ts';
import type { Delta, Deltas } from '../queue/queue.ts';
import { isTombstone } from '../queue/queue-input.ts';
import type { LeftOut } from '../reflector/reflector-state.ts';
import type { ObjectTable } from '../store/object-table.ts';

/** The table could not take the object. */
const REFUSED = Symbol('refused');

export interface DeltaHandlerOptions<T extends KubernetesObject> {
  name: string;
  table: Pick<ObjectTable<T>, 'get' | 'put' | 'putNew' | 'remove'>;
  distribute: (notification: Notification<T>, isSync: boolean) => void;
  /** Whether anybody hears of what is distributed or stored. Default: somebody does. */
  isHeard?: () => boolean;
  /** Another version of an object is in the table, and nobody has seen it yet. */
  onStored?: (object: Cached<T>) => void;
  /** Whether a first list is still a part of the initial list of the informer. Default: it is. */
  isInitial?: () => boolean;
  /**
   * The table could not take the object: an index function has failed on it, or its bytes are damaged. `isFinal`: nor could it
   * take the state before, so that the object is left out from now on; before that, what was known of it stays.
   */
  onRefused?: (object: Cached<T>, cause: unknown, isFinal: boolean) => void;
  /** It failed to tell of an object that is in the table. */
  onFailed: (error: unknown) => void;
  clock: Clock;
  logger: Logger;
}

/**
 * From deltas to the store, then to the listeners: a listener hears of a change when the store already has it. A listener
 * never hears of the deletion of an object that it was not told of, nor of one uid turning into another: that is the
 * deletion of the old object and the addition of the new one. What takes the place of a damaged object is an update, also
 * at the same version: what was done with the damaged one may have failed. client-go's `processDeltas`.
 */
export class DeltaHandler<T extends KubernetesObject> {
  readonly #options: DeltaHandlerOptions<T>;
  /** What the table is reading: damage that it finds is a reason not to store the object. */
  storing: Cached<T> | undefined;
  /** The newest state of each object that the table could not take. As what follows, unset until there is one. */
  #refused: Map<string, { readonly object: Cached<T>; readonly reason: string }> | undefined;
  /** Those that have turned out to be damaged, and those that were fetched to take their place. */
  #damaged: WeakSet<Cached<T>> | undefined;
  #fetched: WeakSet<Cached<T>> | undefined;

  constructor(options: DeltaHandlerOptions<T>) {
    this.#options = options;
  }

  damaged(object: Cached<T>): void {
    this.#damaged ??= new WeakSet();
    this.#damaged.add(object);
  }

  /**
   * The object was fetched in the place of a damaged one, and will be handled. It is skipped when it is not of the version that is
   * there: it has changed or has been deleted, and unlike an event it says nothing of that; the watch does.
   */
  fetched(object: Cached<T>): void {
    this.#fetched ??= new WeakSet();
    this.#fetched.add(object);
  }

  /** What exists on the server and not in the table, because that could not take it. */
  get leftOut(): LeftOut[] {
    return Array.from(this.#refused ?? [], ([key, { reason }]) => ({ key, reason }));
  }

  get leftOutCount(): number {
    return this.#refused?.size ?? 0;
  }

  /** What is known of the server's objects: what the table has, and what it could not take, so that its deletion is noticed. */
  known(key: string): Cached<T> | undefined {
    return this.#options.table.get(key) ?? this.#refused?.get(key)?.object;
  }

  refusedKeys(): Iterable<string> {
    return this.#refused?.keys() ?? [];
  }

  readonly handle = (deltas: Deltas<Cached<T>>, isInInitialList: boolean): void => {
    for (const delta of deltas) {
      if (delta.type === 'Deleted') this.#delete(delta.object);
      else if (!isTombstone(delta.object)) this.#put(delta.type, delta.object, isInInitialList);
    }
  };

  /** The same for some objects of a first list, those from `from` to `to` or fewer; returns how many. */
  readonly listed = (objects: readonly Cached<T>[], from: number, to: number): number => {
    const { table, isHeard, isInitial, clock } = this.#options;
    let next = from;
    if (this.#refused === undefined) {
      const isInInitialList = isInitial?.() ?? true;
      const nowMs = monotonicMs(clock);
      // Whoever joins in the middle is shown what is stored, and hears of the rest: one at a time, unless nobody hears.
      const isSilent = isHeard !== undefined && !isHeard();
      if (isSilent) next = table.putNew(objects, from, to);
      for (; !isSilent && next < to && table.putNew(objects, next, next + 1) > next; next++)
        this.#added(objects[next] as Cached<T>, isInInitialList, nowMs);
    }
    if (next > from) return next - from;
    this.#put('Replaced', objects[from] as Cached<T>, true);
    return 1;
  };

  #added(object: Cached<T>, isInitial: boolean, nowMs: number): void {
    try {
      this.#tell('Replaced', object, undefined, isInitial, nowMs);
    } catch (error) {
      this.#options.onFailed(error);
    }
  }

  #put(type: Delta<unknown>['type'], object: Cached<T>, isInInitialList: boolean): void {
    const { table, isInitial, clock } = this.#options;
    const known = type === 'Replaced' ? undefined : table.get(object.key);
    if (type !== 'Replaced' && this.#isSkipped(object, known)) return;
    // What a resync queues is there already, and so are its indexes.
    const old = known === object ? known : this.#store(object);
    if (old === REFUSED) return;
    this.#tell(type, object, old, isInInitialList && (isInitial?.() ?? true), monotonicMs(clock));
  }

  /** Puts the object into the table, and returns what was there before. */
  #store(object: Cached<T>): Cached<T> | typeof REFUSED | undefined {
    this.storing = object;
    try {
      return this.#options.table.put(object);
    } catch (cause) {
      this.#refuse(object, cause);
      return REFUSED;
    } finally {
      this.storing = undefined;
    }
  }

  /** The object is in the table, in the place of `old`. */
  #tell(
    type: Delta<unknown>['type'],
    object: Cached<T>,
    old: Cached<T> | undefined,
    isInitial: boolean,
    nowMs: number,
  ): void {
    const { distribute, onStored } = this.#options;
    this.#refused?.delete(object.key);
    if (type !== 'Sync') onStored?.(object);
    if (!old) distribute(Notification.add(object, isInitial, nowMs), false);
    else if (old.uid !== object.uid) {
      distribute(Notification.delete(old, true, nowMs), false);
      distribute(Notification.add(object, false, nowMs), false);
    } else {
      const isSame = old.resourceVersion !== '' && old.resourceVersion === object.resourceVersion;
      const isSync = type === 'Sync' || (isSame && !this.#damaged?.has(old));
      distribute(Notification.update(old, object, nowMs), isSync);
    }
  }

  /** What was known of the object stays until its next state cannot be stored either. */
  #refuse(object: Cached<T>, cause: unknown): void {
    this.#refused ??= new Map();
    const isFinal = this.#refused.has(object.key);
    if (isFinal) this.#delete(new DeletedFinalStateUnknown(object.key, object));
    this.#refused.set(object.key, { object, reason: TidewatchError.from(cause).message });
    this.#options.onRefused?.(object, cause, isFinal);
  }

  #delete(object: Cached<T> | DeletedFinalStateUnknown<Cached<T>>): void {
    this.#refused?.delete(object.key);
    const { table, distribute, clock } = this.#options;
    const final = isTombstone(object) ? undefined : object;
    const old = table.remove(object.key, final?.resourceVersion);
    if (!old) return;
    // The deletion of another uid than the one that was shown: that one must have gone before, unseen.
    const seen = final !== undefined && final.uid === old.uid;
    distribute(Notification.delete(seen ? final : old, !seen, monotonicMs(clock), old), false);
  }

  #isSkipped(object: Cached<T>, known: Cached<T> | undefined): boolean {
    if (this.#fetched?.has(object))
      return known?.uid !== object.uid || known.resourceVersion !== object.resourceVersion;
    return known !== undefined && this.#isOlder(object, known);
  }

  /** A list is believed even when it goes back (a cluster restored from a backup does); a single event is not. */
  #isOlder(object: Cached<T>, known: Cached<T>): boolean {
    if (object.uid !== known.uid) return false;
    const order = compareResourceVersions(object.resourceVersion, known.resourceVersion);
    if (order === undefined || order >= 0) return false;
    this.#options.logger.warn(
      `${this.#options.name}: skipped version ${object.resourceVersion} of ${object.key}, ` +
        `because the cache already holds the newer ${known.resourceVersion}`,
    );
    return true;
  }
}
