import { channels } from '../observe/channels.ts';
import type { Timer } from '../observe/clock.ts';
import { monotonicMs, TimeSlice } from '../observe/scheduler.ts';
import { DelayHeap } from './delay-heap.ts';
import { NONE } from './slots.ts';
import { WorkQueue } from './work-queue.ts';

/** How many items become ready between two looks at the time. */
const STEP = 64;

/**
 * A queue to which items can be added later. Of two delays of one item the earlier holds. A delay is independent of what happens
 * to the item meanwhile: an item that waits, or is being worked on, when its delay ends is added once more. What is still delayed
 * at `shutDown` is dropped. client-go's `workqueue.TypedDelayingInterface`.
 */
export class DelayingQueue<T = string> extends WorkQueue<T> {
  /** @internal */
  protected readonly delays = new DelayHeap(this.slots);
  #timer: Timer | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  /** Adds the item after the delay; at once when the delay is zero or below. */
  addAfter(item: T, delayMs: number): void {
    this.mustBeDelay(delayMs);
    if (this.isShuttingDown) return;
    this.metrics?.retried();
    if (delayMs <= 0) this.add(item);
    else this.delay(this.slotOf(item), delayMs);
  }

  override shutDown(): void {
    super.shutDown();
    this.#timer?.clear();
    this.#timer = undefined;
    for (const slot of this.delays.clear()) this.release(slot);
  }

  /** @internal */
  protected override get delayed(): number {
    return this.delays.size;
  }

  /** @internal */
  protected mustBeDelay(delayMs: number): void {
    if (Number.isFinite(delayMs)) return;
    throw new TypeError(`${this.name}: a delay must be a finite number of milliseconds, not ${delayMs}.`);
  }

  /** @internal */
  protected delay(slot: number, delayMs: number): void {
    this.delays.add(slot, monotonicMs(this.clock) + delayMs);
    if (channels.queue.hasSubscribers) this.tell('delay', slot, delayMs);
    this.#arm();
  }

  /** One timer, for whichever item is due first. */
  #arm(): void {
    const { nextMs } = this.delays;
    if (nextMs === undefined || (this.#timer && this.#timerMs <= nextMs)) return;
    this.#timer?.clear();
    this.#timerMs = nextMs;
    this.#timer = this.clock.setTimeout(() => this.#release(), nextMs - monotonicMs(this.clock));
  }

  /** In slices: a million items may be due at one moment. The rest has its turn when everything else has had one. */
  #release(): void {
    this.#timer = undefined;
    const nowMs = monotonicMs(this.clock);
    const slice = new TimeSlice(this.clock);
    for (let count = 1; ; count++) {
      const slot = this.delays.takeDue(nowMs);
      if (slot === NONE) break;
      this.makeDirty(slot);
      if (count % STEP === 0 && slice.isDue()) break;
    }
    this.#arm();
  }
}
