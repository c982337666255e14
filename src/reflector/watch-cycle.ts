import { ApiError } from '../api/api-error.ts';
import type { CachedFrame } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { FrameStream } from './frame-stream.ts';
import type { Changes } from './recovery.ts';
import type { Session } from './session.ts';
import { unusableError } from './unusable.ts';
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

/** What one watch brings, until it ends. */
export class WatchCycle<T extends KubernetesObject> {
  readonly #session: Session<T>;
  readonly #stream: FrameStream<T>;
  readonly #deadline: WatchDeadline;
  #events = 0;

  constructor(session: Session<T>, stream: FrameStream<T>, expectsBookmarks: boolean) {
    const { clock, silenceTimeoutMs: silenceMs } = session.settings;
    const { timeoutSeconds } = stream;
    this.#session = session;
    this.#stream = stream;
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

  /** Ends at the clean end of the watch; throws what ended it otherwise. Leaves the stream to its owner. */
  async *changes(): Changes<T> {
    for (let batch = await this.#stream.next(); batch !== undefined; batch = await this.#stream.next()) {
      this.#deadline.frameSeen();
      let from = 0;
      for (let i = 0; i < batch.length; i++) {
        const frame = batch[i] as CachedFrame<T>;
        this.#events++;
        if (frame.type === 'BOOKMARK') {
          if (!frame.initialEventsEnd && this.#deadline.bookmarkSeen()) this.#stream.checkDeadline();
        } else if (frame.type === 'ERROR' || frame.type === 'BROKEN') {
          // What came before it is not lost.
          if (i > from) yield batch.slice(from, i);
          from = i + 1;
          if (frame.type === 'ERROR') throw new ApiError(frame.status);
          this.#session.refuse(unusableError('an event', frame.broken.key, frame.broken.problem));
        }
      }
      if (from < batch.length) yield from === 0 ? batch : batch.slice(from);
    }
  }
}
