import type { Entry } from './entry.ts';

/** How many idle entries are kept: few controllers have more keys that come again and again, and each entry costs memory. */
const MAX_SPARE = 32_768;

/**
 * Entries of items that neither wait, nor are delayed, nor are being worked on. The keys of a controller come again and again, and to make an
 * entry for each of them costs more than all else that a queue does.
 */
export class SpareEntries<T> {
  /** A ring, once it is full. Some have work again. */
  readonly #ring: Entry<T>[] = [];
  #oldest = 0;

  /** Keeps an idle entry. Returns one that is to be forgotten instead, if there is one. */
  keep(entry: Entry<T>): Entry<T> | undefined {
    // Nobody may need the item any more; its key stays.
    entry.item = undefined;
    if (entry.isSpare) return undefined;
    entry.isSpare = true;
    if (this.#ring.length < MAX_SPARE) {
      this.#ring.push(entry);
      return undefined;
    }
    const oldest = this.#ring[this.#oldest];
    this.#ring[this.#oldest] = entry;
    this.#oldest = (this.#oldest + 1) % MAX_SPARE;
    if (oldest) oldest.isSpare = false;
    // One that has work is kept when that is done.
    return oldest?.isIdle ? oldest : undefined;
  }
}
