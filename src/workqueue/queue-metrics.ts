import type { Clock, Timer } from '../observe/clock.ts';
import type { Counter, Gauge, Histogram, MetricLabels, Metrics } from '../observe/metrics.ts';
import { monotonicMs } from '../observe/scheduler.ts';

/** client-go's `defaultUnfinishedWorkUpdatePeriod`. */
const TICK_MS = 500;
/** 10 ns to 1,000 s. */
const BUCKETS: readonly number[] = Array.from({ length: 12 }, (_, power) => Number(`1e${power - 8}`));
/** More priorities than this share one series, so that a mistake does not flood the metrics. */
const MAX_PRIORITIES = 25;
const OTHER_PRIORITIES = 'exceeded_cardinality_limit';

/** What is measured of an item. */
interface MeasuredEntry {
  dirtySinceMs: number;
  runningSinceMs: number;
  readonly priority?: number;
}

/** What controller-runtime tells of its queues, with its names and labels. */
export class QueueMetrics {
  readonly #clock: Clock;
  readonly #labels: MetricLabels;
  readonly #depth: Gauge;
  readonly #adds: Counter;
  readonly #retries: Counter;
  readonly #queueDuration: Histogram;
  readonly #workDuration: Histogram;
  readonly #unfinished: Gauge;
  readonly #longest: Gauge;
  readonly #depths = new Map<string, number>();
  readonly #running = new Set<MeasuredEntry>();
  #tick: Timer | undefined;
  #isShutDown = false;

  constructor(metrics: Metrics, name: string, clock: Clock) {
    const labelNames = ['name', 'controller'];
    const gauge = (metric: string, help: string) => metrics.gauge({ name: metric, help, labelNames });
    const counter = (metric: string, help: string) => metrics.counter({ name: metric, help, labelNames });
    const histogram = (metric: string, help: string) =>
      metrics.histogram({ name: metric, help, labelNames, buckets: BUCKETS });
    this.#clock = clock;
    this.#labels = { name, controller: name };
    this.#depth = metrics.gauge({
      name: 'workqueue_depth',
      help: 'How many items wait.',
      labelNames: [...labelNames, 'priority'],
    });
    this.#adds = counter('workqueue_adds_total', 'Items added; one that waits already does not count.');
    this.#retries = counter('workqueue_retries_total', 'Items added with a delay.');
    this.#queueDuration = histogram('workqueue_queue_duration_seconds', 'From the first add of an item to its start.');
    this.#workDuration = histogram('workqueue_work_duration_seconds', 'From the start of an item to its end.');
    this.#unfinished = gauge('workqueue_unfinished_work_seconds', 'The time spent so far on all that runs.');
    this.#longest = gauge('workqueue_longest_running_processor_seconds', 'The time spent so far on what runs longest.');
    this.#adds.add(0, this.#labels);
    this.#retries.add(0, this.#labels);
    this.#unfinished.set(0, this.#labels);
    this.#longest.set(0, this.#labels);
    this.#count(0, 0);
  }

  added(entry: MeasuredEntry): void {
    entry.dirtySinceMs = monotonicMs(this.#clock);
    this.#adds.add(1, this.#labels);
    this.#count(entry.priority ?? 0, 1);
  }

  /** A waiting item has another priority than before. */
  moved(from: number, to: number): void {
    this.#count(from, -1);
    this.#count(to, 1);
  }

  retried(): void {
    this.#retries.add(1, this.#labels);
  }

  handedOut(entry: MeasuredEntry): void {
    entry.runningSinceMs = monotonicMs(this.#clock);
    this.#queueDuration.observe(secondsBetween(entry.dirtySinceMs, entry.runningSinceMs), this.#labels);
    this.#count(entry.priority ?? 0, -1);
    this.#running.add(entry);
    this.#armTick();
  }

  done(entry: MeasuredEntry): void {
    this.#running.delete(entry);
    if (this.#isShutDown) this.#endTicks();
    this.#workDuration.observe(secondsBetween(entry.runningSinceMs, monotonicMs(this.#clock)), this.#labels);
  }

  /** No tick is left when nothing runs any more. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#endTicks();
  }

  #endTicks(): void {
    if (!this.#tick || this.#running.size > 0) return;
    this.#tick.clear();
    this.#showRunning();
  }

  #count(priority: number, change: number): void {
    let label = String(priority);
    if (!this.#depths.has(label) && this.#depths.size >= MAX_PRIORITIES) label = OTHER_PRIORITIES;
    const depth = (this.#depths.get(label) ?? 0) + change;
    this.#depths.set(label, depth);
    this.#depth.set(depth, { ...this.#labels, priority: label });
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
    for (const { runningSinceMs } of this.#running) {
      const seconds = secondsBetween(runningSinceMs, nowMs);
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
