import type { CachedChange } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { checkedOptions } from '../api/option-check.ts';
import { isPromiseLike } from '../api/promise-like.ts';
import { CachedReflector } from './cached-reflector.ts';
import type { CachedTarget } from './lister-watcher.ts';
import { plainSource } from './plain-source.ts';
import {
  REFLECTOR_CHECKS,
  type ReflectorOptions,
  type ReflectorTarget,
  type WatchErrorHandler,
} from './reflector-options.ts';
import type { ReflectorState } from './reflector-state.ts';

/**
 * Keeps a target equal to what a server has: lists, then watches, forever. client-go's `cache.Reflector`.
 *
 * Promised: the target gets a whole state first; after that every change of an object, in the order of the server, or,
 * where changes were missed, another whole state; an object that cannot be used is reported, tried once more with a
 * whole state, and then named in `state.leftOut`. No failure is the end, and none is swallowed. At most 5 requests begin
 * in any 2 s, the further pages of a list aside. After a stop nothing reaches the target, the handlers or the log.
 *
 * Not promised: that each change of an object is seen on its own.
 *
 * ```ts
 * const store = new Store<Pod>();
 * const reflector = new Reflector({ name: 'pods', listerWatcher: ListWatch.for(cluster, pods), target: store });
 * await reflector.run({ signal });
 * ```
 */
export class Reflector<T extends KubernetesObject> {
  readonly #reflector: CachedReflector<T>;

  constructor(options: ReflectorOptions<T>) {
    checkedOptions('Reflector', options, REFLECTOR_CHECKS, ['name', 'listerWatcher', 'target']);
    const { listerWatcher, target } = options;
    this.#reflector = new CachedReflector<T>({
      ...options,
      listerWatcher: plainSource(listerWatcher),
      target: new PlainTarget(target),
    });
  }

  get name(): string {
    return this.#reflector.name;
  }

  get state(): ReflectorState {
    return this.#reflector.state;
  }

  /** The last version that the target has; "" before the first list. */
  lastSyncResourceVersion(): string {
    return this.#reflector.lastSyncResourceVersion();
  }

  /** Takes the place of the one from the options. */
  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#reflector.setWatchErrorHandler(handler);
  }

  /**
   * Resolves when the signal has aborted and all has ended; never rejects. A reflector runs once: a second call warns and
   * resolves with the first.
   */
  run(options: { signal: AbortSignal }): Promise<void> {
    return this.#reflector.run(options);
  }

  /**
   * One list, and the watches after it for as long as each can go on where the one before ended. Rejects with what makes another list
   * necessary, without waiting and without a second try; resolves when the signal aborts. May be called again after a rejection.
   * client-go's `ListAndWatch`.
   */
  listAndWatch(options: { signal: AbortSignal }): Promise<void> {
    return this.#reflector.listAndWatch(options);
  }
}

/** Hands plain objects to a target of the user's. */
export class PlainTarget<T extends KubernetesObject> implements CachedTarget<T> {
  readonly #target: ReflectorTarget<T>;

  constructor(target: ReflectorTarget<T>) {
    for (const name of ['add', 'update', 'delete', 'replace', 'resync'] as const) {
      if (typeof target?.[name] !== 'function')
        throw new TypeError(`the target of a Reflector needs the method ${name}`);
    }
    this.#target = target;
  }

  write(change: CachedChange<T>): void | Promise<void> {
    const target = this.#target;
    switch (change.type) {
      case 'LIST':
        return settled(
          target.replace(
            change.items.map((object) => object.view()),
            change.resourceVersion,
          ),
        );
      case 'ADDED':
        return this.#after(target.add(change.object.view()), change.object.resourceVersion);
      case 'MODIFIED':
        return this.#after(target.update(change.object.view()), change.object.resourceVersion);
      case 'DELETED':
        return this.#after(target.delete(change.object.view()), change.object.resourceVersion);
      case 'BOOKMARK':
        return this.#seen(change.resourceVersion);
    }
  }

  resync(): void | Promise<void> {
    return settled(this.#target.resync());
  }

  #after(written: unknown, resourceVersion: string): void | Promise<void> {
    if (!isPromiseLike(written)) return this.#seen(resourceVersion);
    return Promise.resolve(written).then(() => this.#seen(resourceVersion));
  }

  #seen(resourceVersion: string): void | Promise<void> {
    return settled(this.#target.updateResourceVersion?.(resourceVersion));
  }
}

function settled(result: unknown): void | Promise<void> {
  return isPromiseLike(result) ? Promise.resolve(result).then(() => {}) : undefined;
}
