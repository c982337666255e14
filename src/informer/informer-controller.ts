import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { guarded } from '../observe/guarded.ts';
import { safeLogger } from '../observe/logger.ts';
import { TimeSlice } from '../observe/time-slice.ts';
import type { ProcessDeltas, Queue } from '../queue/queue.ts';
import type { CachedListerWatcher, CachedTarget } from '../reflector/cached-lister-watcher.ts';
import { CachedReflector } from '../reflector/cached-reflector.ts';
import type { ReflectorOptions, WatchErrorHandler } from '../reflector/reflector-options.ts';
import type { ReflectorState } from '../reflector/reflector-state.ts';

export interface InformerControllerOptions<T extends KubernetesObject>
  extends Omit<ReflectorOptions<T>, 'target' | 'resyncMs'> {
  listerWatcher: CachedListerWatcher<T>;
  queue: Queue<Cached<T>>;
  /** Is given each object's changes, one object at a time. What it throws is reported to `onProcessError`. */
  process: ProcessDeltas<Cached<T>>;
  /** How often `shouldResync` is asked, and if it agrees everything queued again. 0 or unset: never. */
  fullResyncMs?: number;
  /** What the reflector writes to. Default: the queue itself. */
  target?: CachedTarget<T>;
  /** What it throws or rejects with is logged, the first time, and changes nothing. */
  onProcessError?: (error: unknown) => void;
  /** After each object that was taken from the queue, whether `process` failed or not. Its failures: as `onProcessError`. */
  onPopped?: () => void;
}

/**
 * The low-level informer: a reflector that fills a queue, and a loop that empties it into `process`. Whether a failed
 * `process` is tried again is the queue's `retryOnError`. client-go's `cache.Controller`.
 */
export class InformerController<T extends KubernetesObject> {
  readonly #options: InformerControllerOptions<T>;
  readonly #reflector: CachedReflector<T>;
  #isHookFailureTold = false;

  constructor(options: InformerControllerOptions<T>) {
    this.#options = options;
    const {
      queue,
      process: _process,
      fullResyncMs,
      target,
      onProcessError: _onProcessError,
      onPopped: _onPopped,
      ...rest
    } = options;
    this.#reflector = new CachedReflector<T>({
      ...rest,
      target: target ?? queue,
      ...(fullResyncMs !== undefined && { resyncMs: fullResyncMs }),
    });
  }

  get state(): ReflectorState {
    return this.#reflector.state;
  }

  hasSynced(): boolean {
    return this.#options.queue.hasSynced();
  }

  lastSyncResourceVersion(): string {
    return this.#reflector.lastSyncResourceVersion();
  }

  /** As `Reflector.refetch`. */
  refetch(object: Cached<T>, problem: Error): void {
    this.#reflector.refetch(object, problem);
  }

  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#reflector.setWatchErrorHandler(handler);
  }

  /** Runs until `signal` aborts; resolves when everything has ended. Never rejects. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    const { queue } = this.#options;
    const close = () => queue.close();
    if (signal.aborted) close();
    signal.addEventListener('abort', close, { once: true });
    await Promise.all([this.#reflector.run({ signal }), this.#processLoop()]);
    signal.removeEventListener('abort', close);
  }

  /** Ends when the queue is closed, and by nothing else: a loop that stopped would freeze the store without a sign. */
  async #processLoop(): Promise<void> {
    const { queue, process, onProcessError, onPopped, clock } = this.#options;
    const slice = new TimeSlice(clock);
    for (;;) {
      if (queue.length === 0) await queue.whenReady();
      if (queue.isClosed) return;
      try {
        const popped = queue.popReady(process);
        if (popped instanceof Promise) await popped;
      } catch (error) {
        if (queue.isClosed) return;
        guarded(() => onProcessError?.(error), this.#onHookFailure);
      }
      if (onPopped !== undefined) guarded(onPopped, this.#onHookFailure);
      if (slice.isDue()) await slice.pause();
    }
  }

  readonly #onHookFailure = (thrown: unknown): void => {
    if (this.#isHookFailureTold) return;
    this.#isHookFailureTold = true;
    const { name, logger } = this.#options;
    safeLogger(logger).error(`${name}: onPopped or onProcessError failed; further failures are not reported.`, thrown);
  };
}
