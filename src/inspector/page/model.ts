import type { RunRecord, Tick, TimelineEvent } from '../protocol.ts';

const MAX_EVENTS = 10_000;
/** Two minutes of ticks. */
const MAX_POINTS = 240;

/** What the page knows: the last tick, and what came before it. */
export class Model {
  tick: Tick | undefined;
  readonly events: TimelineEvent[] = [];
  readonly runs: RunRecord[] = [];
  /** By what it is a rate of: one number for each tick. */
  readonly #points = new Map<string, number[]>();

  take(tick: Tick): void {
    // Another history: the program, or the server of this page, has begun again.
    if (this.tick !== undefined && this.tick.sinceMs !== tick.sinceMs) {
      this.events.length = 0;
      this.runs.length = 0;
      this.#points.clear();
    }
    this.tick = tick;
    add(this.events, tick.events);
    add(this.runs, tick.runs);
    for (const { id, changes } of tick.informers) this.#point(`changes ${id}`, changes);
    for (const { controllers } of tick.managers) {
      for (const { name, runs } of controllers) this.#point(`runs ${name}`, runs);
    }
    this.#point('rss', tick.memory.rssBytes);
    this.#point('heap', tick.memory.heapUsedBytes);
  }

  points(of: string): readonly number[] {
    return this.#points.get(of) ?? [];
  }

  #point(of: string, value: number): void {
    const points = this.#points.get(of) ?? [];
    points.push(value);
    if (points.length > MAX_POINTS) points.shift();
    this.#points.set(of, points);
  }
}

/** A tick may repeat what an earlier one brought. */
function add<T extends { readonly seq: number }>(all: T[], news: readonly T[]): void {
  const last = all.at(-1)?.seq ?? 0;
  for (const one of news) if (one.seq > last) all.push(one);
  if (all.length > MAX_EVENTS) all.splice(0, all.length - MAX_EVENTS);
}
