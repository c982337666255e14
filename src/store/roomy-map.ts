const FEWEST_KEYS = 1 << 10;
/** From here on it would take too long in one go. */
const MOST_KEYS = 1 << 15;

/**
 * A map whose keys are found sooner: V8 puts two keys into a bucket before a map grows, and each that has to be passed over is
 * a miss of the processor's caches. This one has room for twice as many, which takes 28 to 56 bytes more a key. V8 cannot be
 * told to grow early. But what has been deleted takes up room until then: when a map has grown, all the room it has got is
 * used up by keys that go again at once, so that it grows once more. `npm run bench:stages` tells what a lookup takes.
 */
export class RoomyMap<V> extends Map<string, V> {
  /** Beyond so many keys a map of V8 grows, to room for twice as many. */
  #growsAt = FEWEST_KEYS;

  override set(key: string, value: V): this {
    super.set(key, value);
    if (this.size > this.#growsAt) this.#useUpRoom();
    return this;
  }

  #useUpRoom(): void {
    const room = this.#growsAt;
    this.#growsAt = room < MOST_KEYS ? 2 * room : Number.POSITIVE_INFINITY;
    for (let i = 0; i < room; i++) {
      // Numbers are no keys of the map, and each has another bucket.
      Map.prototype.set.call(this, i, undefined);
      Map.prototype.delete.call(this, i);
    }
  }
}
