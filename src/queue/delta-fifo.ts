import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import { KeyError } from '../api/key.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { aBoolean, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import { type ListedObjects, PoppableQueue, QueueItem } from './poppable-queue.ts';
import { type Delta, type Deltas, type DeltaType, QUEUE_CHECKS, type QueueOptions } from './queue.ts';
import { isTombstone, runThrough, STEP, type Steps, setOf } from './queue-input.ts';

/**
 * What waits under each key, in the order in which the keys came. Reading it is safe while it changes: what has been taken
 * is not seen any more, and what has come is seen at the end.
 */
export class Backlog<V> {
  /** The oldest of all, taken from its beginning. What it still holds is not in the map. */
  #list: List<V> | undefined;
  /** The oldest, when it came while nothing else waited: where the consumer keeps up, the map is never needed. */
  #first: readonly [key: string, value: V] | undefined;
  #rest = new Map<string, V>();
  /** Stands before the oldest of the rest: all that it has passed has left the map. */
  #cursor = this.#rest.entries();

  /**
   * Of a whole list, as it is: it costs nothing to take it from its beginning to its end. The first other call, but for
   * `size`, costs as much as what is left of it, unless `enterList` has been gone through before. No two keys may be the same.
   */
  static of<V>(keys: readonly string[], values: readonly V[]): Backlog<V> {
    const backlog = new Backlog<V>();
    if (keys.length > 0) backlog.#list = { keys, values, next: 0 };
    return backlog;
  }

  get size(): number {
    const listed = this.#list === undefined ? 0 : this.#list.keys.length - this.#list.next;
    return listed + this.#rest.size + (this.#first === undefined ? 0 : 1);
  }

  get(key: string): V | undefined {
    this.#enterAtOnce();
    if (this.#first !== undefined && this.#first[0] === key) return this.#first[1];
    return this.#rest.size === 0 ? undefined : this.#rest.get(key);
  }

  has(key: string): boolean {
    this.#enterAtOnce();
    return (this.#first !== undefined && this.#first[0] === key) || (this.#rest.size > 0 && this.#rest.has(key));
  }

  /** In the place of what waits under the key, or at the end. */
  set(key: string, value: V): void {
    this.#enterAtOnce();
    const isFirst = this.#first === undefined ? this.#rest.size === 0 : this.#first[0] === key;
    if (isFirst) this.#first = [key, value];
    else this.#rest.set(key, value);
  }

  /** Takes the oldest. */
  shift(): readonly [key: string, value: V] | undefined {
    const list = this.#list;
    if (list !== undefined) {
      const i = list.next++;
      if (list.next === list.keys.length) this.#list = undefined;
      return [list.keys[i] as string, list.values[i] as V];
    }
    const first = this.#first;
    if (first !== undefined) {
      this.#first = undefined;
      return first;
    }
    // Asked only while something is there: a cursor that has reached the end would stay there, whatever comes later.
    const next = this.#rest.size === 0 ? undefined : this.#cursor.next().value;
    if (next !== undefined) this.#rest.delete(next[0]);
    return next;
  }

  /** What is left of a list that was given as it is; undefined when something else is the oldest. */
  get listed(): ListedObjects<V> | undefined {
    return this.#list;
  }

  /** Takes the first `count` of what is left of the list, if it is still there. */
  shiftListed(count: number): void {
    const list = this.#list;
    if (list === undefined) return;
    list.next += count;
    if (list.next === list.values.length) this.#list = undefined;
  }

  *keys(): Generator<string, void, void> {
    this.#enterAtOnce();
    if (this.#first !== undefined) yield this.#first[0];
    yield* this.#rest.keys();
  }

  *values(): Generator<V, void, void> {
    this.#enterAtOnce();
    if (this.#first !== undefined) yield this.#first[1];
    yield* this.#rest.values();
  }

  clear(): void {
    this.#list = undefined;
    this.#first = undefined;
    this.#rest.clear();
  }

  /** Makes the keys of a list ready to be looked up. Others may take from it at each pause. */
  *enterList(): Steps {
    const list = this.#list;
    if (list === undefined) return;
    const entered = new Map<string, V>();
    let taken = list.next;
    for (let i = list.next; i < list.keys.length; i++) {
      entered.set(list.keys[i] as string, list.values[i] as V);
      if (i % STEP !== 0) continue;
      yield;
      if (this.#list !== list) return;
      for (; taken < list.next; taken++) entered.delete(list.keys[taken] as string);
      i = Math.max(i, list.next - 1);
    }
    // Nothing else is there yet: whatever comes later enters the list before.
    this.#list = undefined;
    this.#rest = entered;
    this.#cursor = entered.entries();
  }

  #enterAtOnce(): void {
    if (this.#list !== undefined) runThrough(this.enterList());
  }
}

interface List<V> extends ListedObjects<V> {
  readonly keys: readonly string[];
  /** Less than there are keys. */
  next: number;
}

/** Options of `DeltaFIFO`. */
export interface DeltaFIFOOptions<T> extends QueueOptions<T> {
  /** Whether `replace` queues `Replaced`; otherwise it queues `Sync`. Default true. client-go's `EmitDeltaTypeReplaced`. */
  emitReplaced?: boolean | undefined;
}

const DELTA_FIFO_CHECKS: OptionChecks<DeltaFIFOOptions<unknown>> = { ...QUEUE_CHECKS, emitReplaced: aBoolean };

/** An object that was listed, and of which nothing else is queued, stands for itself: a large list costs next to nothing. */
type Waiting<T> = T | QueueItem<T>;

/**
 * What happened to one object since it was last popped comes out in one piece. Objects come out
 * in the order in which they were first queued. Of deletions in a row one is kept, preferably one that knows the final
 * state. With `retryOnError`, deltas whose processing failed go to the end of the queue, unless their object has been
 * queued again: then they go before its newer deltas. client-go's `cache.DeltaFIFO`.
 */
export class DeltaFIFO<T = KubernetesObject> extends PoppableQueue<T> {
  #queued = new Backlog<Waiting<T>>();
  readonly #listType: DeltaType;

  constructor(options: DeltaFIFOOptions<T> = {}) {
    const { emitReplaced = true, ...rest } = checkedOptions('DeltaFIFO', options, DELTA_FIFO_CHECKS);
    super(rest);
    this.#listType = emitReplaced ? 'Replaced' : 'Sync';
  }

  get length(): number {
    return this.#queued.size;
  }

  /** The newest of each queued object, in the order of the queue; a tombstone for one that vanished. */
  list(): (T | DeletedFinalStateUnknown<T>)[] {
    return Array.from(this.#queued.values(), (waiting) => this.#newest(waiting).object);
  }

  /** In the order of the queue. */
  listKeys(): string[] {
    return [...this.#queued.keys()];
  }

  /** What is queued for the object's key; throws `KeyError`. */
  get(object: T | DeletedFinalStateUnknown<T>): Deltas<T> | undefined {
    return this.getByKey(this.intake.keyOf(object));
  }

  /** The key of an object, of a tombstone, or of what all these deltas are about. Throws `KeyError`. client-go's `KeyOf`. */
  keyOf(object: T | DeletedFinalStateUnknown<T> | Deltas<T>): string {
    if (!Array.isArray(object)) return this.intake.keyOf(object as T | DeletedFinalStateUnknown<T>);
    const newest: Delta<T> | undefined = object.at(-1);
    if (newest === undefined) throw new KeyError(object, 'deltas that hold nothing have no key');
    return this.intake.keyOf(newest.object);
  }

  /**
   * Queues deltas that were popped, unless something newer is queued for their key: what a consumer does that could not process them.
   * They are queued as they are, without the transform. client-go's `AddIfNotPresent`.
   */
  addIfNotPresent(deltas: Deltas<T>): void {
    if (this.isClosed) return;
    const key = this.keyOf(deltas);
    if (this.#queued.has(key)) return;
    const [first, ...rest] = deltas as readonly [Delta<T>, ...Delta<T>[]];
    const item = new QueueItem<T>(key, first);
    item.deltas.push(...rest);
    this.#queued.set(key, item);
    this.isPopulated = true;
    this.wake();
  }

  /** What waits for the object of that key, oldest first; undefined when nothing does. */
  getByKey(key: string): Deltas<T> | undefined {
    const waiting = this.#queued.get(key);
    return waiting instanceof QueueItem ? waiting.deltas.slice() : waiting && [this.#newest(waiting)];
  }

  /** @internal */
  protected override *replaceSteps(objects: readonly T[]): Steps {
    const { keys, listed, areSorted } = yield* this.intake.list(objects);
    if (this.isPopulated) {
      yield* this.#queued.enterList();
      yield* this.#replaceIn(this.#queued, keys, listed);
    } else if (areSorted && this.#candidates().next().done) this.#queued = Backlog.of<Waiting<T>>(keys, listed);
    else {
      // Nothing of the first list comes out before it is whole, so that all of it counts as initial. Before it there can be
      // nothing but what a resync has queued: older states of what is now listed or buried.
      const queued = new Backlog<Waiting<T>>();
      yield* this.#replaceIn(queued, keys, listed);
      this.#queued = queued;
    }
    this.populateWithList();
  }

  /** @internal */
  protected override shift(): QueueItem<T> | undefined {
    const oldest = this.#queued.shift();
    if (oldest === undefined) return undefined;
    const [key, waiting] = oldest;
    return waiting instanceof QueueItem ? waiting : new QueueItem(key, this.#newest(waiting));
  }

  /** @internal */
  protected override get listed(): ListedObjects<T> | undefined {
    return this.#queued.listed as ListedObjects<T> | undefined;
  }

  /** @internal */
  protected override shiftListed(count: number): void {
    this.#queued.shiftListed(count);
  }

  /** @internal */
  protected override putBack(item: QueueItem<T>): void {
    // The consumer has seen its array, so that must not grow.
    const deltas = item.deltas;
    const newer = this.#queued.get(item.key);
    if (newer === undefined) {
      item.deltas = deltas.slice();
      this.#queued.set(item.key, item);
    } else {
      const into = this.#itemOf(this.#queued, item.key, newer);
      into.deltas = deltas.concat(into.deltas);
      if (item.initial) into.initial = true;
    }
  }

  /** @internal */
  protected override clear(): void {
    this.#queued.clear();
  }

  /** @internal */
  protected override pending(): Pick<ReadonlySet<string>, 'has'> {
    return { has: (key) => this.#queued.has(key) || this.inFlight?.key === key };
  }

  /** If not, a relist has already reported that it is gone. @internal */
  protected override isPresent(key: string): boolean {
    if (this.#queued.has(key)) return true;
    if (this.inFlight?.key === key) return this.inFlight.newest.type !== 'Deleted';
    return this.knownObjects?.getByKey(key) !== undefined;
  }

  *#replaceIn(queued: Backlog<Waiting<T>>, keys: readonly string[], listed: readonly T[]): Steps {
    for (const [i, object] of listed.entries()) {
      const key = keys[i] ?? '';
      if (queued.has(key)) this.append(key, this.#listType, object, queued);
      else queued.set(key, object);
      if (i % STEP === 0) yield;
    }
    yield* this.#bury(queued, keys);
  }

  /** Queues tombstones for all that is queued, in flight or known, has not been deleted, and is not listed. */
  *#bury(queued: Backlog<Waiting<T>>, keys: readonly string[]): Steps {
    if (this.#candidates().next().done) return;
    const listed = yield* setOf(keys);
    let count = 0;
    for (const key of this.#candidates()) {
      if (!listed.has(key)) {
        const object = this.#lastState(key);
        if (object !== undefined) this.append(key, 'Deleted', new DeletedFinalStateUnknown(key, object), queued);
      }
      if (++count % STEP === 0) yield;
    }
  }

  /** Every key that may have to be buried, some of them twice. Stays right when the queue is popped meanwhile. */
  *#candidates(): Generator<string, void, void> {
    yield* this.#queued.keys();
    if (this.inFlight !== undefined) yield this.inFlight.key;
    if (this.knownObjects !== undefined) yield* this.knownObjects.listKeys();
  }

  /** Undefined when the last that is known of the object is its deletion. */
  #lastState(key: string): T | undefined {
    const waiting = this.#queued.get(key);
    let last: Delta<T> | undefined;
    if (waiting !== undefined) last = this.#newest(waiting);
    else if (this.inFlight?.key === key) last = this.inFlight.newest;
    if (last === undefined) return this.lookUp(key);
    return last.type === 'Deleted' || isTombstone(last.object) ? undefined : last.object;
  }

  #newest(waiting: Waiting<T>): Delta<T> {
    return waiting instanceof QueueItem ? waiting.newest : { type: this.#listType, object: waiting };
  }

  /** Of what waits under the key, in its place. */
  #itemOf(queued: Backlog<Waiting<T>>, key: string, waiting: Waiting<T>): QueueItem<T> {
    if (waiting instanceof QueueItem) return waiting;
    const item = new QueueItem(key, this.#newest(waiting));
    queued.set(key, item);
    return item;
  }

  /** @internal */
  protected override append(
    key: string,
    type: DeltaType,
    object: T | DeletedFinalStateUnknown<T>,
    queued = this.#queued,
  ): void {
    const delta: Delta<T> = { type, object };
    const waiting = queued.get(key);
    if (waiting === undefined) {
      queued.set(key, new QueueItem(key, delta));
      return;
    }
    const item = this.#itemOf(queued, key, waiting);
    if (type !== 'Deleted' || item.newest.type !== 'Deleted') item.deltas.push(delta);
    else if (isTombstone(item.newest.object)) item.deltas[item.deltas.length - 1] = delta;
  }
}
