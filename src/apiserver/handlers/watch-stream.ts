import type { Status } from '../../api/status.ts';
import type { Clock, Timer } from '../../observe/clock.ts';
import { TimeSlice } from '../../observe/scheduler.ts';
import { ConnectionLost } from '../http/connection-lost.ts';
import type { WatchFaults } from '../request/fault-plan.ts';
import type { Change } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { FrameCache } from './frame-cache.ts';
import type { EventType, Representation } from './representation.ts';

/** Bytes, or how to make them when they are read: rows of a table depend on what was sent before. */
type Frame = Uint8Array | (() => Uint8Array);

const BATCH_BYTES = 64 * 1024;

export interface WatchStreamOptions {
  representation: Representation;
  /** Which states of objects the watcher sees. */
  selects(object: StoredObject): boolean;
  /** Present state or history to send before anything that happens from now on, in order. */
  initial: readonly (StoredObject | Change)[];
  /** The watcher has seen everything up to here once `initial` is sent. */
  revision: number;
  /** Send the bookmark that ends the initial events. */
  initialEventsEnd: boolean;
  /** Changes up to this revision are not for this watcher; it asked for a revision that was yet to come. */
  notBefore: number;
  /** Events that may wait for a slow reader before it is cut off. */
  queueLimit: number;
  faults: WatchFaults;
  /** Whose turns long initial events are sent in. */
  clock: Clock;
  onClose(): void;
}

/**
 * The body of one watch: initial events made when they are read, then a bounded queue of frames. Ends cleanly when the
 * time is up or when the reader is too slow; there is no way to tell a reader more than that.
 */
export class WatchStream implements AsyncIterableIterator<Uint8Array> {
  readonly #options: WatchStreamOptions;
  readonly #faults: WatchFaults;
  /** Whether `#faults` says anything at all; nearly always it does not, and then an event costs nothing but its place in the queue. */
  readonly #isFaulty: boolean;
  readonly #slice: TimeSlice;
  #position = 0;
  #initialDone = false;
  #queue: Frame[] = [];
  #ended = false;
  #closed = false;
  #broken = false;
  #wake: (() => void) | undefined;
  #eventsSent = 0;
  #withheld = 0;
  #duplicated = 0;
  readonly #delays = new Set<Timer>();

  constructor(options: WatchStreamOptions) {
    this.#options = options;
    this.#faults = options.faults;
    this.#isFaulty = Object.keys(options.faults).length > 0;
    this.#slice = new TimeSlice(options.clock);
    if (this.#faults.errorEvent?.afterEvents === 0) this.#sendErrorFault();
  }

  /** A change that happened now. `frames` is shared by all watchers of the change. */
  offer(change: Change, frames: FrameCache): void {
    if (this.#ended || change.revision <= this.#options.notBefore) return;
    const frame = this.#frameOf(change, frames);
    if (frame) this.#push(frame);
  }

  /** Sent only when it tells the reader something: a revision beyond the one where the watch began. */
  bookmark(revision: number): void {
    if (this.#ended || this.#faults.withholdBookmarks || revision <= this.#options.revision) return;
    this.#enqueueLater(() => this.#options.representation.bookmark(revision, false));
  }

  /** Ends the watch with an ERROR event. */
  fail(status: Status): void {
    if (this.#ended) return;
    this.#enqueue(this.#options.representation.error(status));
    this.end();
  }

  /** Breaks the connection of the watch: its reader gets an error, and not what is queued. */
  break(): void {
    this.#broken = true;
    this.#queue = [];
    this.end();
    this.#wake?.();
  }

  /** Ends the watch after what is queued. Idempotent. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const timer of this.#delays) timer.clear();
    this.#options.onClose();
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      if (this.#broken) throw new ConnectionLost('the server broke off the watch');
      if (this.#closed) return { done: true, value: undefined };
      if (this.#slice.isDue()) await this.#slice.pause();
      const batch = this.#initialDone ? this.#queued() : this.#initialBatch();
      if (batch) return { done: false, value: batch };
      if (this.#initialDone && this.#queue.length === 0) {
        if (this.#ended) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }

  /** The reader has gone. */
  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#closed = true;
    this.#queue = [];
    this.end();
    this.#wake?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #initialBatch(): Uint8Array | undefined {
    const frames: Uint8Array[] = [];
    let bytes = 0;
    while (bytes < BATCH_BYTES && this.#position < this.#options.initial.length && !this.#slice.isDue()) {
      const item = this.#options.initial[this.#position++] as StoredObject | Change;
      const frame = 'table' in item ? this.#frameOf(item, undefined) : this.#present(item);
      for (const copy of this.#withFaults(frame)) {
        const made = bytesOf(copy);
        frames.push(made);
        bytes += made.length;
      }
    }
    if (this.#position >= this.#options.initial.length && !this.#initialDone) {
      this.#initialDone = true;
      if (this.#options.initialEventsEnd && !this.#faults.withholdInitialEventsEnd) {
        const { representation, revision } = this.#options;
        frames.push(representation.bookmark(revision, true));
      }
    }
    return frames.length === 0 ? undefined : Buffer.concat(frames);
  }

  #queued(): Uint8Array | undefined {
    const taken: Uint8Array[] = [];
    let bytes = 0;
    for (const frame of this.#queue) {
      const made = bytesOf(frame);
      taken.push(made);
      bytes += made.length;
      if (bytes >= BATCH_BYTES) break;
    }
    this.#queue.splice(0, taken.length);
    return taken.length > 1 ? Buffer.concat(taken) : taken[0];
  }

  #present(object: StoredObject): Frame | undefined {
    if (!this.#options.selects(object)) return undefined;
    return this.#options.representation.event('ADDED', object);
  }

  /** What the change means to this watcher: an object that leaves its selection is deleted, as far as it can see. */
  #frameOf(change: Change, frames: FrameCache | undefined): Frame | undefined {
    const { previous, current } = change;
    const seen = previous !== undefined && this.#options.selects(previous);
    const sees = current !== undefined && this.#options.selects(current);
    if (sees) return this.#frame(seen ? 'MODIFIED' : 'ADDED', () => current, frames);
    if (!seen) return undefined;
    return this.#frame('DELETED', () => change.last ?? previous.at(change.revision), frames);
  }

  #frame(type: EventType, object: () => StoredObject, frames: FrameCache | undefined): Frame {
    const { representation } = this.#options;
    if (!representation.isShared) return () => representation.event(type, object());
    return frames ? frames.frame(type, representation, object) : representation.event(type, object());
  }

  #push(frame: Frame): void {
    if (!this.#isFaulty) {
      this.#enqueue(frame);
      return;
    }
    for (const copy of this.#withFaults(frame)) this.#enqueueLater(copy);
  }

  *#withFaults(frame: Frame | undefined): Generator<Frame> {
    if (!frame) return;
    if (this.#initialDone && this.#withheld < (this.#faults.withholdEvents ?? 0)) {
      this.#withheld++;
      return;
    }
    yield frame;
    if (this.#duplicated < (this.#faults.duplicateEvents ?? 0)) {
      this.#duplicated++;
      yield frame;
    }
    this.#eventsSent++;
    if (this.#faults.errorEvent?.afterEvents === this.#eventsSent) this.#sendErrorFault();
  }

  #sendErrorFault(): void {
    this.#position = this.#options.initial.length;
    this.#initialDone = true;
    const { code, reason, message } = this.#faults.errorEvent ?? { code: 410, reason: 'Expired', message: '' };
    const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
    void Promise.resolve().then(() => this.fail(status));
  }

  /** What is still delayed when the watch ends is not sent: its reader asks again for what comes after the last event that it got. */
  #enqueueLater(frame: Frame): void {
    const { delayEventsMs } = this.#faults;
    if (delayEventsMs === undefined) {
      this.#enqueue(frame);
      return;
    }
    const timer = this.#options.clock.setTimeout(
      () => {
        this.#delays.delete(timer);
        this.#enqueue(frame);
      },
      delayEventsMs,
      { keepAlive: false },
    );
    this.#delays.add(timer);
  }

  #enqueue(frame: Frame): void {
    if (this.#ended) return;
    if (this.#queue.length >= this.#options.queueLimit) {
      this.#queue = [];
      this.#closed = true;
      this.end();
      return;
    }
    this.#queue.push(frame);
    this.#wake?.();
  }
}

function bytesOf(frame: Frame): Uint8Array {
  return typeof frame === 'function' ? frame() : frame;
}
