import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { PoppableQueue, type QueueItem } from './poppable-queue.ts';
import type { Delta, DeltaType } from './queue.ts';

/**
 * Every change is kept and comes out on its own, in the order in which it came in, whatever the object. A delete is
 * always taken. `replace` queues its tombstones before its objects. With `retryOnError`, a change whose processing failed
 * is the next to come out again. client-go's `cache.RealFIFO`, without atomic events.
 */
export class InOrderQueue<T = KubernetesObject> extends PoppableQueue<T> {
  add(object: T): void {
    this.#change('Added', object);
  }

  update(object: T): void {
    this.#change('Updated', object);
  }

  delete(object: T | DeletedFinalStateUnknown<T>): void {
    this.#change('Deleted', object);
  }

  replace(objects: readonly T[], _resourceVersion = ''): void {
    if (this.isClosed) return;
    // All that can throw comes before the first change.
    const { keys, listed } = this.intake.list(objects);
    const tombstones = this.#vanished(new Set(keys));
    for (const tombstone of tombstones) this.#append(tombstone.key, 'Deleted', tombstone);
    listed.forEach((object, i) => {
      this.#append(keys[i] ?? '', 'Replaced', object);
    });
    this.populateWithList();
    this.wake();
  }

  resync(): void {
    if (this.knownObjects === undefined || this.isClosed) return;
    const pending = this.#newestByKey();
    for (const key of this.knownObjects.listKeys()) {
      // The known state is older than what is pending, and must not come out after it.
      if (pending.has(key)) continue;
      const object = this.lookUp(key);
      if (object !== undefined) this.#append(key, 'Sync', object);
    }
    this.wake();
  }

  /** All that is queued, oldest first. */
  list(): Delta<T>[] {
    const deltas: Delta<T>[] = [];
    for (let item = this.items.head; item !== undefined; item = item.next) deltas.push(...item.deltas);
    return deltas;
  }

  /** @internal */
  protected override taken(): void {}

  /** @internal */
  protected override putBack(item: QueueItem<T>): void {
    this.items.unshift(item);
  }

  /** @internal */
  protected override cleared(): void {}

  #change(type: DeltaType, object: T | DeletedFinalStateUnknown<T>): void {
    if (this.isClosed) return;
    const key = this.intake.keyOf(object);
    this.#append(key, type, this.intake.final(key, object));
    this.populate();
    this.wake();
  }

  #append(key: string, type: DeltaType, object: T | DeletedFinalStateUnknown<T>): void {
    this.items.push({ key, deltas: [{ type, object }], initial: false, next: undefined });
  }

  /** The last delta of each object that is queued or in flight, in the order in which the objects came first. */
  #newestByKey(): Map<string, Delta<T>> {
    const newest = new Map<string, Delta<T>>();
    const note = (item: QueueItem<T>) => {
      for (const delta of item.deltas) newest.set(item.key, delta);
    };
    if (this.inFlight !== undefined) note(this.inFlight);
    for (let item = this.items.head; item !== undefined; item = item.next) note(item);
    return newest;
  }

  /** Tombstones for all that is queued, in flight or known, has not been deleted, and is not listed. */
  #vanished(listed: ReadonlySet<string>): DeletedFinalStateUnknown<T>[] {
    const tombstones: DeletedFinalStateUnknown<T>[] = [];
    const pending = this.#newestByKey();
    for (const [key, { type, object }] of pending) {
      if (listed.has(key) || type === 'Deleted' || object instanceof DeletedFinalStateUnknown) continue;
      tombstones.push(new DeletedFinalStateUnknown(key, object));
    }
    if (this.knownObjects === undefined) return tombstones;
    for (const key of this.knownObjects.listKeys()) {
      if (listed.has(key) || pending.has(key)) continue;
      const object = this.lookUp(key);
      if (object !== undefined) tombstones.push(new DeletedFinalStateUnknown(key, object));
    }
    return tombstones;
  }
}
