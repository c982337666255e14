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
import { Pulled, Stage } from '../observe/pulled.ts';
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
    return change === undefined ? frames : new ChangedFrames(frames, change, this.#clock);
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
}

class ChangedFrames<T extends KubernetesObject> extends Stage<readonly CachedFrame<T>[], readonly CachedFrame<T>[]> {
  readonly #change: ObjectTransform<T>;
  readonly #slice: TimeSlice;

  constructor(from: CachedFrames<T>, change: ObjectTransform<T>, clock: Clock | undefined) {
    super(Pulled.from(from));
    this.#change = change;
    this.#slice = new TimeSlice(clock);
  }

  take(batch: readonly CachedFrame<T>[]): void {
    if (batch.some(hasObject)) void this.#changed(batch);
    else this.reader?.take(batch);
  }

  async #changed(batch: readonly CachedFrame<T>[]): Promise<void> {
    const changed: CachedFrame<T>[] = [];
    for (const frame of batch) {
      changed.push('object' in frame ? changedFrame(frame, this.#change) : frame);
      if (this.#slice.isDue()) await this.#slice.pause();
    }
    this.reader?.take(changed);
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
