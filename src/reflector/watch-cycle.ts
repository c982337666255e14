import { ApiError } from '../api/api-error.ts';
import type { CachedFrame } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { channels } from '../observe/channels.ts';
import type { Clock } from '../observe/clock.ts';
import { type Receiver, Stage } from '../observe/pulled.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import { type Deadline, FrameStream } from './frame-stream.ts';
import { unusableError } from './left-out-book.ts';
import { ReflectorError } from './reflector-error.ts';
import type { TracedCall } from './reflector-trace.ts';
import type { Session } from './session.ts';

/** A watch that ends sooner, and without an event, counts as a failed one. client-go's `VeryShortWatchError`. */
export const SHORT_WATCH_MS = 1_000;
/** How much later than the agreed end of a watch its connection counts as dead. */
export const WATCH_TIMEOUT_MARGIN_MS = 30_000;

export interface WatchDeadlineOptions {
  clock: Pick<Clock, 'now' | 'scheduler'>;
  /** When the server was asked to end the watch. */
  timeoutSeconds: number;
  silenceMs: number;
  /** Whether an earlier watch of this server has sent bookmarks, so that silence counts from the beginning. */
  expectsBookmarks: boolean;
}

/**
 * When a watch counts as dead. Silence alone proves nothing: a quiet resource has nothing to say, and servers do not send
 * bookmarks for all. It counts on a stream that has sent a bookmark of its own accord, because such a server goes on to;
 * the one that ends the initial events of a WatchList was asked for, and promises nothing.
 */
export class WatchDeadline {
  readonly #clock: Pick<Clock, 'now' | 'scheduler'>;
  readonly #silenceMs: number;
  readonly #endMs: number;
  #lastFrameMs: number;
  #hasBookmarks = false;
  #countsSilence: boolean;

  constructor({ clock, timeoutSeconds, silenceMs, expectsBookmarks }: WatchDeadlineOptions) {
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    this.#countsSilence = expectsBookmarks;
    this.#lastFrameMs = monotonicMs(clock);
    this.#endMs = this.#lastFrameMs + timeoutSeconds * 1000 + WATCH_TIMEOUT_MARGIN_MS;
  }

  frameSeen(): void {
    this.#lastFrameMs = monotonicMs(this.#clock);
  }

  /** Whether a bookmark has come. */
  get hasBookmarks(): boolean {
    return this.#hasBookmarks;
  }

  /** Whether the deadline has come nearer. */
  bookmarkSeen(): boolean {
    const isNearer = !this.#countsSilence;
    this.#hasBookmarks = true;
    this.#countsSilence = true;
    return isNearer;
  }

  readonly current = (): Deadline => ({
    dueMs: this.#countsSilence ? Math.min(this.#endMs, this.#lastFrameMs + this.#silenceMs) : this.#endMs,
    problem: () => {
      const silentMs = monotonicMs(this.#clock) - this.#lastFrameMs;
      return new ReflectorError(
        'silent',
        `the watch has been silent for ${Math.round(silentMs / 1000)} s and is taken for dead; it goes on from the last version seen`,
      );
    },
  });
}

/** Opens a watch that goes on from a version, by default the position. `expectsBookmarks`: silence counts from the request on. */
export async function openWatch<T extends KubernetesObject>(
  session: Session<T>,
  expectsBookmarks: boolean,
  call: TracedCall,
  resourceVersion = session.position.resourceVersion,
): Promise<FrameStream<T>> {
  const { clock, silenceTimeoutMs: silenceMs } = session.settings;
  const timeoutSeconds = session.watchTimeoutSeconds();
  await session.pacer.admit(session.signal);
  const options = { ...(resourceVersion !== '' && { resourceVersion }), allowWatchBookmarks: true, timeoutSeconds };
  const deadline = new WatchDeadline({ clock, timeoutSeconds, silenceMs, expectsBookmarks });
  return await FrameStream.open(session, call, options, deadline.current);
}

type Batch<T extends KubernetesObject> = readonly CachedFrame<T>[];

/** What one watch brings. Ends at its clean end; fails with what ended it otherwise. Leaves the stream to its owner. */
export class WatchCycle<T extends KubernetesObject> extends Stage<Batch<T>, Batch<T>> {
  readonly #session: Session<T>;
  readonly #stream: FrameStream<T>;
  readonly #deadline: WatchDeadline;
  readonly #id: number;
  #events = 0;
  /** A batch that has been handed on up to a frame that is not for the target. */
  #rest: { readonly batch: Batch<T>; readonly from: number } | undefined;

  /** `id` is that of the list or watch whose bytes these are. */
  constructor(session: Session<T>, stream: FrameStream<T>, expectsBookmarks: boolean, id: number) {
    super(stream);
    const { clock, silenceTimeoutMs: silenceMs } = session.settings;
    const { timeoutSeconds } = stream;
    this.#session = session;
    this.#stream = stream;
    this.#id = id;
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

  override pull(reader: Receiver<Batch<T>>): void {
    const rest = this.#rest;
    this.#rest = undefined;
    this.reader = reader;
    if (rest === undefined) this.source.pull(this);
    else void Promise.resolve().then(() => this.#handOn(rest.batch, rest.from));
  }

  take(batch: Batch<T>): void {
    this.#deadline.frameSeen();
    const { trace } = this.#session;
    if (trace.counts || channels.frames.hasSubscribers || channels.store.hasSubscribers)
      trace.decoded(this.#id, batch, this.#stream.arrived);
    this.#handOn(batch, 0);
  }

  #handOn(batch: Batch<T>, from: number): void {
    let changes: Batch<T> | undefined;
    try {
      changes = this.#forTarget(batch, from);
    } catch (error) {
      this.fail(error);
      return;
    }
    if (changes === undefined) this.source.pull(this);
    else this.reader?.take(changes);
  }

  /** The next of them that the target can take; undefined: none. */
  #forTarget(batch: Batch<T>, from: number): Batch<T> | undefined {
    let start = from;
    for (let i = from; i < batch.length; i++) {
      const frame = batch[i] as CachedFrame<T>;
      if (frame.type === 'ERROR' || frame.type === 'BROKEN') {
        if (i > start) {
          // What came before it is not lost.
          this.#rest = { batch, from: i };
          return batch.slice(start, i);
        }
        this.#events++;
        if (frame.type === 'ERROR') throw new ApiError(frame.status);
        this.#session.refuse(unusableError('an event', frame.broken.key, frame.broken.problem));
        start = i + 1;
      } else {
        this.#events++;
        if (frame.type === 'BOOKMARK' && !frame.initialEventsEnd && this.#deadline.bookmarkSeen())
          this.#stream.checkDeadline();
      }
    }
    if (start === batch.length) return undefined;
    return start === 0 ? batch : batch.slice(start);
  }
}
