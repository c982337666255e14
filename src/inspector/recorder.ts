import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { KubernetesObject } from '../api/metadata.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';
import type { ChannelValues, Stage } from '../observe/channels.ts';
import type { Clock } from '../observe/clock.ts';
import type { Notification } from '../processor/notification.ts';
import { type Change, ChangeBook } from './change-book.ts';
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
  readonly calls: Map<string, number>;
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
  /** The last change, and the last value of the channel: whichever comes first waits for the other. */
  change: Change | undefined;
  value: ChannelValues['store'] | undefined;
}

type Subscription<S extends Stage = Stage> = readonly [S, (value: ChannelValues[S]) => void];

/**
 * The history while a page is open. Everything is a reference to what the pipeline has made anyway, in rings; it is put into words when a
 * page asks. Made with the first page, and stopped and let go with the last.
 */
export class Recorder {
  readonly sinceMs: number;
  readonly changes = new ChangeBook();
  readonly timeline: Timeline;
  readonly runs = new Ring<RunRecord>(MAX_STEPS);
  readonly #clock: Clock;
  readonly #followed = new Map<number, Followed>();
  readonly #frames = new Ring<ChannelValues['frames']>(MAX_STEPS);
  readonly #calls = new Ring<ChannelValues['handler']>(MAX_STEPS);
  readonly #steps = new Ring<ChannelValues['run']>(MAX_STEPS);
  readonly #runCounts = new Map<string, RunCounts>();
  readonly #subscriptions: readonly Subscription[];
  #changeCount = 0;
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
      const counts = { frames: 0, bytes: 0, changes: 0, membership: 0, calls: new Map<string, number>() };
      const followed: Followed = { informer, counts, leave, change: undefined, value: undefined };
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

  /** When the bytes of a change arrived; undefined when a list brought it, or it is too long ago. */
  arrivedMs({ value }: Change): number | undefined {
    const from = value?.from;
    if (from === undefined) return undefined;
    for (const frames of this.#frames) if (frames.id === from) return frames.arrivedMs;
    return undefined;
  }

  callsFor({ value }: Change): ChannelValues['handler'][] {
    if (value === undefined) return [];
    return [...this.#calls].filter((call) => call.change === value.id);
  }

  runsFor({ value }: Change): ChannelValues['run'][] {
    if (value === undefined) return [];
    return [...this.#steps].filter(({ causes }) => causes.some((cause) => cause.change === value.id));
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
    this.#frames.push(value);
  }

  #stored(value: ChannelValues['store']): void {
    const followed = this.#of(value);
    if (followed === undefined) return;
    const { change } = followed;
    if (change?.value === undefined && isOf(change, value)) change.value = value;
    else followed.value = value;
  }

  #notified(followed: Followed, { type, object, old, atMs }: Notification<KubernetesObject>): void {
    const { informer, counts, value } = followed;
    const { key, resourceVersion: version } = object;
    // What a list shows again.
    if (type === 'update' && old?.resourceVersion === version) return;
    counts.changes++;
    if (type !== 'update') counts.membership++;
    const change: Change = {
      seq: ++this.#changeCount,
      informer: informer.id,
      type,
      key,
      version,
      atMs: this.#clock.now(),
      storedMs: atMs,
      value: undefined,
      object,
      old,
    };
    if (isOf(change, value)) change.value = value;
    followed.value = undefined;
    followed.change = change;
    this.changes.add(change);
  }

  #handled(value: ChannelValues['handler']): void {
    const counts = this.#of(value)?.counts;
    if (counts === undefined) return;
    counts.calls.set(value.handler, (counts.calls.get(value.handler) ?? 0) + 1);
    this.#calls.push(value);
    if (value.failed) this.timeline.handlerFailed(value);
  }

  #ran(value: ChannelValues['run']): void {
    if (value.step !== 'ended' || !this.#isController(value.controller)) return;
    const counts = this.runCounts(value.controller);
    this.#runCounts.set(value.controller, counts);
    counts.runs++;
    if (value.result === 'error') counts.errors++;
    this.#steps.push(value);
    const { id, controller, key, attempt, result = '', error, retryInMs } = value;
    this.runs.push({
      seq: id,
      atMs: this.#clock.now(),
      controller,
      key,
      attempt,
      causes: value.causes.map(({ type, kind, key: of }) => [type, kind, of].filter(Boolean).join(' ')),
      tookMs: value.atMs - value.startMs,
      result,
      ...(error !== undefined && { error }),
      ...(retryInMs !== undefined && { retryInMs }),
    });
    if (result === 'error') this.timeline.runFailed(value);
  }
}

function on<S extends Stage>(stage: S, listener: (value: ChannelValues[S]) => unknown): Subscription {
  return [stage, (value) => void listener(value as ChannelValues[S])];
}

function isOf(change: Change | undefined, value: ChannelValues['store'] | undefined): change is Change {
  if (change === undefined || value === undefined || change.key !== value.key || change.type !== value.type)
    return false;
  return change.type === 'delete' || change.version === value.resourceVersion;
}
