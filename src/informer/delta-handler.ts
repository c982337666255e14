import type { Cached } from '../api/cached.ts';
import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { compareResourceVersions } from '../api/resource-version.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import { Notification } from '../processor/notification.ts';
import type { Delta, Deltas } from '../queue/queue.ts';
import type { Repairs } from './repairs.ts';

/** Where the state is kept; each call returns what was there before. */
export interface StateTable<T extends KubernetesObject> {
  get(key: string): Cached<T> | undefined;
  put(object: Cached<T>): Cached<T> | undefined;
  /** `resourceVersion` is that of the deletion, where it is known. */
  remove(key: string, resourceVersion?: string): Cached<T> | undefined;
}

export interface DeltaHandlerOptions<T extends KubernetesObject> {
  name: string;
  table: StateTable<T>;
  distribute: (notification: Notification<T>, isSync: boolean) => void;
  /** Another version of an object is in the table, and nobody has seen it yet. */
  onStored?: (object: Cached<T>) => void;
  repairs?: Repairs<T>;
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

  constructor(options: DeltaHandlerOptions<T>) {
    this.#options = options;
  }

  readonly handle = (deltas: Deltas<Cached<T>>, isInInitialList: boolean): void => {
    for (const delta of deltas) {
      if (delta.type === 'Deleted') this.#delete(delta.object);
      else if (!(delta.object instanceof DeletedFinalStateUnknown))
        this.#put(delta.type, delta.object, isInInitialList);
    }
  };

  #put(type: Delta<unknown>['type'], object: Cached<T>, isInInitialList: boolean): void {
    const { table, distribute, clock, repairs } = this.#options;
    const known = type === 'Replaced' ? undefined : table.get(object.key);
    if (type !== 'Replaced' && this.#isPassedOver(object, known)) return;
    // What a resync queues is there already, and so are its indexes.
    const old = known === object ? known : table.put(object);
    if (type !== 'Sync') this.#options.onStored?.(object);
    const nowMs = monotonicMs(clock);
    if (!old) distribute(Notification.add(object, isInInitialList, nowMs), false);
    else if (old.uid !== object.uid) {
      distribute(Notification.delete(old, true, nowMs), false);
      distribute(Notification.add(object, false, nowMs), false);
    } else {
      const isSame = old.resourceVersion !== '' && old.resourceVersion === object.resourceVersion;
      const isSync = type === 'Sync' || (isSame && !repairs?.isDamaged(old));
      distribute(Notification.update(old, object, nowMs), isSync);
    }
  }

  #delete(object: Cached<T> | DeletedFinalStateUnknown<Cached<T>>): void {
    const { table, distribute, clock } = this.#options;
    const final = object instanceof DeletedFinalStateUnknown ? undefined : object;
    const old = table.remove(object.key, final?.resourceVersion);
    if (!old) return;
    // The deletion of another uid than the one that was shown: that one must have gone before, unseen.
    const seen = final !== undefined && final.uid === old.uid;
    distribute(Notification.delete(seen ? final : old, !seen, monotonicMs(clock), old), false);
  }

  #isPassedOver(object: Cached<T>, known: Cached<T> | undefined): boolean {
    const { repairs } = this.#options;
    return repairs?.isInVain(object, known) || (known !== undefined && this.#isOlder(object, known));
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
