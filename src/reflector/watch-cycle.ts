import { ApiError } from '../api/api-error.ts';
import type { CachedFrame } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { TimeSlice } from '../observe/time-slice.ts';
import { FrameStream } from './frame-stream.ts';
import { asError, ReflectorError } from './reflector-error.ts';
import type { Session } from './session.ts';
import { WatchDeadline } from './watch-deadline.ts';

/** Opens a watch that goes on from the position. `expectsBookmarks`: silence counts from the request on. */
export async function openWatch<T extends KubernetesObject>(
  session: Session<T>,
  expectsBookmarks: boolean,
): Promise<FrameStream<T>> {
  const { settings, position, pacer, signal } = session;
  const { clock, listerWatcher, silenceTimeoutMs: silenceMs } = settings;
  const timeoutSeconds = session.watchTimeoutSeconds();
  await pacer.admit(signal);
  const { resourceVersion } = position;
  return await FrameStream.open({
    listerWatcher,
    options: { ...(resourceVersion !== '' && { resourceVersion }), allowWatchBookmarks: true, timeoutSeconds },
    clock,
    signal,
    onContact: session.state.contact,
    deadline: new WatchDeadline({ clock, timeoutSeconds, silenceMs, expectsBookmarks }).current,
  });
}

/** Hands what one watch brings to the target, until it ends. */
export class WatchCycle<T extends KubernetesObject> {
  readonly #session: Session<T>;
  readonly #stream: FrameStream<T>;
  readonly #deadline: WatchDeadline;
  /**
   * A watch from nowhere begins with the present state in any order, so that the version of an ADDED says nothing about
   * how far we are until something else has come.
   */
  #isInOrder: boolean;
  #events = 0;

  constructor(session: Session<T>, stream: FrameStream<T>, expectsBookmarks: boolean) {
    const { clock, silenceTimeoutMs: silenceMs } = session.settings;
    const { timeoutSeconds } = stream;
    this.#session = session;
    this.#stream = stream;
    this.#isInOrder = !session.position.isNowhere;
    this.#deadline = new WatchDeadline({ clock, timeoutSeconds, silenceMs, expectsBookmarks });
    stream.follow(this.#deadline.current);
  }

  /** How many frames have come. */
  get events(): number {
    return this.#events;
  }

  /** Whether the server has sent a bookmark that nobody asked for. */
  get hasBookmarks(): boolean {
    return this.#deadline.hasBookmarks;
  }

  /** Resolves at the clean end of the watch; rejects with what ended it otherwise. Leaves the stream to its owner. */
  async run(): Promise<void> {
    const { signal, settings } = this.#session;
    const slice = new TimeSlice(settings.clock);
    for (let batch = await this.#stream.next(); batch !== undefined; batch = await this.#stream.next()) {
      this.#deadline.frameSeen();
      for (const frame of batch) {
        signal.throwIfAborted();
        this.#events++;
        const taken = this.#take(frame);
        if (taken !== undefined) await taken;
        if (slice.isDue()) await slice.pause();
      }
    }
  }

  /** A promise only if the target returns one. */
  #take(frame: CachedFrame<T>): void | Promise<void> {
    switch (frame.type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        if (frame.type !== 'ADDED') this.#isInOrder = true;
        return this.#takeObject(frame);
      case 'BOOKMARK':
        this.#isInOrder = true;
        if (!frame.initialEventsEnd && this.#deadline.bookmarkSeen()) this.#stream.checkDeadline();
        return this.#takeBookmark(frame.resourceVersion);
      case 'ERROR':
        throw new ApiError(frame.status);
      case 'BROKEN': {
        const { problem, key } = frame.broken;
        this.#unusable(
          new ReflectorError('unusable', `an event cannot be used: ${problem.message}`, {
            cause: problem,
            ...(key !== undefined && { key }),
          }),
        );
      }
    }
  }

  #takeObject(frame: CachedFrame<T> & { type: 'ADDED' | 'MODIFIED' | 'DELETED' }): void | Promise<void> {
    const { resourceVersion } = frame.object;
    let written: boolean | Promise<boolean>;
    try {
      written = this.#session.writer.write(frame.type, frame.object);
    } catch (error) {
      return this.#unusable(error);
    }
    if (typeof written === 'boolean') return this.#written(resourceVersion, written);
    return written.then(
      (wasLeftOut) => this.#written(resourceVersion, wasLeftOut),
      (error) => this.#unusable(error),
    );
  }

  #written(resourceVersion: string, wasLeftOut: boolean): void {
    const { position, writer, state } = this.#session;
    if (this.#isInOrder) position.advance(resourceVersion);
    if (wasLeftOut) state.leaveOut(writer.leftOut);
  }

  /** A bookmark without a version, or from before, says nothing. */
  #takeBookmark(resourceVersion: string): void | Promise<void> {
    const { position, settings } = this.#session;
    if (resourceVersion === '' || position.isPast(resourceVersion)) return;
    position.advance(resourceVersion);
    try {
      return settings.target.bookmark?.(resourceVersion)?.catch((cause: unknown) => this.#bookmarkFailed(cause));
    } catch (cause) {
      this.#bookmarkFailed(cause);
    }
  }

  #bookmarkFailed(cause: unknown): void {
    const error = new ReflectorError('unusable', `a bookmark cannot be used: ${asError(cause).message}`, { cause });
    this.#session.report(error, 'watching');
  }

  /** Ends the watch for a list, unless a list has shown before that the object cannot be used, and it is named as such. */
  #unusable(error: unknown): void {
    const { writer, signal } = this.#session;
    signal.throwIfAborted();
    if (!(error instanceof ReflectorError) || error.kind !== 'unusable' || !writer.leftOut.has(error.key)) throw error;
    this.#session.report(error, 'watching');
  }
}
