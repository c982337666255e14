import { hostname } from 'node:os';
import { ApiError } from '../api/api-error.ts';
import { labelKeyProblem } from '../api/label-selector-parser.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import {
  aClock,
  aFunction,
  aLogger,
  aNumber,
  anObject,
  aText,
  checkedOptions,
  type OptionChecks,
} from '../api/option-check.ts';
import type { Transport } from '../api/transport.ts';
import type { Client } from '../cluster/client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { type Clock, systemClock, type Timer } from '../observe/clock.ts';
import { messageOf } from '../observe/guarded.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { type Random, systemRandom } from '../observe/random.ts';
import { monotonicMs, schedulerOf } from '../observe/scheduler.ts';
import type { RecordedEvent, Recorder } from './controller.ts';
import {
  EventNames,
  type EventObject,
  type EventSourceNames,
  eventDraft,
  eventObject,
  events,
  objectOf,
  seriesKey,
} from './event-object.ts';
import { EventSeries } from './event-series.ts';
import { EventSpamFilter } from './event-spam-filter.ts';

/** client-go's, but for the number of writers: it has one for each event. */
const MAX_QUEUED = 1000;
const MAX_TRIES = 12;
const RETRY_MS = 10_000;
const RETRY_JITTER = 0.25;
const WRITERS = 4;
/** How often the series are looked at. */
const SWEEP_MS = 60_000;

/** Options of `EventRecorder`. */
export interface EventRecorderOptions {
  /** Where the events are written. */
  cluster: Pick<Cluster, 'client' | 'clock' | 'logger'>;
  /** The name of the controller, as `reportingController`: `website`, or with a domain, `example.com/website`. */
  controller: string;
  /** Default: the cluster's. */
  clock?: Clock | undefined;
  /** Default: the cluster's. */
  logger?: Logger | undefined;
  /** In [0, 1), for names and jitter. Default: the machine's. */
  random?: Random | undefined;
  /** Part of `reportingInstance`. Default: the name of this machine, which in a pod is the name of the pod. */
  host?: string | undefined;
  /** How long `stop` may take to write what waits. Default 5,000. */
  stopTimeoutMs?: number | undefined;
  /** @internal What its requests go through instead of the cluster's. */
  transport?: Transport | undefined;
}

const CHECKS: OptionChecks<EventRecorderOptions> = {
  cluster: anObject,
  controller: aText,
  clock: aClock,
  logger: aLogger,
  random: aFunction,
  host: aText,
  stopTimeoutMs: aNumber,
  transport: anObject,
};

/**
 * Writes events of events.k8s.io/v1, as client-go's tools/events does: equal ones become a series in one object, which costs a write for the
 * first, one for the second, and then one in half an hour and one when it has been quiet for six minutes. An object that gets very many
 * different events gets 25, and then one in five minutes. What the server rejects is reported; what it does not answer is tried again. Nothing
 * here throws or waits: when 1,000 events wait to be written, further new ones are dropped.
 */
export class EventRecorder implements Recorder {
  readonly #client: Client<EventObject>;
  readonly #source: EventSourceNames;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #random: Random;
  readonly #names: EventNames;
  readonly #stopTimeoutMs: number;
  readonly #filter = new EventSpamFilter();
  readonly #series = new Map<string, EventSeries>();
  /** In the order in which they are written. */
  #queue: EventSeries[] = [];
  /** Those that wait for their next try. */
  readonly #retries = new Map<EventSeries, Timer>();
  readonly #writes = new Set<Promise<void>>();
  readonly #ended = new AbortController();
  #sweep: Timer | undefined;
  #isFull = false;
  #isForbiddenReported = false;
  #stopped: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    checkedOptions('EventRecorder', options, CHECKS, ['cluster', 'controller']);
    const { cluster, controller } = options;
    const problem = labelKeyProblem(controller)?.replace('label key', 'name');
    if (problem !== undefined)
      throw new TypeError(`events cannot come from the controller "${controller}": ${problem}`);
    this.#client = cluster.client(events, { fieldManager: controller, transport: options.transport });
    this.#source = { controller, host: options.host ?? hostname() };
    this.#clock = options.clock ?? cluster.clock ?? systemClock;
    this.#logger = safeLogger(options.logger ?? cluster.logger);
    this.#random = options.random ?? systemRandom;
    this.#names = new EventNames(this.#random);
    this.#stopTimeoutMs = options.stopTimeoutMs ?? 5000;
  }

  record(regarding: KubernetesObject, event: RecordedEvent): void {
    if (this.#stopped !== undefined) return;
    try {
      this.#record(regarding, event);
    } catch (thrown) {
      this.#logger.error(`An event of ${this.#source.controller} cannot be recorded: ${messageOf(thrown)}`);
    }
  }

  /** Writes what waits, within `stopTimeoutMs`. After that nothing is written and no timer is left. Every call gives the same promise. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  #record(regarding: KubernetesObject, event: RecordedEvent): void {
    const draft = eventDraft(this.#source, regarding, event);
    const key = seriesKey(draft);
    const nowMs = monotonicMs(this.#clock);
    const known = this.#series.get(key);
    if (known !== undefined) {
      known.add(nowMs, this.#clock.now());
      if (known.isUrgent) this.#enqueue(known);
      return;
    }
    if (!this.#hasRoom()) return;
    if (!this.#filter.allows(objectOf(draft.regarding), nowMs)) {
      this.#logger.debug(
        `An event about ${nameOf(draft)} is dropped, because there were too many different ones: ${draft.reason}`,
      );
      return;
    }
    const name = this.#names.next(draft.regarding.name ?? '', this.#clock.now());
    const series = new EventSeries(key, eventObject(draft, name, this.#clock.now()), nowMs);
    this.#series.set(key, series);
    this.#enqueue(series);
    this.#sweepLater();
  }

  #hasRoom(): boolean {
    const isFull = this.#queue.length + this.#retries.size >= MAX_QUEUED;
    if (isFull && !this.#isFull) {
      this.#logger.warn(
        `${MAX_QUEUED} events of ${this.#source.controller} wait to be written; new ones are dropped until there is room.`,
      );
    }
    this.#isFull = isFull;
    return !isFull;
  }

  #enqueue(series: EventSeries): void {
    if (series.isBusy) return;
    series.isBusy = true;
    this.#queue.push(series);
    // Later, so that a run that records an event does not pay for the request.
    schedulerOf(this.#clock).nextTurn(() => this.#write());
  }

  #write(): void {
    while (this.#writes.size < WRITERS && !this.#ended.signal.aborted) {
      const series = this.#queue.shift();
      if (series === undefined) return;
      const write = this.#attempt(series).finally(() => {
        this.#writes.delete(write);
        this.#write();
      });
      this.#writes.add(write);
    }
  }

  async #attempt(series: EventSeries): Promise<void> {
    // The events that come while it is written are news afterwards.
    const counted = series.series();
    const isDone = await this.#send(series.event, counted).then(
      () => true,
      (error: unknown) => this.#isFinal(series, error),
    );
    if (!isDone) {
      this.#retryLater(series);
      return;
    }
    series.settle(counted?.count ?? 1, monotonicMs(this.#clock));
    series.isBusy = false;
    if (series.isUrgent) this.#enqueue(series);
  }

  async #send(event: EventObject, counted: EventObject['series']): Promise<void> {
    const { name, namespace } = event.metadata;
    const options = { namespace, signal: this.#ended.signal };
    if (counted !== undefined) {
      try {
        await this.#client.patch(name, { series: counted }, { ...options, type: 'strategic' });
        return;
      } catch (error) {
        if (!(error instanceof ApiError) || error.kind !== 'not-found') throw error;
      }
    }
    await this.#client.create(counted === undefined ? event : { ...event, series: counted }, options);
  }

  /** Whether the error ends the write. An answer of the server does, the lack of one does not. */
  #isFinal(series: EventSeries, error: unknown): boolean {
    if (this.#stopped !== undefined) return true;
    const about = nameOf(series.event);
    if (!(error instanceof ApiError)) {
      if (++series.tries < MAX_TRIES) return false;
      this.#warn(`an event about ${about} is given up after ${MAX_TRIES} attempts: ${messageOf(error)}`);
      return true;
    }
    // A series whose object had expired, and somebody made it just now.
    if (error.kind === 'already-exists') return series.series() === undefined || ++series.tries >= MAX_TRIES;
    if (error.kind === 'forbidden' && !isTerminating(error)) this.#reportForbidden(about, error);
    else if (error.kind === 'not-found' || isTerminating(error)) {
      this.#logger.debug(`An event about ${about} was not written, because its namespace is gone: ${error.message}`);
    } else this.#warn(`the server rejected an event about ${about}: ${error.message}`);
    return true;
  }

  #reportForbidden(about: string, error: ApiError): void {
    if (this.#isForbiddenReported) return;
    this.#isForbiddenReported = true;
    this.#warn(
      `it may not write events, the first about ${about}, and goes on without them; this is not reported again. ` +
        `Allow create and patch on events of events.k8s.io. ${error.message}`,
    );
  }

  #warn(message: string): void {
    this.#logger.warn(`controller ${this.#source.controller}: ${message}`);
  }

  #retryLater(series: EventSeries): void {
    const retry = () => {
      this.#retries.delete(series);
      series.isBusy = false;
      this.#enqueue(series);
    };
    const delayMs = RETRY_MS * (1 + RETRY_JITTER * this.#random());
    this.#retries.set(series, this.#clock.setTimeout(retry, delayMs, { keepAlive: false }));
  }

  #sweepLater(): void {
    if (this.#sweep !== undefined || this.#series.size === 0 || this.#stopped !== undefined) return;
    const look = () => {
      this.#sweep = undefined;
      this.#lookAtAll();
      this.#sweepLater();
    };
    this.#sweep = this.#clock.setTimeout(look, SWEEP_MS, { keepAlive: false });
  }

  #lookAtAll(): void {
    const nowMs = monotonicMs(this.#clock);
    for (const series of this.#series.values()) {
      const need = series.need(nowMs);
      if (need === 'forget') this.#series.delete(series.key);
      else if (need === 'write') this.#enqueue(series);
    }
  }

  async #stop(): Promise<void> {
    this.#sweep?.clear();
    for (const [series, timer] of this.#retries) {
      timer.clear();
      series.isBusy = false;
    }
    this.#retries.clear();
    const limit = new AbortController();
    const flushed = this.#flush().finally(() => limit.abort());
    await Promise.race([flushed, this.#clock.sleep(this.#stopTimeoutMs, limit.signal).catch(() => undefined)]);
    this.#ended.abort();
    this.#queue = [];
    this.#series.clear();
  }

  async #flush(): Promise<void> {
    for (const series of this.#series.values()) if (series.hasNews) this.#enqueue(series);
    this.#write();
    while (this.#writes.size > 0 && !this.#ended.signal.aborted) await Promise.all(this.#writes);
  }
}

/** A namespace that is being deleted accepts nothing new, and says so as if a permission were missing. */
function isTerminating(error: ApiError): boolean {
  return error.causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

function nameOf({ regarding }: Pick<EventObject, 'regarding'>): string {
  const { kind = 'an object', namespace, name } = regarding;
  return `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}
