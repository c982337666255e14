import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';

const MAX_KEYS = 10_000;
/** Longer than any hand-over: whoever had the key before has run it since. */
const MAX_AGE_MS = 5 * 60_000;

/**
 * Keys that came while another process was to run them, and that no cache holds: of objects that are gone, and of sources. Those of the caches are
 * found there when this process gains the right to run them. The last 10,000 of the last five minutes.
 */
export class ParkedKeys {
  readonly #clock: Clock;
  /** By key, in the order of their time. */
  readonly #keys = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(key: string): void {
    this.#keys.delete(key);
    this.#keys.set(key, monotonicMs(this.#clock));
    const [first] = this.#keys.keys();
    if (this.#keys.size > MAX_KEYS && first !== undefined) this.#keys.delete(first);
  }

  /** Takes out those that are wanted. */
  take(isWanted: (key: string) => boolean): string[] {
    const youngEnoughMs = monotonicMs(this.#clock) - MAX_AGE_MS;
    const taken: string[] = [];
    for (const [key, atMs] of this.#keys) {
      const isWantedNow = isWanted(key);
      if (atMs < youngEnoughMs || isWantedNow) this.#keys.delete(key);
      if (atMs >= youngEnoughMs && isWantedNow) taken.push(key);
    }
    return taken;
  }
}
