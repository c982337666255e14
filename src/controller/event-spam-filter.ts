/** client-go's record.EventCorrelator: what an object may have at once. */
const BURST = 25;
/** After that, one in this time. */
const REFILL_MS = 5 * 60_000;
/** How many objects are remembered; client-go's LRU has as many. */
const MAX_OBJECTS = 4096;

interface Bucket {
  tokens: number;
  /** When the tokens were counted. */
  atMs: number;
}

/**
 * Limits the new Event objects about one object: 25, then one in 5 minutes. An object that has not been heard of for long is forgotten when
 * there are too many, and begins with 25 again.
 */
export class EventSpamFilter {
  /** By object, the one that was last heard of at the end. */
  readonly #buckets = new Map<string, Bucket>();

  /** Whether a new Event object may be made; if so, it is counted. */
  allows(object: string, nowMs: number): boolean {
    const bucket = this.#bucketOf(object, nowMs);
    bucket.tokens = Math.min(BURST, bucket.tokens + (nowMs - bucket.atMs) / REFILL_MS);
    bucket.atMs = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  #bucketOf(object: string, nowMs: number): Bucket {
    const known = this.#buckets.get(object);
    this.#buckets.delete(object);
    if (known === undefined && this.#buckets.size >= MAX_OBJECTS) {
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    const bucket = known ?? { tokens: BURST, atMs: nowMs };
    this.#buckets.set(object, bucket);
    return bucket;
  }
}
