import { channel } from 'node:diagnostics_channel';
import { guardedFunction, warnOnce } from './guarded.ts';

/**
 * What the stages of the pipeline tell those who look inside, through `node:diagnostics_channel`, each value when it has happened, in the
 * same turn:
 *
 * ```ts
 * import { subscribe } from 'node:diagnostics_channel';
 * subscribe('tidewatch:store', (change) => console.log(change));
 * ```
 *
 * Values hold ids, keys and versions, and never an object, a header, a query or a body. `id`s are numbers that are unique in the process and join
 * the stages: request → list or watch → frames → store → handler → queue → run. An id is absent where nobody listened when it would have been made,
 * and where there is nothing to join.
 *
 * Times (`…Ms`) are monotonic milliseconds of the clock of the informer, queue or controller: they are for differences.
 * Values are frozen by contract, not by code: they are shared by all subscribers.
 */
export interface ChannelValues {
  readonly request: RequestValue;
  readonly list: ListValue;
  readonly watch: WatchValue;
  readonly frames: FramesValue;
  readonly store: StoreValue;
  readonly handler: HandlerValue;
  readonly queue: QueueValue;
  readonly run: RunValue;
}

/** The part of `tidewatch:<stage>` behind the colon. */
export type Stage = keyof ChannelValues;

/** `tidewatch:request`: the head of an answer has come, or none will. Each attempt is one. */
export interface RequestValue {
  readonly id: number;
  /** The id of the list, the watch or the run that sent it. */
  readonly cause?: number;
  readonly method: string;
  /** Of the server, with its port. */
  readonly host: string;
  /** Without the query; what stands behind `/proxy` is left out. */
  readonly path: string;
  /** The HTTP status. Absent when no answer came. */
  readonly status?: number;
  /** Why no answer came: the kind of a `TransportError`, or `aborted`. */
  readonly failure?: string;
  readonly startMs: number;
  readonly atMs: number;
}

/** Which list and watch of which informer. */
export interface OfPart {
  /** `informer.id`. Absent for a reflector without an informer. */
  readonly informer?: number;
  /** `informer.name`. */
  readonly name: string;
  /** The namespace of the part; absent: all. */
  readonly namespace?: string;
}

/** `tidewatch:list`: an attempt to fetch the whole state has ended, well or not. */
export interface ListValue extends OfPart {
  readonly id: number;
  readonly how: 'list' | 'watchList';
  /** Of a list that succeeded. */
  readonly items?: number;
  /** Of the state that it shows. */
  readonly resourceVersion?: string;
  /** Of one that failed: `expired`, `forbidden`, `connection`, … as in `tidewatch_reflector_failures_total`. */
  readonly failure?: string;
  readonly startMs: number;
  readonly atMs: number;
}

/** `tidewatch:watch`: a watch was accepted, has ended, or was refused (`failed`). */
export interface WatchValue extends OfPart {
  /** The same when it opens and when it ends. */
  readonly id: number;
  readonly step: 'opened' | 'ended' | 'failed';
  /** The id of the WatchList whose stream goes on as this watch. */
  readonly list?: number;
  /** Where it goes on from (`opened`, `failed`), and where it ended. "": the present state. */
  readonly resourceVersion: string;
  /** How many frames it has brought. */
  readonly events: number;
  /** What ended or refused it; absent after a clean end. */
  readonly failure?: string;
  /** When it was asked for. */
  readonly startMs: number;
  readonly atMs: number;
}

/** `tidewatch:frames`: a batch of frames of a watch has been decoded: what one chunk of bytes held. */
export interface FramesValue extends OfPart {
  readonly id: number;
  /** The id of the watch; of the list, for the first events of a WatchList. */
  readonly watch: number;
  readonly frames: number;
  /** Decompressed, since the batch before. */
  readonly bytes: number;
  /** Of its last frame that has one. */
  readonly resourceVersion: string;
  /** When its bytes were there to be decoded. */
  readonly arrivedMs: number;
  readonly atMs: number;
}

/** `tidewatch:store`: the cache has changed. Not for what a list shows unchanged. */
export interface StoreValue extends OfPart {
  readonly id: number;
  /** The id of the frames, or of the list, that brought it. */
  readonly from?: number;
  readonly type: 'add' | 'update' | 'delete';
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Of an update and a delete: the version before. */
  readonly oldResourceVersion?: string;
  readonly atMs: number;
}

/** `tidewatch:handler`: a call of a handler has returned, or the promise that it returned has settled. */
export interface HandlerValue {
  readonly id: number;
  readonly informer?: number;
  /** Of the informer. */
  readonly name: string;
  /** Of the handler: `pods.v1/handler-1`. */
  readonly handler: string;
  /** The id of the last store change that it was called for. */
  readonly change?: number;
  readonly type: 'add' | 'update' | 'delete';
  readonly key: string;
  readonly resourceVersion: string;
  /** It threw or rejected. */
  readonly failed: boolean;
  readonly startMs: number;
  readonly atMs: number;
}

/** `tidewatch:queue`: a step of an item through a work queue. */
export interface QueueValue {
  /** The same for all steps of one stay: `add` (or `delay`, then `add`), `get`, `done`. */
  readonly id: number;
  /** `queue.id`. */
  readonly queue: number;
  /** Of the queue. */
  readonly name: string;
  readonly step: 'add' | 'delay' | 'get' | 'done';
  /** The item, or its key where the queue has `keyOf`. */
  readonly key: string;
  /** The id of the handler call, or of the run, in whose synchronous part it was added. */
  readonly cause?: number;
  readonly priority?: number;
  /** Of `delay`. */
  readonly delayMs?: number;
  readonly atMs: number;
}

/** `tidewatch:run`: a controller begins or ends a run of its reconcile function. */
export interface RunValue {
  readonly id: number;
  readonly step: 'started' | 'ended';
  readonly controller: string;
  readonly key: string;
  /** The id of the stay in the work queue. */
  readonly item?: number;
  /** Why, the first eight. `change` is the id of a store change. */
  readonly causes: readonly {
    readonly type: string;
    readonly kind?: string;
    readonly key?: string;
    readonly change?: number;
  }[];
  /** 1 for the first, more after failures in a row. */
  readonly attempt: number;
  /** Of one that has ended. `recalled`: aborted through no fault of its own, and run again. */
  readonly result?: 'success' | 'requeue_after' | 'error' | 'recalled';
  /** What it threw, the first 1,024 characters of the message. */
  readonly error?: string;
  /** When the next one is due after a failure. */
  readonly retryInMs?: number;
  readonly startMs: number;
  readonly atMs: number;
}

/** A value that is being made. */
export type Writable<V> = { -readonly [K in keyof V]: V[K] };

/** One channel, for those who publish. */
export interface StageChannel<V> {
  /** Whether a value is worth making. */
  readonly hasSubscribers: boolean;
  publish(value: V): void;
}

type Subscriber = (value: unknown, name: string | symbol) => void;

/** Node's own channel, whose subscribers cannot harm the pipeline: without the guards one that throws would end the process. */
function guardedChannel<V>(name: string): StageChannel<V> {
  const made = channel(name);
  const guards = new WeakMap<Subscriber, Subscriber>();
  const isGuard = new WeakSet<Subscriber>();
  const guardOf = (subscriber: Subscriber): Subscriber => {
    if (isGuard.has(subscriber) || typeof subscriber !== 'function') return subscriber;
    const known = guards.get(subscriber);
    if (known !== undefined) return known;
    const guard: Subscriber = guardedFunction(subscriber, warnOnce(`A subscriber of ${name}`));
    guards.set(subscriber, guard);
    isGuard.add(guard);
    return guard;
  };
  // The prototype of a channel changes with its first and its last subscriber.
  const plain = () => Object.getPrototypeOf(made) as Pick<typeof made, 'subscribe' | 'unsubscribe'>;
  // Those who came before this module was loaded.
  const early = [...((made as { _subscribers?: readonly Subscriber[] })._subscribers ?? [])];
  made.subscribe = (subscriber: Subscriber) => plain().subscribe.call(made, guardOf(subscriber));
  made.unsubscribe = (subscriber: Subscriber) => plain().unsubscribe.call(made, guardOf(subscriber));
  for (const subscriber of early) {
    plain().unsubscribe.call(made, subscriber);
    made.subscribe(subscriber);
  }
  return made;
}

/** The channels, by stage: ask `hasSubscribers` before making a value. */
export const channels: { readonly [S in Stage]: StageChannel<ChannelValues[S]> } = {
  request: guardedChannel('tidewatch:request'),
  list: guardedChannel('tidewatch:list'),
  watch: guardedChannel('tidewatch:watch'),
  frames: guardedChannel('tidewatch:frames'),
  store: guardedChannel('tidewatch:store'),
  handler: guardedChannel('tidewatch:handler'),
  queue: guardedChannel('tidewatch:queue'),
  run: guardedChannel('tidewatch:run'),
};

let lastId = 0;

/** A number that nothing else in this process has: of a value, an informer, a queue. */
export function nextId(): number {
  return ++lastId;
}

/** What runs at this moment, in its synchronous part: the id of a handler call or of a run; 0: nothing that somebody looks at. */
export const ambient = { cause: 0 };
