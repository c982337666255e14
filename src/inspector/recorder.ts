import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { KubernetesObject } from '../api/metadata.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';
import type { ChannelValues, Stage } from '../observe/channels.ts';
import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { Notification } from '../processor/notification.ts';
import { type Change, ChangeBook, type Look } from './change-book.ts';
import { NumberRing } from './number-ring.ts';
import type { RunRecord } from './protocol.ts';
import { Ring } from './ring.ts';
import { Timeline } from './timeline.ts';

/** Of each kind of step that is not a change. */
const MAX_STEPS = 10_000;

/** What is counted of an informer while a page is open. */
export interface InformerCounts {
  frames: number;
  bytes: number;
  changes: number;
  /** Of those, adds and deletes. */
  membership: number;
  /** By the name of the handler. */
  readonly calls: Map<string, CallCount>;
}

/** What is counted of a handler. */
export interface CallCount {
  /** What stands for its name in rows of numbers. */
  readonly handler: number;
  calls: number;
}

/** What is counted of a controller. */
export interface RunCounts {
  runs: number;
  errors: number;
}

/** An informer that is listened to. */
interface Followed {
  readonly informer: SharedIndexInformer<KubernetesObject>;
  readonly counts: InformerCounts;
  readonly leave: () => void;
  /** The id of the last change that the channel has told of, and of what brought it. Its notification comes next. */
  stored: number;
  from: number;
}

/** A run that has ended. */
interface EndedRun {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly value: ChannelValues['run'];
}

type Subscription<S extends Stage = Stage> = readonly [S, (value: ChannelValues[S]) => void];

/**
 * The history while a page is open: rows of numbers, and references to what the pipeline has made anyway, in rings. It is put into words
 * when a page asks. Made with the first page, and stopped and let go with the last.
 */
export class Recorder {
  readonly sinceMs: number;
  readonly timeline: Timeline;
  readonly #clock: Clock;
  readonly #followed = new Map<number, Followed>();
  readonly #changes = new ChangeBook();
  readonly #runs = new Ring<EndedRun>(MAX_STEPS);
  /** id, arrivedMs */
  readonly #frames = new NumberRing(MAX_STEPS);
  /** change, handler, startMs, atMs, failed */
  readonly #calls = new NumberRing(MAX_STEPS);
  readonly #handlerNames: string[] = [];
  readonly #runCounts = new Map<string, RunCounts>();
  readonly #subscriptions: readonly Subscription[];
  #isController: (name: string) => boolean = () => true;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.sinceMs = clock.now();
    this.timeline = new Timeline(clock);
    this.#subscriptions = [
      on('list', (value) => this.#of(value) && this.timeline.listed(value)),
      on('watch', (value) => this.#of(value) && this.timeline.watched(value)),
      on('frames', (value) => this.#framesCame(value)),
      on('store', (value) => this.#stored(value)),
      on('handler', (value) => this.#handled(value)),
      on('run', (value) => this.#ran(value)),
    ];
    for (const [stage, listener] of this.#subscriptions) subscribe(`tidewatch:${stage}`, listener as never);
  }

  stop(): void {
    for (const [stage, listener] of this.#subscriptions) unsubscribe(`tidewatch:${stage}`, listener as never);
    for (const { leave } of this.#followed.values()) leave();
    this.#followed.clear();
  }

  /** Those that are new are listened to from now on; those that have gone stay, as they ended, for as long as the page is open. */
  follow(informers: Iterable<SharedIndexInformer<KubernetesObject>>): void {
    for (const informer of informers) {
      if (this.#followed.has(informer.id)) continue;
      const unobserve = informer.observe((notification) => this.#notified(followed, notification));
      const ended = new AbortController();
      const leave = () => {
        unobserve();
        ended.abort();
      };
      void this.#followStates(informer, ended.signal);
      const counts = { frames: 0, bytes: 0, changes: 0, membership: 0, calls: new Map<string, CallCount>() };
      const followed: Followed = { informer, counts, leave, stored: 0, from: 0 };
      this.#followed.set(informer.id, followed);
    }
  }

  followControllers(names: ReadonlySet<string>): void {
    this.#isController = (name) => names.has(name);
  }

  informers(): readonly { informer: SharedIndexInformer<KubernetesObject>; counts: InformerCounts }[] {
    return [...this.#followed.values()];
  }

  informer(id: number): { informer: SharedIndexInformer<KubernetesObject>; counts: InformerCounts } | undefined {
    return this.#followed.get(id);
  }

  runCounts(controller: string): RunCounts {
    return this.#runCounts.get(controller) ?? { runs: 0, errors: 0 };
  }

  /** How many runs have ended. */
  get runCount(): number {
    return this.#runs.count;
  }

  /** The last `most` of those that have ended, without the first `seen`. */
  runs(seen: number, most: number): RunRecord[] {
    return this.#runs.since(Math.max(seen, this.#runs.count - most)).map(runRecord);
  }

  /** What is known of one object, with the calls and the runs that its changes have caused so far. */
  look(informer: number, key: string): Look {
    const look = this.#changes.look(informer, key, monotonicMs(this.#clock));
    const byId = new Map(look.changes.map((change) => [change.id, change]));
    byId.delete(0);
    for (const change of byId.values()) change.arrivedMs ??= this.#arrivedMs(change);
    this.#findCalls(byId, look);
    this.#findRuns(byId, look);
    return look;
  }

  /** Milliseconds since the epoch. */
  timeOf(monotonic: number): number {
    return this.#clock.now() - monotonicMs(this.#clock) + monotonic;
  }

  /** Undefined when a list brought it, or it is too long ago. */
  #arrivedMs({ from }: Change): number | undefined {
    const frames = this.#frames;
    for (let row = frames.count - 1; row >= frames.first; row--) {
      if (frames.get(row, 0) === from) return frames.get(row, 1);
    }
    return undefined;
  }

  #findCalls(byId: ReadonlyMap<number, Change>, { searched }: Look): void {
    const calls = this.#calls;
    for (let row = Math.max(searched.calls, calls.first); row < calls.count; row++) {
      byId.get(calls.get(row, 0))?.calls.push({
        name: this.#handlerNames[calls.get(row, 1)] ?? '',
        startMs: calls.get(row, 2),
        endMs: calls.get(row, 3),
        failed: calls.get(row, 4) !== 0,
      });
    }
    searched.calls = calls.count;
  }

  #findRuns(byId: ReadonlyMap<number, Change>, { searched }: Look): void {
    for (const { value } of this.#runs.since(searched.runs)) {
      const { controller: name, startMs, atMs: endMs, result, causes } = value;
      for (const id of new Set(causes.map(({ change }) => change ?? 0))) {
        byId.get(id)?.runs.push({ name, startMs, endMs, failed: result === 'error' });
      }
    }
    searched.runs = this.#runs.count;
  }

  /** Never rejects. */
  async #followStates(informer: SharedIndexInformer<KubernetesObject>, signal: AbortSignal): Promise<void> {
    for await (const { phase, lastError } of informer.states({ signal })) {
      this.timeline.fares(informer.id, informer.name, phase, phase === 'watching' ? undefined : lastError?.message);
    }
  }

  /** Whose value it is; by name where a reflector does not know its informer. */
  #of({ informer, name }: { readonly informer?: number; readonly name: string }): Followed | undefined {
    if (informer !== undefined) return this.#followed.get(informer);
    for (const followed of this.#followed.values()) if (followed.informer.name === name) return followed;
    return undefined;
  }

  #framesCame(value: ChannelValues['frames']): void {
    const counts = this.#of(value)?.counts;
    if (counts === undefined) return;
    counts.frames += value.frames;
    counts.bytes += value.bytes;
    this.#frames.push(value.id, value.arrivedMs);
  }

  #stored(value: ChannelValues['store']): void {
    const followed = this.#of(value);
    if (followed === undefined) return;
    followed.stored = value.id;
    followed.from = value.from ?? 0;
  }

  #notified(followed: Followed, notification: Notification<KubernetesObject>): void {
    const { informer, counts, stored, from } = followed;
    const { type, object, old, change } = notification;
    // What a list shows again.
    if (type === 'update' && old?.resourceVersion === object.resourceVersion) return;
    counts.changes++;
    if (type !== 'update') counts.membership++;
    this.#changes.add(informer.id, notification, change === stored ? from : 0);
  }

  #handled(value: ChannelValues['handler']): void {
    const calls = this.#of(value)?.counts.calls;
    if (calls === undefined) return;
    const count = calls.get(value.handler) ?? this.#countOf(calls, value.handler);
    count.calls++;
    this.#calls.push(value.change ?? 0, count.handler, value.startMs, value.atMs, value.failed ? 1 : 0);
    if (value.failed) this.timeline.handlerFailed(value);
  }

  #countOf(calls: Map<string, CallCount>, name: string): CallCount {
    const count = { handler: this.#handlerNames.push(name) - 1, calls: 0 };
    calls.set(name, count);
    return count;
  }

  #ran(value: ChannelValues['run']): void {
    if (value.step !== 'ended' || !this.#isController(value.controller)) return;
    const counts = this.runCounts(value.controller);
    this.#runCounts.set(value.controller, counts);
    counts.runs++;
    if (value.result === 'error') counts.errors++;
    this.#runs.push({ atMs: this.#clock.now(), value });
    if (value.result === 'error') this.timeline.runFailed(value);
  }
}

function runRecord({ atMs, value }: EndedRun): RunRecord {
  const { id, controller, key, attempt, result = '', error, retryInMs } = value;
  return {
    seq: id,
    atMs,
    controller,
    key,
    attempt,
    causes: value.causes.map(({ type, kind, key: of }) => [type, kind, of].filter(Boolean).join(' ')),
    tookMs: value.atMs - value.startMs,
    result,
    ...(error !== undefined && { error }),
    ...(retryInMs !== undefined && { retryInMs }),
  };
}

function on<S extends Stage>(stage: S, listener: (value: ChannelValues[S]) => unknown): Subscription {
  return [stage, (value) => void listener(value as ChannelValues[S])];
}
