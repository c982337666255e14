import type { CachedFrame } from '../api/cached.ts';
import {
  channels,
  type FramesValue,
  type ListValue,
  nextId,
  type OfPart,
  type WatchValue,
  type Writable,
} from '../observe/channels.ts';
import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { CallContext } from './lister-watcher.ts';
import type { ReflectorMetrics } from './reflector-metrics.ts';

/** A list or a watch that has begun. */
export interface TracedCall {
  readonly id: number;
  readonly startMs: number;
}

/** What has come of a watch, for those who listen to the channel of frames; they set it back when they have read it. */
export interface Arrived {
  bytes: number;
  /** When the first of them came, in monotonic time. 0: none has. */
  sinceMs: number;
}

/** Tells the channels what a reflector does, and counts what it decodes. */
export class ReflectorTrace {
  readonly #origin: OfPart;
  readonly #clock: Clock;
  readonly #metrics: ReflectorMetrics;
  /** Whether frames and bytes are counted, whoever listens. */
  readonly counts: boolean;
  /** The list or the batch of frames that is being written; 0: nobody has asked. */
  current = 0;

  constructor(origin: OfPart, clock: Clock, metrics: ReflectorMetrics, counts: boolean) {
    this.#origin = origin;
    this.#clock = clock;
    this.#metrics = metrics;
    this.counts = counts;
  }

  begin(): TracedCall {
    return { id: nextId(), startMs: monotonicMs(this.#clock) };
  }

  /** What is handed to a list or watch function, so that it can be told apart. */
  contextOf({ id }: TracedCall, signal: AbortSignal): CallContext {
    return { signal, cause: id, ...(this.counts && { onBytes: (count) => this.#metrics.bytesDecoded(count) }) };
  }

  /** A list has ended, well or not. What it has brought is written next. */
  list(call: TracedCall, outcome: Pick<ListValue, 'how' | 'items' | 'resourceVersion' | 'failure'>): void {
    if (outcome.failure === undefined) this.current = call.id;
    if (!channels.list.hasSubscribers) return;
    channels.list.publish({ ...this.#origin, ...call, ...outcome, atMs: monotonicMs(this.#clock) });
  }

  /** A watch has come to this step. */
  watch(call: TracedCall, step: Pick<WatchValue, 'step' | 'list' | 'resourceVersion' | 'events' | 'failure'>): void {
    if (!channels.watch.hasSubscribers) return;
    channels.watch.publish({ ...this.#origin, ...call, ...step, atMs: monotonicMs(this.#clock) });
  }

  /** A batch has been decoded, and is written next. Need not be called while nobody listens and nothing is counted. */
  decoded(watch: number, batch: readonly CachedFrame[], arrived: Arrived): void {
    this.#metrics.framesDecoded(batch.length);
    const { frames } = channels;
    if (!frames.hasSubscribers && !channels.store.hasSubscribers) {
      this.current = 0;
      return;
    }
    const id = nextId();
    this.current = id;
    if (!frames.hasSubscribers) return;
    const atMs = monotonicMs(this.#clock);
    const { name, informer, namespace } = this.#origin;
    const resourceVersion = lastVersion(batch);
    const { bytes } = arrived;
    const arrivedMs = arrived.sinceMs || atMs;
    arrived.bytes = 0;
    arrived.sinceMs = 0;
    const value: Writable<FramesValue> = {
      id,
      name,
      watch,
      frames: batch.length,
      bytes,
      resourceVersion,
      arrivedMs,
      atMs,
    };
    if (informer !== undefined) value.informer = informer;
    if (namespace !== undefined) value.namespace = namespace;
    frames.publish(value);
  }
}

function lastVersion(batch: readonly CachedFrame[]): string {
  for (let i = batch.length - 1; i >= 0; i--) {
    const frame = batch[i] as CachedFrame;
    if (frame.type === 'BOOKMARK') return frame.resourceVersion;
    if ('object' in frame) return frame.object.resourceVersion;
  }
  return '';
}
