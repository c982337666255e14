import type { CachedFrame, CachedFrames } from '../api/cached.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Clock } from '../observe/clock.ts';
import type { CachedListerWatcher } from './cached-lister-watcher.ts';
import { begin, CallScope, interruptible } from './interruption.ts';
import { type Deadline, Watchdog } from './watchdog.ts';

export interface FrameStreamOptions<T extends KubernetesObject> {
  listerWatcher: CachedListerWatcher<T>;
  options: ListOptions & { timeoutSeconds: number };
  clock: Clock;
  signal: AbortSignal;
  /** Called when the server has accepted the watch, and for each batch of frames. Must not throw. */
  onContact: () => void;
  /** Holds from the request on, so for the response's head too. */
  deadline: () => Deadline;
}

/**
 * One watch, from its request on. Reading from it rejects when the connection breaks, when the deadline is missed, and
 * when the signal aborts; in the last two cases it has closed itself, whether or not anybody reads. Otherwise whoever
 * holds it closes it.
 */
export class FrameStream<T extends KubernetesObject> {
  /** When the server was asked to end it. */
  readonly timeoutSeconds: number;
  readonly #frames: AsyncIterator<readonly CachedFrame<T>[]>;
  readonly #scope: CallScope;
  readonly #watchdog: Watchdog;
  readonly #onContact: () => void;
  #unread: readonly CachedFrame<T>[] | undefined;
  /** Of whoever waits for frames. */
  #interrupt: ((reason: unknown) => void) | undefined;
  #closed = false;

  private constructor(
    frames: CachedFrames<T>,
    { options, onContact }: FrameStreamOptions<T>,
    scope: CallScope,
    watchdog: Watchdog,
  ) {
    this.timeoutSeconds = options.timeoutSeconds;
    this.#onContact = onContact;
    this.#frames = frames[Symbol.asyncIterator]();
    this.#scope = scope;
    this.#watchdog = watchdog;
    // One listener for all reads: thousands of batches a second are nothing unusual.
    if (scope.signal.aborted) this.#aborted();
    else scope.signal.addEventListener('abort', () => this.#aborted(), { once: true });
  }

  /** Resolves when the server has accepted the watch. */
  static async open<T extends KubernetesObject>(stream: FrameStreamOptions<T>): Promise<FrameStream<T>> {
    const { listerWatcher, options, clock, signal, deadline } = stream;
    const scope = new CallScope(signal);
    const watchdog = new Watchdog(clock, deadline, (problem) => scope.abort(problem));
    try {
      const call = () => listerWatcher.watch(options, { signal: scope.signal });
      const frames = await interruptible(call, scope.signal, abandon);
      stream.onContact();
      return new FrameStream(frames, stream, scope, watchdog);
    } catch (error) {
      watchdog.stop();
      scope.release();
      throw error;
    }
  }

  /** Undefined at the clean end of the response. */
  next(): Promise<readonly CachedFrame<T>[] | undefined> {
    const { signal } = this.#scope;
    if (signal.aborted) return Promise.reject(signal.reason);
    const unread = this.#unread;
    if (unread !== undefined) {
      this.#unread = undefined;
      return Promise.resolve(unread);
    }
    return new Promise((resolve, reject) => {
      this.#interrupt = reject;
      begin(() => this.#frames.next()).then(({ done, value }) => {
        if (!done) this.#onContact();
        resolve(done ? undefined : value);
      }, reject);
    });
  }

  /** What the next reader gets first. */
  unread(frames: readonly CachedFrame<T>[]): void {
    if (frames.length > 0) this.#unread = frames;
  }

  /** Another deadline from now on. */
  follow(deadline: () => Deadline): void {
    this.#watchdog.follow(deadline);
  }

  /** To be called when the deadline has come nearer. */
  checkDeadline(): void {
    this.#watchdog.check();
  }

  /** Whoever reads gets the reason instead. */
  fail(reason: Error): void {
    this.#scope.abort(reason);
  }

  /** Ends the request, if it has not ended. Does not wait for anybody. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#watchdog.stop();
    this.#scope.release();
    this.#scope.abort(new TidewatchError('stopped', 'the watch is not wanted any more'));
    leave(this.#frames);
  }

  #aborted(): void {
    this.#interrupt?.(this.#scope.signal.reason);
    this.close();
  }
}

/** A watch that was accepted after nobody waited for it any more. */
function abandon<T extends KubernetesObject>(frames: CachedFrames<T>): void {
  leave(frames[Symbol.asyncIterator]());
}

/** Whether it ends well, and when, is nobody's concern; but a rejection must not go unhandled. */
function leave(frames: AsyncIterator<unknown>): void {
  void ended(frames).catch(() => {});
}

async function ended(frames: AsyncIterator<unknown>): Promise<void> {
  await frames.return?.();
}
