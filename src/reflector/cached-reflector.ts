import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { Filler } from './filler.ts';
import { ListAndWatch } from './list-and-watch.ts';
import { Refetcher } from './refetcher.ts';
import { type CachedReflectorOptions, resolveOptions, type WatchErrorHandler } from './reflector-options.ts';
import type { ReflectorState } from './reflector-state.ts';
import { ResyncTimer } from './resync-timer.ts';
import { Session } from './session.ts';

/** The reflector of objects in the form in which they are kept. See `Reflector` for what it promises. */
export class CachedReflector<T extends KubernetesObject> {
  readonly name: string;
  readonly #session: Session<T>;
  readonly #refetcher: Refetcher<T>;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: CachedReflectorOptions<T>) {
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
    this.#running ??= this.#during(signal, (rounds) => rounds.run());
    return this.#running;
  }

  /** See `Reflector`. */
  async listAndWatch({ signal }: { signal: AbortSignal }): Promise<void> {
    if (this.#running !== undefined) {
      throw new TidewatchError('misuse', `${this.name}: listAndWatch was called while the reflector runs`);
    }
    this.#running = this.#during(signal, (rounds) => rounds.runOnce());
    try {
      await this.#running;
    } finally {
      if (!this.#stop.signal.aborted) this.#running = undefined;
    }
  }

  async #during(signal: AbortSignal, work: (rounds: ListAndWatch<T>) => Promise<void>): Promise<void> {
    const stop = () => this.#stop.abort(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const resync = new ResyncTimer(this.#session);
    try {
      await work(new ListAndWatch(this.#session, new Filler(this.#session, () => resync.start())));
    } finally {
      await this.#refetcher.settled();
      resync.stop();
      signal.removeEventListener('abort', stop);
      this.#session.state.enter('stopped');
    }
  }
}
