import { ApiError } from '../api/api-error.ts';
import type { Cached, CachedFrames, CachedList } from '../api/cached.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { deferred } from '../api/promise-like.ts';
import { type Resource, resourceName } from '../api/resource.ts';
import type { CachedListerWatcher, CallContext } from '../reflector/lister-watcher.ts';
import type { GroupPresence } from './group-presence.ts';

/**
 * Whether a type is namespaced, when only the server knows. Once it is known it stays: a type that comes back with another
 * scope is another type, and gone for those who knew it before.
 */
export class DiscoveredScope {
  readonly #resource: Resource;
  readonly #presence: GroupPresence;
  #namespaced: boolean | undefined;
  #inDoubt = true;
  readonly #known = deferred();

  constructor(resource: Resource, presence: GroupPresence) {
    this.#resource = resource;
    this.#presence = presence;
  }

  get known(): Promise<void> {
    return this.#known.promise;
  }

  /** Undefined until the server has told. */
  get namespaced(): boolean | undefined {
    return this.#namespaced;
  }

  /** Asks the server unless that is known. Rejects when the server cannot tell, and with a 404 when it does not serve the type. */
  async find(signal: AbortSignal): Promise<boolean> {
    if (this.#inDoubt || this.#namespaced === undefined) {
      const found = await this.#presence.find(this.#resource, { isNew: true, signal });
      const problem = this.#problemWith(found?.namespaced);
      if (problem !== undefined) {
        throw new ApiError({ kind: 'Status', status: 'Failure', code: 404, reason: 'NotFound', message: problem });
      }
      this.#inDoubt = false;
      this.#namespaced = found?.namespaced === true;
      this.#known.resolve();
    }
    return this.#namespaced;
  }

  /** After a 404. */
  doubt(): void {
    this.#inDoubt = true;
  }

  async isGone(signal: AbortSignal): Promise<boolean> {
    const found = await this.#presence.find(this.#resource, { signal });
    return this.#problemWith(found?.namespaced) !== undefined;
  }

  #problemWith(namespaced: boolean | undefined): string | undefined {
    const name = resourceName(this.#resource);
    if (namespaced === undefined) return `the server does not serve ${name}`;
    if (this.#namespaced === undefined || this.#namespaced === namespaced) return undefined;
    return `${name} ${this.#namespaced ? 'was namespaced and is now cluster-scoped' : 'was cluster-scoped and is now namespaced'}: stop this informer and ask for a new one`;
  }
}

/** Finds out the scope before its first request. */
export class ScopedListerWatcher<T extends KubernetesObject> implements CachedListerWatcher<T> {
  readonly #scope: DiscoveredScope;
  readonly #make: (namespaced: boolean) => CachedListerWatcher<T>;
  #made: CachedListerWatcher<T> | undefined;

  constructor(scope: DiscoveredScope, make: (namespaced: boolean) => CachedListerWatcher<T>) {
    this.#scope = scope;
    this.#make = make;
  }

  list(options: ListOptions, context: CallContext): Promise<CachedList<T>> {
    return this.#ask(context, (inner) => inner.list(options, context));
  }

  async listOne(object: Pick<Cached, 'namespace' | 'name'>, context: CallContext): Promise<CachedList<T>> {
    const inner = await this.#inner(context);
    return inner.listOne ? await inner.listOne(object, context) : { items: [], broken: [], metadata: {} };
  }

  watch(options: ListOptions, context: CallContext): Promise<CachedFrames<T>> {
    return this.#ask(context, (inner) => inner.watch(options, context));
  }

  async #ask<R>(context: CallContext, call: (inner: CachedListerWatcher<T>) => Promise<R>): Promise<R> {
    const inner = await this.#inner(context);
    try {
      return await call(inner);
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) this.#scope.doubt();
      throw error;
    }
  }

  async #inner({ signal }: CallContext): Promise<CachedListerWatcher<T>> {
    const namespaced = await this.#scope.find(signal);
    this.#made ??= this.#make(namespaced);
    return this.#made;
  }
}
