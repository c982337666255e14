import type { Clock, Timer } from '../observe/clock.ts';
import { METRICS } from '../observe/metric-definitions.ts';
import { MetricScope } from '../observe/metric-scope.ts';
import type { Counter, Gauge, Histogram, MetricLabels, Metrics } from '../observe/metrics.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { NumberColumn } from './column.ts';
import type { Slots } from './slots.ts';

/** client-go's `defaultUnfinishedWorkUpdatePeriod`. */
const TICK_MS = 500;
/** More priorities than this share one series, so that a mistake does not flood the metrics. */
const MAX_PRIORITIES = 25;
const OTHER_PRIORITIES = 'exceeded_cardinality_limit';

/** What controller-runtime tells of its queues, with its names and labels. */
export class QueueMetrics {
  readonly #scope: MetricScope;
  readonly #clock: Clock;
  readonly #labels: MetricLabels;
  readonly #depth: Gauge;
  readonly #adds: Counter;
  readonly #retries: Counter;
  readonly #queueDuration: Histogram;
  readonly #workDuration: Histogram;
  readonly #unfinished: Gauge;
  readonly #longest: Gauge;
  readonly #depths = new Map<string, { depth: number; readonly labels: MetricLabels }>();
  /** When items became dirty, and when they were handed out. */
  readonly #dirtySinceMs: NumberColumn;
  readonly #runningSinceMs: NumberColumn;
  readonly #running = new Set<number>();
  #tick: Timer | undefined;
  #isShutDown = false;

  constructor(metrics: Metrics, name: string, clock: Clock, slots: Slots<unknown>) {
    const scope = new MetricScope(metrics);
    this.#dirtySinceMs = slots.numberColumn();
    this.#runningSinceMs = slots.numberColumn();
    this.#scope = scope;
    this.#clock = clock;
    this.#labels = { name, controller: name };
    this.#depth = scope.gauge(METRICS.queueDepth);
    this.#adds = scope.counter(METRICS.queueAdds);
    this.#retries = scope.counter(METRICS.queueRetries);
    this.#queueDuration = scope.histogram(METRICS.queueDuration);
    this.#workDuration = scope.histogram(METRICS.workDuration);
    this.#unfinished = scope.gauge(METRICS.unfinishedWork);
    this.#longest = scope.gauge(METRICS.longestRunning);
    this.#adds.add(0, this.#labels);
    this.#retries.add(0, this.#labels);
    this.#unfinished.set(0, this.#labels);
    this.#longest.set(0, this.#labels);
    this.#count(0, 0);
  }

  added(slot: number, priority = 0): void {
    this.#dirtySinceMs.set(slot, monotonicMs(this.#clock));
    this.#adds.add(1, this.#labels);
    this.#count(priority, 1);
  }

  /** A waiting item has another priority than before. */
  moved(from: number, to: number): void {
    this.#count(from, -1);
    this.#count(to, 1);
  }

  retried(): void {
    this.#retries.add(1, this.#labels);
  }

  handedOut(slot: number, priority = 0): void {
    const nowMs = monotonicMs(this.#clock);
    this.#runningSinceMs.set(slot, nowMs);
    this.#queueDuration.observe(secondsBetween(this.#dirtySinceMs.get(slot), nowMs), this.#labels);
    this.#count(priority, -1);
    this.#running.add(slot);
    this.#armTick();
  }

  done(slot: number): void {
    this.#running.delete(slot);
    const sinceMs = this.#runningSinceMs.get(slot);
    this.#workDuration.observe(secondsBetween(sinceMs, monotonicMs(this.#clock)), this.#labels);
    this.#checkEnd();
  }

  /** What waits may still be handed out. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#checkEnd();
  }

  /** No tick and no series is left when nothing waits or runs any more; or, with `end`, at once. */
  #checkEnd(): void {
    if (!this.#isShutDown || this.#running.size > 0) return;
    for (const { depth } of this.#depths.values()) if (depth > 0) return;
    this.end();
  }

  /** Nobody takes what waits. */
  end(): void {
    this.#tick?.clear();
    this.#scope.end();
  }

  #count(priority: number, change: number): void {
    let label = String(priority);
    if (!this.#depths.has(label) && this.#depths.size >= MAX_PRIORITIES) label = OTHER_PRIORITIES;
    const level = this.#depths.get(label) ?? { depth: 0, labels: { ...this.#labels, priority: label } };
    level.depth += change;
    this.#depths.set(label, level);
    this.#depth.set(level.depth, level.labels);
  }

  #armTick(): void {
    this.#tick ??= this.#clock.setTimeout(() => this.#showRunning(), TICK_MS, { keepAlive: false });
  }

  /** Goes on for as long as anything runs. */
  #showRunning(): void {
    this.#tick = undefined;
    const nowMs = monotonicMs(this.#clock);
    let all = 0;
    let longest = 0;
    for (const slot of this.#running) {
      const seconds = secondsBetween(this.#runningSinceMs.get(slot), nowMs);
      all += seconds;
      longest = Math.max(longest, seconds);
    }
    this.#unfinished.set(all, this.#labels);
    this.#longest.set(longest, this.#labels);
    if (this.#running.size > 0) this.#armTick();
  }
}

/** A time that goes back, as a bare wall clock may, must not give a negative duration. */
function secondsBetween(fromMs: number, toMs: number): number {
  return Math.max(toMs - fromMs, 0) / 1_000;
}
