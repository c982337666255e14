import { ApiError } from '../api/api-error.ts';
import {
  addBroken,
  type BrokenObject,
  type Cached,
  type CachedFrame,
  MAX_DESCRIBED,
  withoutProblem,
} from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Clock } from '../observe/clock.ts';
import { monotonicMs, TimeSlice } from '../observe/scheduler.ts';
import { failureKind } from './failure.ts';
import { FrameStream } from './frame-stream.ts';
import { refuseOlder, type WholeState } from './list-cycle.ts';
import { ReflectorError } from './reflector-error.ts';
import type { Session } from './session.ts';
import { SHORT_WATCH_MS, WATCH_TIMEOUT_MARGIN_MS, WatchDeadline } from './watch-cycle.ts';

/**
 * Fetches the whole state with WatchList: a watch that begins with everything that exists and says with a bookmark where
 * that ends. Nothing reaches the target before, and the same watch goes on afterwards.
 */
export async function watchListCycle<T extends KubernetesObject>(session: Session<T>): Promise<WholeState<T>> {
  const { settings, position, pacer, signal, trace } = session;
  const { clock, watchListBookmarkTimeoutMs, silenceTimeoutMs } = settings;
  const from = position.watchListFrom;
  const timeoutSeconds = session.watchTimeoutSeconds();
  await pacer.admit(signal);

  session.debug(`streaming the whole state, ${from === '' ? 'as it is' : `not older than ${from}`}`);
  const startMs = monotonicMs(clock);
  const initial = new InitialEvents<T>(clock);
  const call = trace.begin();
  const options = {
    ...(from !== '' && { resourceVersion: from }),
    resourceVersionMatch: 'NotOlderThan' as const,
    sendInitialEvents: true,
    allowWatchBookmarks: true,
    timeoutSeconds,
  };
  const endMs = startMs + timeoutSeconds * 1000 + WATCH_TIMEOUT_MARGIN_MS;
  const deadline = () => ({
    dueMs: Math.min(initial.progressMs + watchListBookmarkTimeoutMs, endMs),
    problem: () => initial.unfinished(),
  });
  let stream: FrameStream<T> | undefined;
  try {
    stream = await FrameStream.open(session, call, options, deadline);
    const { arrived } = stream;
    if (!(await initial.read(stream, signal, (batch) => trace.decoded(call.id, batch, arrived))))
      throw initial.ended(monotonicMs(clock) - startMs);
    refuseOlder(from, initial.resourceVersion);
    // Storing what has come takes its time, in which nothing is expected.
    const silenceMs = silenceTimeoutMs;
    stream.follow(new WatchDeadline({ clock, timeoutSeconds, silenceMs, expectsBookmarks: false }).current);
    const whole = initial.whole();
    trace.list(call, { how: 'watchList', items: whole.items.length, resourceVersion: whole.resourceVersion });
    return { ...whole, stream, list: call.id };
  } catch (error) {
    stream?.close();
    signal.throwIfAborted();
    const failure = initial.explain(error);
    trace.list(call, { how: 'watchList', failure: failureKind(failure) });
    throw failure;
  }
}

/** What has come before the closing bookmark. */
class InitialEvents<T extends KubernetesObject> {
  readonly #clock: Clock;
  readonly #objects = new InitialObjects<T>();
  readonly #broken: BrokenObject[] = [];
  readonly #brokenByKey = new Map<string, BrokenObject>();
  /** When the last object came that had not come before: nothing else brings the end nearer. */
  progressMs: number;
  resourceVersion = '';
  #frames = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.progressMs = monotonicMs(clock);
  }

  /** Reads up to the closing bookmark; what came after it remains in the stream. False when the response ended before. */
  read(
    stream: FrameStream<T>,
    signal: AbortSignal,
    onBatch: (batch: readonly CachedFrame<T>[]) => void,
  ): Promise<boolean> {
    const slice = new TimeSlice(this.#clock);
    return stream.until((batch) => {
      signal.throwIfAborted();
      const end = batch.findIndex((frame) => this.#take(frame)) + 1;
      if (end > 0) {
        onBatch(batch.slice(0, end));
        stream.unread(batch.slice(end));
        return true;
      }
      onBatch(batch);
      return slice.isDue() && slice.pause();
    });
  }

  whole(): Omit<WholeState<T>, 'stream'> {
    return {
      items: this.#objects.all(),
      broken: [...this.#broken, ...this.#brokenByKey.values()],
      resourceVersion: this.resourceVersion,
      how: `${this.#objects.size} objects streamed`,
    };
  }

  unfinished(): ReflectorError {
    const seen = this.#objects.size === 0 ? 'no object' : `no new object after ${this.#objects.size}`;
    return new ReflectorError(
      'noInitialEventsEnd',
      `the server sent ${seen} and no bookmark to end the initial events of a WatchList; it may not know sendInitialEvents`,
    );
  }

  ended(afterMs: number): ReflectorError {
    return this.#frames === 0 && afterMs < SHORT_WATCH_MS
      ? new ReflectorError('shortWatch', 'the server ended a WatchList at once, without a word')
      : this.#endedEarly();
  }

  /** A stream that broke after it had begun is one that ended early, whatever broke it. */
  explain(error: unknown): unknown {
    if (this.#frames === 0 || error instanceof ApiError || error instanceof ReflectorError) return error;
    return this.#endedEarly({ cause: error });
  }

  #endedEarly(options: ErrorOptions = {}): ReflectorError {
    const message = `a WatchList ended after ${this.#frames} events, before the end of the initial events`;
    return new ReflectorError('endedEarly', message, options);
  }

  /** Whether this was the closing bookmark. */
  #take(frame: CachedFrame<T>): boolean {
    this.#frames++;
    switch (frame.type) {
      case 'ADDED':
      case 'MODIFIED': {
        const isNew = this.#objects.set(frame.object);
        if (frame.type === 'ADDED' && isNew) this.progressMs = monotonicMs(this.#clock);
        if (this.#brokenByKey.size > 0) this.#brokenByKey.delete(frame.object.key);
        return false;
      }
      case 'DELETED':
        this.#objects.delete(frame.object.key);
        this.#brokenByKey.delete(frame.object.key);
        return false;
      case 'BROKEN': {
        const { key } = frame.broken;
        if (key === undefined) {
          addBroken(this.#broken, frame.broken);
        } else {
          const isDescribed = this.#brokenByKey.size < MAX_DESCRIBED;
          this.#brokenByKey.set(key, isDescribed ? frame.broken : withoutProblem(frame.broken));
          // What came of it before is its state no more.
          this.#objects.delete(key);
        }
        return false;
      }
      case 'ERROR':
        throw new ApiError(frame.status);
      case 'BOOKMARK':
        if (!frame.initialEventsEnd) return false;
        if (frame.resourceVersion === '') throw this.unfinished();
        this.resourceVersion = frame.resourceVersion;
        return true;
    }
  }
}

/**
 * The newest state of each object of a stream that begins with all that exist, in the order in which the objects first came.
 * API servers send them in the order of their keys: as long as they do, a key beyond the last is known to be new, and nothing
 * is kept beside the objects.
 */
export class InitialObjects<T extends KubernetesObject> {
  readonly #objects: Cached<T>[] = [];
  /** The number at the beginning that are in the order of their keys. */
  #sorted = 0;
  /** Where all the others are, by key. */
  readonly #rows = new Map<string, number>();
  /** Where those are that have been deleted. */
  readonly #gone = new Set<number>();

  get size(): number {
    return this.#objects.length - this.#gone.size;
  }

  /** Whether there was none with this key. */
  set(object: Cached<T>): boolean {
    const { key } = object;
    const end = this.#objects.length;
    if (this.#sorted === end && (end === 0 || key > this.#keyAt(end - 1))) {
      this.#sorted = this.#objects.push(object);
      return true;
    }
    const row = this.#rowOf(key);
    if (row !== undefined) {
      this.#objects[row] = object;
      return this.#gone.delete(row);
    }
    this.#rows.set(key, end);
    this.#objects.push(object);
    return true;
  }

  delete(key: string): void {
    const row = this.#rowOf(key);
    if (row !== undefined) this.#gone.add(row);
  }

  /** No two have the same key. Nothing may be set or deleted afterwards. */
  all(): readonly Cached<T>[] {
    return this.#gone.size === 0 ? this.#objects : this.#objects.filter((_, row) => !this.#gone.has(row));
  }

  #rowOf(key: string): number | undefined {
    let low = 0;
    let high = this.#sorted;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = this.#keyAt(middle);
      if (found === key) return middle;
      if (found < key) low = middle + 1;
      else high = middle;
    }
    return this.#rows.get(key);
  }

  #keyAt(row: number): string {
    return (this.#objects[row] as Cached<T>).key;
  }
}
