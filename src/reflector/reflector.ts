import type { KubernetesObject } from '../api/metadata.ts';
import { CachedReflector } from './cached-reflector.ts';
import { plainSource } from './plain-source.ts';
import { PlainTarget } from './plain-target.ts';
import type { ReflectorOptions, WatchErrorHandler } from './reflector-options.ts';
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
