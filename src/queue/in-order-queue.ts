import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { LinkedFifo } from './linked-fifo.ts';
import { STEP } from './object-intake.ts';
import { PoppableQueue, QueueItem } from './poppable-queue.ts';
import type { Delta, DeltaType } from './queue.ts';

/**
 * Every change is kept and comes out on its own, in the order in which it came in, whatever the object. A delete is
 * always taken. `replace` queues its tombstones before its objects. With `retryOnError`, a change whose processing failed
 * is the next to come out again. client-go's `cache.RealFIFO`, without atomic events.
 */
export class InOrderQueue<T = KubernetesObject> extends PoppableQueue<T> {
  readonly #items = new LinkedFifo<QueueItem<T>>();

  get length(): number {
    return this.#items.length;
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
    for (let item = this.#items.head; item !== undefined; item = item.next) deltas.push(...item.deltas);
    return deltas;
  }

  /** @internal */
  protected override *replaceSteps(objects: readonly T[]): Generator<void, void, void> {
    const { keys, listed } = yield* this.intake.list(objects);
    const buried = this.#bury(new Set(keys));
    // The first list is queued in one go, so that all of it counts as initial.
    if (this.isPopulated) yield* buried;
    else while (!buried.next().done);
    for (const [i, object] of listed.entries()) {
      this.#append(keys[i] ?? '', 'Replaced', object);
      if (i % STEP === 0 && this.isPopulated) yield;
    }
    this.populateWithList();
  }

  /** @internal */
  protected override shift(): QueueItem<T> | undefined {
    return this.#items.shift();
  }

  /** @internal */
  protected override putBack(item: QueueItem<T>): void {
    this.#items.unshift(item);
  }

  /** @internal */
  protected override clear(): void {
    this.#items.clear();
  }

  #change(type: DeltaType, object: T | DeletedFinalStateUnknown<T>): void {
    if (this.isClosed) return;
    const key = this.intake.keyOf(object);
    this.#append(key, type, this.intake.final(key, object));
    this.populate();
    this.wake();
  }

  #append(key: string, type: DeltaType, object: T | DeletedFinalStateUnknown<T>): void {
    this.#items.push(new QueueItem(key, { type, object }));
  }

  /** The last delta of each object that is queued or in flight, in the order in which the objects came first. */
  #newestByKey(): Map<string, Delta<T>> {
    const newest = new Map<string, Delta<T>>();
    const note = (item: QueueItem<T>) => {
      for (const delta of item.deltas) newest.set(item.key, delta);
    };
    if (this.inFlight !== undefined) note(this.inFlight);
    for (let item = this.#items.head; item !== undefined; item = item.next) note(item);
    return newest;
  }

  /** Queues tombstones for all that is queued, in flight or known, has not been deleted, and is not listed. */
  *#bury(listed: ReadonlySet<string>): Generator<void, void, void> {
    const pending = this.#newestByKey();
    for (const [key, { type, object }] of pending) {
      if (listed.has(key) || type === 'Deleted' || object instanceof DeletedFinalStateUnknown) continue;
      this.#append(key, 'Deleted', new DeletedFinalStateUnknown(key, object));
    }
    if (this.knownObjects === undefined) return;
    let count = 0;
    for (const key of this.knownObjects.listKeys()) {
      if (!listed.has(key) && !pending.has(key)) {
        const object = this.lookUp(key);
        if (object !== undefined) this.#append(key, 'Deleted', new DeletedFinalStateUnknown(key, object));
      }
      if (++count % STEP === 0) yield;
    }
  }
}
