import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';

const BUCKET_MS = 500;
const BUCKETS = 6;

/** How many events a second there were lately. */
export class RateMeter {
  readonly #clock: Pick<Clock, 'now' | 'scheduler'>;
  readonly #counts = new Map<number, number>();

  constructor(clock: Pick<Clock, 'now' | 'scheduler'>) {
    this.#clock = clock;
  }

  count(): void {
    const bucket = this.#bucket();
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1);
  }

  /** Over the last three seconds. */
  perSecond(): number {
    const now = this.#bucket();
    let sum = 0;
    for (const [bucket, count] of this.#counts) {
      if (bucket <= now - BUCKETS) this.#counts.delete(bucket);
      else sum += count;
    }
    return sum / ((BUCKETS * BUCKET_MS) / 1_000);
  }

  #bucket(): number {
    return Math.floor(monotonicMs(this.#clock) / BUCKET_MS);
  }
}
