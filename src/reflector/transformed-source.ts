import {
  addBroken,
  type BrokenObject,
  type Cached,
  type CachedEvent,
  type CachedFrame,
  type CachedFrames,
  type CachedList,
} from '../api/cached.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Clock } from '../observe/clock.ts';
import { TimeSlice } from '../observe/scheduler.ts';
import type { CachedListerWatcher, CallContext } from './lister-watcher.ts';
import { asError } from './reflector-error.ts';

/** What makes of an object the one that goes on in its place. One on which it throws is broken, and no other is. */
export type ObjectTransform<T extends KubernetesObject> = (object: Cached<T>) => Cached<T>;

/** A source whose objects are changed on their way, in slices, if there is a transform at the time of the call. */
export class TransformedSource<T extends KubernetesObject> implements CachedListerWatcher<T> {
  readonly #from: CachedListerWatcher<T>;
  readonly #transform: () => ObjectTransform<T> | undefined;
  readonly #clock: Clock | undefined;
  readonly listOne?: (object: Pick<Cached, 'namespace' | 'name'>, context: CallContext) => Promise<CachedList<T>>;

  constructor(from: CachedListerWatcher<T>, transform: () => ObjectTransform<T> | undefined, clock?: Clock) {
    this.#from = from;
    this.#transform = transform;
    this.#clock = clock;
    if (from.listOne !== undefined)
      this.listOne = async (object, context) => await this.#changed((await from.listOne?.(object, context)) ?? NOTHING);
  }

  get supportsWatchList(): boolean {
    return this.#from.supportsWatchList !== false;
  }

  async list(options: ListOptions, context: CallContext): Promise<CachedList<T>> {
    return await this.#changed(await this.#from.list(options, context));
  }

  async watch(options: ListOptions, context: CallContext): Promise<CachedFrames<T>> {
    const frames = await this.#from.watch(options, context);
    const change = this.#transform();
    return change === undefined ? frames : this.#frames(frames, change);
  }

  async #changed(list: CachedList<T>): Promise<CachedList<T>> {
    const change = this.#transform();
    if (change === undefined) return list;
    const { items, broken, metadata } = list;
    const slice = new TimeSlice(this.#clock);
    const changed: Cached<T>[] = [];
    const refused: BrokenObject[] = [...broken];
    for (const item of items) {
      try {
        changed.push(change(item));
      } catch (error) {
        addBroken(refused, { key: item.key, problem: asError(error) });
      }
      if (slice.isDue()) await slice.pause();
    }
    return { items: changed, broken: refused, metadata };
  }

  /** Leaving it leaves the source at once, also while that has yet to bring the next batch. */
  #frames(batches: CachedFrames<T>, change: ObjectTransform<T>): CachedFrames<T> {
    const slice = new TimeSlice(this.#clock);
    const from = batches[Symbol.asyncIterator]();
    const end = { done: true, value: undefined } as const;
    const changed = async (batch: readonly CachedFrame<T>[]) => {
      const value: CachedFrame<T>[] = [];
      for (const frame of batch) {
        value.push('object' in frame ? changedFrame(frame, change) : frame);
        if (slice.isDue()) await slice.pause();
      }
      return { done: false, value };
    };
    const take = (result: IteratorResult<readonly CachedFrame<T>[]>) =>
      result.done || !result.value.some(hasObject) ? result : changed(result.value);
    const frames: AsyncIterator<readonly CachedFrame<T>[]> = {
      next: () => Promise.resolve(from.next()).then(take),
      return: async () => {
        await from.return?.();
        return end;
      },
    };
    return { [Symbol.asyncIterator]: () => frames };
  }
}

function hasObject(frame: CachedFrame): boolean {
  return 'object' in frame;
}

const NOTHING = { items: [], broken: [], metadata: {} };

function changedFrame<T extends KubernetesObject>(
  { type, object }: CachedEvent<T>,
  change: ObjectTransform<T>,
): CachedFrame<T> {
  try {
    return { type, object: change(object) };
  } catch (error) {
    return { type: 'BROKEN', broken: { key: object.key, problem: asError(error) } };
  }
}
