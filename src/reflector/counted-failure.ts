/** After this long a failure that goes on is told again… */
export const FIRST_GAP_MS = 60_000;
/** …and after twice as long each time, up to this. */
const MAX_GAP_MS = 60 * 60_000;

/** A failure that is told when it begins, and counted from then on. */
export class CountedFailure {
  readonly sinceMs: number;
  lastMs: number;
  times = 0;
  #toldMs: number;
  #gapMs = FIRST_GAP_MS;

  constructor(nowMs: number) {
    this.sinceMs = this.lastMs = this.#toldMs = nowMs;
  }

  add(nowMs: number): void {
    this.times++;
    this.lastMs = nowMs;
  }

  /** Whether it is time to tell of it again; it counts as told then. */
  isDue(nowMs: number): boolean {
    if (nowMs - this.#toldMs < this.#gapMs) return false;
    this.#toldMs = nowMs;
    this.#gapMs = Math.min(this.#gapMs * 2, MAX_GAP_MS);
    return true;
  }
}

/** `12 s`, `12 min`, `3 h`: for people, who do not need more. */
export function asDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${Math.max(seconds, 0).toFixed(1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  return minutes < 100 ? `${Math.round(minutes)} min` : `${Math.round(minutes / 60)} h`;
}
