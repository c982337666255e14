import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { PoppableQueue, QueueItem } from './poppable-queue.ts';
import type { Delta, DeltaType } from './queue.ts';
import { isTombstone, runThrough, STEP, type Steps, setOf } from './queue-input.ts';

/** A node carries its own link, so that queueing allocates nothing beside it. */
export interface Linked<N> {
  next: N | undefined;
}

/** First in, first out, in constant time; a node that has left is not held. A node is in at most one list. */
export class LinkedFifo<N extends Linked<N>> {
  #head: N | undefined;
  #tail: N | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The oldest; follow `next` for the others. */
  get head(): N | undefined {
    return this.#head;
  }

  push(node: N): void {
    if (this.#tail === undefined) this.#head = node;
    else this.#tail.next = node;
    this.#tail = node;
    this.#length++;
  }

  /** Puts all that `other` holds at the end, in its order; `other` is empty afterwards. */
  append(other: LinkedFifo<N>): void {
    if (other.#head === undefined) return;
    if (this.#tail === undefined) this.#head = other.#head;
    else this.#tail.next = other.#head;
    this.#tail = other.#tail;
    this.#length += other.#length;
    other.clear();
  }

  unshift(node: N): void {
    node.next = this.#head;
    this.#head = node;
    this.#tail ??= node;
    this.#length++;
  }

  shift(): N | undefined {
    const node = this.#head;
    if (node === undefined) return undefined;
    this.#head = node.next;
    if (this.#head === undefined) this.#tail = undefined;
    // An old node that still pointed at a young one would keep it alive until the next full collection.
    node.next = undefined;
    this.#length--;
    return node;
  }

  clear(): void {
    this.#head = undefined;
    this.#tail = undefined;
    this.#length = 0;
  }
}

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

  /** All that is queued, oldest first. */
  list(): Delta<T>[] {
    const deltas: Delta<T>[] = [];
    for (let item = this.#items.head; item !== undefined; item = item.next) deltas.push(...item.deltas);
    return deltas;
  }

  /** Queued when it is whole, so that all of a first list counts as initial. @internal */
  protected override *replaceSteps(objects: readonly T[]): Steps {
    const { keys, listed } = yield* this.intake.list(objects);
    const replacement = new LinkedFifo<QueueItem<T>>();
    yield* this.#bury(yield* setOf(keys), replacement);
    for (const [i, object] of listed.entries()) {
      replacement.push(new QueueItem(keys[i] ?? '', { type: 'Replaced', object }));
      if (i % STEP === 0) yield;
    }
    this.#items.append(replacement);
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

  /** @internal */
  protected override pending(): ReadonlyMap<string, Delta<T>> {
    return runThrough(this.#newestByKey());
  }

  /** @internal */
  protected override append(key: string, type: DeltaType, object: T | DeletedFinalStateUnknown<T>): void {
    this.#items.push(new QueueItem(key, { type, object }));
  }

  /** The last delta of each object that is queued or in flight, in the order in which the objects came first. */
  *#newestByKey(): Steps<Map<string, Delta<T>>> {
    // Taken before the first pause: an item that is popped does not lead to the next one any more.
    const items = this.inFlight === undefined ? [] : [this.inFlight];
    for (let item = this.#items.head; item !== undefined; item = item.next) items.push(item);
    const newest = new Map<string, Delta<T>>();
    for (const [i, item] of items.entries()) {
      newest.set(item.key, item.newest);
      if (i % STEP === 0) yield;
    }
    return newest;
  }

  /** Tombstones for all that is queued, in flight or known, has not been deleted, and is not listed. */
  *#bury(listed: ReadonlySet<string>, into: LinkedFifo<QueueItem<T>>): Steps {
    const bury = (key: string, object: T) =>
      into.push(new QueueItem(key, { type: 'Deleted', object: new DeletedFinalStateUnknown(key, object) }));
    const pending = yield* this.#newestByKey();
    let count = 0;
    for (const [key, { type, object }] of pending) {
      const isGone = type === 'Deleted' || isTombstone(object);
      if (!isGone && !listed.has(key)) bury(key, object);
      if (++count % STEP === 0) yield;
    }
    if (this.knownObjects === undefined) return;
    for (const key of this.knownObjects.listKeys()) {
      if (!listed.has(key) && !pending.has(key)) {
        const object = this.lookUp(key);
        if (object !== undefined) bury(key, object);
      }
      if (++count % STEP === 0) yield;
    }
  }
}
