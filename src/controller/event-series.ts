import { microTime } from '../api/micro-time.ts';
import type { EventObject } from './event-object.ts';

/** A series that nothing was added to for this long is over. client-go: finishTime. */
const FINISH_MS = 6 * 60_000;
/** How often a series that goes on is written. client-go: refreshTime. */
const REFRESH_MS = 30 * 60_000;

/** What is to be done with a series that nobody works on. */
export type SeriesNeed = 'nothing' | 'write' | 'forget';

/**
 * Equal events, which are one Event object: the first one makes it, the second one begins the series in it, and the others are counted here and
 * written now and then. Times are monotonic milliseconds unless they say otherwise.
 */
export class EventSeries {
  readonly key: string;
  readonly event: EventObject;
  /** Whether it waits for its turn, for a retry, or for the server. */
  isBusy = false;
  /** How many attempts at the present write have failed. */
  tries = 0;
  #count = 1;
  #lastSeenMs: number;
  #lastObservedTime: string;
  /** How many events the server has heard of, or has rejected for good. */
  #settled = 0;
  #settledMs: number;

  constructor(key: string, event: EventObject, nowMs: number) {
    this.key = key;
    this.event = event;
    this.#lastSeenMs = nowMs;
    this.#settledMs = nowMs;
    this.#lastObservedTime = event.eventTime;
  }

  /** One more of the same. */
  add(nowMs: number, epochMs: number): void {
    this.#count++;
    this.#lastSeenMs = nowMs;
    this.#lastObservedTime = microTime(epochMs);
  }

  /** What the server should know of the series; undefined for the first event, which is to make the object. */
  series(): EventObject['series'] {
    if (this.#settled === 0) return undefined;
    return { count: this.#count, lastObservedTime: this.#lastObservedTime };
  }

  /** The write of `count` events has ended, well or not. */
  settle(count: number, nowMs: number): void {
    this.#settled = count;
    this.#settledMs = nowMs;
    this.tries = 0;
  }

  get hasNews(): boolean {
    return this.#count > this.#settled;
  }

  /** Whether the object, or the series in it, is still to be made. That is not put off. */
  get isUrgent(): boolean {
    return this.hasNews && this.#settled < 2;
  }

  need(nowMs: number): SeriesNeed {
    if (this.isBusy) return 'nothing';
    if (this.isUrgent) return 'write';
    const isOver = nowMs - this.#lastSeenMs >= FINISH_MS;
    if (isOver) return this.hasNews ? 'write' : 'forget';
    return this.hasNews && nowMs - this.#settledMs >= REFRESH_MS ? 'write' : 'nothing';
  }
}
