import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { PoppableQueue, type QueueItem } from './poppable-queue.ts';
import type { Delta, Deltas, DeltaType, QueueOptions } from './queue.ts';

export interface DeltaFIFOOptions<T> extends QueueOptions<T> {
  /** Whether `replace` queues `Replaced`; otherwise it queues `Sync`. Default true. client-go's `EmitDeltaTypeReplaced`. */
  emitReplaced?: boolean;
}

/** So many items are faster looked through than entered into a map; a consumer that keeps up never sees more. */
const FEW = 8;

/**
 * What happened to one object since it was last popped comes out in one piece. Objects come out
 * in the order in which they were first queued. Of deletions in a row one is kept, preferably one that knows the final
 * state. With `retryOnError`, deltas whose processing failed go to the end of the queue, unless their object has been
 * queued anew: then they go before its newer deltas. client-go's `cache.DeltaFIFO`.
 */
export class DeltaFIFO<T = KubernetesObject> extends PoppableQueue<T> {
  /** Empty, or exactly `items` by their keys. */
  readonly #byKey = new Map<string, QueueItem<T>>();
  readonly #listType: DeltaType;

  constructor(options: DeltaFIFOOptions<T> = {}) {
    super(options);
    this.#listType = (options.emitReplaced ?? true) ? 'Replaced' : 'Sync';
  }

  add(object: T): void {
    this.#change('Added', object);
  }

  update(object: T): void {
    this.#change('Updated', object);
  }

  /** Dropped when the object is neither known nor queued: a relist has already reported it. */
  delete(object: T | DeletedFinalStateUnknown<T>): void {
    if (this.isClosed) return;
    const key = this.intake.keyOf(object);
    if (this.#isPresent(key)) {
      this.#append(key, 'Deleted', this.intake.final(key, object));
    }
    this.populate();
    this.wake();
  }

  replace(objects: readonly T[], _resourceVersion = ''): void {
    if (this.isClosed) return;
    // All that can throw comes before the first change.
    const { keys, listed } = this.intake.list(objects);
    const tombstones = this.#vanished(keys);
    listed.forEach((object, i) => {
      this.#append(keys[i] ?? '', this.#listType, object);
    });
    for (const tombstone of tombstones) this.#append(tombstone.key, 'Deleted', tombstone);
    this.populateWithList();
    this.wake();
  }

  resync(): void {
    if (this.knownObjects === undefined || this.isClosed) return;
    for (const key of this.knownObjects.listKeys()) {
      // The known state is older than what is pending, and must not come out after it.
      if (this.#find(key) !== undefined || this.inFlight?.key === key) continue;
      const object = this.lookUp(key);
      if (object !== undefined) this.#append(key, 'Sync', object);
    }
    this.wake();
  }

  /** The newest of each queued object, in the order of the queue; a tombstone for one that vanished. */
  list(): (T | DeletedFinalStateUnknown<T>)[] {
    return this.#itemList().map((item) => newest(item).object);
  }

  /** In the order of the queue. */
  listKeys(): string[] {
    return this.#itemList().map(({ key }) => key);
  }

  /** What is queued for the object's key; throws `KeyError`. */
  get(object: T | DeletedFinalStateUnknown<T>): Deltas<T> | undefined {
    return this.getByKey(this.intake.keyOf(object));
  }

  getByKey(key: string): Deltas<T> | undefined {
    return this.#find(key)?.deltas.slice();
  }

  /** @internal */
  protected override taken(item: QueueItem<T>): void {
    if (this.#byKey.size > 0) this.#byKey.delete(item.key);
  }

  /** @internal */
  protected override putBack(item: QueueItem<T>): void {
    const newer = this.#find(item.key);
    if (newer === undefined) {
      // The consumer has seen this array, so it must not grow.
      item.deltas = item.deltas.slice();
      this.#enter(item);
    } else {
      newer.deltas = item.deltas.concat(newer.deltas);
      newer.initial ||= item.initial;
    }
  }

  /** @internal */
  protected override cleared(): void {
    this.#byKey.clear();
  }

  #change(type: DeltaType, object: T): void {
    if (this.isClosed) return;
    const key = this.intake.keyOf(object);
    this.#append(key, type, this.intake.transformed(key, object));
    this.populate();
    this.wake();
  }

  #isPresent(key: string): boolean {
    if (this.#find(key) !== undefined) return true;
    if (this.inFlight?.key === key) return newest(this.inFlight).type !== 'Deleted';
    return this.knownObjects?.getByKey(key) !== undefined;
  }

  /** Tombstones for all that is queued, in flight or known, has not been deleted, and is not listed. */
  #vanished(keys: readonly string[]): DeletedFinalStateUnknown<T>[] {
    const tombstones: DeletedFinalStateUnknown<T>[] = [];
    const { inFlight, knownObjects } = this;
    const known = knownObjects === undefined ? [] : [...knownObjects.listKeys()];
    if (this.items.length === 0 && inFlight === undefined && known.length === 0) return tombstones;
    const listed = new Set(keys);
    const bury = (key: string, { type, object }: Delta<T>) => {
      if (listed.has(key) || type === 'Deleted' || object instanceof DeletedFinalStateUnknown) return;
      tombstones.push(new DeletedFinalStateUnknown(key, object));
    };
    for (let item = this.items.head; item !== undefined; item = item.next) bury(item.key, newest(item));
    if (inFlight !== undefined && this.#find(inFlight.key) === undefined) bury(inFlight.key, newest(inFlight));
    for (const key of known) {
      if (listed.has(key) || inFlight?.key === key || this.#find(key) !== undefined) continue;
      const object = this.lookUp(key);
      if (object !== undefined) tombstones.push(new DeletedFinalStateUnknown(key, object));
    }
    return tombstones;
  }

  #find(key: string): QueueItem<T> | undefined {
    if (this.#byKey.size > 0) return this.#byKey.get(key);
    let item = this.items.head;
    while (item !== undefined && item.key !== key) item = item.next;
    return item;
  }

  #enter(item: QueueItem<T>): void {
    this.items.push(item);
    if (this.#byKey.size > 0) this.#byKey.set(item.key, item);
    else if (this.items.length > FEW) for (const each of this.#itemList()) this.#byKey.set(each.key, each);
  }

  #itemList(): QueueItem<T>[] {
    const list: QueueItem<T>[] = [];
    for (let item = this.items.head; item !== undefined; item = item.next) list.push(item);
    return list;
  }

  #append(key: string, type: DeltaType, object: T | DeletedFinalStateUnknown<T>): void {
    const delta: Delta<T> = { type, object };
    const item = this.#find(key);
    if (item === undefined) {
      this.#enter({ key, deltas: [delta], initial: false, next: undefined });
    } else if (type === 'Deleted' && newest(item).type === 'Deleted') {
      if (newest(item).object instanceof DeletedFinalStateUnknown) item.deltas[item.deltas.length - 1] = delta;
    } else {
      item.deltas.push(delta);
    }
  }
}

function newest<T>(item: QueueItem<T>): Delta<T> {
  const delta = item.deltas[item.deltas.length - 1];
  if (delta === undefined) throw new Error(`nothing is queued for ${item.key}`);
  return delta;
}
