import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { Filler } from './filler.ts';
import { ListAndWatch } from './list-and-watch.ts';
import { Refetcher } from './refetcher.ts';
import { type ReflectorOptions, resolveOptions, type WatchErrorHandler } from './reflector-options.ts';
import type { ReflectorState } from './reflector-state.ts';
import { ResyncTimer } from './resync-timer.ts';
import { Session } from './session.ts';

/**
 * Keeps a target equal to what a server has: lists, then watches, for ever. client-go's `cache.Reflector`.
 *
 * Promised: the target gets a whole state first; after that every change of an object, in the order of the server, or,
 * where changes were missed, another whole state; an object that cannot be used is reported, tried once more with a
 * whole state, and then named in `state.leftOut`. No failure is the end, and none is swallowed. At most 5 requests begin
 * in any 2 s, the further pages of a list aside. After a stop nothing reaches the target, the handlers or the log.
 *
 * Not promised: that each change of an object is seen on its own.
 */
export class CachedReflector<T extends KubernetesObject> {
  readonly name: string;
  readonly #session: Session<T>;
  readonly #refetcher: Refetcher<T>;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.name = options.name;
    this.#session = new Session(resolveOptions(options), this.#stop.signal);
    this.#refetcher = new Refetcher(this.#session);
  }

  get state(): ReflectorState {
    return this.#session.state.state;
  }

  /** The last version that the target has; "" before the first list. */
  lastSyncResourceVersion(): string {
    return this.#session.position.resourceVersion;
  }

  /** Takes the place of the one from the options. */
  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#session.watchErrorHandler = handler;
  }

  /**
   * To be told of an object whose bytes turn out to be damaged when somebody reads them. It is reported, and fetched again
   * if the target still has that version and can `repair` it: once for each version. Returns at once, and never throws.
   */
  refetch(object: Cached<T>, problem: Error): void {
    this.#refetcher.refetch(object, problem);
  }

  /**
   * Resolves when the signal has aborted and all has ended; never rejects. A reflector runs once: a second call warns and
   * resolves with the first.
   */
  run({ signal }: { signal: AbortSignal }): Promise<void> {
    if (this.#running !== undefined) {
      this.#session.settings.logger.warn(`${this.name}: run was called a second time; it changes nothing.`);
    }
    this.#running ??= this.#run(signal);
    return this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const stop = () => this.#stop.abort(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const resync = new ResyncTimer(this.#session);
    await new ListAndWatch(this.#session, new Filler(this.#session, () => resync.start())).run();
    await this.#refetcher.settled();
    resync.stop();
    this.#session.state.enter('stopped');
  }
}
