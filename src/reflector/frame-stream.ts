import type { CachedFrame, CachedFrames } from '../api/cached.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { channels } from '../observe/channels.ts';
import type { Clock, Timer } from '../observe/clock.ts';
import { guarded } from '../observe/guarded.ts';
import { CallScope, interruptible, onAbort } from '../observe/interruption.ts';
import { Pulled, type Receiver, Stage } from '../observe/pulled.ts';
import { monotonicMs, schedulerOf } from '../observe/scheduler.ts';
import type { CallContext } from './lister-watcher.ts';
import type { Arrived, TracedCall } from './reflector-trace.ts';
import type { Session } from './session.ts';

/** By when something must have happened, and what to say when it has not. */
export interface Deadline {
  /** In monotonic time. */
  readonly dueMs: number;
  problem(): Error;
}

/**
 * Watches a deadline that moves. A later one is noticed when the timer fires, so that progress costs nothing; for an
 * earlier one, call `check`.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #onMissed: (problem: Error) => void;
  #deadline: () => Deadline;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(clock: Clock, deadline: () => Deadline, onMissed: (problem: Error) => void) {
    this.#clock = clock;
    this.#deadline = deadline;
    this.#onMissed = onMissed;
    this.check();
  }

  follow(deadline: () => Deadline): void {
    this.#deadline = deadline;
    this.check();
  }

  check(): void {
    if (this.#isStopped) return;
    this.#timer?.clear();
    this.#timer = this.#clock.setTimeout(() => this.#fire(), this.#deadline().dueMs - monotonicMs(this.#clock));
  }

  /** Final: whatever is called afterwards, no timer is set. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.clear();
  }

  #fire(): void {
    if (monotonicMs(this.#clock) < this.#deadline().dueMs) {
      this.check();
      return;
    }
    // If the program was busy or asleep all that time, what came meanwhile is read in this turn, and only after timers.
    schedulerOf(this.#clock).nextTurn(() => {
      if (!this.#isStopped) this.#judge();
    });
  }

  #judge(): void {
    const deadline = this.#deadline();
    if (monotonicMs(this.#clock) < deadline.dueMs) this.check();
    else this.#onMissed(deadline.problem());
  }
}

type Batch<T extends KubernetesObject> = readonly CachedFrame<T>[];

/**
 * One watch, from its request on. Reading from it rejects when the connection breaks, when the deadline is missed, and
 * when the signal aborts; in the last two cases it has closed itself, whether or not anybody reads. Otherwise whoever
 * holds it closes it.
 */
export class FrameStream<T extends KubernetesObject> extends Stage<Batch<T>, Batch<T>> {
  /** When the server was asked to end it. */
  readonly timeoutSeconds: number;
  readonly arrived: Arrived;
  readonly #scope: CallScope;
  readonly #watchdog: Watchdog;
  readonly #onContact: () => void;
  /** What the next reader gets first. */
  #waiting: Promise<IteratorResult<Batch<T>, undefined>> | undefined;
  #closed = false;

  private constructor(
    frames: CachedFrames<T>,
    timeoutSeconds: number,
    scope: CallScope,
    watchdog: Watchdog,
    arrived: Arrived,
    onContact: () => void,
  ) {
    super(Pulled.from(frames));
    this.timeoutSeconds = timeoutSeconds;
    this.arrived = arrived;
    this.#onContact = onContact;
    this.#scope = scope;
    this.#watchdog = watchdog;
    // One listener for all reads: thousands of batches a second are nothing unusual.
    onAbort(scope.signal, () => this.#aborted());
  }

  /** Resolves when the server has accepted the watch. The deadline holds from the request on, so for the response's head too. */
  static async open<T extends KubernetesObject>(
    { settings, signal, state, trace }: Session<T>,
    call: TracedCall,
    options: ListOptions & { timeoutSeconds: number },
    deadline: () => Deadline,
  ): Promise<FrameStream<T>> {
    const { listerWatcher, clock } = settings;
    const scope = new CallScope(signal);
    const watchdog = new Watchdog(clock, deadline, (problem) => scope.abort(problem));
    try {
      // Not called in a closure: what lives as long as the watch would keep alive whatever the caller had at hand, such as a whole list.
      const arrived = { bytes: 0, sinceMs: 0 };
      const context = withArrivals(trace.contextOf(call, scope.signal), arrived, clock);
      const watch = () => listerWatcher.watch(options, context);
      const frames = await interruptible(watch, scope.signal, abandon);
      state.contact();
      return new FrameStream(frames, options.timeoutSeconds, scope, watchdog, arrived, state.contact);
    } catch (error) {
      watchdog.stop();
      scope.release();
      throw error;
    }
  }

  override pull(reader: Receiver<Batch<T>>): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (this.#closed) reader.fail(this.#scope.signal.reason);
    else if (waiting === undefined) super.pull(reader);
    else waiting.then(({ done, value }) => (done ? reader.end() : reader.take(value)), reader.fail.bind(reader));
  }

  take(batch: Batch<T>): void {
    this.#onContact();
    if (!this.#closed) this.reader?.take(batch);
  }

  /** What `next` will return, for one who does not want to take it. */
  peek(): Promise<IteratorResult<Batch<T>, undefined>> {
    this.#waiting = this.next();
    // Whoever reads next gets the failure.
    this.#waiting.catch(() => {});
    return this.#waiting;
  }

  /** What the next reader gets first. */
  unread(frames: Batch<T>): void {
    if (frames.length > 0) this.#waiting = Promise.resolve({ done: false, value: frames });
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
  breakOff(reason: Error): void {
    this.#scope.abort(reason);
  }

  /** Ends the request, if it has not ended. Does not wait for anybody. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#watchdog.stop();
    this.#scope.release();
    this.#scope.abort(new TidewatchError('stopped', 'the watch is not wanted any more'));
    leave(this.source);
  }

  #aborted(): void {
    this.fail(this.#scope.signal.reason);
    this.close();
  }
}

/** Also of a watch that began before anybody listened. */
function withArrivals(context: CallContext, arrived: Arrived, clock: Clock): CallContext {
  const { onBytes } = context;
  return {
    ...context,
    onBytes: (count) => {
      onBytes?.(count);
      const isHeard = channels.frames.hasSubscribers;
      arrived.bytes = isHeard ? arrived.bytes + count : 0;
      if (!isHeard) arrived.sinceMs = 0;
      else if (arrived.sinceMs === 0) arrived.sinceMs = monotonicMs(clock);
    },
  };
}

/** A watch that was accepted after nobody waited for it any more. */
function abandon<T extends KubernetesObject>(frames: CachedFrames<T>): void {
  leave(Pulled.from(frames));
}

/** Whether it ends well, and when, is nobody's concern; but a rejection must not go unhandled. */
function leave(frames: Pulled<unknown>): void {
  guarded(
    () => frames.return(),
    () => {},
  );
}
