import type { Cached } from '../api/cached.ts';
import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import { KeyError, type KeyFunction, metaNamespaceKey } from '../api/key.ts';
import type { Labels } from '../api/label-selector.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import { aFunction, anObject, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import type { MutationDetector } from './mutation-detector.ts';
import { ObjectTable } from './object-table.ts';

const NO_LABELS: Labels = Object.freeze(Object.create(null));

/** An object that is kept as it was given: every `view` is that object. */
export class KeptObject<T extends KubernetesObject> implements Cached<T> {
  readonly key: string;
  readonly #object: T;

  constructor(key: string, object: T) {
    this.key = key;
    this.#object = object;
  }

  get namespace(): string {
    return this.#object.metadata?.namespace ?? '';
  }

  get name(): string {
    return this.#object.metadata?.name ?? '';
  }

  get uid(): string {
    return this.#object.metadata?.uid ?? '';
  }

  get resourceVersion(): string {
    return this.#object.metadata?.resourceVersion ?? '';
  }

  get labels(): Labels {
    return this.#object.metadata?.labels ?? NO_LABELS;
  }

  view(): Stored<T> {
    // Who puts objects in decides what they carry; readers may rely on what servers send.
    return this.#object as Stored<T>;
  }
}

/** Options of `Store`. */
export interface StoreOptions<T extends KubernetesObject> {
  /** Default: `metaNamespaceKey`. What it throws reaches the caller as a `KeyError`. client-go's `keyFunc`. */
  keyFunction?: KeyFunction<T> | undefined;
  /** Called for each object before it is stored. client-go's `WithTransformer`. */
  transform?: ((obj: T) => T) | undefined;
  /** Is shown each object that is stored. Ignored for objects that others put into a shared table. Default: none. */
  mutationDetector?: MutationDetector | undefined;
  /** A table that others fill: the store of an informer. @internal */
  table?: ObjectTable<T> | undefined;
}

export const STORE_CHECKS: OptionChecks<StoreOptions<KubernetesObject>> = {
  keyFunction: aFunction,
  transform: aFunction,
  mutationDetector: anObject,
  table: anObject,
};

/**
 * The last known state of objects, by key. Objects are returned as they were given: treat them as read-only, for
 * everybody else gets the same one. A call that throws has changed nothing. client-go's `cache.Store`.
 */
export class Store<T extends KubernetesObject = KubernetesObject> {
  /** @internal */
  protected readonly table: ObjectTable<T>;
  readonly #keyFunction: KeyFunction<T>;
  readonly #transform: ((obj: T) => T) | undefined;
  readonly #mutationDetector: MutationDetector | undefined;

  constructor(options: StoreOptions<T> = {}) {
    checkedOptions(new.target.name, options, STORE_CHECKS);
    this.table = options.table ?? new ObjectTable<T>();
    this.#keyFunction = options.keyFunction ?? metaNamespaceKey;
    this.#transform = options.transform;
    this.#mutationDetector = options.mutationDetector;
  }

  get size(): number {
    return this.table.size;
  }

  /** As `update`: there is one object of a key. */
  add(obj: T): void {
    this.update(obj);
  }

  /** Stores the object under its key, in place of the one that is there. */
  update(obj: T): void {
    const cached = this.#put(this.#transform === undefined ? obj : this.#transform(obj));
    this.#mutationDetector?.watch(cached.key, cached.view());
  }

  /** Whether it was there. Also takes the tombstone of a missed deletion. */
  delete(obj: T | DeletedFinalStateUnknown<T>): boolean {
    if (obj instanceof DeletedFinalStateUnknown) return this.table.remove(obj.key) !== undefined;
    return this.table.remove(this.#keyOf(obj), obj.metadata?.resourceVersion) !== undefined;
  }

  /** Everything else goes; `resourceVersion` is that of the list. */
  replace(objects: readonly T[], resourceVersion = ''): void {
    const cached = objects.map((obj) => this.#cached(obj));
    this.table.replaceAll(cached, resourceVersion);
    for (const object of cached) this.#mutationDetector?.watch(object.key, object.view());
  }

  /** Does nothing: a store has nobody to tell. For a `Reflector`, whose target it can be. client-go's `Resync`. */
  resync(): void {}

  /** In no promised order. */
  list(): Stored<T>[] {
    return viewsOf(this.table.values());
  }

  /** The same, each made when it is asked for: what was stored when the iteration began. */
  values(): IterableIterator<Stored<T>> {
    return viewsOneByOne(this.table.values());
  }

  /** The keys of all objects. */
  listKeys(): string[] {
    return [...this.table.keys()];
  }

  /** What is stored under the key of `obj`. */
  get(obj: T | DeletedFinalStateUnknown<T>): Stored<T> | undefined {
    return this.getByKey(obj instanceof DeletedFinalStateUnknown ? obj.key : this.#keyOf(obj));
  }

  /** The object of that key, if there is one. It is shared: it must not be changed. */
  getByKey(key: string): Stored<T> | undefined {
    return this.table.get(key)?.view();
  }

  /** How far the store has come; "" when nothing has said. client-go's `LastStoreSyncResourceVersion`. */
  lastStoreSyncResourceVersion(): string {
    return this.table.resourceVersion;
  }

  /** Everything up to this version has been seen, whether or not it concerned these objects. client-go's `Bookmark`. */
  bookmark(resourceVersion: string): void {
    this.table.bookmark(resourceVersion);
  }

  #put(obj: T): Cached<T> {
    return this.table.putWrapped(this.#keyOf(obj), obj, plainCached);
  }

  #cached(obj: T): Cached<T> {
    const object = this.#transform === undefined ? obj : this.#transform(obj);
    const key = this.#keyOf(object);
    return new KeptObject(this.table.get(key)?.key ?? key, object);
  }

  #keyOf(obj: T): string {
    try {
      return this.#keyFunction(obj);
    } catch (error) {
      if (error instanceof KeyError) throw error;
      throw new KeyError(obj, `the key function failed: ${String(error)}`, { cause: error });
    }
  }
}

function plainCached<T extends KubernetesObject>(key: string, obj: T): Cached<T> {
  return new KeptObject(key, obj);
}

export function viewsOf<T extends KubernetesObject>(cached: readonly Cached<T>[]): Stored<T>[] {
  return cached.map((object) => object.view());
}

/** Each made when it is asked for. */
export function* viewsOneByOne<T extends KubernetesObject>(cached: readonly Cached<T>[]): IterableIterator<Stored<T>> {
  for (const object of cached) yield object.view();
}
