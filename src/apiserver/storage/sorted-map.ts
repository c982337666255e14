const MAX_CHUNK = 512;

interface Chunk<V> {
  readonly keys: string[];
  readonly values: V[];
}

/**
 * A map in the order of its keys (by code unit, as etcd orders ASCII). Insertion and removal cost one binary search and
 * the move of at most a chunk, so that a hundred thousand keys in any order stay cheap.
 */
export class SortedMap<V> {
  readonly #byKey = new Map<string, V>();
  #chunks: Chunk<V>[] = [];

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): V | undefined {
    return this.#byKey.get(key);
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  set(key: string, value: V): void {
    const known = this.#byKey.has(key);
    this.#byKey.set(key, value);
    const at = this.#chunkFor(key);
    const chunk = this.#chunks[at];
    if (!chunk) {
      this.#chunks.push({ keys: [key], values: [value] });
      return;
    }
    const index = lowerBound(chunk.keys, key);
    if (known) {
      chunk.values[index] = value;
      return;
    }
    chunk.keys.splice(index, 0, key);
    chunk.values.splice(index, 0, value);
    if (chunk.keys.length > MAX_CHUNK) this.#split(at, chunk);
  }

  delete(key: string): boolean {
    if (!this.#byKey.delete(key)) return false;
    const at = this.#chunkFor(key);
    const chunk = this.#chunks[at];
    if (!chunk) return true;
    const index = lowerBound(chunk.keys, key);
    chunk.keys.splice(index, 1);
    chunk.values.splice(index, 1);
    if (chunk.keys.length === 0) this.#chunks.splice(at, 1);
    return true;
  }

  /** Entries from the first key that is not below `from`, while `prefix` holds. Do not change the map meanwhile. */
  *entries(from = '', prefix = ''): Generator<[string, V]> {
    const start = from > prefix ? from : prefix;
    for (let at = this.#chunkFor(start); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at];
      if (!chunk) return;
      for (let index = lowerBound(chunk.keys, start); index < chunk.keys.length; index++) {
        const key = chunk.keys[index] as string;
        if (!key.startsWith(prefix)) return;
        yield [key, chunk.values[index] as V];
      }
    }
  }

  /** The values of `entries`, as an array; much faster than iterating for large maps. */
  values(from = '', prefix = ''): V[] {
    const start = from > prefix ? from : prefix;
    const found: V[] = [];
    for (let at = this.#chunkFor(start); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at];
      if (!chunk) break;
      // Keys with one prefix stand together: when the last key has it, so have all from the start on.
      const whole = prefix === '' || (chunk.keys.at(-1)?.startsWith(prefix) ?? false);
      for (let index = lowerBound(chunk.keys, start); index < chunk.keys.length; index++) {
        if (!whole && !(chunk.keys[index] as string).startsWith(prefix)) return found;
        found.push(chunk.values[index] as V);
      }
    }
    return found;
  }

  /** The chunk that holds or would hold the key: the last one whose first key is not above it. */
  #chunkFor(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const first = this.#chunks[middle]?.keys[0];
      if (first !== undefined && first <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(low - 1, 0);
  }

  #split(at: number, chunk: Chunk<V>): void {
    // Appending in order is the common case: leave the left chunk full rather than half empty.
    const last = at === this.#chunks.length - 1;
    const cut = last ? chunk.keys.length - 1 : chunk.keys.length >> 1;
    this.#chunks.splice(at + 1, 0, { keys: chunk.keys.splice(cut), values: chunk.values.splice(cut) });
  }
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
